//! What every dialect's answer is put together with: calls with ids of their own, bounds, and one stop at the end.

use std::collections::BTreeSet;

use tarsus_protocol::{Block, Role};

use super::seal;
use crate::catalog::Model;
use crate::delta::{Arguments, Delta, Stop};
use crate::failure::{Class, Failure};
use crate::limits::Limits;
use crate::request::Request;
use crate::usage::Usage;

/// The longest id of a call that every provider takes back.
const LONGEST_ID: usize = 64;

/// Ids for calls, none of which is used in the conversation.
#[derive(Debug)]
pub(crate) struct Ids {
    used: BTreeSet<String>,
    next: u64,
}

impl Ids {
    /// Ids that the conversation does not have yet.
    pub(crate) fn after(request: &Request) -> Self {
        let mut ids = Self { used: BTreeSet::new(), next: 1 };
        for message in &request.messages {
            if let Role::ToolResult { tool_call_id, .. } = &message.role {
                ids.used.insert(tool_call_id.clone());
            }
            for block in &message.content {
                if let Block::ToolCall(call) = block {
                    ids.used.insert(call.id.clone());
                }
            }
        }
        ids.next += ids.used.len() as u64;
        ids
    }

    /// The id that the provider gave, unless it cannot be one or is used already.
    pub(crate) fn take(&mut self, given: &str) -> String {
        let is_id = !given.is_empty()
            && given.len() <= LONGEST_ID
            && given.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
        if is_id && self.used.insert(given.to_owned()) {
            return given.to_owned();
        }
        loop {
            let id = format!("call_{}", self.next);
            self.next += 1;
            if self.used.insert(id.clone()) {
                return id;
            }
        }
    }
}

#[derive(Debug, Default)]
struct Call {
    arguments: String,
    has_ended: bool,
}

/// An answer in the making.
#[derive(Debug)]
pub(super) struct Draft {
    deltas: Vec<Delta>,
    calls: Vec<Call>,
    arguments_bytes: usize,
    ids: Ids,
    is_thinking: bool,
    has_begun: bool,
    usage: Option<Usage>,
    stop: Option<Stop>,
    has_stopped: bool,
    limits: Limits,
    model: Model,
}

impl Draft {
    pub(super) fn new(model: &Model, request: &Request, limits: &Limits) -> Self {
        Self {
            deltas: Vec::new(),
            calls: Vec::new(),
            arguments_bytes: 0,
            ids: Ids::after(request),
            is_thinking: false,
            has_begun: false,
            usage: None,
            stop: None,
            has_stopped: false,
            limits: *limits,
            model: model.clone(),
        }
    }

