//! What front ends show of a message: reasoning, tool calls and their results.

use super::{Block, Message, Role};
use crate::exec::{Reasoning, Verbose};

/// What a session shows besides the replies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Visibility {
    /// Visibility of the model's reasoning.
    pub reasoning: Reasoning,
    /// What is shown of tool calls; everything where the session does not say.
    pub verbose: Option<Verbose>,
}

impl Visibility {
    /// Whether reasoning is shown.
    #[must_use]
    pub fn shows_reasoning(self) -> bool {
        self.reasoning != Reasoning::Off
    }

    /// Whether tool calls are shown.
    #[must_use]
    pub fn shows_calls(self) -> bool {
        self.verbose != Some(Verbose::Off)
    }

    /// Whether the results of tool calls are shown.
    #[must_use]
    pub fn shows_results(self) -> bool {
        matches!(self.verbose, None | Some(Verbose::Full))
    }

    /// The message without what is hidden. A hidden result keeps its role, so that the number of its item stays.
    #[must_use]
    pub fn apply(self, mut message: Message) -> Message {
        message.content.retain(|block| match block {
            Block::Thinking(_) => self.shows_reasoning(),
            Block::ToolCall(_) => self.shows_calls(),
            _ => true,
        });
        if let Role::ToolResult { details, .. } = &mut message.role
            && !self.shows_results()
        {
            *details = None;
            message.content.clear();
        }
        message
    }
}

impl Message {
    /// The reasoning, without the reply.
    #[must_use]
    pub fn reasoning(&self) -> String {
        let thoughts = self.content.iter().filter_map(|block| match block {
            Block::Thinking(thought) => Some(thought.thinking.trim()).filter(|text| !text.is_empty()),
            _ => None,
        });
        thoughts.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn shown(reasoning: Reasoning, verbose: Option<Verbose>, message: &Value) -> Value {
        let message: Message = serde_json::from_value(message.clone()).unwrap();
        json!(Visibility { reasoning, verbose }.apply(message))["content"].clone()
    }

    #[test]
    fn hidden_blocks_leave_the_message() {
        let (thought, text) =
            (json!({ "type": "thinking", "thinking": "Hm." }), json!({ "type": "text", "text": "Yes." }));
        let call = json!({ "type": "toolCall", "id": "1", "name": "read", "arguments": {} });
        let answer = json!({ "role": "assistant", "content": [thought, text, call] });
        let result = json!({
            "role": "toolResult", "toolCallId": "1", "toolName": "read", "isError": false, "details": { "a": 1 },
            "content": [text],
        });
        for (reasoning, verbose, of_answer, of_result) in [
            (Reasoning::Off, None, json!([text, call]), json!([text])),
            (Reasoning::On, Some(Verbose::Full), json!([thought, text, call]), json!([text])),
            (Reasoning::Stream, Some(Verbose::On), json!([thought, text, call]), json!([])),
            (Reasoning::Off, Some(Verbose::Off), json!([text]), json!([])),
        ] {
            assert_eq!(shown(reasoning, verbose, &answer), of_answer);
            assert_eq!(shown(reasoning, verbose, &result), of_result);
        }
        let hidden = Visibility { verbose: Some(Verbose::On), ..Visibility::default() };
        let kept = json!(hidden.apply(serde_json::from_value(result).unwrap()));
        assert_eq!((&kept["toolName"], &kept["details"]), (&json!("read"), &Value::Null));
    }
}
