//! A message as it is kept: its JSON, bounded, and who speaks.

use serde::{Deserialize, Serialize};
use tarsus_protocol::{Message, Role};

use crate::error::StoreError;

/// Bytes of a message: as much as a frame may have.
const MESSAGE_BYTES: usize = 25 * 1024 * 1024;
/// Depth of a message: what a frame may have, and less than what can be read back.
const MESSAGE_DEPTH: usize = 100;

/// Who speaks in an item of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Speaker {
    /// A person, or what stands in for one.
    User,
    /// The model.
    Assistant,
    /// A tool.
    Tool,
    /// The rules that the model is given.
    System,
    /// The runtime.
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

/// A message that is ready to be kept.
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
        // A message has text keys and nothing that fails: only its depth can be in the way.
        let json = serde_json::to_string(message).map_err(|_| too(MESSAGE_DEPTH, "levels"))?;
        if json.len() > MESSAGE_BYTES {
            return Err(too(MESSAGE_BYTES, "bytes"));
        }
        if depth(&json) > MESSAGE_DEPTH {
            return Err(too(MESSAGE_DEPTH, "levels"));
        }
        Ok(Self { json, speaker: Speaker::from(&message.role) })
    }
}

/// How deep the brackets of a JSON text go.
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
    fn the_deepest_message_that_is_kept_can_be_read_back() {
        // The message itself is one level.
        let message = nested(MESSAGE_DEPTH - 1);
        let kept = Encoded::new(&message).unwrap();
        assert_eq!(kept.speaker, Speaker::Tool);
        assert_eq!(serde_json::from_str::<Message>(&kept.json).unwrap(), message);
        let refused = Encoded::new(&nested(MESSAGE_DEPTH)).map(|kept| kept.json).unwrap_err();
        assert_eq!(refused.to_string(), "the message is larger than 100 levels");
    }

    #[test]
    fn a_message_that_is_too_large_is_refused() {
        let content = vec![Block::text("x".repeat(MESSAGE_BYTES))];
        let message = Message { role: Role::User, content, timestamp: None };
        let refused = Encoded::new(&message).map(|kept| kept.json).unwrap_err();
        assert_eq!(refused.to_string(), "the message is larger than 26214400 bytes");
    }
}
