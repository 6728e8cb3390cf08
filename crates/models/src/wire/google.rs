//! `google-generative-ai`: `POST …/models/MODEL:streamGenerateContent?alt=sse`.
//!
//! A signature is a field of the part after the reasoning, usually a call. It is stored as a reasoning block of its own
//! before that part, and attached to the next part when it is sent back.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use tarsus_protocol::NoAnswer;

use super::builder::ResponseBuilder;
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
    if !request.system.is_empty() {
        body.insert("systemInstruction".into(), json!({ "parts": [{ "text": request.system }] }));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "name": tool.name, "description": tool.description, "parametersJsonSchema": tool.parameters })
        });
        body.insert("tools".into(), json!([{ "functionDeclarations": tools.collect::<Vec<_>>() }]));
    }
    let mut generation = Map::new();
    if let Some(max) = model.answer_tokens(request) {
        generation.insert("maxOutputTokens".into(), max.into());
    }
    if let Some(thinking) =
        model.info.reasoning.then(|| thinking(model.name.id(), request.thinking)).flatten()
    {
        generation.insert("thinkingConfig".into(), thinking);
    }
    if !generation.is_empty() {
        body.insert("generationConfig".into(), generation.into());
    }
    let contents: Vec<Value> = wire_messages(model, request).iter().map(content).collect();
    body.insert("contents".into(), contents.into());
    body.into()
}

/// Version 2.5 takes a token budget, later ones a level. Only the 2.5 Flash models can skip reasoning.
fn thinking(id: &str, level: ThinkingLevel) -> Option<Value> {
    let budget = match level {
        ThinkingLevel::Off => {
            return id.starts_with("gemini-2.5-flash").then(|| json!({ "thinkingBudget": 0 }));
        }
        ThinkingLevel::Minimal => 512,
        ThinkingLevel::Low => 2_048,
        ThinkingLevel::Medium => 8_192,
        ThinkingLevel::High => 24_576,
    };
    Some(if id.starts_with("gemini-2.5") {
        json!({ "includeThoughts": true, "thinkingBudget": budget })
    } else {
        let word = if level >= ThinkingLevel::Medium { "high" } else { "low" };
        json!({ "includeThoughts": true, "thinkingLevel": word })
    })
}

fn content(message: &WireMessage<'_>) -> Value {
    let (role, parts) = match message {
        WireMessage::User(parts) => ("user", parts.iter().map(part).collect()),
        WireMessage::Assistant(message) => ("model", parts(message)),
        // Results come first; their images follow.
        WireMessage::ToolResults(results) => {
            let images =
                results.iter().flat_map(ToolOutput::images).map(|image| part(&InputPart::Image(image)));
            ("user", results.iter().map(result).chain(images).collect())
        }
    };
    json!({ "role": role, "parts": parts })
}

