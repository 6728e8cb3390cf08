//! JSON values as the loader takes them: texts, and lists that may be written as one text.

use serde_json::{Map, Value};

use super::text::trimmed;
use super::yaml::js_number;

/// A field that is a text.
pub(super) fn text(raw: &Map<String, Value>, key: &str) -> Option<String> {
    raw.get(key)?.as_str().map(str::to_owned)
}

/// A list of texts, or one text with commas; entries without text are left out.
pub(super) fn list(value: Option<&Value>) -> Vec<String> {
    let mut list: Vec<String> = match value {
        Some(Value::Array(items)) => items.iter().map(|item| trimmed(&shown(item)).to_owned()).collect(),
        Some(Value::String(text)) => text.split(',').map(|item| trimmed(item).to_owned()).collect(),
        _ => Vec::new(),
    };
    list.retain(|item| !item.is_empty());
    list.shrink_to_fit();
    list
}

/// A value as `String(value)` gives it.
fn shown(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), js_number),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            // A list inside a list shows nothing for `null`.
            let item = |item: &Value| if item.is_null() { String::new() } else { shown(item) };
            items.iter().map(item).collect::<Vec<_>>().join(",")
        }
        Value::Object(_) => "[object Object]".to_owned(),
    }
}
