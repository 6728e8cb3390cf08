//! Parses frontmatter into fields: as YAML, with free text repaired that is not valid YAML, and line by line for fields
//! that YAML leaves empty.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use tarsus_protocol::DiagnosticCode;

use super::lines;
use super::simple::{self, SimpleBlock};
use super::text::{field, line_of, trimmed, unquoted};
use super::yaml::{self, Document, Fault, Node, Rendered, Renderer, Schema, Value, array_index};
use crate::Frontmatter;

/// A parsed block.
#[derive(Default)]
pub(super) struct ParsedBlock {
    /// The fields; parsed line by line if there is a fault.
    pub(super) fields: Frontmatter,
    /// The field `metadata`, if it was parsed as JSON already.
    pub(super) metadata: Option<serde_json::Value>,
    pub(super) fault: Option<Fault>,
    /// Line of the fault in the block, from 1.
    pub(super) line: u32,
    /// First repaired line of the block, from 1.
    pub(super) repaired: Option<u32>,
}

/// Fields of free text, in which people write colons; only these are repaired.
const FREE_TEXT: [&str; 3] = ["description", "read_when", "summary"];

/// Lines in which a space is inserted between a colon and a bracket.
const MAX_SPACED_LINES: usize = 16;

/// Parses a block.
pub(super) fn parse(block: &str) -> ParsedBlock {
    match simple::parse(block) {
        Some(SimpleBlock { fields, metadata }) => ParsedBlock { fields, metadata, ..ParsedBlock::default() },
        None => parse_yaml(block),
    }
}

/// Parses a block with the YAML parser, if it loads without repair.
#[cfg(test)]
pub(super) fn parse_with_yaml(block: &str) -> Option<Frontmatter> {
    let parsed = parse_yaml(block);
    (parsed.fault.is_none() && parsed.repaired.is_none()).then_some(parsed.fields)
}

fn parse_yaml(block: &str) -> ParsedBlock {
    let fallback = lines::fields(block);
    let mut text = yaml::with_stand_ins(block);
    let mut repaired = None;
    let mut tries = FREE_TEXT.len();
    let mut spaces = MAX_SPACED_LINES;
    loop {
        let (fields, faulty) = {
            let document = yaml::parse(&text, Schema::Core);
            match collect_fields(&text, &document, &fallback) {
                Ok(fields) => (Some(fields), None),
                Err(fault) => (None, Some((repair(&text, &document), fault))),
            }
        };
        if let Some((_, fault)) = &faulty
            && let Some(next) = yaml::with_colon_spaces(&text, fault).filter(|_| spaces > 0)
        {
            spaces -= 1;
            text = Cow::Owned(next);
            continue;
        }
        match faulty {
            None => {
                return ParsedBlock {
                    fields: fields.unwrap_or_default(),
                    repaired,
                    ..ParsedBlock::default()
                };
            }
            Some((Some((next, at)), _)) if tries > 0 => {
                tries -= 1;
                repaired = repaired.or_else(|| Some(line_of(&text, at)));
                text = Cow::Owned(next);
            }
            Some((_, fault)) => {
                let line = line_of(&text, fault.at);
                let pairs =
                    fallback.iter().map(|(key, value)| ((*key).to_owned(), value.clone().into_owned()));
                return ParsedBlock {
                    fields: in_property_order(pairs.collect()),
                    fault: Some(fault),
                    line,
                    repaired,
                    metadata: None,
                };
            }
        }
    }
}

fn invalid_root() -> Fault {
    Fault {
        code: DiagnosticCode::InvalidRoot,
        message: Cow::Borrowed("frontmatter must be a YAML mapping"),
        at: 0,
    }
}

