//! Calls that a model writes as text, as small local models do.
//!
//! A reply that is nothing but such calls, of tools that are offered, is taken as calls; any other stays the text it is.
//! Text that may still become a call is held back until that is decided, and no longer. A thought in `<think>` before it
//! passes through. Leaves to others: what a thought in the text means.

mod forms;
mod written;

use std::collections::BTreeSet;

pub(crate) use written::written_out;

use crate::delta::{Arguments, Delta, Stop};
use crate::request::Request;
use crate::wire::Ids;
use forms::{Beginning, Written, beginning, calls};

/// Text that is held back at most; what is longer is no call.
const MOST_HELD: usize = 256 * 1024;

const THOUGHT_END: &str = "</think>";

/// Takes calls out of the text of one answer.
#[derive(Debug)]
pub(crate) struct TextCalls {
    tools: BTreeSet<String>,
    ids: Ids,
    most_calls: usize,
    state: State,
    held: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The text may still be calls.
    Undecided,
    /// Inside a thought at the beginning.
    Thought,
    /// It is plain text.
    Text,
}

impl TextCalls {
    pub(crate) fn new(request: &Request, ids: Ids, most_calls: usize) -> Self {
        let tools = request.tools.iter().map(|tool| tool.name.clone()).collect();
        Self { tools, ids, most_calls, state: State::Undecided, held: String::new() }
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
                State::Undecided => match beginning(&self.held) {
                    Beginning::Open if self.held.len() <= MOST_HELD => return,
                    Beginning::Thought => self.state = State::Thought,
                    _ => return self.release(out),
                },
                State::Thought => match self.held.find(THOUGHT_END) {
                    Some(at) => {
                        self.let_go(at + THOUGHT_END.len(), out);
                        self.state = State::Undecided;
                    }
                    None => {
                        let kept =
                            (1..THOUGHT_END.len()).rev().find(|n| self.held.ends_with(&THOUGHT_END[..*n]));
                        return self.let_go(self.held.len() - kept.unwrap_or(0), out);
                    }
                },
            }
        }
    }

    /// The text up to here is text.
    fn let_go(&mut self, end: usize, out: &mut Vec<Delta>) {
        if end > 0 {
            let rest = self.held.split_off(end);
            out.push(Delta::Text(std::mem::replace(&mut self.held, rest)));
        }
    }

    fn release(&mut self, out: &mut Vec<Delta>) {
        self.state = State::Text;
        self.let_go(self.held.len(), out);
    }

    fn stop(&mut self, stop: Stop, out: &mut Vec<Delta>) {
        let is_whole = self.state == State::Undecided && stop == Stop::Done;
        let is_offered = |calls: &Vec<Written>| {
            calls.len() <= self.most_calls && calls.iter().all(|call| self.tools.contains(&call.name))
        };
        let found = is_whole.then(|| calls(&self.held)).flatten().filter(is_offered);
        let Some(found) = found else {
            self.release(out);
            return out.push(Delta::Stop(stop));
        };
        self.held.clear();
        for (call, written) in found.into_iter().enumerate() {
            let json = serde_json::Value::Object(written.arguments.clone()).to_string();
            out.extend([
                Delta::CallStart { call, id: self.ids.take(""), name: written.name, from_text: true },
                Delta::CallArguments { call, json },
                Delta::CallEnd { call, arguments: Arguments::Object(written.arguments) },
            ]);
        }
        out.push(Delta::Stop(Stop::Calls));
    }
}

#[cfg(test)]
mod tests;
