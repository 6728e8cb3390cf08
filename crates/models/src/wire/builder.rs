//! Builds the deltas of a response for all dialects: unique call ids, limits, one stop at the end.

use std::collections::BTreeSet;

use tarsus_protocol::{Block, NoAnswer, Role};

use super::signature;
use crate::catalog::Model;
use crate::delta::{Delta, StopReason, ToolArguments};
use crate::error::ModelError;
use crate::limits::ModelLimits;
use crate::request::ModelRequest;
use crate::usage::Usage;

/// Longer ids are not accepted by every provider.
const MAX_ID_BYTES: usize = 64;

/// Generates call ids that are unique in the conversation.
#[derive(Debug)]
pub(crate) struct CallIds {
    used: BTreeSet<String>,
    next: u64,
}

impl CallIds {
    pub(crate) fn unused_in(request: &ModelRequest) -> Self {
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

    /// Returns the provider's id, or a new one when it is invalid or already used.
    pub(crate) fn assign(&mut self, given: &str) -> String {
        let is_id = !given.is_empty()
            && given.len() <= MAX_ID_BYTES
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

#[derive(Debug)]
pub(super) struct ResponseBuilder {
    deltas: Vec<Delta>,
    calls: Vec<Call>,
    arguments_bytes: usize,
    ids: CallIds,
    is_thinking: bool,
    has_content: bool,
    usage: Option<Usage>,
    stop: Option<StopReason>,
    has_stopped: bool,
    limits: ModelLimits,
    model: Model,
}

impl ResponseBuilder {
    pub(super) fn new(model: &Model, request: &ModelRequest, limits: &ModelLimits) -> Self {
        Self {
            deltas: Vec::new(),
            calls: Vec::new(),
            arguments_bytes: 0,
            ids: CallIds::unused_in(request),
            is_thinking: false,
            has_content: false,
            usage: None,
            stop: None,
            has_stopped: false,
            limits: *limits,
            model: model.clone(),
        }
    }

    /// Takes the deltas since the last call.
    pub(super) fn drain(&mut self) -> std::vec::Drain<'_, Delta> {
        self.deltas.drain(..)
    }

    pub(super) fn has_stopped(&self) -> bool {
        self.has_stopped
    }

    pub(super) fn push_text(&mut self, text: String) {
        if !text.is_empty() {
            self.has_content = true;
            self.end_reasoning(None);
            self.deltas.push(Delta::Text(text));
        }
    }

    pub(super) fn push_reasoning(&mut self, text: String) {
        if !text.is_empty() {
            self.is_thinking = true;
            self.deltas.push(Delta::Reasoning(text));
        }
    }

    /// Ends the reasoning block. A signature is emitted even without reasoning.
    pub(super) fn end_reasoning(&mut self, signature: Option<&str>) {
        if std::mem::take(&mut self.is_thinking) || signature.is_some() {
            let signature = signature.map(|signature| signature::encode(&self.model, signature));
            self.deltas.push(Delta::ReasoningEnd { signature });
        }
    }

    /// Starts a call and returns its index.
    pub(super) fn start_call(&mut self, id: &str, name: &str) -> Result<usize, ModelError> {
        let limit = self.limits.calls;
        if self.calls.len() >= limit {
            return Err(ModelError::malformed(format!("the answer calls more than {limit} tools")));
        }
        self.end_reasoning(None);
        self.has_content = true;
        let call = self.calls.len();
        let id = self.ids.assign(id);
        self.calls.push(Call::default());
        self.deltas.push(Delta::CallStart { call, id, name: name.to_owned(), from_text: false });
        Ok(call)
    }

    pub(super) fn push_arguments(&mut self, call: usize, json: String) -> Result<(), ModelError> {
        let Some(state) = self.calls.get_mut(call).filter(|state| !state.has_ended) else {
            return Err(ModelError::malformed("the answer goes on with a call that has ended"));
        };
        self.arguments_bytes = self.arguments_bytes.saturating_add(json.len());
        if self.arguments_bytes > self.limits.arguments_bytes {
            let limit = self.limits.arguments_bytes;
            return Err(ModelError::malformed(format!(
                "the arguments of the answer's calls have more than {limit} bytes"
            )));
        }
        if !json.is_empty() {
            state.arguments.push_str(&json);
            self.deltas.push(Delta::CallArguments { call, json });
        }
        Ok(())
    }

    pub(super) fn has_arguments(&self, call: usize) -> bool {
        self.calls.get(call).is_some_and(|state| !state.arguments.is_empty())
    }

    /// Ends a call, at most once.
    pub(super) fn end_call(&mut self, call: usize) {
        if let Some(state) = self.calls.get_mut(call).filter(|state| !state.has_ended) {
            state.has_ended = true;
            let arguments = ToolArguments::parse(&std::mem::take(&mut state.arguments));
            self.deltas.push(Delta::CallEnd { call, arguments });
        }
    }

    pub(super) fn set_usage(&mut self, usage: Usage) {
        if self.usage != Some(usage) {
            self.usage = Some(usage);
            self.deltas.push(Delta::Usage(usage));
        }
    }

    /// Records the stop reason; more may follow, such as the usage.
    pub(super) fn set_stop(&mut self, stop: StopReason) {
        self.stop = Some(stop);
    }

    /// Ends the response.
    pub(super) fn finish(&mut self) {
        if self.has_stopped {
            return;
        }
        self.has_stopped = true;
        self.end_reasoning(None);
        (0..self.calls.len()).for_each(|call| self.end_call(call));
        let stop = match self.stop.take() {
            None | Some(StopReason::EndTurn | StopReason::ToolCalls) if self.calls.is_empty() => {
                StopReason::EndTurn
            }
            None | Some(StopReason::EndTurn) => StopReason::ToolCalls,
            Some(stop) => stop,
        };
        self.deltas.push(Delta::Stop(stop));
    }

    /// Ends the response in a dialect whose servers do not always give a reason. Without a reason and without content it
    /// was cut off.
    pub(super) fn finish_if_started(&mut self) -> Result<(), ModelError> {
        if self.stop.is_some() || self.has_content {
            self.finish();
        }
        self.end_of_stream()
    }

    /// The stream ended: the response is complete if it has a stop reason, else it was cut off.
    pub(super) fn end_of_stream(&mut self) -> Result<(), ModelError> {
        if self.stop.is_some() {
            self.finish();
        }
        if self.has_stopped {
            return Ok(());
        }
        Err(ModelError::new(NoAnswer::Network, "the answer was cut off before its end"))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn call_ids_are_unique_in_a_conversation() {
        let messages = serde_json::from_value(json!([
            {"role": "assistant", "content": [{"type": "toolCall", "id": "call_2", "name": "a", "arguments": {}}]},
            {"role": "toolResult", "toolCallId": "call_2", "toolName": "a", "content": "x"},
        ]))
        .unwrap();
        let mut ids = CallIds::unused_in(&ModelRequest { messages, ..ModelRequest::default() });
        let long = "x".repeat(65);
        let given = ["toolu_1", "toolu_1", "", "call_2", long.as_str(), "a|b"];
        assert_eq!(
            given.map(|id| ids.assign(id)),
            ["toolu_1", "call_3", "call_4", "call_5", "call_6", "call_7"]
        );
    }
}
