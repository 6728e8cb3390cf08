//! Encodes a message for the store: bounded JSON, and its speaker.

use serde::{Deserialize, Serialize};
use tarsus_protocol::{Message, Role};

use crate::error::StoreError;

/// Maximum bytes of a message, as many as a frame may have.
const MAX_MESSAGE_BYTES: usize = 25 * 1024 * 1024;
/// Maximum nesting of a message: that of a frame, and less than the JSON parser accepts.
const MAX_MESSAGE_DEPTH: usize = 100;

/// The author of a transcript item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// A person, or a program on their behalf.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
    /// System instructions for the model.
    System,
    /// The runtime itself.
    Other,
}

impl From<&Role> for Speaker {
    fn from(role: &Role) -> Self {
        match role {
            Role::User => Self::User,
            Role::Assistant => Self::Assistant,
            Role::ToolResult { .. } => Self::Tool,
            Role::System => Self::System,
            Role::Custom { .. } => Self::Other,
        }
    }
}

/// A message encoded for the store.
pub(crate) struct Encoded {
    pub(crate) json: String,
    pub(crate) speaker: Speaker,
}

impl Encoded {
    /// # Errors
    /// When it is too large or too deep to be read back.
    pub(crate) fn new(message: &Message) -> Result<Self, StoreError> {
        let too =
            |limit: usize, unit| StoreError::TooLarge { what: "the message", limit: limit as u64, unit };
        // A message has text keys and no fallible values, so only its depth can fail.
        let json = serde_json::to_string(message).map_err(|_| too(MAX_MESSAGE_DEPTH, "levels"))?;
        if json.len() > MAX_MESSAGE_BYTES {
            return Err(too(MAX_MESSAGE_BYTES, "bytes"));
        }
        if depth(&json) > MAX_MESSAGE_DEPTH {
            return Err(too(MAX_MESSAGE_DEPTH, "levels"));
        }
        Ok(Self { json, speaker: Speaker::from(&message.role) })
    }
}

/// The nesting depth of a JSON text.
fn depth(json: &str) -> usize {
    let (mut now, mut deepest, mut in_text, mut escaped) = (0_usize, 0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = in_text,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                now += 1;
                deepest = deepest.max(now);
            }
            b']' | b'}' if !in_text => now = now.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use tarsus_protocol::Block;

    fn nested(levels: usize) -> Message {
        let details = (0..levels).fold(json!("\"[[{"), |inner, _| Value::Array(vec![inner]));
        let role = Role::ToolResult {
            tool_call_id: "call".to_owned(),
            tool_name: "read".to_owned(),
            is_error: false,
            details: Some(details),
        };
        Message { role, content: vec![Block::text("[[\\")], timestamp: None }
    }

    #[test]
    fn deepest_accepted_message_can_be_read_back() {
        // The message itself is one level.
        let message = nested(MAX_MESSAGE_DEPTH - 1);
        let kept = Encoded::new(&message).unwrap();
        assert_eq!(kept.speaker, Speaker::Tool);
        assert_eq!(serde_json::from_str::<Message>(&kept.json).unwrap(), message);
        let refused = Encoded::new(&nested(MAX_MESSAGE_DEPTH)).map(|kept| kept.json).unwrap_err();
        assert_eq!(refused.to_string(), "the message is larger than 100 levels");
    }

    #[test]
    fn too_large_message_is_refused() {
        let content = vec![Block::text("x".repeat(MAX_MESSAGE_BYTES))];
        let message = Message { role: Role::User, content, timestamp: None };
        let refused = Encoded::new(&message).map(|kept| kept.json).unwrap_err();
        assert_eq!(refused.to_string(), "the message is larger than 26214400 bytes");
    }
}