fn parts(message: &[AssistantPart<'_>]) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut waiting = None;
    for part in message {
        let mut part = match part {
            AssistantPart::Reasoning { signature, .. } => {
                waiting = Some(*signature);
                continue;
            }
            AssistantPart::Text(text) => json!({ "text": text }),
            AssistantPart::ToolCall(call) => {
                json!({ "functionCall": { "id": call.id, "name": call.name, "args": call.arguments } })
            }
        };
        if let Some(signature) = waiting.take() {
            part["thoughtSignature"] = signature.into();
        }
        parts.push(part);
    }
    if let Some(signature) = waiting {
        parts.push(json!({ "text": "", "thoughtSignature": signature }));
    }
    parts
}

fn result(result: &ToolOutput<'_>) -> Value {
    let word = if result.is_error { "error" } else { "output" };
    let response = json!({ word: result.text() });
    let function = json!({ "id": result.id, "name": result.tool, "response": response });
    json!({ "functionResponse": function })
}

fn part(part: &InputPart<'_>) -> Value {
    match part {
        InputPart::Text(text) => json!({ "text": text }),
        InputPart::Image(image) => {
            json!({ "inlineData": { "mimeType": image.mime_type, "data": image.data } })
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Decoder;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default)]
    candidates: Option<Vec<Candidate>>,
    #[serde(default)]
    usage_metadata: Option<WireUsage>,
    #[serde(default)]
    prompt_feedback: Option<Feedback>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Candidate {
    #[serde(default)]
    content: Option<Content>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Content {
    #[serde(default)]
    parts: Option<Vec<CandidatePart>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CandidatePart {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    thought: Option<bool>,
    #[serde(default)]
    thought_signature: Option<String>,
    #[serde(default)]
    function_call: Option<FunctionCall>,
}

#[derive(Deserialize)]
struct FunctionCall {
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    name: String,
    #[serde(default)]
    args: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Feedback {
    #[serde(default)]
    block_reason: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireUsage {
    #[serde(default)]
    prompt_token_count: u64,
    #[serde(default)]
    candidates_token_count: u64,
    #[serde(default)]
    thoughts_token_count: u64,
    #[serde(default)]
    cached_content_token_count: u64,
}

impl Decoder {
    pub(super) fn decode(
        &mut self,
        event: &SseEvent,
        builder: &mut ResponseBuilder,
    ) -> Result<(), ModelError> {
        let error_event = || serde_json::from_str(&event.data).ok().as_ref().and_then(classify::error_event);
        let chunk: Chunk = match serde_json::from_str(&event.data) {
            Ok(chunk) => chunk,
            Err(error) => {
                let unread =
                    || ModelError::malformed(format!("an event of the answer cannot be read: {error}"));
                return Err(error_event().unwrap_or_else(unread));
            }
        };
        let Chunk { candidates, usage_metadata, prompt_feedback } = chunk;
        if let Some(tokens) = usage_metadata {
            let output = tokens.candidates_token_count.saturating_add(tokens.thoughts_token_count);
            builder.set_usage(Usage::with_cached(
                tokens.prompt_token_count,
                tokens.cached_content_token_count,
                output,
            ));
        }
        if let Some(why) = prompt_feedback.and_then(|feedback| feedback.block_reason) {
            builder.set_stop(StopReason::Refused { reason: why });
            return Ok(());
        }
        let Some(candidates) = candidates else { return error_event().map_or(Ok(()), Err) };
        let Some(candidate) = candidates.into_iter().next() else { return Ok(()) };
        let parts = candidate.content.and_then(|content| content.parts).unwrap_or_default();
        for part in parts {
            self.part(part, builder)?;
        }
        match candidate.finish_reason {
            // The provider could not parse the model's call; another attempt usually succeeds.
            Some(reason) if reason == "MALFORMED_FUNCTION_CALL" => {
                return Err(ModelError::new(
                    NoAnswer::Overloaded,
                    format!("the model failed to call a tool ({reason})"),
                ));
            }
            Some(reason) => builder.set_stop(stop(reason)),
            None => {}
        }
        Ok(())
    }

    fn part(&mut self, part: CandidatePart, builder: &mut ResponseBuilder) -> Result<(), ModelError> {
        let CandidatePart { text, thought, thought_signature, function_call } = part;
        let text = text.unwrap_or_default();
        if thought == Some(true) {
            builder.push_reasoning(text);
            return Ok(());
        }
        // The signature belongs to this part, and is emitted before it.
        if let Some(signature) = thought_signature {
            builder.end_reasoning(Some(&signature));
        }
        builder.push_text(text);
        if let Some(function) = function_call {
            let call = builder.start_call(function.id.as_deref().unwrap_or_default(), &function.name)?;
            let arguments = function.args.filter(|args| !args.is_null()).map(|args| args.to_string());
            builder.push_arguments(call, arguments.unwrap_or_default())?;
            builder.end_call(call);
        }
        Ok(())
    }
}

fn stop(reason: String) -> StopReason {
    match reason.as_str() {
        "STOP" => StopReason::EndTurn,
        "MAX_TOKENS" => StopReason::MaxTokens,
        _ => StopReason::Refused { reason },
    }
}
