//! `openai-completions`: `POST …/chat/completions`, spoken by nearly every server, each with its own accent.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::draft::Draft;
use super::effort;
use super::history::{Piece, Said, Turn, turns};
use crate::catalog::Model;
use crate::classify;
use crate::delta::Stop;
use crate::failure::Failure;
use crate::request::Request;
use crate::sse::SseEvent;
use crate::usage::Usage;

/// The body of a request.
pub(super) fn body(model: &Model, request: &Request) -> Value {
    let provider = model.name.provider();
    let mut body = Map::new();
    body.insert("model".into(), model.name.id().into());
    body.insert("stream".into(), true.into());
    // Mistral sends the usage without being asked, and refuses what it does not know.
    if provider != "mistral" {
        body.insert("stream_options".into(), json!({ "include_usage": true }));
    }
    if let Some(max) = model.answer_tokens(request) {
        let name = if provider == "openai" { "max_completion_tokens" } else { "max_tokens" };
        body.insert(name.into(), max.into());
    }
    if let Some(word) = effort::word(&model.name, request.thinking).filter(|_| model.facts.reasoning) {
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

fn messages(model: &Model, request: &Request) -> Vec<Value> {
    let id = |id: &str| if model.name.provider() == "mistral" { nine_letters(id) } else { id.to_owned() };
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for turn in turns(model, request) {
        match turn {
            Turn::User(pieces) => messages.push(json!({ "role": "user", "content": content(&pieces) })),
            Turn::Assistant(said) => {
                let mut text = Vec::new();
                let mut calls = Vec::new();
                for said in said {
                    match said {
                        Said::Text(said) => text.push(said),
                        Said::Call(call) => {
                            let arguments = Value::Object(call.arguments.clone()).to_string();
                            let function = json!({ "name": call.name, "arguments": arguments });
                            calls.push(
                                json!({ "id": id(&call.id), "type": "function", "function": function }),
                            );
                        }
                        Said::Sealed { .. } => {}
                    }
                }
                let content = if text.is_empty() { Value::Null } else { text.join("\n").into() };
                let mut message = json!({ "role": "assistant", "content": content });
                if !calls.is_empty() {
                    message["tool_calls"] = calls.into();
                }
                messages.push(message);
            }
            Turn::Results(results) => {
                for result in &results {
                    let content = result.text();
                    let mut message =
                        json!({ "role": "tool", "tool_call_id": id(result.id), "content": content });
                    if model.name.provider() == "mistral" {
                        message["name"] = result.tool.into();
                    }
                    messages.push(message);
                }
                // A tool's message holds text alone; its pictures follow as if a person had sent them.
                let images: Vec<Piece<'_>> =
                    results.iter().flat_map(|result| result.images().map(Piece::Image)).collect();
                if !images.is_empty() {
                    messages.push(json!({ "role": "user", "content": content(&images) }));
                }
            }
        }
    }
    messages
}

/// Text alone is sent as a text: small servers know nothing else.
fn content(pieces: &[Piece<'_>]) -> Value {
    if pieces.iter().all(|piece| matches!(piece, Piece::Text(_))) {
        let texts = pieces.iter().filter_map(|piece| match piece {
            Piece::Text(text) => Some(text.as_ref()),
            Piece::Image(_) => None,
        });
        return texts.collect::<Vec<_>>().join("\n").into();
    }
    let parts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => json!({ "type": "text", "text": text }),
        Piece::Image(image) => {
            let url = format!("data:{};base64,{}", image.mime_type, image.data);
            json!({ "type": "image_url", "image_url": { "url": url } })
        }
    });
    parts.collect()
}

/// Mistral takes ids of nine letters and digits only.
fn nine_letters(id: &str) -> String {
    const LETTERS: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
    if id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return id.to_owned();
    }
    // FNV-1a: short, and the same on every machine.
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

/// Reads an answer.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    slots: Vec<Slot>,
}

/// A call in the making.
#[derive(Debug)]
struct Slot {
    index: Option<u64>,
    id: String,
    call: usize,
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Option<Vec<Choice>>,
    #[serde(default)]
    usage: Option<Tokens>,
    #[serde(default)]
    x_groq: Option<Groq>,
}

#[derive(Deserialize)]
struct Groq {
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Option<Piecewise>,
    #[serde(default)]
    finish_reason: Option<String>,
    #[serde(default)]
    usage: Option<Tokens>,
}

#[derive(Deserialize)]
struct Piecewise {
    #[serde(default)]
    content: Option<Value>,
    #[serde(default)]
    reasoning_content: Option<String>,
    #[serde(default)]
    reasoning: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<CallPiece>>,
}

#[derive(Deserialize)]
struct CallPiece {
    #[serde(default)]
    index: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arguments: Option<Value>,
}

#[derive(Deserialize)]
struct Tokens {
    #[serde(default)]
    prompt_tokens: Option<u64>,
    #[serde(default)]
    completion_tokens: Option<u64>,
    #[serde(default)]
    prompt_tokens_details: Option<Details>,
    /// DeepSeek's and Moonshot's words for the same.
    #[serde(default)]
    prompt_cache_hit_tokens: Option<u64>,
    #[serde(default)]
    cached_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    cached_tokens: Option<u64>,
}

