use serde_json::{Value, json};
use tarsus_models::StopReason;

use super::{named, pieces};
use crate::script::{Chunk, Script};

pub(super) fn events(script: &Script) -> Vec<String> {
    let mut items = Items::default();
    items
        .push(json!({ "type": "response.created", "response": { "id": "resp_1", "status": "in_progress" } }));
    for say in &script.chunks {
        match say {
            Chunk::Text(text) => {
                items.within(
                    "message",
                    json!({ "type": "message", "id": "msg_1", "role": "assistant", "content": [] }),
                );
                items.delta("response.output_text.delta", text);
            }
            Chunk::Reasoning(text) => {
                items.within("reasoning", json!({ "type": "reasoning", "id": "rs_1", "summary": [] }));
                items.delta("response.reasoning_summary_text.delta", text);
            }
            Chunk::Signature(seal) => {
                let item = |seal: Value| json!({ "type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": seal });
                items.within("reasoning", item(Value::Null));
                items.done = item(seal.as_str().into());
                items.close();
            }
            Chunk::Call { id, name, arguments } => {
                items.close();
                let item = |arguments: &str| json!({ "type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": arguments });
                items.within("call", item(""));
                for piece in pieces(arguments) {
                    items.delta("response.function_call_arguments.delta", piece);
                }
                items.done = item(arguments);
                items.close();
            }
        }
    }
    items.close();
    let usage = &script.usage;
    let sent = usage.input + usage.cache_read + usage.cache_write;
    let usage = json!({
        "input_tokens": sent, "input_tokens_details": { "cached_tokens": usage.cache_read },
        "output_tokens": usage.output, "total_tokens": sent + usage.output,
    });
    let reason = match script.stop {
        StopReason::EndTurn | StopReason::ToolCalls => None,
        StopReason::MaxTokens => Some("max_output_tokens"),
        StopReason::Refused { .. } => Some("content_filter"),
    };
    let word = if reason.is_some() { "incomplete" } else { "completed" };
    let details = reason.map(|reason| json!({ "reason": reason }));
    let response = json!({ "id": "resp_1", "status": word, "incomplete_details": details, "usage": usage });
    items.push(json!({ "type": format!("response.{word}"), "response": response }));
    items.events
}

#[derive(Default)]
struct Items {
    events: Vec<String>,
    open: Option<&'static str>,
    index: usize,
    /// The open item as it is when it is done.
    done: Value,
}

impl Items {
    fn push(&mut self, event: Value) {
        self.events.push(named(&event));
    }

    /// Opens an item of this kind, unless one is open.
    fn within(&mut self, kind: &'static str, item: Value) {
        if self.open != Some(kind) {
            self.close();
            self.push(
                json!({ "type": "response.output_item.added", "output_index": self.index, "item": item }),
            );
            (self.open, self.done) = (Some(kind), item);
        }
    }

    fn delta(&mut self, kind: &str, delta: &str) {
        self.push(json!({ "type": kind, "output_index": self.index, "delta": delta }));
    }

    fn close(&mut self) {
        if self.open.take().is_some() {
            let item = self.done.take();
            self.push(
                json!({ "type": "response.output_item.done", "output_index": self.index, "item": item }),
            );
            self.index += 1;
        }
    }
}
