//! The token budget of a conversation: how large a request may be, and how much of it stays after a compaction. Every
//! figure scales with the model's window.

use tarsus_models::{ModelRequest, estimate_tokens};
use tarsus_protocol::{Block, Message};

/// Tokens reserved for the answer; in a small window a quarter of it.
const RESERVE: u32 = 20_000;
/// Maximum tokens of a summary.
const SUMMARY: u64 = 4_000;
/// Estimated tokens of a picture.
const PICTURE: u64 = 1_500;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) struct ContextBudget {
    /// Maximum tokens of a request.
    max: u64,
    /// Tokens of it that are left for the conversation.
    free: u64,
}

impl ContextBudget {
    /// The budget besides the system prompt and the tools of a request, for a model with this window.
    pub(in crate::model) fn new(request: &ModelRequest, window: u32) -> Self {
        let max = u64::from(window - RESERVE.min(window / 4));
        Self { max, free: max.saturating_sub(fixed(request)) }
    }

    /// Whether a request of so many tokens is too large.
    pub(in crate::model) fn is_full(self, tokens: u64) -> bool {
        tokens >= self.max
    }

    /// Tokens of the newest messages that a compaction leaves as they are.
    pub(super) fn kept(self) -> u64 {
        self.free * 3 / 8
    }

    /// Maximum tokens of a summary.
    pub(super) fn summary(self) -> u64 {
        (self.free / 4).min(SUMMARY)
    }

    /// Maximum tokens of the text that a summary is made of.
    pub(super) fn source(self) -> u64 {
        self.max / 2
    }
}

/// The tokens of a request without messages.
fn fixed(request: &ModelRequest) -> u64 {
    let tools = request.tools.iter().map(|tool| {
        let schema = serde_json::to_string(&tool.parameters).unwrap_or_default();
        estimate_tokens(&tool.name) + estimate_tokens(&tool.description) + estimate_tokens(&schema)
    });
    estimate_tokens(&request.system) + tools.sum::<u64>()
}

/// The tokens of a whole request.
pub(in crate::model) fn request_tokens(request: &ModelRequest) -> u64 {
    fixed(request) + request.messages.iter().map(message_tokens).sum::<u64>()
}

pub(in crate::model) fn message_tokens(message: &Message) -> u64 {
    /// Overhead of a message.
    const FRAME: u64 = 4;
    let block = |block: &Block| match block {
        Block::Text(text) => estimate_tokens(&text.text),
        Block::Thinking(thought) => estimate_tokens(&thought.thinking),
        Block::Image(_) => PICTURE,
        Block::File(file) => estimate_tokens(&file.file_name) + estimate_tokens(&file.text),
        Block::ToolCall(call) => {
            let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
            estimate_tokens(&call.name) + estimate_tokens(&arguments)
        }
        // A menu goes with a text block; models get the text.
        Block::Menu(_) | Block::Other(_) => 0,
    };
    FRAME + message.content.iter().map(block).sum::<u64>()
}

#[cfg(test)]
mod tests {
    use tarsus_protocol::Role;

    use super::*;

    #[test]
    fn budget_scales_with_the_window() {
        let request = ModelRequest { system: "x".repeat(4 * 1_000), ..ModelRequest::default() };
        let table = [
            // window, most of a request, kept, of a summary
            (200_000, 180_000, 67_125, 4_000),
            (32_000, 24_000, 8_625, 4_000),
            (4_096, 3_072, 777, 518),
            (1_024, 768, 0, 0),
            (0, 0, 0, 0),
        ];
        for (window, most, kept, summary) in table {
            let budget = ContextBudget::new(&request, window);
            assert_eq!((budget.max, budget.kept(), budget.summary()), (most, kept, summary), "{window}");
            assert!(budget.is_full(most) && (most == 0 || !budget.is_full(most - 1)));
        }
    }

    #[test]
    fn message_tokens_count_what_is_sent() {
        let message = |content| Message { role: Role::Assistant, content, timestamp: None };
        assert_eq!(message_tokens(&message(vec![])), 4);
        assert_eq!(message_tokens(&message(vec![Block::text("12345678"), Block::text("你好")])), 4 + 2 + 2);
        let call =
            serde_json::from_str(r#"{"type":"toolCall","id":"1","name":"read","arguments":{"path":"a"}}"#);
        assert_eq!(message_tokens(&message(vec![call.unwrap()])), 4 + 1 + 3);
        let picture = serde_json::from_str(r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#);
        assert_eq!(message_tokens(&message(vec![picture.unwrap()])), 4 + PICTURE);
    }
}
