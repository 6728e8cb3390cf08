//! The conversation as providers want it: who speaks in turn, every call with its result, in an order that all of them
//! take. What does not fit is said in words instead of being dropped.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tarsus_protocol::message::{Image, ToolCall};
use tarsus_protocol::{Block, Message, Role};

use crate::catalog::Model;
use crate::request::Request;

use super::seal;

/// Who speaks, and what.
#[derive(Debug, PartialEq)]
pub(super) enum Turn<'r> {
    /// A person.
    User(Vec<Piece<'r>>),
    /// The model.
    Assistant(Vec<Said<'r>>),
    /// The results of the calls of the turn before, one for each, in the order of the calls.
    Results(Vec<Outcome<'r>>),
}

/// A piece of what a person or a tool says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece<'r> {
    Text(Cow<'r, str>),
    Image(&'r Image),
}

/// A piece of what the model said.
#[derive(Debug, PartialEq)]
pub(super) enum Said<'r> {
    /// Text that is not blank.
    Text(&'r str),
    /// A thought with this model's own seal.
    Sealed { thinking: &'r str, seal: &'r str },
    /// A call of a tool.
    Call(&'r ToolCall),
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub(super) struct Outcome<'r> {
    pub(super) id: &'r str,
    pub(super) tool: &'r str,
    pub(super) is_error: bool,
    pub(super) pieces: Vec<Piece<'r>>,
}

impl Outcome<'_> {
    /// Its text alone.
    pub(super) fn text(&self) -> String {
        text(&self.pieces)
    }

    /// Its pictures alone.
    pub(super) fn images(&self) -> impl Iterator<Item = &Image> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Image(image) => Some(*image),
            Piece::Text(_) => None,
        })
    }
}

fn text(pieces: &[Piece<'_>]) -> String {
    let texts = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(text.as_ref()),
        Piece::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

const NO_RESULT: &str = "No result of this call was recorded; it may have run.";
const NO_PICTURES: &str = "[a picture was left out: this model does not see pictures]";

/// The turns of a request.
pub(super) fn turns<'r>(model: &Model, request: &'r Request) -> Vec<Turn<'r>> {
    let mut turns = Vec::new();
    // The calls that wait for their results.
    let mut open: Vec<&'r ToolCall> = Vec::new();
    let mut results: Vec<Outcome<'r>> = Vec::new();
    for message in &request.messages {
        if let Role::ToolResult { tool_call_id, tool_name, is_error, .. } = &message.role {
            let pieces = pieces(model, message);
            let is_open = open.iter().any(|call| call.id == *tool_call_id)
                && !results.iter().any(|result| result.id == tool_call_id);
            if is_open {
                results.push(Outcome { id: tool_call_id, tool: tool_name, is_error: *is_error, pieces });
            } else {
                close(&mut turns, &mut open, &mut results);
                let head = Piece::Text(format!("[result of an earlier call of {tool_name}]").into());
                push_user(&mut turns, [head].into_iter().chain(pieces).collect());
            }
            continue;
        }
        match message.role {
            Role::Assistant => {
                close(&mut turns, &mut open, &mut results);
                let said = said(model, message, &mut open);
                if !said.is_empty() {
                    turns.push(Turn::Assistant(said));
                }
            }
            Role::User | Role::System => {
                close(&mut turns, &mut open, &mut results);
                push_user(&mut turns, pieces(model, message));
            }
            Role::Custom { .. } | Role::ToolResult { .. } => {}
        }
    }
    close(&mut turns, &mut open, &mut results);
    turns
}

/// Every call gets a result, in the order of the calls.
fn close<'r>(turns: &mut Vec<Turn<'r>>, open: &mut Vec<&'r ToolCall>, results: &mut Vec<Outcome<'r>>) {
    if open.is_empty() {
        return;
    }
    let mut found = std::mem::take(results);
    let ordered = open.drain(..).map(|call| match found.iter().position(|result| result.id == call.id) {
        Some(at) => found.swap_remove(at),
        None => {
            let pieces = vec![Piece::Text(NO_RESULT.into())];
            Outcome { id: &call.id, tool: &call.name, is_error: true, pieces }
        }
    });
    turns.push(Turn::Results(ordered.collect()));
}

fn push_user<'r>(turns: &mut Vec<Turn<'r>>, pieces: Vec<Piece<'r>>) {
    match turns.last_mut() {
        _ if pieces.is_empty() => {}
        Some(Turn::User(before)) => before.extend(pieces),
        _ => turns.push(Turn::User(pieces)),
    }
}

