//! `anthropic-messages`: `POST …/v1/messages`. Cache breakpoints are set after the system prompt and the last message.

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

/// Prefix of the stored signature of redacted reasoning.
const HIDDEN: &str = "hidden:";

/// `max_tokens` is required here; used when no limit is known.
const USUAL_ANSWER: u32 = 8_192;

pub(super) fn body(model: &Model, request: &ModelRequest) -> Value {
    let messages = wire_messages(model, request);
    let mut body = Map::new();
    body.insert("model".into(), model.name.id().into());
    body.insert("stream".into(), true.into());
    let most = model.info.max_output.unwrap_or(USUAL_ANSWER);
    let mut max = model.answer_tokens(request).unwrap_or(most);
    if let Some(level) =
        Some(request.thinking).filter(|level| *level != ThinkingLevel::Off).filter(|_| model.info.reasoning)
    {
        if is_adaptive(model.name.id()) {
            let effort = if level == ThinkingLevel::Minimal { ThinkingLevel::Low } else { level };
            body.insert("thinking".into(), json!({ "type": "adaptive" }));
            body.insert("output_config".into(), json!({ "effort": effort.as_str() }));
        } else if may_think(&messages) {
            // Reasoning counts as output: there has to be room for both.
            let budget = budget(level).min(most / 2).max(1_024);
            max = max.saturating_add(budget).min(most.max(budget.saturating_add(1_024)));
            body.insert("thinking".into(), json!({ "type": "enabled", "budget_tokens": budget }));
        }
    }
    body.insert("max_tokens".into(), max.into());
    let is_kept = request.cache.is_some();
    if !request.system.is_empty() {
        let mut block = json!({ "type": "text", "text": request.system });
        cache_point(&mut block, is_kept);
        body.insert("system".into(), json!([block]));
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(
            |tool| json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters }),
        );
        body.insert("tools".into(), tools.collect());
    }
    let mut messages: Vec<Value> = messages.iter().map(message).collect();
    let last = messages.last_mut().and_then(|message| message["content"].as_array_mut()?.last_mut());
    if let Some(block) = last {
        cache_point(block, is_kept);
    }
    body.insert("messages".into(), messages.into());
    body.into()
}

fn cache_point(block: &mut Value, is_kept: bool) {
    if is_kept {
        block["cache_control"] = json!({ "type": "ephemeral" });
    }
}

fn budget(level: ThinkingLevel) -> u32 {
    match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal => 1_024,
        ThinkingLevel::Low => 4_096,
        ThinkingLevel::Medium => 10_240,
        ThinkingLevel::High => 24_576,
    }
}

/// Since version 4.6 models decide how long to think, and accept no token budget.
fn is_adaptive(id: &str) -> bool {
    let Some(rest) = id.strip_prefix("claude-") else { return false };
    let numbers: Vec<u32> =
        rest.split('-').filter(|part| part.len() <= 2).filter_map(|part| part.parse().ok()).collect();
    matches!(numbers.as_slice(), [major, rest @ ..] if (*major, rest.first().copied().unwrap_or(0)) >= (4, 6))
}

/// In the middle of tool calls, thinking is accepted only if the turn started with it.
fn may_think(messages: &[WireMessage<'_>]) -> bool {
    match messages {
        [.., WireMessage::Assistant(parts), WireMessage::ToolResults(_)] => {
            matches!(parts.first(), Some(AssistantPart::Reasoning { .. }))
        }
        _ => true,
    }
}

fn message(message: &WireMessage<'_>) -> Value {
    let (role, content): (_, Vec<Value>) = match message {
        WireMessage::User(parts) => ("user", parts.iter().map(part).collect()),
        WireMessage::Assistant(parts) => ("assistant", parts.iter().map(encode_part).collect()),
        WireMessage::ToolResults(results) => ("user", results.iter().map(result).collect()),
    };
    json!({ "role": role, "content": content })
}

fn encode_part(part: &AssistantPart<'_>) -> Value {
    match part {
        AssistantPart::Text(text) => json!({ "type": "text", "text": text }),
        AssistantPart::Reasoning { thinking, signature } => match signature.strip_prefix(HIDDEN) {
            Some(data) => json!({ "type": "redacted_thinking", "data": data }),
            None => json!({ "type": "thinking", "thinking": thinking, "signature": signature }),
        },
        AssistantPart::ToolCall(call) => {
            json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments })
        }
    }
}

fn result(result: &ToolOutput<'_>) -> Value {
    let content: Vec<Value> = result.parts.iter().map(part).collect();
    let mut block = json!({ "type": "tool_result", "tool_use_id": result.id, "content": content });
    if result.is_error {
        block["is_error"] = true.into();
    }
    block
}

