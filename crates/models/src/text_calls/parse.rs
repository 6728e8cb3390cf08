//! The forms in which models write calls: `<tool_call>{…}</tool_call>`, the same with `<tools>`, and a fenced or bare JSON
//! object with `name` and `arguments`. Pure.

use serde_json::{Deserializer, Map, Value};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct ParsedCall {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
}

/// The possible continuations of an incomplete text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Prefix {
    /// Still a call or a text.
    Undecided,
    /// Starts with a `<think>` block.
    Thought,
    Text,
}

/// Some models use the tags around the list of tools in place of those of a call.
const TAGS: [(&str, &str); 2] = [("<tool_call>", "</tool_call>"), ("<tools>", "</tools>")];
const THOUGHT: &str = "<think>";
const FENCE: &str = "```";
/// The info strings of a fenced call.
const LANGUAGES: [&str; 4] = ["", "json", "tool_call", "tool_calls"];
const KEYS: [&str; 6] = ["name", "arguments", "parameters", "function", "type", "id"];
const MAX_LEADING_SPACE: usize = 1_024;

/// Looks at the first few characters only, however long the text is.
pub(super) fn classify_prefix(text: &str) -> Prefix {
    let start = text.trim_start();
    let blank = text.len() - start.len();
    let could_be = |begun: bool| if begun { Prefix::Undecided } else { Prefix::Text };
    if blank > MAX_LEADING_SPACE {
        return Prefix::Text;
    }
    if start.starts_with(THOUGHT) {
        return Prefix::Thought;
    }
    let mut tags = TAGS.iter().map(|(tag, _)| *tag);
    let is_tagged = tags.clone().any(|tag| start.starts_with(tag));
    if is_tagged
        || tags.any(|tag| tag.starts_with(start))
        || [THOUGHT, FENCE].iter().any(|word| word.starts_with(start))
    {
        return Prefix::Undecided;
    }
    if let Some(fenced) = start.strip_prefix(FENCE) {
        return match fenced.split_once('\n') {
            Some((language, body)) => could_be(LANGUAGES.contains(&language.trim()) && may_be_object(body)),
            None => could_be(LANGUAGES.iter().any(|language| language.starts_with(fenced.trim()))),
        };
    }
    could_be(may_be_object(start))
}

/// Whether the text may become an object whose first key is one of a call's.
fn may_be_object(text: &str) -> bool {
    let blank = |text: &str| text.len() <= MAX_LEADING_SPACE;
    let start = text.trim_start();
    let Some(inside) = start.strip_prefix('{') else { return start.is_empty() && blank(text) };
    let first = inside.trim_start();
    let Some(key) = first.strip_prefix('"') else { return first.is_empty() && blank(inside) };
    match key.split_once('"') {
        Some((key, _)) => KEYS.contains(&key),
        None => KEYS.iter().any(|known| known.starts_with(key)),
    }
}

/// Parses a text that consists only of calls.
pub(super) fn parse_calls(text: &str) -> Option<Vec<ParsedCall>> {
    let text = text.trim();
    let mut calls = Vec::new();
    let mut rest = text;
    if let Some((tag, end)) = TAGS.iter().find(|(tag, _)| text.starts_with(tag)) {
        while !rest.is_empty() {
            let (call, after) = parse_call(rest.strip_prefix(tag)?)?;
            calls.push(call);
            rest = match after.trim_start() {
                // The last closing tag may be missing: servers use it as a stop sequence.
                "" => "",
                after => after.strip_prefix(end)?.trim_start(),
            };
        }
        return Some(calls);
    }
    if let Some(fenced) = text.strip_prefix(FENCE) {
        let (language, body) = fenced.split_once('\n')?;
        rest = body.strip_suffix(FENCE).filter(|_| LANGUAGES.contains(&language.trim()))?.trim_end();
    }
    while !rest.is_empty() {
        let (call, after) = parse_call(rest)?;
        calls.push(call);
        rest = after.trim_start();
    }
    (!calls.is_empty()).then_some(calls)
}

/// Parses one object at the start; returns the rest of the text.
fn parse_call(text: &str) -> Option<(ParsedCall, &str)> {
    let mut values = Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    let object = values.next()?.ok()?;
    let rest = &text[values.byte_offset()..];
    Some((parsed_call(object)?, rest))
}

fn parsed_call(mut object: Map<String, Value>) -> Option<ParsedCall> {
    if !object.keys().all(|key| KEYS.contains(&key.as_str())) {
        return None;
    }
    if let Some(Value::Object(function)) = object.remove("function") {
        return if object.contains_key("name") { None } else { parsed_call(function) };
    }
    let Some(Value::String(name)) = object.remove("name") else { return None };
    let arguments = match object.remove("arguments").or_else(|| object.remove("parameters"))? {
        // The declaration of a tool, repeated by the model.
        Value::Object(schema) if is_schema(&schema) => return None,
        Value::Object(arguments) => arguments,
        Value::String(text) => serde_json::from_str(&text).ok()?,
        _ => return None,
    };
    Some(ParsedCall { name, arguments })
}

fn is_schema(arguments: &Map<String, Value>) -> bool {
    arguments.get("type").is_some_and(|kind| kind == "object")
        && arguments.get("properties").is_some_and(Value::is_object)
}
