//! The one message: what a person, a model or a tool said, as it is stored, sent and shown.
//!
//! Promises: `content` is read as a text or as blocks and always written as blocks; a kind of block that
//! this version does not know is kept as it is. Leaves to others: what providers make of it.

mod reading;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::no_answer::NoAnswer;

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
    /// Who speaks, with what only such a speaker has.
    #[serde(flatten)]
    pub role: Role,
    /// What is said.
    #[serde(default)]
    pub content: Vec<Block>,
    /// When, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<u64>,
}

impl Message {
    /// Its text, without what was thought, shown, attached or called.
    #[must_use]
    pub fn text(&self) -> String {
        let texts = self.content.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// Who speaks.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "role", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Role {
    /// A person, or what stands in for one.
    User,
    /// The model.
    Assistant,
    /// The rules that the model is given.
    System,
    /// A tool, after a call.
    ToolResult {
        /// The call that it answers.
        tool_call_id: String,
        /// The tool.
        tool_name: String,
        /// Whether the call failed.
        #[serde(default)]
        is_error: bool,
        /// What a surface may show besides the content; the model does not see it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<Value>,
    },
    /// A remark of the runtime, such as a run that failed before it answered.
    Custom {
        /// What kind of remark.
        custom_type: String,
        /// Why there is no answer, where it is about that.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        no_answer: Option<NoAnswer>,
    },
}

impl Role {
    /// A remark of a kind, about nothing that failed.
    #[must_use]
    pub fn remark(kind: &str) -> Self {
        Self::Custom { custom_type: kind.to_owned(), no_answer: None }
    }
}

/// One piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Block {
    /// Text.
    Text(Text),
    /// What the model thought before it answered.
    Thinking(Thinking),
    /// A picture.
    Image(Image),
    /// A text file that a person attached.
    File(TextFile),
    /// The model calls a tool.
    ToolCall(ToolCall),
    /// A page of the Application Manager. The text block right before it holds the same page, for clients that do not
    /// know menus.
    Menu(Menu),
    /// A kind that this version does not know.
    #[serde(untagged)]
    Other(OtherBlock),
}

/// Text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TextBlock")]
pub struct Text {
    /// The text.
    pub text: String,
}

/// What the model thought before it answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ThinkingBlock")]
#[serde(rename_all = "camelCase")]
pub struct Thinking {
    /// The thought.
    pub thinking: String,
    /// The provider's seal on it, which it wants back unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking_signature: Option<String>,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImageBlock")]
#[serde(rename_all = "camelCase")]
pub struct Image {
    /// Its bytes in base64.
    pub data: String,
    /// What they are, as in `image/png`.
    pub mime_type: String,
}

/// A text file that a person attached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "FileBlock")]
#[serde(rename_all = "camelCase")]
pub struct TextFile {
    /// Its name.
    pub file_name: String,
    /// What is in it.
    pub text: String,
}

/// The model calls a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ToolCallBlock")]
pub struct ToolCall {
    /// The id that the result carries.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is called with.
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

/// A block of a kind that this version does not know, kept as it came.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(extend("properties" = { "type": { "type": "string" } }, "required" = ["type"]))]
pub struct OtherBlock(Map<String, Value>);

impl OtherBlock {
    /// Its properties, `type` among them.
    #[must_use]
    pub fn properties(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl Block {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(Text { text: text.into() })
    }
}