fn pieces<'r>(model: &Model, message: &'r Message) -> Vec<Piece<'r>> {
    let pieces = message.content.iter().filter_map(|block| match block {
        Block::Text(text) if text.text.trim().is_empty() => None,
        Block::Text(text) => Some(Piece::Text(Cow::Borrowed(text.text.as_str()))),
        Block::Image(image) if model.facts.images => Some(Piece::Image(image)),
        Block::Image(_) => Some(Piece::Text(NO_PICTURES.into())),
        _ => None,
    });
    pieces.collect()
}

fn said<'r>(model: &Model, message: &'r Message, open: &mut Vec<&'r ToolCall>) -> Vec<Said<'r>> {
    let mut ids = BTreeSet::new();
    let said = message.content.iter().filter_map(|block| match block {
        Block::Text(text) if text.text.trim().is_empty() => None,
        Block::Text(text) => Some(Said::Text(&text.text)),
        Block::Thinking(thought) => {
            let seal = seal::own(model, thought.thinking_signature.as_deref()?)?;
            Some(Said::Sealed { thinking: &thought.thinking, seal })
        }
        Block::ToolCall(call) if ids.insert(call.id.as_str()) => {
            open.push(call);
            Some(Said::Call(call))
        }
        _ => None,
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::catalog::Catalog;

    fn read(model: &str, messages: Value) -> Vec<String> {
        let model = Catalog::default().model(&model.parse().unwrap()).unwrap();
        let request = Request { messages: serde_json::from_value(messages).unwrap(), ..Request::default() };
        let outcome = |outcome: &Outcome<'_>| {
            format!("{}{}={}", if outcome.is_error { "!" } else { "" }, outcome.id, outcome.text())
        };
        turns(&model, &request)
            .iter()
            .map(|turn| match turn {
                Turn::User(pieces) => format!("user {}", text(pieces)),
                Turn::Assistant(said) => {
                    let said = said.iter().map(|said| match said {
                        Said::Text(text) => (*text).to_owned(),
                        Said::Sealed { thinking, seal } => format!("({thinking} {seal})"),
                        Said::Call(call) => format!("{}()", call.id),
                    });
                    format!("model {}", said.collect::<Vec<_>>().join(" "))
                }
                Turn::Results(results) => {
                    format!("results {}", results.iter().map(outcome).collect::<Vec<_>>().join(" "))
                }
            })
            .collect()
    }

    fn call(id: &str) -> Value {
        json!({"type": "toolCall", "id": id, "name": "t", "arguments": {}})
    }

    fn result(id: &str) -> Value {
        json!({"role": "toolResult", "toolCallId": id, "toolName": "t", "content": format!("of {id}")})
    }

    #[test]
    fn every_call_has_one_result_right_after_it() {
        let table = [
            (json!([]), vec![]),
            (
                json!([{"role": "user", "content": "a"}, {"role": "user", "content": " "}, {"role": "user", "content": "b"}]),
                vec!["user a\nb"],
            ),
            (
                json!([{"role": "assistant", "content": [call("1"), call("2")]}, result("2"), result("1")]),
                vec!["model 1() 2()", "results 1=of 1 2=of 2"],
            ),
            (
                json!([{"role": "assistant", "content": [call("1"), call("2")]}, result("2"), {"role": "user", "content": "x"}]),
                vec![
                    "model 1() 2()",
                    "results !1=No result of this call was recorded; it may have run. 2=of 2",
                    "user x",
                ],
            ),
            (
                json!([{"role": "user", "content": "x"}, result("9")]),
                vec!["user x\n[result of an earlier call of t]\nof 9"],
            ),
            (
                json!([{"role": "assistant", "content": [call("1"), call("1")]}, result("1"), result("1")]),
                vec!["model 1()", "results 1=of 1", "user [result of an earlier call of t]\nof 1"],
            ),
            (
                json!([
                    {"role": "assistant", "content": [call("1")]},
                    {"role": "custom", "customType": "note", "content": "not for the model"},
                    result("1"),
                ]),
                vec!["model 1()", "results 1=of 1"],
            ),
        ];
        for (messages, expected) in table {
            assert_eq!(read("openai/gpt-5", messages.clone()), expected, "{messages}");
        }
    }

    #[test]
    fn a_seal_goes_to_the_model_that_gave_it_and_a_picture_to_one_that_sees() {
        let messages = json!([
            {"role": "user", "content": [{"type": "image", "data": "AA==", "mimeType": "image/png"}]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "thinkingSignature": "anthropic-messages|anthropic/claude-haiku-4-5|S"},
                {"type": "text", "text": "yes"},
            ]},
        ]);
        assert_eq!(read("anthropic/claude-haiku-4-5", messages.clone()), ["user ", "model (hm S) yes"]);
        assert_eq!(read("anthropic/claude-opus-4-5", messages.clone()), ["user ", "model yes"]);
        let blind = read("deepseek/deepseek-chat", messages);
        assert_eq!(blind, [format!("user {NO_PICTURES}").as_str(), "model yes"]);
    }
}
