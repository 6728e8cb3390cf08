//! What the runtime tells of a run, as the events that front ends know, in the order that they know.

use tarsus_agent::{Ending, Told, What};
use tarsus_protocol::event::{
    Agent, AgentTold, AssistantText, Chat, ChatState, Event, Lifecycle, SessionMessage, StopReason, ToolTold,
    UsageTold,
};
use tarsus_protocol::message::ToolCall;

use crate::events::Events;
use crate::reload;

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
        message: None,
        delta_text: None,
        stop_reason: None,
        error_message: None,
    };
    match what {
        What::Written { number, message } => {
            events.tell(Event::SessionMessage, &SessionMessage { session_key, run_id, number, message });
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
        What::Calls(ToolCall { id, name, arguments }) => {
            let call = ToolTold::Start { name, tool_call_id: id, args: arguments };
            events.tell(Event::Agent, &agent(AgentTold::Tool(call)));
        }
        What::Called { id, tool, result } => {
            let is_error = result.is_error;
            let called = ToolTold::Result { name: tool, tool_call_id: id, result, is_error };
            events.tell(Event::Agent, &agent(AgentTold::Tool(called)));
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
                Ending::Failed(error) => {
                    let error_message = Some(error.clone());
                    (Lifecycle::Error { ended_at, error }, Chat { error_message, ..chat(ChatState::Error) })
                }
            };
            events.tell(Event::Agent, &agent(AgentTold::Lifecycle(lifecycle)));
            events.tell(Event::Chat, &chat);
        }
    }
}
