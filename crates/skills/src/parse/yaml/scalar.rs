//! What a scalar stands for: the core schema of YAML 1.2, and its tags.

use std::borrow::Cow;

use granit_parser::{ScalarStyle, Tag};

use super::number::{float, integer};
use super::{Schema, Value};

/// The value of a scalar.
pub(super) fn value<'a>(
    text: Cow<'a, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
    schema: Schema,
) -> Value<'a> {
    let resolved = match tag.map(Tag::core_suffix) {
        // A tag that the schema does not know leaves the text.
        Some(None) => None,
        Some(Some("null")) => null(&text),
        Some(Some("bool")) => boolean(&text),
        Some(Some("int")) => integer(&text).map(Value::Number),
        Some(Some("float")) => float(&text).map(Value::Number),
        Some(Some(_)) => None,
        None if style != ScalarStyle::Plain => None,
        None if schema == Schema::Texts => text.is_empty().then_some(Value::Null),
        None => plain(&text),
    };
    resolved.unwrap_or(Value::Text(text))
}

fn plain<'a>(text: &str) -> Option<Value<'a>> {
    // Nothing else starts like one of these words or numbers.
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