fn collect_fields(
    text: &str,
    document: &Document<'_>,
    fallback: &[(&str, Cow<'_, str>)],
) -> Result<Frontmatter, Fault> {
    if let Some(fault) = &document.fault {
        return Err(fault.clone());
    }
    let Some(root @ Node { value: Value::Map(pairs), .. }) = &document.root else {
        return Err(invalid_root());
    };
    let mut renderer = Renderer::new(root)?;
    let fallback_places: HashMap<&str, &Cow<'_, str>> =
        fallback.iter().map(|(key, value)| (*key, value)).collect();
    let mut inline = None;
    let mut fields: Vec<(String, String)> = Vec::with_capacity(pairs.len() + 1);
    let mut places: HashMap<String, usize> = HashMap::with_capacity(pairs.len());
    for (name, value) in renderer.entries(pairs) {
        let name = trimmed(&name);
        if name.is_empty() || name == "__proto__" {
            continue;
        }
        let value = match renderer.render(value)? {
            Rendered::Nothing => continue,
            Rendered::Scalar(text) => trimmed(&text).to_owned(),
            Rendered::Structure(json) => {
                let is_inline = inline.get_or_insert_with(|| with_inline_colon(text, pairs)).contains(name);
                let own = fallback_places.get(name).filter(|_| is_inline);
                own.map_or(json, |own| own.to_string())
            }
        };
        match places.get(name) {
            Some(&place) => fields[place].1 = value,
            None => {
                places.insert(name.to_owned(), fields.len());
                fields.push((name.to_owned(), value));
            }
        }
    }
    for (key, value) in fallback {
        if !places.contains_key(*key) {
            fields.push(((*key).to_owned(), value.clone().into_owned()));
        }
    }
    Ok(in_property_order(fields))
}

/// Sorts the fields as JavaScript orders the properties of an object.
fn in_property_order(mut fields: Vec<(String, String)>) -> Frontmatter {
    if fields.iter().any(|(name, _)| array_index(name).is_some()) {
        fields.sort_by_key(|(name, _)| array_index(name).map_or(u64::MAX, u64::from));
    }
    fields.shrink_to_fit();
    Frontmatter(fields)
}

/// Returns the fields with a further colon on the line of their key, as in one-line JSON.
fn with_inline_colon<'a>(text: &'a str, pairs: &[(Node<'_>, Node<'_>)]) -> HashSet<&'a str> {
    let lines = pairs.iter().filter_map(|(key, _)| text[key.start?..].split('\n').next());
    let fields = lines.filter_map(field).filter(|(_, value)| value.contains(':'));
    fields.map(|(key, _)| key).collect()
}

/// Quotes the value on the line of the first fault if it is a top-level field of free text. Also returns the offset of the
/// line.
fn repair(text: &str, document: &Document<'_>) -> Option<(String, usize)> {
    let Some(Node { value: Value::Map(pairs), .. }) = &document.root else { return None };
    let at = match &document.fault {
        Some(fault) => fault.at,
        None => pairs.iter().find_map(|(key, value)| {
            let is_alias = is_text(key, "description") && matches!(value.value, Value::Alias(..));
            key.start.filter(|_| is_alias)
        })?,
    };
    // A fault at a newline belongs to the next line.
    let bytes = text.as_bytes();
    let before = bytes.get(..=at).unwrap_or(bytes);
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let end = text.get(at..).and_then(|rest| rest.find('\n')).map_or(text.len(), |newline| at + newline);
    let (key, value) = quoted_field(text.get(start..end)?)?;
    let value = trimmed(value);
    let is_at_top = pairs.iter().any(|(other, _)| is_text(other, key) && other.start == Some(start));
    let has_colons =
        document.fault.as_ref().is_some_and(|fault| fault.code == DiagnosticCode::BlockAsImplicitKey)
            && value.contains(": ");
    let may_repair = FREE_TEXT.contains(&key) && (key == "description" || has_colons);
    if value.is_empty() || !may_repair || !is_at_top || is_block_header(value) {
        return None;
    }
    let quoted = serde_json::Value::from(unquoted(value));
    let repaired = format!("{}{key}: {quoted}{}", &text[..start], &text[end..]);
    (repaired != text).then_some((repaired, start))
}

fn is_text(node: &Node<'_>, text: &str) -> bool {
    matches!(&node.value, Value::Text(own) if own == text)
}

/// Splits a line into key and value; the key may be quoted.
fn quoted_field(line: &str) -> Option<(&str, &str)> {
    let Some(quote) = line.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        return field(line);
    };
    let (key, rest) = line[1..].split_once(quote)?;
    // Same rules as for an unquoted key.
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_key = !key.is_empty() && key.bytes().all(is_word) && rest.starts_with(':');
    let value = rest.get(1..).unwrap_or_default().trim_start_matches(super::text::is_space);
    (is_key && !value.contains(super::text::is_separator)).then_some((key, value))
}

/// `|`, `>`, `|2-` and the like.
fn is_block_header(value: &str) -> bool {
    let Some(rest) = value.strip_prefix(['|', '>']) else { return false };
    let is_digit = |byte: u8| (b'1'..=b'9').contains(&byte);
    match rest.as_bytes() {
        [] | [b'+' | b'-'] => true,
        [digit] => is_digit(*digit),
        [digit, b'+' | b'-'] | [b'+' | b'-', digit] => is_digit(*digit),
        _ => false,
    }
}
