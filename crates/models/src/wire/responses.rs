//! `openai-responses`: `POST …/responses`. Nothing is stored at the provider: encrypted reasoning is returned to us and
//! sent back with the next request.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use tarsus_protocol::NoAnswer;

use super::builder::ResponseBuilder;
use super::effort;
use super::history::{AssistantPart, InputPart, ToolOutput, WireMessage, wire_messages};
use tarsus_protocol::exec::ThinkingLevel;

use crate::catalog::Model;
use crate::classify;
use crate::delta::StopReason;
use crate::error::ModelError;
use crate::request::ModelRequest;
use crate::sse::SseEvent;
use crate::usage::Usage;

pub(super) fn body(model: &Model, request: &ModelRequest) -> Value {
    let mut body = Map::new();
    body.insert("model".into(), model.name.id().into());
    body.insert("stream".into(), true.into());
    body.insert("store".into(), false.into());
    if !request.system.is_empty() {
        body.insert("instructions".into(), request.system.as_str().into());
    }
    if let Some(max) = model.answer_tokens(request) {
        body.insert("max_output_tokens".into(), max.into());
    }
    if model.info.reasoning {
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
        if let Some(effort) = effort::word(&model.name, request.thinking) {
            let mut reasoning = json!({ "effort": effort });
            if request.thinking != ThinkingLevel::Off {
                reasoning["summary"] = "auto".into();
            }
            body.insert("reasoning".into(), reasoning);
        }
    }
    if let Some(cache) = &request.cache {
        body.insert("prompt_cache_key".into(), cache.as_str().into());
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({
                "type": "function", "name": tool.name, "description": tool.description,
                "parameters": tool.parameters, "strict": false,
            })
        });
        body.insert("tools".into(), tools.collect());
    }
    body.insert("input".into(), input(model, request).into());
    body.into()
}

fn input(model: &Model, request: &ModelRequest) -> Vec<Value> {
    let mut input = Vec::new();
    for message in wire_messages(model, request) {
        match message {
            WireMessage::User(parts) => {
                let content: Vec<Value> = parts.iter().map(part).collect();
                input.push(json!({ "type": "message", "role": "user", "content": content }));
            }
            WireMessage::Assistant(parts) => input.extend(parts.into_iter().filter_map(item)),
            WireMessage::ToolResults(results) => input.extend(results.iter().map(result)),
        }
    }
    input
}

