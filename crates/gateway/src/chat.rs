//! What the runtime tells of a run, as the events that front ends know, in the order that they know.

use tarsus_agent::{Ending, Told, What};
use tarsus_protocol::event::{
    Agent, AgentTold, AssistantText, Chat, ChatState, Event, ItemPhase, ItemStatus, ItemTold, Lifecycle,
    SessionMessage, StopReason, ToolTold, UsageTold,
};
use tarsus_protocol::message::ToolCall;

use crate::events::Events;
use crate::reload;

/// Characters of what a call is about, in the line about it.
const LONGEST_SUBJECT: usize = 80;
/// The arguments that say what a call is about, the first that is there.
const SUBJECTS: [&str; 6] = ["path", "file_path", "command", "url", "query", "name"];

/// Tells everybody who may know.
pub fn tell(events: &Events, registry: &reload::KnownRegistry, told: Told) {
    let Told { run, session, seq, at_ms, what } = told;
    let (run_id, session_key) = (run.to_string(), session.to_string());
    let agent =
        |told| Agent { run_id: run_id.clone(), session_key: session_key.clone(), seq, ts: at_ms, told };
    let chat = |state| Chat {
        run_id: run_id.clone(),
        session_key: session_key.clone(),
        seq,
        state,
        phase: None,
        message: None,
        delta_text: None,
        stop_reason: None,
        error_message: None,
        no_answer: None,
    };
    match what {
        What::Written { number, message } => {
            events.tell(Event::SessionMessage, &SessionMessage { session_key, run_id, number, message });
        }
        What::Prepares(phase) => {
            events.tell(Event::Chat, &Chat { phase: Some(phase), ..chat(ChatState::Status) });
        }
        What::Began => {
            let start = Lifecycle::Start { started_at: at_ms };
            events.tell(Event::Agent, &agent(AgentTold::Lifecycle(start)));
        }
        What::Asks { model, attempt } => {
            events.tell(Event::Agent, &agent(AgentTold::Lifecycle(Lifecycle::Model { model, attempt })));
        }
        What::Says { message, new } => {
            let said = AgentTold::Assistant(AssistantText { text: message.text(), delta: new.clone() });
            // What is said so far makes what was said before not worth sending.
            events.tell_newest(Event::Agent, &format!("agent {run_id}"), &agent(said));
            let chat = Chat { message: Some(message), delta_text: Some(new), ..chat(ChatState::Delta) };
            events.tell_newest(Event::Chat, &format!("chat {run_id}"), &chat);
        }
        What::Thinks { text, new } => {
            let thought = AgentTold::Thinking(AssistantText { text, delta: new });
            events.tell_newest(Event::Agent, &format!("thinking {run_id}"), &agent(thought));
        }
        What::TakenBack { why } => {
            events.tell(Event::Agent, &agent(AgentTold::Lifecycle(Lifecycle::Retry { reason: why })));
        }
        What::Calls(call) => {
            let item = item(&call, ItemPhase::Start, ItemStatus::Running);
            events.tell_of_tool(Event::Agent, &agent(AgentTold::Item(item)));
            let ToolCall { id, name, arguments } = call;
            let call = ToolTold::Start { name, tool_call_id: id, args: arguments };
            events.tell_of_tool(Event::Agent, &agent(AgentTold::Tool(call)));
        }
        What::Called { call, result } => {
            let is_error = result.is_error;
            let status = if is_error { ItemStatus::Failed } else { ItemStatus::Completed };
            let item = item(&call, ItemPhase::End, status);
            let ToolCall { id, name, .. } = call;
            let called = ToolTold::Result { name, tool_call_id: id, result, is_error };
            events.tell_of_tool(Event::Agent, &agent(AgentTold::Tool(called)));
            events.tell_of_tool(Event::Agent, &agent(AgentTold::Item(item)));
        }
        What::Spent { model, usage, cost_nano_usd } => {
            let usage = UsageTold {
                model,
                input: usage.input,
                output: usage.output,
                cache_read: usage.cache_read,
                cache_write: usage.cache_write,
                cost: cost_nano_usd.map(|nano| nano as f64 / 1e9),
            };
            events.tell(Event::Agent, &agent(AgentTold::Usage(usage)));
        }
        What::Apps(changed) => registry.tell(events, &changed),
        What::AsksOwner(asked) => events.tell(Event::ApprovalRequested, &asked),
        What::OwnerAnswered(resolved) => events.tell(Event::ApprovalResolved, &resolved),
        What::Over(ending) => {
            let ended_at = at_ms;
            let (lifecycle, chat) = match ending {
                Ending::Answered { message, is_silent, .. } => {
                    let stop_reason = Some(StopReason::Stop);
                    let message = Some(message).filter(|_| !is_silent);
                    let chat = Chat { message, stop_reason, ..chat(ChatState::Final) };
                    (Lifecycle::End { ended_at, aborted: false }, chat)
                }
                Ending::CalledOff { shown } => {
                    let chat = Chat { message: shown, ..chat(ChatState::Aborted) };
                    (Lifecycle::End { ended_at, aborted: true }, chat)
                }
                Ending::Failed { why: error, no_answer } => {
                    let error_message = Some(error.clone());
                    let chat = Chat { error_message, no_answer, ..chat(ChatState::Error) };
                    (Lifecycle::Error { ended_at, error }, chat)
                }
            };
            events.tell(Event::Agent, &agent(AgentTold::Lifecycle(lifecycle)));
            events.tell(Event::Chat, &chat);
        }
    }
}

/// A call in a line for people: the tool, and what it is about.
fn item(call: &ToolCall, phase: ItemPhase, status: ItemStatus) -> ItemTold {
    let subject = SUBJECTS.iter().find_map(|name| call.arguments.get(*name)?.as_str());
    let subject = subject.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" "));
    let title = match subject.filter(|text| !text.is_empty()) {
        Some(text) => format!("{} {}", call.name, text.chars().take(LONGEST_SUBJECT).collect::<String>()),
        None => call.name.clone(),
    };
    ItemTold { item_id: format!("tool:{}", call.id), phase, title, status }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_call_is_named_by_its_tool_and_what_it_is_about() {
        let title = |arguments: Value| {
            let Value::Object(arguments) = arguments else { panic!("{arguments}") };
            let call = ToolCall { id: "1".to_owned(), name: "read".to_owned(), arguments };
            item(&call, ItemPhase::Start, ItemStatus::Running).title
        };
        assert_eq!(title(json!({})), "read");
        assert_eq!(title(json!({ "path": 7, "name": " \n " })), "read");
        assert_eq!(title(json!({ "limit": 1, "path": "a\n b.md" })), "read a b.md");
        assert_eq!(title(json!({ "path": "é".repeat(500) })).chars().count(), 85);
    }
}
