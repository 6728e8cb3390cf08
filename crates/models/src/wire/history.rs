//! Normalizes the conversation for all providers: alternating roles, and one result after every call. Content that a
//! provider does not accept is replaced by text.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tarsus_protocol::message::{Image, ToolCall};
use tarsus_protocol::{Block, Message, Role};

use crate::catalog::Model;
use crate::request::ModelRequest;

use super::signature;

#[derive(Debug, PartialEq)]
pub(super) enum WireMessage<'r> {
    User(Vec<InputPart<'r>>),
    Assistant(Vec<AssistantPart<'r>>),
    /// One result for each call of the previous message, in the order of the calls.
    ToolResults(Vec<ToolOutput<'r>>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum InputPart<'r> {
    Text(Cow<'r, str>),
    Image(&'r Image),
}

#[derive(Debug, PartialEq)]
pub(super) enum AssistantPart<'r> {
    /// Never blank.
    Text(&'r str),
    /// Reasoning with this model's signature.
    Reasoning {
        thinking: &'r str,
        signature: &'r str,
    },
    ToolCall(&'r ToolCall),
}

#[derive(Debug, PartialEq)]
pub(super) struct ToolOutput<'r> {
    pub(super) id: &'r str,
    pub(super) tool: &'r str,
    pub(super) is_error: bool,
    pub(super) parts: Vec<InputPart<'r>>,
}

impl ToolOutput<'_> {
    pub(super) fn text(&self) -> String {
        text(&self.parts)
    }

    pub(super) fn images(&self) -> impl Iterator<Item = &Image> {
        self.parts.iter().filter_map(|part| match part {
            InputPart::Image(image) => Some(*image),
            InputPart::Text(_) => None,
        })
    }
}

fn text(parts: &[InputPart<'_>]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        InputPart::Text(text) => Some(text.as_ref()),
        InputPart::Image(_) => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

const NO_RESULT: &str = "No result of this call was recorded; it may have run.";
const NO_PICTURES: &str = "[a picture was left out: this model does not see pictures]";

pub(super) fn wire_messages<'r>(model: &Model, request: &'r ModelRequest) -> Vec<WireMessage<'r>> {
    let mut messages = Vec::new();
    // Calls without a result yet.
    let mut open: Vec<&'r ToolCall> = Vec::new();
    let mut results: Vec<ToolOutput<'r>> = Vec::new();
    for message in &request.messages {
        if let Role::ToolResult { tool_call_id, tool_name, is_error, .. } = &message.role {
            let parts = input_parts(model, message);
            let is_open = open.iter().any(|call| call.id == *tool_call_id)
                && !results.iter().any(|result| result.id == tool_call_id);
            if is_open {
                results.push(ToolOutput { id: tool_call_id, tool: tool_name, is_error: *is_error, parts });
            } else {
                close(&mut messages, &mut open, &mut results);
                let head = InputPart::Text(format!("[result of an earlier call of {tool_name}]").into());
                push_user(&mut messages, [head].into_iter().chain(parts).collect());
            }
            continue;
        }
        match message.role {
            Role::Assistant => {
                close(&mut messages, &mut open, &mut results);
                let assistant_parts = assistant_parts(model, message, &mut open);
                if !assistant_parts.is_empty() {
                    messages.push(WireMessage::Assistant(assistant_parts));
                }
            }
            Role::User | Role::System => {
                close(&mut messages, &mut open, &mut results);
                push_user(&mut messages, input_parts(model, message));
            }
            Role::Custom { .. } | Role::ToolResult { .. } => {}
        }
    }
    close(&mut messages, &mut open, &mut results);
    messages
}

/// Adds one result for every open call, in the order of the calls.
fn close<'r>(
    messages: &mut Vec<WireMessage<'r>>,
    open: &mut Vec<&'r ToolCall>,
    results: &mut Vec<ToolOutput<'r>>,
) {
    if open.is_empty() {
        return;
    }
    let mut found = std::mem::take(results);
    let ordered = open.drain(..).map(|call| match found.iter().position(|result| result.id == call.id) {
        Some(at) => found.swap_remove(at),
        None => {
            let parts = vec![InputPart::Text(NO_RESULT.into())];
            ToolOutput { id: &call.id, tool: &call.name, is_error: true, parts }
        }
    });
    messages.push(WireMessage::ToolResults(ordered.collect()));
}

fn push_user<'r>(messages: &mut Vec<WireMessage<'r>>, parts: Vec<InputPart<'r>>) {
    match messages.last_mut() {
        _ if parts.is_empty() => {}
        Some(WireMessage::User(before)) => before.extend(parts),
        _ => messages.push(WireMessage::User(parts)),
    }
}

fn input_parts<'r>(model: &Model, message: &'r Message) -> Vec<InputPart<'r>> {
    let parts = message.content.iter().filter_map(|block| match block {
        Block::Text(text) if text.text.trim().is_empty() => None,
        Block::Text(text) => Some(InputPart::Text(Cow::Borrowed(text.text.as_str()))),
        Block::Image(image) if model.info.images => Some(InputPart::Image(image)),
        Block::Image(_) => Some(InputPart::Text(NO_PICTURES.into())),
        _ => None,
    });
    parts.collect()
}

fn assistant_parts<'r>(
    model: &Model,
    message: &'r Message,
    open: &mut Vec<&'r ToolCall>,
) -> Vec<AssistantPart<'r>> {
    let mut ids = BTreeSet::new();
    let assistant_parts = message.content.iter().filter_map(|block| match block {
        Block::Text(text) if text.text.trim().is_empty() => None,
        Block::Text(text) => Some(AssistantPart::Text(&text.text)),
        Block::Thinking(thought) => {
            let signature = signature::decode(model, thought.thinking_signature.as_deref()?)?;
            Some(AssistantPart::Reasoning { thinking: &thought.thinking, signature })
        }
        Block::ToolCall(call) if ids.insert(call.id.as_str()) => {
            open.push(call);
            Some(AssistantPart::ToolCall(call))
        }
        _ => None,
    });
    assistant_parts.collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::catalog::ModelCatalog;

    fn read(model: &str, messages: Value) -> Vec<String> {
        let model = ModelCatalog::default().model(&model.parse().unwrap()).unwrap();
        let request =
            ModelRequest { messages: serde_json::from_value(messages).unwrap(), ..ModelRequest::default() };
        let outcome = |outcome: &ToolOutput<'_>| {
            format!("{}{}={}", if outcome.is_error { "!" } else { "" }, outcome.id, outcome.text())
        };
        wire_messages(&model, &request)
            .iter()
            .map(|message| match message {
                WireMessage::User(parts) => format!("user {}", text(parts)),
                WireMessage::Assistant(assistant_parts) => {
                    let assistant_parts =
                        assistant_parts.iter().map(|assistant_parts| match assistant_parts {
                            AssistantPart::Text(text) => (*text).to_owned(),
                            AssistantPart::Reasoning { thinking, signature } => {
                                format!("({thinking} {signature})")
                            }
                            AssistantPart::ToolCall(call) => format!("{}()", call.id),
                        });
                    format!("model {}", assistant_parts.collect::<Vec<_>>().join(" "))
                }
                WireMessage::ToolResults(results) => {
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
    fn every_call_is_followed_by_one_result() {
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
    fn signatures_and_images_go_only_to_models_that_accept_them() {
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
