use serde_json::{Value, json};
use tarsus_models::StopReason;

use super::{data, pieces};
use crate::script::{Chunk, Script};

pub(super) fn events(script: &Script) -> Vec<String> {
    let chunk = |delta: Value, reason: Option<&str>| {
        let choice = json!({ "index": 0, "delta": delta, "finish_reason": reason });
        data(&json!({ "id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice] }))
    };
    let mut events = vec![chunk(json!({ "role": "assistant", "content": "" }), None)];
    let mut calls = 0;
    for say in &script.chunks {
        match say {
            Chunk::Text(text) => events.push(chunk(json!({ "content": text }), None)),
            Chunk::Reasoning(text) => events.push(chunk(json!({ "reasoning_content": text }), None)),
            Chunk::Signature(_) => {}
            Chunk::Call { id, name, arguments } => {
                let function = json!({ "name": name, "arguments": "" });
                let start = json!({ "index": calls, "id": id, "type": "function", "function": function });
                events.push(chunk(json!({ "tool_calls": [start] }), None));
                for piece in pieces(arguments) {
                    let piece = json!({ "index": calls, "function": { "arguments": piece } });
                    events.push(chunk(json!({ "tool_calls": [piece] }), None));
                }
                calls += 1;
            }
        }
    }
    let reason = match script.stop {
        StopReason::EndTurn => "stop",
        StopReason::ToolCalls => "tool_calls",
        StopReason::MaxTokens => "length",
        StopReason::Refused { .. } => "content_filter",
    };
    events.push(chunk(json!({}), Some(reason)));
    let usage = &script.usage;
    let sent = usage.input + usage.cache_read + usage.cache_write;
    let usage = json!({
        "prompt_tokens": sent, "completion_tokens": usage.output, "total_tokens": sent + usage.output,
        "prompt_tokens_details": { "cached_tokens": usage.cache_read },
    });
    events.push(data(&json!({ "id": "chatcmpl-1", "choices": [], "usage": usage })));
    events.push("data: [DONE]\n\n".to_owned());
    events
}