fn item(part: AssistantPart<'_>) -> Option<Value> {
    Some(match part {
        AssistantPart::Text(text) => {
            let content = json!([{ "type": "output_text", "text": text }]);
            json!({ "type": "message", "role": "assistant", "content": content })
        }
        // The signature is the provider's whole item.
        AssistantPart::Reasoning { signature, .. } => serde_json::from_str(signature).ok()?,
        AssistantPart::ToolCall(call) => {
            let arguments = Value::Object(call.arguments.clone()).to_string();
            json!({ "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments })
        }
    })
}

fn result(result: &ToolOutput<'_>) -> Value {
    let output = match result.images().next() {
        None => Value::from(result.text()),
        Some(_) => result.parts.iter().map(part).collect(),
    };
    json!({ "type": "function_call_output", "call_id": result.id, "output": output })
}

fn part(part: &InputPart<'_>) -> Value {
    match part {
        InputPart::Text(text) => json!({ "type": "input_text", "text": text }),
        InputPart::Image(image) => {
            let url = format!("data:{};base64,{}", image.mime_type, image.data);
            json!({ "type": "input_image", "image_url": url })
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The item index of each call, in the order of the calls.
    calls: Vec<u64>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(rename = "type", default)]
    kind: Option<String>,
    #[serde(default)]
    output_index: Option<u64>,
    #[serde(default)]
    summary_index: Option<u64>,
    #[serde(default)]
    delta: Option<Value>,
    #[serde(default)]
    item: Option<Value>,
    #[serde(default)]
    response: Option<Response>,
}

#[derive(Deserialize)]
struct Response {
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Incomplete {
    #[serde(default)]
    reason: Option<String>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    input_tokens_details: Option<TokenDetails>,
}

#[derive(Deserialize)]
struct TokenDetails {
    #[serde(default)]
    cached_tokens: u64,
}

impl Decoder {
    pub(super) fn decode(
        &mut self,
        event: &SseEvent,
        builder: &mut ResponseBuilder,
    ) -> Result<(), ModelError> {
        if event.data.trim() == "[DONE]" {
            return Ok(());
        }
        let read: Event = serde_json::from_str(&event.data).map_err(|error| {
            ModelError::malformed(format!("an event of the answer cannot be read: {error}"))
        })?;
        let Event { kind, output_index, summary_index, delta, item, response } = read;
        let kind = kind.unwrap_or_else(|| event.name.clone());
        let delta = || match delta {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        match kind.as_str() {
            "response.output_text.delta" | "response.refusal.delta" => builder.push_text(delta()),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                builder.push_reasoning(delta())
            }
            // The parts of a summary are paragraphs.
            "response.reasoning_summary_part.added" if summary_index.is_some_and(|part| part > 0) => {
                builder.push_reasoning("\n\n".to_owned());
            }
            "response.output_item.added" => self.added(output_index, item.as_ref(), builder)?,
            "response.function_call_arguments.delta" => {
                if let Some(call) = self.call(output_index) {
                    builder.push_arguments(call, delta())?;
                }
            }
            "response.output_item.done" => self.done(output_index, item, builder)?,
            "response.completed" | "response.incomplete" => {
                self.end(response, builder);
            }
            "response.failed" => {
                let error = response.and_then(|response| response.error).unwrap_or_default();
                return Err(failed(&json!({ "error": error })));
            }
            "error" => {
                let value: Value = serde_json::from_str(&event.data).unwrap_or_default();
                return Err(failed(&value));
            }
            _ => {}
        }
        Ok(())
    }

    fn call(&self, index: Option<u64>) -> Option<usize> {
        self.calls.iter().position(|call| Some(*call) == index)
    }

    fn added(
        &mut self,
        index: Option<u64>,
        item: Option<&Value>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), ModelError> {
        let word =
            |name: &str| item.and_then(|item| item.get(name)).and_then(Value::as_str).unwrap_or_default();
        let Some(index) = index.filter(|_| word("type") == "function_call") else { return Ok(()) };
        if !self.calls.contains(&index) {
            builder.start_call(word("call_id"), word("name"))?;
            self.calls.push(index);
        }
        Ok(())
    }

    fn done(
        &mut self,
        index: Option<u64>,
        item: Option<Value>,
        builder: &mut ResponseBuilder,
    ) -> Result<(), ModelError> {
        let Some(item) = item else { return Ok(()) };
        match item.get("type").and_then(Value::as_str) {
            Some("function_call") => {
                // Some servers announce a call only here.
                self.added(index, Some(&item), builder)?;
                if let Some(call) = self.call(index) {
                    let whole = item.get("arguments").and_then(Value::as_str).unwrap_or_default();
                    if !builder.has_arguments(call) {
                        builder.push_arguments(call, whole.to_owned())?;
                    }
                    builder.end_call(call);
                }
            }
            Some("reasoning") => {
                let is_sealed = item.get("encrypted_content").is_some_and(Value::is_string);
                builder.end_reasoning(is_sealed.then(|| sealed(item).to_string()).as_deref());
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, response: Option<Response>, builder: &mut ResponseBuilder) {
        if let Some(response) = response {
            if let Some(tokens) = response.usage {
                let kept = tokens.input_tokens_details.map_or(0, |details| details.cached_tokens);
                builder.set_usage(Usage::with_cached(tokens.input_tokens, kept, tokens.output_tokens));
            }
            match response.incomplete_details.and_then(|details| details.reason) {
                Some(reason) if reason == "max_output_tokens" => builder.set_stop(StopReason::MaxTokens),
                Some(why) => builder.set_stop(StopReason::Refused { reason: why }),
                None => {}
            }
        }
        builder.finish();
    }
}

/// Removes the status, which is not accepted in a request.
fn sealed(mut item: Value) -> Value {
    if let Some(item) = item.as_object_mut() {
        item.remove("status");
    }
    item
}

fn failed(value: &Value) -> ModelError {
    classify::error_event(value).unwrap_or_else(|| ModelError::new(NoAnswer::Overloaded, "the server failed"))
}