impl Decoder {
    pub(super) fn event(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<(), Failure> {
        if event.data.trim() == "[DONE]" {
            return draft.done();
        }
        let chunk: Chunk = match serde_json::from_str(&event.data) {
            Ok(chunk) => chunk,
            Err(error) => return Err(not_a_chunk(&event.data, &error)),
        };
        let Chunk { choices, usage, x_groq } = chunk;
        if choices.is_none() && usage.is_none() {
            return match serde_json::from_str(&event.data).ok().as_ref().and_then(classify::event) {
                Some(failure) => Err(failure),
                None => Ok(()),
            };
        }
        let mut tokens = usage.or_else(|| x_groq?.usage);
        if let Some(choice) = choices.and_then(|choices| choices.into_iter().next()) {
            tokens = tokens.or(choice.usage);
            if let Some(delta) = choice.delta {
                self.delta(delta, draft)?;
            }
            if let Some(reason) = choice.finish_reason.filter(|reason| !reason.is_empty()) {
                draft.will_stop(stop(reason));
            }
        }
        if let Some(tokens) = tokens {
            draft.usage(tokens.into());
        }
        Ok(())
    }

    fn delta(&mut self, delta: Piecewise, draft: &mut Draft) -> Result<(), Failure> {
        // The same thought may come under both names.
        if let Some(thought) = delta.reasoning_content.or(delta.reasoning) {
            draft.reasoning(thought);
        }
        match delta.content {
            Some(Value::String(text)) => draft.text(text),
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self::part(part, draft)),
            _ => {}
        }
        if let Some(refusal) = delta.refusal {
            draft.text(refusal);
        }
        for piece in delta.tool_calls.unwrap_or_default() {
            self.call(piece, draft)?;
        }
        Ok(())
    }

    fn call(&mut self, piece: CallPiece, draft: &mut Draft) -> Result<(), Failure> {
        let CallPiece { index, id, function } = piece;
        let id = id.unwrap_or_default();
        let Function { name, arguments } = function.unwrap_or(Function { name: None, arguments: None });
        // The name comes with the first piece; a call without one is no tool's, and is told to the model as such.
        let name = name.unwrap_or_default();
        let call = match self.slot(index, &id, !name.is_empty()) {
            Some(call) => call,
            None => {
                let call = draft.call(&id, &name)?;
                self.slots.push(Slot { index, id, call });
                call
            }
        };
        let arguments = match arguments {
            Some(Value::String(text)) => text,
            None | Some(Value::Null) => String::new(),
            Some(value) => value.to_string(),
        };
        draft.arguments(call, arguments)
    }

    /// The call that a piece belongs to. Servers number calls, or give each its id, or do neither; some give all of
    /// them the same number.
    fn slot(&self, index: Option<u64>, id: &str, has_name: bool) -> Option<usize> {
        let mut slots = self.slots.iter().rev();
        let found = match index {
            Some(_) => slots
                .find(|slot| slot.index == index)
                .filter(|slot| !has_name || id.is_empty() || slot.id == id),
            None if !id.is_empty() => slots.find(|slot| slot.id == id),
            None if has_name => None,
            None => slots.next(),
        };
        found.map(|slot| slot.call)
    }
}

/// Mistral writes text and thoughts as parts.
fn part(part: &Value, draft: &mut Draft) {
    let text = |value: &Value| value.get("text").and_then(Value::as_str).unwrap_or_default().to_owned();
    match part.get("type").and_then(Value::as_str) {
        Some("thinking") => match part.get("thinking") {
            Some(Value::Array(thoughts)) => {
                thoughts.iter().for_each(|thought| draft.reasoning(text(thought)))
            }
            Some(Value::String(thought)) => draft.reasoning(thought.clone()),
            _ => {}
        },
        _ => draft.text(text(part)),
    }
}

fn stop(reason: String) -> Stop {
    match reason.as_str() {
        "length" => Stop::Length,
        "tool_calls" | "function_call" => Stop::Calls,
        "content_filter" => Stop::Refused { why: reason },
        _ => Stop::Done,
    }
}

fn not_a_chunk(data: &str, error: &serde_json::Error) -> Failure {
    let said = serde_json::from_str(data).ok().as_ref().and_then(classify::event);
    said.unwrap_or_else(|| Failure::malformed(format!("an event of the answer cannot be read: {error}")))
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        let details = tokens.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let kept = details.or(tokens.prompt_cache_hit_tokens).or(tokens.cached_tokens).unwrap_or_default();
        let (sent, output) = (tokens.prompt_tokens, tokens.completion_tokens);
        Self::with_kept(sent.unwrap_or_default(), kept, output.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_become_nine_letters_and_stay_apart() {
        assert_eq!(nine_letters("abcDEF123"), "abcDEF123");
        let (one, two) = (nine_letters("call_1"), nine_letters("call_2"));
        assert_eq!((one.len(), two.len()), (9, 9));
        assert_ne!(one, two);
        assert_eq!(one, nine_letters("call_1"));
    }
}
