//! `openai-responses`: `POST …/responses`. Nothing is kept at the provider: thoughts come back sealed and go back with
//! the next request.

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::draft::Draft;
use super::effort;
use super::history::{Outcome, Piece, Said, Turn, turns};
use crate::catalog::Model;
use crate::classify;
use crate::delta::Stop;
use crate::failure::{Class, Failure};
use crate::request::{Request, Thinking};
use crate::sse::SseEvent;
use crate::usage::Usage;

/// The body of a request.
pub(super) fn body(model: &Model, request: &Request) -> Value {
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
    if model.facts.reasoning {
        body.insert("include".into(), json!(["reasoning.encrypted_content"]));
        if let Some(effort) = effort::word(&model.name, request.thinking) {
            let mut reasoning = json!({ "effort": effort });
            if request.thinking != Thinking::Off {
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

fn input(model: &Model, request: &Request) -> Vec<Value> {
    let mut input = Vec::new();
    for turn in turns(model, request) {
        match turn {
            Turn::User(pieces) => {
                let content: Vec<Value> = pieces.iter().map(piece).collect();
                input.push(json!({ "type": "message", "role": "user", "content": content }));
            }
            Turn::Assistant(said) => input.extend(said.into_iter().filter_map(item)),
            Turn::Results(results) => input.extend(results.iter().map(result)),
        }
    }
    input
}

fn item(said: Said<'_>) -> Option<Value> {
    Some(match said {
        Said::Text(text) => {
            let content = json!([{ "type": "output_text", "text": text }]);
            json!({ "type": "message", "role": "assistant", "content": content })
        }
        // The seal is the provider's own item.
        Said::Sealed { seal, .. } => serde_json::from_str(seal).ok()?,
        Said::Call(call) => {
            let arguments = Value::Object(call.arguments.clone()).to_string();
            json!({ "type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments })
        }
    })
}

fn result(result: &Outcome<'_>) -> Value {
    let output = match result.images().next() {
        None => Value::from(result.text()),
        Some(_) => result.pieces.iter().map(piece).collect(),
    };
    json!({ "type": "function_call_output", "call_id": result.id, "output": output })
}

fn piece(piece: &Piece<'_>) -> Value {
    match piece {
        Piece::Text(text) => json!({ "type": "input_text", "text": text }),
        Piece::Image(image) => {
            let url = format!("data:{};base64,{}", image.mime_type, image.data);
            json!({ "type": "input_image", "image_url": url })
        }
    }
}

/// Reads an answer.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    /// The number of the item that each call is, in the order of the calls.
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
    usage: Option<Tokens>,
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
struct Tokens {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    #[serde(default)]
    input_tokens_details: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default)]
    cached_tokens: u64,
}

impl Decoder {
    pub(super) fn event(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<(), Failure> {
        if event.data.trim() == "[DONE]" {
            return Ok(());
        }
        let read: Event = serde_json::from_str(&event.data)
            .map_err(|error| Failure::malformed(format!("an event of the answer cannot be read: {error}")))?;
        let Event { kind, output_index, summary_index, delta, item, response } = read;
        let kind = kind.unwrap_or_else(|| event.name.clone());
        let delta = || match delta {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        match kind.as_str() {
            "response.output_text.delta" | "response.refusal.delta" => draft.text(delta()),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                draft.reasoning(delta())
            }
            // Parts of a summary are paragraphs.
            "response.reasoning_summary_part.added" if summary_index.is_some_and(|part| part > 0) => {
                draft.reasoning("\n\n".to_owned());
            }
            "response.output_item.added" => self.added(output_index, item.as_ref(), draft)?,
            "response.function_call_arguments.delta" => {
                if let Some(call) = self.call(output_index) {
                    draft.arguments(call, delta())?;
                }
            }
            "response.output_item.done" => self.done(output_index, item, draft)?,
            "response.completed" | "response.incomplete" => {
                self.end(response, draft);
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

    fn added(&mut self, index: Option<u64>, item: Option<&Value>, draft: &mut Draft) -> Result<(), Failure> {
        let word =
            |name: &str| item.and_then(|item| item.get(name)).and_then(Value::as_str).unwrap_or_default();
        let Some(index) = index.filter(|_| word("type") == "function_call") else { return Ok(()) };
        if !self.calls.contains(&index) {
            draft.call(word("call_id"), word("name"))?;
            self.calls.push(index);
        }
        Ok(())
    }

    fn done(&mut self, index: Option<u64>, item: Option<Value>, draft: &mut Draft) -> Result<(), Failure> {
        let Some(item) = item else { return Ok(()) };
        match item.get("type").and_then(Value::as_str) {
            Some("function_call") => {
                // A server that does not announce its calls says them here.
                self.added(index, Some(&item), draft)?;
                if let Some(call) = self.call(index) {
                    let whole = item.get("arguments").and_then(Value::as_str).unwrap_or_default();
                    if !draft.has_arguments(call) {
                        draft.arguments(call, whole.to_owned())?;
                    }
                    draft.end_of_call(call);
                }
            }
            Some("reasoning") => {
                let is_sealed = item.get("encrypted_content").is_some_and(Value::is_string);
                draft.end_of_thought(is_sealed.then(|| sealed(item).to_string()).as_deref());
            }
            _ => {}
        }
        Ok(())
    }

    fn end(&mut self, response: Option<Response>, draft: &mut Draft) {
        if let Some(response) = response {
            if let Some(tokens) = response.usage {
                let kept = tokens.input_tokens_details.map_or(0, |details| details.cached_tokens);
                draft.usage(Usage::with_kept(tokens.input_tokens, kept, tokens.output_tokens));
            }
            match response.incomplete_details.and_then(|details| details.reason) {
                Some(reason) if reason == "max_output_tokens" => draft.will_stop(Stop::Length),
                Some(why) => draft.will_stop(Stop::Refused { why }),
                None => {}
            }
        }
        draft.stop();
    }
}

/// The item as it goes back: without its status, which a request may not have.
fn sealed(mut item: Value) -> Value {
    if let Some(item) = item.as_object_mut() {
        item.remove("status");
    }
    item
}

fn failed(value: &Value) -> Failure {
    classify::event(value).unwrap_or_else(|| Failure::new(Class::Overloaded, "the server failed"))
}
