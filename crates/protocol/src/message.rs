//! The one message: what a person, a model or a tool said, as it is stored, sent and shown.
//!
//! Promises: `content` is read as a text or as blocks and always written as blocks; a kind of block that
//! this version does not know is kept as it is. Leaves to others: what providers make of it.

use std::fmt;

use schemars::JsonSchema;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// One message of a conversation.
///
/// ```
/// use tarsus_protocol::{Block, Message, Role};
///
/// let message: Message = serde_json::from_str(r#"{"role":"user","content":"hello"}"#)?;
/// assert_eq!(message, Message { role: Role::User, content: vec![Block::text("hello")], timestamp: None });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Who speaks, with what only such a speaker has.
    #[serde(flatten)]
    pub role: Role,
    /// What is said.
    #[serde(default, deserialize_with = "text_or_blocks")]
    pub content: Vec<Block>,
    /// When, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<u64>,
}

impl Message {
    /// Its text, without what was thought, shown or called.
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
        #[serde(
            default,
            skip_serializing_if = "Option::is_none",
            deserialize_with = "crate::frame::present"
        )]
        details: Option<Value>,
    },
    /// A remark of the runtime, such as a run that failed before it answered.
    Custom {
        /// What kind of remark.
        custom_type: String,
    },
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
    /// The model calls a tool.
    ToolCall(ToolCall),
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

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut properties = Map::deserialize(deserializer)?;
        let Some(kind) = properties.get("type").and_then(Value::as_str) else {
            return Err(D::Error::custom("a content block needs a `type` that is a string"));
        };
        let known = match kind {
            "text" => Text::deserialize(taken(&mut properties)).map(Self::Text),
            "thinking" => Thinking::deserialize(taken(&mut properties)).map(Self::Thinking),
            "image" => Image::deserialize(taken(&mut properties)).map(Self::Image),
            "toolCall" => ToolCall::deserialize(taken(&mut properties)).map(Self::ToolCall),
            _ => Ok(Self::Other(OtherBlock(properties))),
        };
        known.map_err(D::Error::custom)
    }
}

fn taken(properties: &mut Map<String, Value>) -> Value {
    Value::Object(std::mem::take(properties))
}

fn text_or_blocks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Block>, D::Error> {
    struct TextOrBlocks;

    impl<'de> Visitor<'de> for TextOrBlocks {
        type Value = Vec<Block>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or a list of content blocks")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Vec<Block>, E> {
            Ok(vec![Block::text(text)])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut blocks: A) -> Result<Vec<Block>, A::Error> {
            std::iter::from_fn(|| blocks.next_element().transpose()).collect()
        }
    }

    deserializer.deserialize_any(TextOrBlocks)
}
