//! Resolves scalars by the core schema of YAML 1.2 and its tags.

use std::borrow::Cow;

use granit_parser::{ScalarStyle, Tag};

use super::number::{float, integer};
use super::{Schema, Value};

/// Resolves a scalar.
pub(super) fn value<'a>(
    text: Cow<'a, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
    schema: Schema,
) -> Value<'a> {
    let resolved = match tag.map(Tag::core_suffix) {
        // An unknown tag keeps the string.
        Some(None) => None,
        Some(Some("null")) => null(&text),
        Some(Some("bool")) => boolean(&text),
        Some(Some("int")) => integer(&text).map(Value::Number),
        Some(Some("float")) => float(&text).map(Value::Number),
        Some(Some(_)) => None,
        None if style != ScalarStyle::Plain => None,
        None if schema == Schema::Strings => text.is_empty().then_some(Value::Null),
        None => plain(&text),
    };
    resolved.unwrap_or(Value::Text(text))
}

fn plain<'a>(text: &str) -> Option<Value<'a>> {
    // No other plain scalar starts like these words and numbers.
    match text.as_bytes().first() {
        None | Some(b'~' | b'n' | b'N') => null(text),
        Some(b't' | b'T' | b'f' | b'F') => boolean(text),
        Some(b'0'..=b'9' | b'-' | b'+' | b'.') => integer(text).or_else(|| float(text)).map(Value::Number),
        _ => None,
    }
}

fn null<'a>(text: &str) -> Option<Value<'a>> {
    matches!(text, "" | "~" | "null" | "Null" | "NULL").then_some(Value::Null)
}

fn boolean<'a>(text: &str) -> Option<Value<'a>> {
    match text {
        "true" | "True" | "TRUE" => Some(Value::Bool(true)),
        "false" | "False" | "FALSE" => Some(Value::Bool(false)),
        _ => None,
    }
}
