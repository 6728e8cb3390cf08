//! Parsing of messages. Transcripts of thousands of messages are read before a model is called, so nothing is parsed twice:
//! messages and blocks with properties in the usual order are parsed directly into their types.

use std::fmt;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::{Block, Image, Menu, Message, OtherBlock, Role, Text, TextFile, Thinking, ToolCall};
use crate::no_answer::NoAnswer;

/// The fields of messages of all roles.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    role: String,
    tool_call_id: Option<String>,
    tool_name: Option<String>,
    #[serde(default)]
    is_error: bool,
    #[serde(default, deserialize_with = "crate::frame::present")]
    details: Option<Value>,
    custom_type: Option<String>,
    #[serde(default, deserialize_with = "word_if_known")]
    no_answer: Option<NoAnswer>,
    #[serde(default, deserialize_with = "text_or_blocks")]
    content: Vec<Block>,
    timestamp: Option<u64>,
}

impl<'de> Deserialize<'de> for Message {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const ROLES: &[&str] = &["user", "assistant", "system", "toolResult", "custom"];
        let Wire {
            role,
            tool_call_id,
            tool_name,
            is_error,
            details,
            custom_type,
            no_answer,
            content,
            timestamp,
        } = Wire::deserialize(deserializer)?;
        let missing = D::Error::missing_field;
        let role = match role.as_str() {
            "user" => Role::User,
            "assistant" => Role::Assistant,
            "system" => Role::System,
            "toolResult" => Role::ToolResult {
                tool_call_id: tool_call_id.ok_or_else(|| missing("toolCallId"))?,
                tool_name: tool_name.ok_or_else(|| missing("toolName"))?,
                is_error,
                details,
            },
            "custom" => {
                Role::Custom { custom_type: custom_type.ok_or_else(|| missing("customType"))?, no_answer }
            }
            other => return Err(D::Error::unknown_variant(other, ROLES)),
        };
        Ok(Self { role, content, timestamp })
    }
}

impl<'de> Deserialize<'de> for Block {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(BlockVisitor)
    }
}

struct BlockVisitor;

impl<'de> Visitor<'de> for BlockVisitor {
    type Value = Block;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map, as a content block is")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Block, A::Error> {
        let mut properties = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let is_kind = name == "type";
            let value: Value = members.next_value()?;
            if is_kind && properties.is_empty() {
                // Usually `type` comes first.
                return of_kind(kind(Some(&value))?, MapAccessDeserializer::new(members));
            }
            properties.insert(name, value);
        }
        let kind = kind(properties.get("type"))?.to_owned();
        // An unknown block keeps its order. The copy is rare: `type` usually comes first.
        match of_kind(&kind, Value::Object(properties.clone())).map_err(A::Error::custom)? {
            Block::Other(_) => Ok(Block::Other(OtherBlock(properties))),
            known => Ok(known),
        }
    }
}

fn kind<E: Error>(value: Option<&Value>) -> Result<&str, E> {
    let kind = value.and_then(Value::as_str);
    kind.ok_or_else(|| E::custom("a content block needs a `type` that is a string"))
}

/// The block of a kind, from its other properties.
fn of_kind<'de, D: Deserializer<'de>>(kind: &str, properties: D) -> Result<Block, D::Error> {
    Ok(match kind {
        "text" => Block::Text(Text::deserialize(properties)?),
        "thinking" => Block::Thinking(Thinking::deserialize(properties)?),
        "image" => Block::Image(Image::deserialize(properties)?),
        "file" => Block::File(TextFile::deserialize(properties)?),
        "toolCall" => Block::ToolCall(ToolCall::deserialize(properties)?),
        "menu" => Block::Menu(Menu::deserialize(properties)?),
        _ => {
            let mut all = Map::from_iter([("type".to_owned(), kind.into())]);
            all.extend(Map::deserialize(properties)?);
            Block::Other(OtherBlock(all))
        }
    })
}

/// Ignores reasons of newer versions.
fn word_if_known<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<NoAnswer>, D::Error> {
    Ok(NoAnswer::deserialize(Value::deserialize(deserializer)?).ok())
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