fn part(part: &InputPart<'_>) -> Value {
    match part {
        InputPart::Text(text) => json!({ "type": "text", "text": text }),
        InputPart::Image(image) => {
            let source = json!({ "type": "base64", "media_type": image.mime_type, "data": image.data });
            json!({ "type": "image", "source": source })
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The index and content of the open block.
    open: Option<(u64, OpenBlock)>,
    usage: Usage,
}

#[derive(Debug)]
enum OpenBlock {
    Text,
    Thought { signature: String },
    Call { call: usize, input: String },
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: MessageStart,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: BlockDelta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        #[serde(default)]
        delta: Option<MessageEnd>,
        #[serde(default)]
        usage: Option<WireUsage>,
    },
    MessageStop,
    Error {},
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct MessageStart {
    #[serde(default)]
    usage: Option<WireUsage>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        #[serde(default)]
        data: String,
    },
    ToolUse {
        #[serde(default)]
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum BlockDelta {
    TextDelta {
        text: String,
    },
    ThinkingDelta {
        thinking: String,
    },
    SignatureDelta {
        signature: String,
    },
    InputJsonDelta {
        partial_json: String,
    },
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct MessageEnd {
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    input_tokens: Option<u32>,
    #[serde(default)]
    output_tokens: Option<u32>,
    #[serde(default)]
    cache_read_input_tokens: Option<u32>,
    #[serde(default)]
    cache_creation_input_tokens: Option<u32>,
}

impl Decoder {
    pub(super) fn decode(
        &mut self,
        event: &SseEvent,
        builder: &mut ResponseBuilder,
    ) -> Result<(), ModelError> {
        let read: Event = match serde_json::from_str(&event.data) {
            Ok(read) => read,
            Err(error) => {
                let error_event =
                    serde_json::from_str(&event.data).ok().as_ref().and_then(classify::error_event);
                let unread =
                    || ModelError::malformed(format!("an event of the answer cannot be read: {error}"));
                return Err(error_event.unwrap_or_else(unread));
            }
        };
        match read {
            Event::MessageStart { message } => self.tokens(message.usage, builder),
            Event::ContentBlockStart { index, content_block } => {
                self.close(builder)?;
                let open = open_block(content_block, builder)?;
                self.open = Some((index, open));
            }
            Event::ContentBlockDelta { index, delta } => self.delta(index, delta, builder)?,
            Event::ContentBlockStop { index } => {
                if matches!(self.open, Some((open, _)) if open == index) {
                    self.close(builder)?;
                }
            }
            Event::MessageDelta { delta, usage } => {
                self.tokens(usage, builder);
                if let Some(reason) = delta.and_then(|delta| delta.stop_reason) {
                    builder.set_stop(stop(reason));
                }
            }
            Event::MessageStop => {
                self.close(builder)?;
                builder.finish();
            }
            Event::Error {} => {
                let error_event =
                    serde_json::from_str(&event.data).ok().as_ref().and_then(classify::error_event);
                return Err(
                    error_event.unwrap_or_else(|| ModelError::new(NoAnswer::Overloaded, "the server failed"))
                );
            }
            Event::Unknown => {}
        }
        Ok(())
    }

    fn delta(
        &mut self,
        index: u64,
        delta: BlockDelta,
        builder: &mut ResponseBuilder,
    ) -> Result<(), ModelError> {
        let Some((_, open)) = self.open.as_mut().filter(|(open, _)| *open == index) else {
            return Err(ModelError::malformed("the answer goes on with a block that is not open"));
        };
        match (delta, open) {
            (BlockDelta::TextDelta { text }, OpenBlock::Text) => builder.push_text(text),
            (BlockDelta::ThinkingDelta { thinking }, OpenBlock::Thought { .. }) => {
                builder.push_reasoning(thinking)
            }
            (BlockDelta::SignatureDelta { signature: delta }, OpenBlock::Thought { signature }) => {
                signature.push_str(&delta)
            }
            (BlockDelta::InputJsonDelta { partial_json }, OpenBlock::Call { call, .. }) => {
                builder.push_arguments(*call, partial_json)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, builder: &mut ResponseBuilder) -> Result<(), ModelError> {
        match self.open.take() {
            Some((_, OpenBlock::Thought { signature })) => {
                builder.end_reasoning(Some(signature.as_str()).filter(|s| !s.is_empty()))
            }
            Some((_, OpenBlock::Call { call, input })) => {
                if !builder.has_arguments(call) {
                    builder.push_arguments(call, input)?;
                }
                builder.end_call(call);
            }
            _ => {}
        }
        Ok(())
    }

    fn tokens(&mut self, tokens: Option<WireUsage>, builder: &mut ResponseBuilder) {
        let Some(tokens) = tokens else { return };
        let usage = &mut self.usage;
        usage.input = tokens.input_tokens.unwrap_or(usage.input);
        usage.output = tokens.output_tokens.unwrap_or(usage.output);
        usage.cache_read = tokens.cache_read_input_tokens.unwrap_or(usage.cache_read);
        usage.cache_write = tokens.cache_creation_input_tokens.unwrap_or(usage.cache_write);
        builder.set_usage(*usage);
    }
}

fn open_block(block: Block, builder: &mut ResponseBuilder) -> Result<OpenBlock, ModelError> {
    Ok(match block {
        Block::Text { text } => {
            builder.push_text(text);
            OpenBlock::Text
        }
        Block::Thinking { thinking, signature } => {
            builder.push_reasoning(thinking);
            OpenBlock::Thought { signature }
        }
        Block::RedactedThinking { data } => OpenBlock::Thought { signature: format!("{HIDDEN}{data}") },
        Block::ToolUse { id, name, input } => {
            // Some servers send the whole input at once.
            let input = match input {
                Value::Object(input) if !input.is_empty() => Value::Object(input).to_string(),
                _ => String::new(),
            };
            OpenBlock::Call { call: builder.start_call(&id, &name)?, input }
        }
        Block::Unknown => OpenBlock::Other,
    })
}

fn stop(reason: String) -> StopReason {
    match reason.as_str() {
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "tool_use" => StopReason::ToolCalls,
        "refusal" => StopReason::Refused { reason },
        _ => StopReason::EndTurn,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_models_use_adaptive_thinking() {
        for (id, adaptive) in [
            ("claude-3-5-haiku-20241022", false),
            ("claude-sonnet-4-20250514", false),
            ("claude-opus-4-5-20251101", false),
            ("claude-opus-4-6", true),
            ("claude-sonnet-5", true),
            ("claude-opus-4-10", true),
            ("MiniMax-M2", false),
            ("claude-next", false),
        ] {
            assert_eq!(is_adaptive(id), adaptive, "{id}");
        }
    }
}
