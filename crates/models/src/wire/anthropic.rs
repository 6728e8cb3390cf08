//! `anthropic-messages`: `POST …/v1/messages`. Cache points stand after the system prompt and after the last message.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::draft::Draft;
use super::history::{Outcome, Piece, Said, Turn, turns};
use crate::catalog::Model;
use crate::classify;
use crate::delta::Stop;
use crate::failure::{Class, Failure};
use crate::request::{Request, Thinking};
use crate::sse::SseEvent;
use crate::usage::Usage;

/// A thought that the provider hides is kept as its seal alone, behind this.
const HIDDEN: &str = "hidden:";

/// An answer needs a bound here; this one holds where none is known.
const USUAL_ANSWER: u32 = 8_192;

/// The body of a request.
pub(super) fn body(model: &Model, request: &Request) -> Value {
    let turns = turns(model, request);
    let mut body = Map::new();
    body.insert("model".into(), model.name.id().into());
    body.insert("stream".into(), true.into());
    let most = model.facts.max_output.unwrap_or(USUAL_ANSWER);
    let mut max = model.answer_tokens(request).unwrap_or(most);
    if let Some(level) = request.thinking.wanted().filter(|_| model.facts.reasoning) {
        if is_adaptive(model.name.id()) {
            let effort = if level == Thinking::Minimal { Thinking::Low } else { level };
            body.insert("thinking".into(), json!({ "type": "adaptive" }));
            body.insert("output_config".into(), json!({ "effort": effort.as_str() }));
        } else if may_think(&turns) {
            // Thoughts count as answer: there has to be room for both.
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
    let mut messages: Vec<Value> = turns.iter().map(message).collect();
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

/// Tokens to think with.
fn budget(level: Thinking) -> u32 {
    match level {
        Thinking::Off | Thinking::Minimal => 1_024,
        Thinking::Low => 4_096,
        Thinking::Medium => 10_240,
        Thinking::High => 24_576,
    }
}

/// From version 4.6 on a model decides itself how long it thinks, and takes no number of tokens.
fn is_adaptive(id: &str) -> bool {
    let Some(rest) = id.strip_prefix("claude-") else { return false };
    let numbers: Vec<u32> =
        rest.split('-').filter(|part| part.len() <= 2).filter_map(|part| part.parse().ok()).collect();
    matches!(numbers.as_slice(), [major, rest @ ..] if (*major, rest.first().copied().unwrap_or(0)) >= (4, 6))
}

/// A model that is in the middle of its calls thinks only if it began with a thought of its own.
fn may_think(turns: &[Turn<'_>]) -> bool {
    match turns {
        [.., Turn::Assistant(said), Turn::Results(_)] => matches!(said.first(), Some(Said::Sealed { .. })),
        _ => true,
    }
}

fn message(turn: &Turn<'_>) -> Value {
    let (role, content): (_, Vec<Value>) = match turn {
        Turn::User(pieces) => ("user", pieces.iter().map(piece).collect()),
        Turn::Assistant(said) => ("assistant", said.iter().map(self::said).collect()),
        Turn::Results(results) => ("user", results.iter().map(result).collect()),
    };
    json!({ "role": role, "content": content })
}

fn said(said: &Said<'_>) -> Value {
    match said {
        Said::Text(text) => json!({ "type": "text", "text": text }),
        Said::Sealed { thinking, seal } => match seal.strip_prefix(HIDDEN) {
            Some(data) => json!({ "type": "redacted_thinking", "data": data }),
            None => json!({ "type": "thinking", "thinking": thinking, "signature": seal }),
        },
        Said::Call(call) => {
            json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments })
        }
    }
}

fn result(result: &Outcome<'_>) -> Value {
    let content: Vec<Value> = result.pieces.iter().map(piece).collect();
    let mut block = json!({ "type": "tool_result", "tool_use_id": result.id, "content": content });
    if result.is_error {
        block["is_error"] = true.into();
    }
    block
}

fn piece(piece: &Piece<'_>) -> Value {
    match piece {
        Piece::Text(text) => json!({ "type": "text", "text": text }),
        Piece::Image(image) => {
            let source = json!({ "type": "base64", "media_type": image.mime_type, "data": image.data });
            json!({ "type": "image", "source": source })
        }
    }
}

/// Reads an answer.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The block that is open: its number, and what it is.
    open: Option<(u64, Open)>,
    usage: Usage,
}

#[derive(Debug)]
enum Open {
    Text,
    Thought { seal: String },
    Call { call: usize, whole: String },
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Piecewise,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        #[serde(default)]
        delta: Option<End>,
        #[serde(default)]
        usage: Option<Tokens>,
    },
    MessageStop,
    Error {},
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Start {
    #[serde(default)]
    usage: Option<Tokens>,
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
enum Piecewise {
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
struct End {
    #[serde(default)]
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct Tokens {
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
    pub(super) fn event(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<(), Failure> {
        let read: Event = match serde_json::from_str(&event.data) {
            Ok(read) => read,
            Err(error) => {
                let said = serde_json::from_str(&event.data).ok().as_ref().and_then(classify::event);
                let unread = || Failure::malformed(format!("an event of the answer cannot be read: {error}"));
                return Err(said.unwrap_or_else(unread));
            }
        };
        match read {
            Event::MessageStart { message } => self.tokens(message.usage, draft),
            Event::ContentBlockStart { index, content_block } => {
                self.close(draft)?;
                let open = open(content_block, draft)?;
                self.open = Some((index, open));
            }
            Event::ContentBlockDelta { index, delta } => self.delta(index, delta, draft)?,
            Event::ContentBlockStop { index } => {
                if matches!(self.open, Some((open, _)) if open == index) {
                    self.close(draft)?;
                }
            }
            Event::MessageDelta { delta, usage } => {
                self.tokens(usage, draft);
                if let Some(reason) = delta.and_then(|delta| delta.stop_reason) {
                    draft.will_stop(stop(reason));
                }
            }
            Event::MessageStop => {
                self.close(draft)?;
                draft.stop();
            }
            Event::Error {} => {
                let said = serde_json::from_str(&event.data).ok().as_ref().and_then(classify::event);
                return Err(said.unwrap_or_else(|| Failure::new(Class::Overloaded, "the server failed")));
            }
            Event::Unknown => {}
        }
        Ok(())
    }

    fn delta(&mut self, index: u64, delta: Piecewise, draft: &mut Draft) -> Result<(), Failure> {
        let Some((_, open)) = self.open.as_mut().filter(|(open, _)| *open == index) else {
            return Err(Failure::malformed("the answer goes on with a block that is not open"));
        };
        match (delta, open) {
            (Piecewise::TextDelta { text }, Open::Text) => draft.text(text),
            (Piecewise::ThinkingDelta { thinking }, Open::Thought { .. }) => draft.reasoning(thinking),
            (Piecewise::SignatureDelta { signature }, Open::Thought { seal }) => seal.push_str(&signature),
            (Piecewise::InputJsonDelta { partial_json }, Open::Call { call, .. }) => {
                draft.arguments(*call, partial_json)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, draft: &mut Draft) -> Result<(), Failure> {
        match self.open.take() {
            Some((_, Open::Thought { seal })) => {
                draft.end_of_thought(Some(seal.as_str()).filter(|s| !s.is_empty()))
            }
            Some((_, Open::Call { call, whole })) => {
                if !draft.has_arguments(call) {
                    draft.arguments(call, whole)?;
                }
                draft.end_of_call(call);
            }
            _ => {}
        }
        Ok(())
    }

    fn tokens(&mut self, tokens: Option<Tokens>, draft: &mut Draft) {
        let Some(tokens) = tokens else { return };
        let usage = &mut self.usage;
        usage.input = tokens.input_tokens.unwrap_or(usage.input);
        usage.output = tokens.output_tokens.unwrap_or(usage.output);
        usage.cache_read = tokens.cache_read_input_tokens.unwrap_or(usage.cache_read);
        usage.cache_write = tokens.cache_creation_input_tokens.unwrap_or(usage.cache_write);
        draft.usage(*usage);
    }
}

fn open(block: Block, draft: &mut Draft) -> Result<Open, Failure> {
    Ok(match block {
        Block::Text { text } => {
            draft.text(text);
            Open::Text
        }
        Block::Thinking { thinking, signature } => {
            draft.reasoning(thinking);
            Open::Thought { seal: signature }
        }
        Block::RedactedThinking { data } => Open::Thought { seal: format!("{HIDDEN}{data}") },
        Block::ToolUse { id, name, input } => {
            // Some servers say the whole of it at once.
            let whole = match input {
                Value::Object(input) if !input.is_empty() => Value::Object(input).to_string(),
                _ => String::new(),
            };
            Open::Call { call: draft.call(&id, &name)?, whole }
        }
        Block::Unknown => Open::Other,
    })
}

fn stop(reason: String) -> Stop {
    match reason.as_str() {
        "max_tokens" | "model_context_window_exceeded" => Stop::Length,
        "tool_use" => Stop::Calls,
        "refusal" => Stop::Refused { why: reason },
        _ => Stop::Done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_models_decide_themselves_how_long_they_think() {
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
