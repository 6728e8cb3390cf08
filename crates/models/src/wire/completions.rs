//! `openai-completions`: `POST …/chat/completions`, supported by nearly every server, with variations.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::builder::ResponseBuilder;
use super::effort;
use super::history::{AssistantPart, InputPart, WireMessage, wire_messages};
use crate::catalog::Model;
use crate::classify;
use crate::delta::StopReason;
use crate::error::ModelError;
use crate::request::ModelRequest;
use crate::sse::SseEvent;
use crate::usage::Usage;

pub(super) fn body(model: &Model, request: &ModelRequest) -> Value {
    let provider = model.name.provider();
    let mut body = Map::new();
    body.insert("model".into(), model.name.id().into());
    body.insert("stream".into(), true.into());
    // Mistral reports the usage unasked, and rejects unknown fields.
    if provider != "mistral" {
        body.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    if let Some(max) = model.answer_tokens(request) {
        let name = if provider == "openai" { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.into(), max.into());
    }
    if let Some(word) = effort::word(&model.name, request.thinking).filter(|_| model.info.reasoning) {
        let (name, value) = match provider {
            "openrouter" => ("reasoning", json!({ "effort": word })),
            "zai" => ("thinking", json!({ "type": "enabled" })),
            _ => ("reasoning_effort", word.into()),
        };
        body.insert(name.into(), value);
    }
    if let Some(cache) = request.cache.as_ref().filter(|_| provider == "openai") {
        body.insert("prompt_cache_key".into(), cache.as_str().into());
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let function =
                json!({ "name": tool.name, "description": tool.description, "parameters": tool.parameters });
            json!({ "type": "function", "function": function })
        });
        body.insert("tools".into(), tools.collect());
    }
    body.insert("messages".into(), messages(model, request).into());
    body.into()
}

fn messages(model: &Model, request: &ModelRequest) -> Vec<Value> {
    let id = |id: &str| if model.name.provider() == "mistral" { nine_letters(id) } else { id.to_owned() };
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for message in wire_messages(model, request) {
        match message {
            WireMessage::User(parts) => messages.push(json!({ "role": "user", "content": content(&parts) })),
            WireMessage::Assistant(parts) => {
                let mut text = Vec::new();
                let mut calls = Vec::new();
                for part in parts {
                    match part {
                        AssistantPart::Text(part) => text.push(part),
                        AssistantPart::ToolCall(call) => {
                            let arguments = Value::Object(call.arguments.clone()).to_string();
                            let function = json!({ "name": call.name, "arguments": arguments });
                            calls.push(
                                json!({ "id": id(&call.id), "type": "function", "function": function }),
                            );
                        }
                        AssistantPart::Reasoning { .. } => {}
                    }
                }
                let content = if text.is_empty() { Value::Null } else { text.join("\n").into() };
                let mut message = json!({ "role": "assistant", "content": content });
                if !calls.is_empty() {
                    message["tool_calls"] = calls.into();
                }
                messages.push(message);
            }
            WireMessage::ToolResults(results) => {
                for result in &results {
                    let content = result.text();
                    let mut message =
                        json!({ "role": "tool", "tool_call_id": id(result.id), "content": content });
                    if model.name.provider() == "mistral" {
                        message["name"] = result.tool.into();
                    }
                    messages.push(message);
                }
                // Tool messages contain text only; images follow in a user message.
                let images: Vec<InputPart<'_>> =
                    results.iter().flat_map(|result| result.images().map(InputPart::Image)).collect();
                if !images.is_empty() {
                    messages.push(json!({ "role": "user", "content": content(&images) }));
                }
            }
        }
    }
    messages
}

/// Text alone is sent as a string: small servers do not accept parts.
fn content(parts: &[InputPart<'_>]) -> Value {
    if parts.iter().all(|part| matches!(part, InputPart::Text(_))) {
        let texts = parts.iter().filter_map(|part| match part {
            InputPart::Text(text) => Some(text.as_ref()),
            InputPart::Image(_) => None,
        });
        return texts.collect::<Vec<_>>().join("\n").into();
    }
    let parts = parts.iter().map(|part| match part {
        InputPart::Text(text) => json!({ "type": "text", "text": text }),
        InputPart::Image(image) => {
            let url = format!("data:{};base64,{}", image.mime_type, image.data);
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
    });
    parts.collect()
}

/// Mistral accepts only ids of nine letters and digits.
fn nine_letters(id: &str) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    if id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return id.to_owned();
    }
    // FNV-1a: short, and stable across platforms.
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let letters = std::iter::repeat_with(|| {
        let letter = LETTERS[(hash % 36) as usize];
        hash /= 36;
        char::from(letter)
    });
    letters.take(9).collect()
}

#[derive(Debug, Default)]
pub(super) struct Decoder {
    open_calls: Vec<OpenCall>,
}

#[derive(Debug)]
struct OpenCall {
    index: Option<u64>,
    id: String,
    call: usize,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    x_groq: Option<Groq>,
}

