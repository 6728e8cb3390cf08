//! How much a model can be told, and how much of a conversation is left of it when that is too little.
//!
//! All of it shrinks with the window of the model.

use tarsus_models::{Request, estimated_tokens};
use tarsus_protocol::{Block, Message};

/// Tokens that stay free for an answer, in a window that has so many.
const RESERVE: u32 = 20_000;
/// The most tokens of a summary.
const SUMMARY: u64 = 4_000;
/// What a picture counts as.
const PICTURE: u64 = 1_500;

/// The room that a conversation has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) struct Room {
    /// Tokens that a request may have.
    most: u64,
    /// Tokens of it that a conversation may have.
    free: u64,
}

impl Room {
    /// The room beside the rules and tools of a request, for a model with this window.
    pub(in crate::model) fn beside(request: &Request, window: u32) -> Self {
        let most = u64::from(window - RESERVE.min(window / 4));
        Self { most, free: most.saturating_sub(fixed(request)) }
    }

    /// Whether a request of so many tokens is too large.
    pub(in crate::model) fn is_full(self, tokens: u64) -> bool {
        tokens >= self.most
    }

    /// Tokens of the newest messages that are told as they are when the rest is summarised.
    pub(super) fn kept(self) -> u64 {
        self.free * 3 / 8
    }

    /// Tokens of a summary.
    pub(super) fn summary(self) -> u64 {
        (self.free / 4).min(SUMMARY)
    }

    /// Tokens of what a summary is made of.
    pub(super) fn summarised(self) -> u64 {
        self.most / 2
    }
}

/// The tokens of a request before anything was said.
fn fixed(request: &Request) -> u64 {
    let tools = request.tools.iter().map(|tool| {
        let schema = serde_json::to_string(&tool.parameters).unwrap_or_default();
        estimated_tokens(&tool.name) + estimated_tokens(&tool.description) + estimated_tokens(&schema)
    });
    estimated_tokens(&request.system) + tools.sum::<u64>()
}

/// The tokens of a whole request.
pub(in crate::model) fn of_request(request: &Request) -> u64 {
    fixed(request) + request.messages.iter().map(of_message).sum::<u64>()
}

/// The tokens of a message.
pub(in crate::model) fn of_message(message: &Message) -> u64 {
    /// What stands around a message.
    const FRAME: u64 = 4;
    let block = |block: &Block| match block {
        Block::Text(text) => estimated_tokens(&text.text),
        Block::Thinking(thought) => estimated_tokens(&thought.thinking),
        Block::Image(_) => PICTURE,
        Block::File(file) => estimated_tokens(&file.file_name) + estimated_tokens(&file.text),
        Block::ToolCall(call) => {
            let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
            estimated_tokens(&call.name) + estimated_tokens(&arguments)
        }
        Block::Other(_) => 0,
    };
    FRAME + message.content.iter().map(block).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::Role;

    use super::*;

    #[test]
    fn everything_shrinks_with_the_window() {
        let request = Request { system: "x".repeat(4 * 1_000), ..Request::default() };
        let table = [
            // window, most of a request, kept, of a summary
            (200_000, 180_000, 67_125, 4_000),
            (32_000, 24_000, 8_625, 4_000),
            (4_096, 3_072, 777, 518),
            (1_024, 768, 0, 0),
            (0, 0, 0, 0),
        ];
        for (window, most, kept, summary) in table {
            let room = Room::beside(&request, window);
            assert_eq!((room.most, room.kept(), room.summary()), (most, kept, summary), "{window}");
            assert!(room.is_full(most) && (most == 0 || !room.is_full(most - 1)));
        }
    }

    #[test]
    fn a_message_counts_as_what_is_sent_of_it() {
        let message = |content| Message { role: Role::Assistant, content, timestamp: None };
        assert_eq!(of_message(&message(vec![])), 4);
        assert_eq!(of_message(&message(vec![Block::text("12345678"), Block::text("你好")])), 4 + 2 + 2);
        let call =
            serde_json::from_str(r#"{"type":"toolCall","id":"1","name":"read","arguments":{"path":"a"}}"#);
        assert_eq!(of_message(&message(vec![call.unwrap()])), 4 + 1 + 3);
        let picture = serde_json::from_str(r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#);
        assert_eq!(of_message(&message(vec![picture.unwrap()])), 4 + PICTURE);
    }
}
