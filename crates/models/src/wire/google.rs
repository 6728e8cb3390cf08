//! `google-generative-ai`: `POST …/models/MODEL:streamGenerateContent?alt=sse`.
//!
//! Seals stand here on the part that follows a thought, a call most of all; they are kept as a thought of their own
//! before it, and put on the next part when they go back.

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

/// The body of a request.
pub(super) fn body(model: &Model, request: &Request) -> Value {
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
        model.facts.reasoning.then(|| thinking(model.name.id(), request.thinking)).flatten()
    {
        generation.insert("thinkingConfig".into(), thinking);
    }
    if !generation.is_empty() {
        body.insert("generationConfig".into(), generation.into());
    }
    let contents: Vec<Value> = turns(model, request).iter().map(content).collect();
    body.insert("contents".into(), contents.into());
    body.into()
}

/// Version 2.5 takes a number of tokens, later ones a word. The small models of 2.5 can be told not to think at all.
fn thinking(id: &str, level: Thinking) -> Option<Value> {
    let budget = match level {
        Thinking::Off => return id.starts_with("gemini-2.5-flash").then(|| json!({ "thinkingBudget": 0 })),
        Thinking::Minimal => 512,
        Thinking::Low => 2_048,
        Thinking::Medium => 8_192,
        Thinking::High => 24_576,
    };
    Some(if id.starts_with("gemini-2.5") {
        json!({ "includeThoughts": true, "thinkingBudget": budget })
    } else {
        let word = if level >= Thinking::Medium { "high" } else { "low" };
        json!({ "includeThoughts": true, "thinkingLevel": word })
    })
}

fn content(turn: &Turn<'_>) -> Value {
    let (role, parts) = match turn {
        Turn::User(pieces) => ("user", pieces.iter().map(piece).collect()),
        Turn::Assistant(said) => ("model", parts(said)),
        // Results stand together; their pictures follow.
        Turn::Results(results) => {
            let images = results.iter().flat_map(Outcome::images).map(|image| piece(&Piece::Image(image)));
            ("user", results.iter().map(result).chain(images).collect())
        }
    };
    json!({ "role": role, "parts": parts })
}

fn parts(said: &[Said<'_>]) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut waiting = None;
    for said in said {
        let mut part = match said {
            Said::Sealed { seal, .. } => {
                waiting = Some(*seal);
                continue;
            }
            Said::Text(text) => json!({ "text": text }),
            Said::Call(call) => {
                json!({ "functionCall": { "id": call.id, "name": call.name, "args": call.arguments } })
            }
        };
        if let Some(seal) = waiting.take() {
            part["thoughtSignature"] = seal.into();
        }
        parts.push(part);
    }
    if let Some(seal) = waiting {
        parts.push(json!({ "text": "", "thoughtSignature": seal }));
    }
    parts
}

fn result(result: &Outcome<'_>) -> Value {
    let word = if result.is_error { "error" } else { "output" };
    let response = json!({ word: result.text() });
    let function = json!({ "id": result.id, "name": result.tool, "response": response });
    json!({ "functionResponse": function })
}

fn piece(piece: &Piece<'_>) -> Value {
    match piece {
        Piece::Text(text) => json!({ "text": text }),
        Piece::Image(image) => json!({ "inlineData": { "mimeType": image.mime_type, "data": image.data } }),
    }
}

/// Reads an answer.
#[derive(Debug, Default)]
pub(super) struct Decoder;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Chunk {
    #[serde(default)]
    candidates: Option<Vec<Candidate>>,
    #[serde(default)]
    usage_metadata: Option<Tokens>,
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
    parts: Option<Vec<Part>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    thought: Option<bool>,
    #[serde(default)]
    thought_signature: Option<String>,
    #[serde(default)]
    function_call: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
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
struct Tokens {
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
    pub(super) fn event(&mut self, event: &SseEvent, draft: &mut Draft) -> Result<(), Failure> {
        let said = || serde_json::from_str(&event.data).ok().as_ref().and_then(classify::event);
        let chunk: Chunk = match serde_json::from_str(&event.data) {
            Ok(chunk) => chunk,
            Err(error) => {
                let unread = || Failure::malformed(format!("an event of the answer cannot be read: {error}"));
                return Err(said().unwrap_or_else(unread));
            }
        };
        let Chunk { candidates, usage_metadata, prompt_feedback } = chunk;
        if let Some(tokens) = usage_metadata {
            let output = tokens.candidates_token_count.saturating_add(tokens.thoughts_token_count);
            draft.usage(Usage::with_kept(
                tokens.prompt_token_count,
                tokens.cached_content_token_count,
                output,
            ));
        }
        if let Some(why) = prompt_feedback.and_then(|feedback| feedback.block_reason) {
            draft.will_stop(Stop::Refused { why });
            return Ok(());
        }
        let Some(candidates) = candidates else { return said().map_or(Ok(()), Err) };
        let Some(candidate) = candidates.into_iter().next() else { return Ok(()) };
        let parts = candidate.content.and_then(|content| content.parts).unwrap_or_default();
        for part in parts {
            self.part(part, draft)?;
        }
        match candidate.finish_reason {
            // The model wrote a call that its own provider cannot read; another try usually does better.
            Some(reason) if reason == "MALFORMED_FUNCTION_CALL" => {
                return Err(Failure::new(
                    Class::Overloaded,
                    format!("the model failed to call a tool ({reason})"),
                ));
            }
            Some(reason) => draft.will_stop(stop(reason)),
            None => {}
        }
        Ok(())
    }

    fn part(&mut self, part: Part, draft: &mut Draft) -> Result<(), Failure> {
        let Part { text, thought, thought_signature, function_call } = part;
        let text = text.unwrap_or_default();
        if thought == Some(true) {
            draft.reasoning(text);
            return Ok(());
        }
        // The seal belongs to this part, and stands before it.
        if let Some(seal) = thought_signature {
            draft.end_of_thought(Some(&seal));
        }
        draft.text(text);
        if let Some(function) = function_call {
            let call = draft.call(function.id.as_deref().unwrap_or_default(), &function.name)?;
            let arguments = function.args.filter(|args| !args.is_null()).map(|args| args.to_string());
            draft.arguments(call, arguments.unwrap_or_default())?;
            draft.end_of_call(call);
        }
        Ok(())
    }
}

fn stop(reason: String) -> Stop {
    match reason.as_str() {
        "STOP" => Stop::Done,
        "MAX_TOKENS" => Stop::Length,
        _ => Stop::Refused { why: reason },
    }
}
