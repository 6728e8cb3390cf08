//! Deltas put together again: the message that is kept, the calls that wait for results, and what it took.

use tarsus_protocol::message::{Thinking, ToolCall};
use tarsus_protocol::{Block, Message, Role};

use crate::delta::{Arguments, Delta, Stop};
use crate::usage::Usage;

/// An answer as far as it has come.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// What was said, in order. A call whose arguments are broken stands here without arguments.
    pub blocks: Vec<Block>,
    /// Calls whose arguments are broken: the id, and what is wrong with them.
    pub broken: Vec<(String, String)>,
    /// Calls that were written as text, by id.
    pub from_text: Vec<String>,
    /// Tokens.
    pub usage: Option<Usage>,
    /// Why it is complete; nothing while it is not.
    pub stop: Option<Stop>,
    /// Where each call stands among the blocks.
    calls: Vec<usize>,
    /// Whether the last block is a thought that goes on.
    is_thinking: bool,
}

impl Answer {
    /// Adds the next piece.
    pub fn add(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) => match self.blocks.last_mut() {
                Some(Block::Text(last)) => last.text.push_str(text),
                _ => self.blocks.push(Block::text(text)),
            },
            Delta::Reasoning(text) => match self.blocks.last_mut() {
                Some(Block::Thinking(last)) if self.is_thinking => last.thinking.push_str(text),
                _ => self.thought(text.clone(), None),
            },
            Delta::ReasoningEnd { seal } => {
                match self.blocks.last_mut() {
                    Some(Block::Thinking(last)) if self.is_thinking => {
                        last.thinking_signature.clone_from(seal)
                    }
                    _ if seal.is_some() => self.thought(String::new(), seal.clone()),
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
                    Arguments::Object(object) => call.arguments.clone_from(object),
                    Arguments::Broken { why, .. } => self.broken.push((call.id.clone(), why.clone())),
                }
            }
            Delta::Usage(usage) => self.usage = Some(*usage),
            Delta::Stop(stop) => self.stop = Some(stop.clone()),
        }
    }

    fn thought(&mut self, thinking: String, seal: Option<String>) {
        self.is_thinking = seal.is_none();
        self.blocks.push(Block::Thinking(Thinking { thinking, thinking_signature: seal }));
    }

    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolCall(call) => Some(call),
            _ => None,
        })
    }

    /// The message as it is kept.
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
    fn deltas_become_one_message() {
        let text = |text: &str| Delta::Text(text.into());
        let start =
            |call, id: &str, from_text| Delta::CallStart { call, id: id.into(), name: "t".into(), from_text };
        let object = json!({"a": 1}).as_object().unwrap().clone();
        let usage = Usage { input: 1, ..Usage::default() };
        let mut answer = Answer::default();
        for delta in [
            Delta::Reasoning("h".into()),
            Delta::Reasoning("m".into()),
            Delta::ReasoningEnd { seal: Some("s".into()) },
            Delta::ReasoningEnd { seal: Some("alone".into()) },
            Delta::ReasoningEnd { seal: None },
            text("Hel"),
            Delta::Usage(Usage::default()),
            text("lo"),
            start(0, "1", false),
            start(1, "2", true),
            Delta::CallArguments { call: 1, json: "{".into() },
            Delta::CallEnd { call: 1, arguments: Arguments::Broken { text: "{".into(), why: "cut".into() } },
            Delta::CallEnd { call: 0, arguments: Arguments::Object(object) },
            Delta::CallEnd { call: 9, arguments: Arguments::Object(serde_json::Map::new()) },
            text("after"),
            Delta::Usage(usage),
            Delta::Stop(Stop::Calls),
        ] {
            answer.add(&delta);
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
        assert_eq!(answer.message(Some(7)), message);
        assert_eq!(answer.broken, [("2".to_owned(), "cut".to_owned())]);
        assert_eq!(answer.from_text, ["2"]);
        assert_eq!((answer.usage, &answer.stop), (Some(usage), &Some(Stop::Calls)));
        assert!(answer.calls().map(|call| call.id.as_str()).eq(["1", "2"]));
    }
}
