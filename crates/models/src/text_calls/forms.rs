//! The forms in which models write calls: `<tool_call>{…}</tool_call>`, the same with `<tools>`, a fenced or a bare JSON
//! object with `name` and `arguments`. Pure.

use serde_json::{Deserializer, Map, Value};

/// A call as it was written.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
}

/// What a text that is not at its end may become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Calls, or something else.
    Open,
    /// It begins with a thought.
    Thought,
    /// Text.
    Text,
}

/// What a call stands between. Some models take the tags around the list of tools for those of a call.
const TAGS: [(&str, &str); 2] = [("<tool_call>", "</tool_call>"), ("<tools>", "</tools>")];
const THOUGHT: &str = "<think>";
const FENCE: &str = "```";
/// What may stand behind the opening fence.
const LANGUAGES: [&str; 4] = ["", "json", "tool_call", "tool_calls"];
/// The keys of a call.
const KEYS: [&str; 6] = ["name", "arguments", "parameters", "function", "type", "id"];
/// So much white space at the beginning is no call.
const MOST_BLANK: usize = 1_024;

/// Looks at the first few characters only, however long the text is.
pub(super) fn beginning(text: &str) -> Beginning {
    let start = text.trim_start();
    let blank = text.len() - start.len();
    let could_be = |begun: bool| if begun { Beginning::Open } else { Beginning::Text };
    if blank > MOST_BLANK {
        return Beginning::Text;
    }
    if start.starts_with(THOUGHT) {
        return Beginning::Thought;
    }
    let mut tags = TAGS.iter().map(|(tag, _)| *tag);
    let is_tagged = tags.clone().any(|tag| start.starts_with(tag));
    if is_tagged
        || tags.any(|tag| tag.starts_with(start))
        || [THOUGHT, FENCE].iter().any(|word| word.starts_with(start))
    {
        return Beginning::Open;
    }
    if let Some(fenced) = start.strip_prefix(FENCE) {
        return match fenced.split_once('\n') {
            Some((language, body)) => could_be(LANGUAGES.contains(&language.trim()) && may_be_object(body)),
            None => could_be(LANGUAGES.iter().any(|language| language.starts_with(fenced.trim()))),
        };
    }
    could_be(may_be_object(start))
}

/// Whether a text may become an object whose first key is one of a call's.
fn may_be_object(text: &str) -> bool {
    let blank = |text: &str| text.len() <= MOST_BLANK;
    let start = text.trim_start();
    let Some(inside) = start.strip_prefix('{') else { return start.is_empty() && blank(text) };
    let first = inside.trim_start();
    let Some(key) = first.strip_prefix('"') else { return first.is_empty() && blank(inside) };
    match key.split_once('"') {
        Some((key, _)) => KEYS.contains(&key),
        None => KEYS.iter().any(|known| known.starts_with(key)),
    }
}

/// The calls of a text that is nothing else.
pub(super) fn calls(text: &str) -> Option<Vec<Written>> {
    let text = text.trim();
    let mut calls = Vec::new();
    let mut rest = text;
    if let Some((tag, end)) = TAGS.iter().find(|(tag, _)| text.starts_with(tag)) {
        while !rest.is_empty() {
            let (call, after) = call(rest.strip_prefix(tag)?)?;
            calls.push(call);
            rest = match after.trim_start() {
                // The end may be missing at the very end: servers take it for a sign to stop.
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
        let (call, after) = call(rest)?;
        calls.push(call);
        rest = after.trim_start();
    }
    (!calls.is_empty()).then_some(calls)
}

/// One object at the beginning, and what follows it.
fn call(text: &str) -> Option<(Written, &str)> {
    let mut values = Deserializer::from_str(text).into_iter::<Map<String, Value>>();
    let object = values.next()?.ok()?;
    let rest = &text[values.byte_offset()..];
    Some((written(object)?, rest))
}

fn written(mut object: Map<String, Value>) -> Option<Written> {
    if !object.keys().all(|key| KEYS.contains(&key.as_str())) {
        return None;
    }
    if let Some(Value::Object(function)) = object.remove("function") {
        return if object.contains_key("name") { None } else { written(function) };
    }
    let Some(Value::String(name)) = object.remove("name") else { return None };
    let arguments = match object.remove("arguments").or_else(|| object.remove("parameters"))? {
        // A tool as it was described to the model, and no call of it.
        Value::Object(schema) if is_schema(&schema) => return None,
        Value::Object(arguments) => arguments,
        Value::String(text) => serde_json::from_str(&text).ok()?,
        _ => return None,
    };
    Some(Written { name, arguments })
}

/// Whether arguments are the description of arguments.
fn is_schema(arguments: &Map<String, Value>) -> bool {
    arguments.get("type").is_some_and(|kind| kind == "object")
        && arguments.get("properties").is_some_and(Value::is_object)
}
