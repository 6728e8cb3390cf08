//! The one message type: the words of a person, a model or a tool as they are stored, sent and shown.
//!
//! `content` is read as a text or as blocks, and always written as blocks. Blocks of unknown kinds are kept as they are.

mod reading;
mod visibility;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::no_answer::NoAnswer;

pub use visibility::Visibility;

/// Longest subject of a tool call, in characters, in the call's title.
const MAX_SUBJECT_CHARS: usize = 80;
/// Arguments that describe a tool call; the first one present is used.
const SUBJECTS: [&str; 6] = ["path", "file_path", "command", "url", "query", "name"];

/// One message of a conversation.
///
/// ```
/// use tarsus_protocol::{Block, Message, Role};
///
/// let message: Message = serde_json::from_str(r#"{"role":"user","content":"hello"}"#)?;
/// assert_eq!(message, Message { role: Role::User, content: vec![Block::text("hello")], timestamp: None });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Message {
    /// The speaker, with the fields of that role.
    #[serde(flatten)]
    pub role: Role,
    /// Content blocks.
    #[serde(default)]
    pub content: Vec<Block>,
    /// Time in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<u64>,
}

impl Message {
    /// The text blocks, without reasoning, pictures, files and tool calls.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// Role of the speaker.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Role {
    /// A person, or a process on behalf of one.
    User,
    /// The model.
    Assistant,
    /// Instructions for the model.
    System,
    /// The result of a tool call.
    ToolResult {
        /// Id of the call.
        tool_call_id: String,
        /// Name of the tool.
        tool_name: String,
        /// Whether the call failed.
        #[serde(default)]
        is_error: bool,
        /// Data for front ends; the model does not see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
    /// A remark of the runtime, such as a failed run.
    Custom {
        /// Kind of the remark.
        custom_type: String,
        /// Reason why there is no answer, if the remark is about that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        no_answer: Option<NoAnswer>,
    },
}

impl Role {
    /// A remark that is not about a failure.
    #[must_use]
    pub fn remark(kind: &str) -> Self {
        Self::Custom { custom_type: kind.to_owned(), no_answer: None }
    }
}

/// A content block of a message.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Block {
    /// A piece of text.
    Text(Text),
    /// Reasoning of the model.
    Thinking(Thinking),
    /// A picture.
    Image(Image),
    /// A text file that a person attached.
    File(TextFile),
    /// A tool call of the model.
    ToolCall(ToolCall),
    /// A page of the Application Manager. The text block right before it holds the same page, for clients that do not
    /// know menus.
    Menu(Menu),
    /// A block of an unknown kind.
    #[serde(untagged)]
    Other(OtherBlock),
}

/// A piece of text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TextBlock")]
pub struct Text {
    /// The text.
    pub text: String,
}

/// Reasoning of the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ThinkingBlock")]
#[serde(rename_all = "camelCase")]
pub struct Thinking {
    /// Text of the reasoning.
    pub thinking: String,
    /// The provider's signature, which it requires unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImageBlock")]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Content in base64.
    pub data: String,
    /// MIME type, such as `image/png`.
    pub mime_type: String,
}

/// A text file that a person attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FileBlock")]
#[serde(rename_all = "camelCase")]
pub struct TextFile {
    /// File name.
    pub file_name: String,
    /// The content of the file.
    pub text: String,
}

/// A tool call of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ToolCallBlock")]
pub struct ToolCall {
    /// Id of the call; the result carries it.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments of the call.
    pub arguments: Map<String, Value>,
}

/// A page of the Application Manager with the replies that a person can choose.
///
/// Only the runtime adds one to a message: text that looks like a page never becomes a menu.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MenuBlock")]
pub struct Menu {
    /// Results of the previous reply, shown above the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<String>,
    /// The headline.
    pub title: String,
    /// The body above the choices, line by line.
    pub lines: Vec<String>,
    /// The replies on offer, in order.
    pub choices: Vec<MenuChoice>,
    /// Instructions below the choices, line by line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hints: Vec<String>,
}

/// One reply on offer in a menu.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MenuChoice {
    /// The button's label.
    pub label: String,
    /// The message to send when it is chosen.
    pub reply: String,
    /// The state of the labelled thing, such as `running`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub badge: Option<String>,
    /// The heading of the group that the choice belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// A block of an unknown kind, kept as it is.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("properties" = { "type": { "type": "string" } }, "required" = ["type"]))]
pub struct OtherBlock(Map<String, Value>);

impl OtherBlock {
    /// All properties, including `type`.
    #[must_use]
    pub fn properties(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl ToolCall {
    /// The tool and the subject of the call, on one line.
    #[must_use]
    pub fn title(&self) -> String {
        let subject = SUBJECTS.iter().find_map(|name| self.arguments.get(*name)?.as_str());
        let subject = subject.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
        match subject.filter(|text| !text.is_empty()) {
            Some(text) => {
                format!("{} {}", self.name, text.chars().take(MAX_SUBJECT_CHARS).collect::<String>())
            }
            None => self.name.clone(),
        }
    }
}

impl Block {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text { text: text.into() })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn tool_call_title_has_tool_and_subject() {
        let title = |arguments: Value| {
            let Value::Object(arguments) = arguments else { panic!("{arguments}") };
            ToolCall { id: "1".to_owned(), name: "read".to_owned(), arguments }.title()
        };
        assert_eq!(title(json!({})), "read");
        assert_eq!(title(json!({ "path": 7, "name": " \n " })), "read");
        assert_eq!(title(json!({ "limit": 1, "path": "a\n b.md" })), "read a b.md");
        assert_eq!(title(json!({ "path": "é".repeat(500) })).chars().count(), 85);
    }
}
