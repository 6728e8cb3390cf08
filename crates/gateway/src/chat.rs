//! What the runtime tells of a run, as the events that front ends know, in the order that they know.

use tarsus_agent::{Ending, Told, What};
use tarsus_protocol::event::{
    Agent, AgentTold, AssistantText, Chat, ChatState, Event, Lifecycle, SessionMessage, StopReason,
};

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
        What::Says(message) => {
            let text = message.text();
            let said = AgentTold::Assistant(AssistantText { text: text.clone(), delta: text.clone() });
            // What is said so far makes what was said before not worth sending.
            events.tell_newest(Event::Agent, &format!("agent {run_id}"), &agent(said));
            let chat = Chat { message: Some(message), delta_text: Some(text), ..chat(ChatState::Delta) };
            events.tell_newest(Event::Chat, &format!("chat {run_id}"), &chat);
        }
        What::Apps(changed) => registry.tell(events, &changed),
        What::Over(ending) => {
            let ended_at = at_ms;
            let (lifecycle, chat) = match ending {
                Ending::Answered(message) => {
                    let stop_reason = Some(StopReason::Stop);
                    let chat = Chat { message: Some(message), stop_reason, ..chat(ChatState::Final) };
                    (Lifecycle::End { ended_at, aborted: false }, chat)
                }
                Ending::CalledOff => (Lifecycle::End { ended_at, aborted: true }, chat(ChatState::Aborted)),
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
