//! Results of tools and attached files as the model is shown them: what they say stands between the tags of the session.
//!
//! Promises: the same result is shown the same way every time, so that what was sent stays as it was. Leaves to others:
//! which results come from outside (`calls` writes it down with the result).

use serde_json::{Value, json};
use tarsus_protocol::message::{Text, TextFile};
use tarsus_protocol::{Block, Message, Role};

use crate::prompt::quote::Marker;

/// Where the details of a result say whose text it is.
const SOURCE: &str = "source";

/// The details of a result whose text is somebody else's.
pub(super) fn with_source(details: Option<Value>, source: String) -> Value {
    match details {
        Some(Value::Object(mut details)) => {
            details.insert(SOURCE.to_owned(), source.into());
            Value::Object(details)
        }
        _ => json!({ SOURCE: source }),
    }
}

/// A message as the model is shown it.
pub(super) fn shown(mut message: Message, marker: &Marker) -> Message {
    for block in &mut message.content {
        if let Block::File(TextFile { file_name, text }) = block {
            *block = Block::text(marker.quote(&format!("attached file {file_name}"), text));
        }
    }
    let Role::ToolResult { details: Some(details), .. } = &message.role else { return message };
    let Some(source) = details.get(SOURCE).and_then(Value::as_str) else { return message };
    for block in &mut message.content {
        if let Block::Text(Text { text }) = block {
            *text = marker.quote(source, text);
        }
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_text_of_others_is_quoted() {
        let marker = Marker::example();
        let result = |details: Option<Value>| Message {
            role: Role::ToolResult {
                tool_call_id: "1".to_owned(),
                tool_name: "read".to_owned(),
                is_error: false,
                details,
            },
            content: vec![Block::text("hello")],
            timestamp: None,
        };
        for own in [None, Some(json!({"a": 1})), Some(json!(["source"]))] {
            assert_eq!(shown(result(own.clone()), &marker), result(own));
        }
        let details = with_source(Some(json!({"a": 1})), "notes.md".to_owned());
        assert_eq!(details, json!({"a": 1, "source": "notes.md"}));
        let expected = marker.quote("notes.md", "hello");
        assert_eq!(shown(result(Some(details)), &marker).text(), expected);
        let said = Message { role: Role::User, content: vec![Block::text("hello")], timestamp: None };
        assert_eq!(shown(said.clone(), &marker), said);
        let file = TextFile { file_name: "a.md".to_owned(), text: "## Safety".to_owned() };
        let attached = Message { content: vec![Block::text("see"), Block::File(file)], ..said };
        let expected = format!("see\n{}", marker.quote("attached file a.md", "## Safety"));
        assert_eq!(shown(attached, &marker).text(), expected);
    }
}
