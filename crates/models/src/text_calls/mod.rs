//! Tool calls that a model writes as text, as small local models do.
//!
//! A reply that consists only of calls of offered tools becomes calls; any other reply stays text. Text is held back only
//! while it may still become a call. A leading `<think>` block passes through unchanged.

mod parse;
mod render;

use std::collections::BTreeSet;

pub(crate) use render::render_as_text;

use crate::delta::{Delta, StopReason, ToolArguments};
use crate::request::ModelRequest;
use crate::wire::CallIds;
use parse::{ParsedCall, Prefix, classify_prefix, parse_calls};

/// Text beyond this length is not a call.
const MAX_HELD: usize = 256 * 1024;

const THOUGHT_END: &str = "</think>";

/// Extracts calls from the text of one response.
#[derive(Debug)]
pub(crate) struct TextCalls {
    tools: BTreeSet<String>,
    ids: CallIds,
    max_calls: usize,
    state: State,
    held: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Undecided,
    /// Inside a leading `<think>` block.
    Thought,
    Text,
}

impl TextCalls {
    pub(crate) fn new(request: &ModelRequest, ids: CallIds, max_calls: usize) -> Self {
        let tools = request.tools.iter().map(|tool| tool.name.clone()).collect();
        Self { tools, ids, max_calls, state: State::Undecided, held: String::new() }
    }

    pub(crate) fn push(&mut self, delta: Delta, out: &mut Vec<Delta>) {
        match delta {
            Delta::Text(text) if self.state == State::Text => out.push(Delta::Text(text)),
            Delta::Text(text) => {
                self.held.push_str(&text);
                self.decide(out);
            }
            Delta::CallStart { .. } => {
                self.release(out);
                out.push(delta);
            }
            Delta::Stop(stop) => self.stop(stop, out),
            other => out.push(other),
        }
    }

    fn decide(&mut self, out: &mut Vec<Delta>) {
        loop {
            match self.state {
                State::Text => return,
                State::Undecided => match classify_prefix(&self.held) {
                    Prefix::Undecided if self.held.len() <= MAX_HELD => return,
                    Prefix::Thought => self.state = State::Thought,
                    _ => return self.release(out),
                },
                State::Thought => match self.held.find(THOUGHT_END) {
                    Some(at) => {
                        self.emit(at + THOUGHT_END.len(), out);
                        self.state = State::Undecided;
                    }
                    None => {
                        let kept =
                            (1..THOUGHT_END.len()).rev().find(|n| self.held.ends_with(&THOUGHT_END[..*n]));
                        return self.emit(self.held.len() - kept.unwrap_or(0), out);
                    }
                },
            }
        }
    }

    /// Emits the text up to `end` as text.
    fn emit(&mut self, end: usize, out: &mut Vec<Delta>) {
        if end > 0 {
            let rest = self.held.split_off(end);
            out.push(Delta::Text(std::mem::replace(&mut self.held, rest)));
        }
    }

    fn release(&mut self, out: &mut Vec<Delta>) {
        self.state = State::Text;
        self.emit(self.held.len(), out);
    }

    fn stop(&mut self, stop: StopReason, out: &mut Vec<Delta>) {
        let is_whole = self.state == State::Undecided && stop == StopReason::EndTurn;
        let is_offered = |calls: &Vec<ParsedCall>| {
            calls.len() <= self.max_calls && calls.iter().all(|call| self.tools.contains(&call.name))
        };
        let found = is_whole.then(|| parse_calls(&self.held)).flatten().filter(is_offered);
        let Some(found) = found else {
            self.release(out);
            return out.push(Delta::Stop(stop));
        };
        self.held.clear();
        for (call, written) in found.into_iter().enumerate() {
            let json = serde_json::Value::Object(written.arguments.clone()).to_string();
            out.extend([
                Delta::CallStart { call, id: self.ids.assign(""), name: written.name, from_text: true },
                Delta::CallArguments { call, json },
                Delta::CallEnd { call, arguments: ToolArguments::Object(written.arguments) },
            ]);
        }
        out.push(Delta::Stop(StopReason::ToolCalls));
    }
}

#[cfg(test)]
mod tests;