#[derive(Deserialize)]
struct Groq {
    #[serde(default)]
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Option<ChoiceDelta>,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
struct ChoiceDelta {
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    reasoning_content: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<ToolCallDelta>>,
}

#[derive(Deserialize)]
struct ToolCallDelta {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<FunctionDelta>,
}

#[derive(Deserialize)]
struct FunctionDelta {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<TokenDetails>,
    /// The field names of DeepSeek and Moonshot.
    #[serde(default)]
    prompt_cache_hit_tokens: Option<u64>,
    #[serde(default)]
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct TokenDetails {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl Decoder {
    pub(super) fn decode(
        &mut self,
        event: &SseEvent,
        builder: &mut ResponseBuilder,
    ) -> Result<(), ModelError> {
        if event.data.trim() == "[DONE]" {
            return builder.finish_if_started();
        }
        let chunk: Chunk = match serde_json::from_str(&event.data) {
            Ok(chunk) => chunk,
            Err(error) => return Err(not_a_chunk(&event.data, &error)),
        };
        let Chunk { choices, usage, x_groq } = chunk;
        if choices.is_none() && usage.is_none() {
            return match serde_json::from_str(&event.data).ok().as_ref().and_then(classify::error_event) {
                Some(failure) => Err(failure),
                None => Ok(()),
            };
        }
        let mut tokens = usage.or_else(|| x_groq?.usage);
        if let Some(choice) = choices.and_then(|choices| choices.into_iter().next()) {
            tokens = tokens.or(choice.usage);
            if let Some(delta) = choice.delta {
                self.delta(delta, builder)?;
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                builder.set_stop(stop(reason));
            }
        }
        if let Some(tokens) = tokens {
            builder.set_usage(tokens.into());
        }
        Ok(())
    }

    fn delta(&mut self, delta: ChoiceDelta, builder: &mut ResponseBuilder) -> Result<(), ModelError> {
        // Some servers send the same reasoning under both names.
        if let Some(thought) = delta.reasoning_content.or(delta.reasoning) {
            builder.push_reasoning(thought);
        }
        match delta.content {
            Some(Value::String(text)) => builder.push_text(text),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self::part(part, builder)),
            _ => {}
        }
        if let Some(refusal) = delta.refusal {
            builder.push_text(refusal);
        }
        for part in delta.tool_calls.unwrap_or_default() {
            self.call(part, builder)?;
        }
        Ok(())
    }

    fn call(&mut self, part: ToolCallDelta, builder: &mut ResponseBuilder) -> Result<(), ModelError> {
        let ToolCallDelta { index, id, function } = part;
        let id = id.unwrap_or_default();
        let FunctionDelta { name, arguments } =
            function.unwrap_or(FunctionDelta { name: None, arguments: None });
        // The name comes with the first fragment. A call without one is passed on, and reported to the model.
        let name = name.unwrap_or_default();
        let call = match self.open_call(index, &id, !name.is_empty()) {
            Some(call) => call,
            None => {
                let call = builder.start_call(&id, &name)?;
                self.open_calls.push(OpenCall { index, id, call });
                call
            }
        };
        let arguments = match arguments {
            Some(Value::String(text)) => text,
            None | Some(Value::Null) => String::new(),
            Some(value) => value.to_string(),
        };
        builder.push_arguments(call, arguments)
    }

    /// Finds the call that a fragment belongs to. Servers send an index, an id, or neither; some send the same index for
    /// all calls.
    fn open_call(&self, index: Option<u64>, id: &str, has_name: bool) -> Option<usize> {
        let mut open_calls = self.open_calls.iter().rev();
        let found = match index {
            Some(_) => open_calls
                .find(|open_call| open_call.index == index)
                .filter(|open_call| !has_name || id.is_empty() || open_call.id == id),
            None if !id.is_empty() => open_calls.find(|open_call| open_call.id == id),
            None if has_name => None,
            None => open_calls.next(),
        };
        found.map(|open_call| open_call.call)
    }
}

/// Mistral sends text and reasoning as parts.
fn part(part: &Value, builder: &mut ResponseBuilder) {
    let text = |value: &Value| value.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    match part.get("type").and_then(Value::as_str) {
        Some("thinking") => match part.get("thinking") {
            Some(Value::Array(thoughts)) => {
                thoughts.iter().for_each(|thought| builder.push_reasoning(text(thought)))
            }
            Some(Value::String(thought)) => builder.push_reasoning(thought.clone()),
            _ => {}
        },
        _ => builder.push_text(text(part)),
    }
}

fn stop(reason: String) -> StopReason {
    match reason.as_str() {
        "length" => StopReason::MaxTokens,
        "tool_calls" | "function_call" => StopReason::ToolCalls,
        "content_filter" => StopReason::Refused { reason },
        _ => StopReason::EndTurn,
    }
}

fn not_a_chunk(data: &str, error: &serde_json::Error) -> ModelError {
    let error_event = serde_json::from_str(data).ok().as_ref().and_then(classify::error_event);
    error_event
        .unwrap_or_else(|| ModelError::malformed(format!("an event of the answer cannot be read: {error}")))
}

impl From<WireUsage> for Usage {
    fn from(tokens: WireUsage) -> Self {
        let details = tokens.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let kept = details.or(tokens.prompt_cache_hit_tokens).or(tokens.cached_tokens).unwrap_or_default();
        let (sent, output) = (tokens.prompt_tokens, tokens.completion_tokens);
        Self::with_cached(sent.unwrap_or_default(), kept, output.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistral_ids_have_nine_letters_and_stay_distinct() {
        assert_eq!(nine_letters("abcDEF123"), "abcDEF123");
        let (one, two) = (nine_letters("call_1"), nine_letters("call_2"));
        assert_eq!((one.len(), two.len()), (9, 9));
        assert_ne!(one, two);
        assert_eq!(one, nine_letters("call_1"));
    }
}
