//! Converts JSON values as the loader does: strings, and lists that may be written as one string.

use serde_json::{Map, Value};

use super::text::trimmed;
use super::yaml::js_number;

/// Returns a string field.
pub(super) fn text(raw: &Map<String, Value>, key: &str) -> Option<String> {
    raw.get(key)?.as_str().map(str::to_owned)
}

/// Returns a list of strings, or one string split at commas, without empty entries.
pub(super) fn list(value: Option<&Value>) -> Vec<String> {
    let mut list: Vec<String> = match value {
        Some(Value::Array(items)) => items.iter().map(|item| trimmed(&to_text(item)).to_owned()).collect(),
        Some(Value::String(text)) => text.split(',').map(|item| trimmed(item).to_owned()).collect(),
        _ => Vec::new(),
    };
    list.retain(|item| !item.is_empty());
    list.shrink_to_fit();
    list
}

/// Converts as JavaScript's `String(value)`.
fn to_text(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), js_number),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            // `null` in a nested list gives an empty string.
            let item = |item: &Value| if item.is_null() { String::new() } else { to_text(item) };
            items.iter().map(item).collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
    }
}
