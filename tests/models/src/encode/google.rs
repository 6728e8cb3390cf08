use serde_json::{Value, json};
use tarsus_models::StopReason;

use super::data;
use crate::script::{Chunk, Script};

/// This dialect cannot express arguments that are not JSON; they are sent as text.
pub(super) fn events(script: &Script) -> Vec<String> {
    let usage = &script.usage;
    let sent = usage.input + usage.cache_read + usage.cache_write;
    let usage = json!({
        "promptTokenCount": sent, "cachedContentTokenCount": usage.cache_read, "candidatesTokenCount": usage.output,
    });
    let mut parts: Vec<Value> = Vec::new();
    let mut seal: Option<&str> = None;
    for say in &script.chunks {
        let mut part = match say {
            Chunk::Signature(text) => {
                seal = Some(text);
                continue;
            }
            Chunk::Reasoning(text) => {
                parts.push(json!({ "text": text, "thought": true }));
                continue;
            }
            Chunk::Text(text) => json!({ "text": text }),
            Chunk::Call { id, name, arguments } => {
                let args = serde_json::from_str(arguments).unwrap_or_else(|_| arguments.as_str().into());
                let args: Value = args;
                json!({ "functionCall": { "id": id, "name": name, "args": args } })
            }
        };
        if let Some(seal) = seal.take() {
            part["thoughtSignature"] = seal.into();
        }
        parts.push(part);
    }
    parts.extend(seal.map(|seal| json!({ "text": "", "thoughtSignature": seal })));
    let reason = match &script.stop {
        StopReason::EndTurn | StopReason::ToolCalls => "STOP",
        StopReason::MaxTokens => "MAX_TOKENS",
        StopReason::Refused { .. } => "SAFETY",
    };
    let chunk = |parts: Vec<Value>, reason: Option<&str>| {
        let content = json!({ "role": "model", "parts": parts });
        let candidate = json!({ "content": content, "finishReason": reason, "index": 0 });
        data(&json!({ "candidates": [candidate], "usageMetadata": usage }))
    };
    let mut events: Vec<String> = parts.into_iter().map(|part| chunk(vec![part], None)).collect();
    events.push(chunk(Vec::new(), Some(reason)));
    events
}