    /// What came since the last time.
    pub(super) fn drain(&mut self) -> std::vec::Drain<'_, Delta> {
        self.deltas.drain(..)
    }

    /// Whether the answer is complete.
    pub(super) fn has_stopped(&self) -> bool {
        self.has_stopped
    }

    pub(super) fn text(&mut self, text: String) {
        if !text.is_empty() {
            self.has_begun = true;
            self.end_of_thought(None);
            self.deltas.push(Delta::Text(text));
        }
    }

    pub(super) fn reasoning(&mut self, text: String) {
        if !text.is_empty() {
            self.is_thinking = true;
            self.deltas.push(Delta::Reasoning(text));
        }
    }

    /// The thought is complete; the provider's seal counts without a thought too.
    pub(super) fn end_of_thought(&mut self, seal: Option<&str>) {
        if std::mem::take(&mut self.is_thinking) || seal.is_some() {
            let seal = seal.map(|seal| seal::kept(&self.model, seal));
            self.deltas.push(Delta::ReasoningEnd { seal });
        }
    }

    /// A call begins. Its number goes with what follows.
    pub(super) fn call(&mut self, id: &str, name: &str) -> Result<usize, Failure> {
        let limit = self.limits.calls;
        if self.calls.len() >= limit {
            return Err(Failure::malformed(format!("the answer calls more than {limit} tools")));
        }
        self.end_of_thought(None);
        self.has_begun = true;
        let call = self.calls.len();
        let id = self.ids.take(id);
        self.calls.push(Call::default());
        self.deltas.push(Delta::CallStart { call, id, name: name.to_owned(), from_text: false });
        Ok(call)
    }

    /// More of a call's arguments.
    pub(super) fn arguments(&mut self, call: usize, json: String) -> Result<(), Failure> {
        let Some(state) = self.calls.get_mut(call).filter(|state| !state.has_ended) else {
            return Err(Failure::malformed("the answer goes on with a call that has ended"));
        };
        self.arguments_bytes = self.arguments_bytes.saturating_add(json.len());
        if self.arguments_bytes > self.limits.arguments_bytes {
            let limit = self.limits.arguments_bytes;
            return Err(Failure::malformed(format!(
                "the arguments of the answer's calls have more than {limit} bytes"
            )));
        }
        if !json.is_empty() {
            state.arguments.push_str(&json);
            self.deltas.push(Delta::CallArguments { call, json });
        }
        Ok(())
    }

    /// Whether a call has arguments already.
    pub(super) fn has_arguments(&self, call: usize) -> bool {
        self.calls.get(call).is_some_and(|state| !state.arguments.is_empty())
    }

    /// A call is complete. Once is enough.
    pub(super) fn end_of_call(&mut self, call: usize) {
        if let Some(state) = self.calls.get_mut(call).filter(|state| !state.has_ended) {
            state.has_ended = true;
            let arguments = Arguments::read(&std::mem::take(&mut state.arguments));
            self.deltas.push(Delta::CallEnd { call, arguments });
        }
    }

    /// Tokens so far, in place of what was said before.
    pub(super) fn usage(&mut self, usage: Usage) {
        if self.usage != Some(usage) {
            self.usage = Some(usage);
            self.deltas.push(Delta::Usage(usage));
        }
    }

    /// Why the answer will stop; more may still come, such as the usage.
    pub(super) fn will_stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// The end of the answer.
    pub(super) fn stop(&mut self) {
        if self.has_stopped {
            return;
        }
        self.has_stopped = true;
        self.end_of_thought(None);
        (0..self.calls.len()).for_each(|call| self.end_of_call(call));
        let stop = match self.stop.take() {
            None | Some(Stop::Done | Stop::Calls) if self.calls.is_empty() => Stop::Done,
            None | Some(Stop::Done) => Stop::Calls,
            Some(stop) => stop,
        };
        self.deltas.push(Delta::Stop(stop));
    }

    /// The end of the answer in a dialect whose servers do not always say why. Without a reason and without a word it
    /// was cut off.
    pub(super) fn done(&mut self) -> Result<(), Failure> {
        if self.stop.is_some() || self.has_begun {
            self.stop();
        }
        self.end_of_bytes()
    }

    /// The bytes are at their end: the answer is complete if its reason to stop was given, and was cut off else.
    pub(super) fn end_of_bytes(&mut self) -> Result<(), Failure> {
        if self.stop.is_some() {
            self.stop();
        }
        if self.has_stopped {
            return Ok(());
        }
        Err(Failure::new(Class::Network, "the answer was cut off before its end"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn ids_are_given_once_in_a_conversation() {
        let messages = serde_json::from_value(json!([
            {"role": "assistant", "content": [{"type": "toolCall", "id": "call_2", "name": "a", "arguments": {}}]},
            {"role": "toolResult", "toolCallId": "call_2", "toolName": "a", "content": "x"},
        ]))
        .unwrap();
        let mut ids = Ids::after(&Request { messages, ..Request::default() });
        let long = "x".repeat(65);
        let given = ["toolu_1", "toolu_1", "", "call_2", long.as_str(), "a|b"];
        assert_eq!(
            given.map(|id| ids.take(id)),
            ["toolu_1", "call_3", "call_4", "call_5", "call_6", "call_7"]
        );
    }
}
