use serde_json::{Value, json};
use tarsus_models::StopReason;

use super::{named, pieces};
use crate::script::{Chunk, Script};

pub(super) fn events(script: &Script) -> Vec<String> {
    let usage = &script.usage;
    let before = json!({
        "input_tokens": usage.input, "output_tokens": 1,
        "cache_read_input_tokens": usage.cache_read, "cache_creation_input_tokens": usage.cache_write,
    });
    let message = json!({ "id": "msg_1", "role": "assistant", "content": [], "usage": before });
    let mut blocks = Blocks::default();
    blocks.events.push(named(&json!({ "type": "message_start", "message": message })));
    blocks.events.push(named(&json!({ "type": "ping" })));
    for say in &script.chunks {
        match say {
            Chunk::Text(text) => {
                blocks.within("text", json!({ "type": "text", "text": "" }));
                blocks.delta(json!({ "type": "text_delta", "text": text }));
            }
            Chunk::Reasoning(text) => {
                blocks.within("thinking", json!({ "type": "thinking", "thinking": "", "signature": "" }));
                blocks.delta(json!({ "type": "thinking_delta", "thinking": text }));
            }
            Chunk::Signature(seal) => {
                blocks.within("thinking", json!({ "type": "thinking", "thinking": "", "signature": "" }));
                blocks.delta(json!({ "type": "signature_delta", "signature": seal }));
                blocks.close();
            }
            Chunk::Call { id, name, arguments } => {
                blocks.close();
                blocks.within("call", json!({ "type": "tool_use", "id": id, "name": name, "input": {} }));
                for piece in pieces(arguments) {
                    blocks.delta(json!({ "type": "input_json_delta", "partial_json": piece }));
                }
                blocks.close();
            }
        }
    }
    blocks.close();
    let reason = match script.stop {
        StopReason::EndTurn => "end_turn",
        StopReason::ToolCalls => "tool_use",
        StopReason::MaxTokens => "max_tokens",
        StopReason::Refused { .. } => "refusal",
    };
    let delta = json!({ "stop_reason": reason, "stop_sequence": null });
    let after = json!({ "output_tokens": usage.output });
    let mut events = blocks.events;
    events.push(named(&json!({ "type": "message_delta", "delta": delta, "usage": after })));
    events.push(named(&json!({ "type": "message_stop" })));
    events
}

#[derive(Default)]
struct Blocks {
    events: Vec<String>,
    open: Option<&'static str>,
    index: usize,
}

impl Blocks {
    /// Opens a block of this kind, unless one is open.
    fn within(&mut self, kind: &'static str, block: Value) {
        if self.open != Some(kind) {
            self.close();
            let start = json!({ "type": "content_block_start", "index": self.index, "content_block": block });
            self.events.push(named(&start));
            self.open = Some(kind);
        }
    }

    fn delta(&mut self, delta: Value) {
        self.events
            .push(named(&json!({ "type": "content_block_delta", "index": self.index, "delta": delta })));
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            self.events.push(named(&json!({ "type": "content_block_stop", "index": self.index })));
            self.index += 1;
        }
    }
}
