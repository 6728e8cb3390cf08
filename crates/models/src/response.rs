//! Assembles deltas into the message that is stored and the calls that need results.

use tarsus_protocol::message::{Thinking, ToolCall};
use tarsus_protocol::{Block, Message, Role};

use crate::delta::{Delta, StopReason, ToolArguments};
use crate::usage::Usage;

/// A response, as far as it was received.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelResponse {
    /// A call with invalid arguments is here with empty arguments.
    pub blocks: Vec<Block>,
    /// Calls with invalid arguments: the id and the error.
    pub invalid: Vec<(String, String)>,
    /// Ids of calls that the model wrote as text.
    pub from_text: Vec<String>,
    pub usage: Option<Usage>,
    /// `None` until the response is complete.
    pub stop: Option<StopReason>,
    /// The index in `blocks` of each call.
    calls: Vec<usize>,
    /// Whether the last block is reasoning that is still being streamed.
    is_thinking: bool,
}

impl ModelResponse {
    pub fn push(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) => match self.blocks.last_mut() {
                Some(Block::Text(last)) => last.text.push_str(text),
                _ => self.blocks.push(Block::text(text)),
            },
            Delta::Reasoning(text) => match self.blocks.last_mut() {
                Some(Block::Thinking(last)) if self.is_thinking => last.thinking.push_str(text),
                _ => self.push_reasoning(text.clone(), None),
            },
            Delta::ReasoningEnd { signature } => {
                match self.blocks.last_mut() {
                    Some(Block::Thinking(last)) if self.is_thinking => {
                        last.thinking_signature.clone_from(signature)
                    }
                    _ if signature.is_some() => self.push_reasoning(String::new(), signature.clone()),
                    _ => {}
                }
                self.is_thinking = false;
            }
            Delta::CallStart { id, name, from_text, .. } => {
                self.calls.push(self.blocks.len());
                if *from_text {
                    self.from_text.push(id.clone());
                }
                let call = ToolCall { id: id.clone(), name: name.clone(), arguments: serde_json::Map::new() };
                self.blocks.push(Block::ToolCall(call));
            }
            Delta::CallArguments { .. } => {}
            Delta::CallEnd { call, arguments } => {
                let block = self.calls.get(*call).and_then(|at| self.blocks.get_mut(*at));
                let Some(Block::ToolCall(call)) = block else { return };
                match arguments {
                    ToolArguments::Object(object) => call.arguments.clone_from(object),
                    ToolArguments::Invalid { reason, .. } => {
                        self.invalid.push((call.id.clone(), reason.clone()))
                    }
                }
            }
            Delta::Usage(usage) => self.usage = Some(*usage),
            Delta::Stop(stop) => self.stop = Some(stop.clone()),
        }
    }

    fn push_reasoning(&mut self, thinking: String, signature: Option<String>) {
        self.is_thinking = signature.is_none();
        self.blocks.push(Block::Thinking(Thinking { thinking, thinking_signature: signature }));
    }

    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    #[must_use]
    pub fn message(&self, timestamp: Option<u64>) -> Message {
        Message { role: Role::Assistant, content: self.blocks.clone(), timestamp }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn deltas_assemble_into_one_message() {
        let text = |text: &str| Delta::Text(text.into());
        let start =
            |call, id: &str, from_text| Delta::CallStart { call, id: id.into(), name: "t".into(), from_text };
        let object = json!({"a": 1}).as_object().unwrap().clone();
        let usage = Usage { input: 1, ..Usage::default() };
        let mut response = ModelResponse::default();
        for delta in [
            Delta::Reasoning("h".into()),
            Delta::Reasoning("m".into()),
            Delta::ReasoningEnd { signature: Some("s".into()) },
            Delta::ReasoningEnd { signature: Some("alone".into()) },
            Delta::ReasoningEnd { signature: None },
            text("Hel"),
            Delta::Usage(Usage::default()),
            text("lo"),
            start(0, "1", false),
            start(1, "2", true),
            Delta::CallArguments { call: 1, json: "{".into() },
            Delta::CallEnd {
                call: 1,
                arguments: ToolArguments::Invalid { text: "{".into(), reason: "cut".into() },
            },
            Delta::CallEnd { call: 0, arguments: ToolArguments::Object(object) },
            Delta::CallEnd { call: 9, arguments: ToolArguments::Object(serde_json::Map::new()) },
            text("after"),
            Delta::Usage(usage),
            Delta::Stop(StopReason::ToolCalls),
        ] {
            response.push(&delta);
        }
        let message: Message =
            serde_json::from_value(json!({"role": "assistant", "timestamp": 7, "content": [
                {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
                {"type": "thinking", "thinking": "", "thinkingSignature": "alone"},
                {"type": "text", "text": "Hello"},
                {"type": "toolCall", "id": "1", "name": "t", "arguments": {"a": 1}},
                {"type": "toolCall", "id": "2", "name": "t", "arguments": {}},
                {"type": "text", "text": "after"},
            ]}))
            .unwrap();
        assert_eq!(response.message(Some(7)), message);
        assert_eq!(response.invalid, [("2".to_owned(), "cut".to_owned())]);
        assert_eq!(response.from_text, ["2"]);
        assert_eq!((response.usage, &response.stop), (Some(usage), &Some(StopReason::ToolCalls)));
        assert!(response.calls().map(|call| call.id.as_str()).eq(["1", "2"]));
    }
}
