//! The gateway as the host of the runtime: the active configuration, and run events translated into protocol events, in
//! the order that front ends expect.

use std::sync::Arc;

use tarsus_agent::{RunEvent, RunEventKind, RunOutcome, RuntimeHost, secrets};
use tarsus_home::config::Config;
use tarsus_home::{Secret, Settings};
use tarsus_protocol::event::{
    Agent, AgentUpdate, AssistantText, Chat, ChatState, ChatStopReason, Event, ItemPhase, ItemStatus,
    ItemUpdate, Lifecycle, SessionMessage, ToolUpdate, UsageUpdate,
};
use tarsus_protocol::message::ToolCall;

use crate::events::Events;
use crate::gateway::GatewayContext;
use crate::reload::{self, ActiveConfigCell};
use crate::skills::Skills;

/// The gateway as the agent runtime sees it.
pub struct GatewayHost {
    pub context: Arc<GatewayContext>,
    pub active_config: Arc<ActiveConfigCell>,
    pub events: Arc<Events>,
    pub registry: Arc<reload::KnownRegistry>,
    pub skills: Arc<Skills>,
}

impl RuntimeHost for GatewayHost {
    fn config(&self) -> Arc<Config> {
        Arc::clone(&self.active_config.current().view)
    }

    fn settings(&self) -> Settings {
        self.active_config.current().settings.clone()
    }

    fn refresh_skills(&self) {
        // The runtime reports what changed, for its agent alone.
        let _ = self.skills.refresh();
    }

    fn secrets(&self) -> Vec<Secret> {
        let document = &self.active_config.current().config.document;
        secrets::known(&self.context.home, document, &self.context.environment, &self.context.variables)
    }

    fn publish(&self, event: RunEvent) {
        publish(&self.events, &self.registry, event);
    }

    fn has_approver(&self) -> bool {
        self.events.has_approver()
    }
}

/// Publishes a run event to every client that may receive it.
fn publish(events: &Events, registry: &reload::KnownRegistry, event: RunEvent) {
    let RunEvent { run, session, seq, at_ms, kind } = event;
    let (run_id, session_key) = (run.to_string(), session.to_string());
    let agent =
        |update| Agent { run_id: run_id.clone(), session_key: session_key.clone(), seq, ts: at_ms, update };
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
    match kind {
        RunEventKind::ItemAppended { number, message } => {
            events.publish(Event::SessionMessage, &SessionMessage { session_key, run_id, number, message });
        }
        RunEventKind::Preparing(phase) => {
            events.publish(Event::Chat, &Chat { phase: Some(phase), ..chat(ChatState::Status) });
        }
        RunEventKind::Started => {
            let start = Lifecycle::Start { started_at: at_ms };
            events.publish(Event::Agent, &agent(AgentUpdate::Lifecycle(start)));
        }
        RunEventKind::ModelRequested { model, attempt } => {
            events.publish(Event::Agent, &agent(AgentUpdate::Lifecycle(Lifecycle::Model { model, attempt })));
        }
        RunEventKind::TextDelta { message, new } => {
            let update = AgentUpdate::Assistant(AssistantText { text: message.text(), delta: new.clone() });
            // Coalesce: a newer snapshot replaces one that was not sent yet.
            events.publish_latest(Event::Agent, &format!("agent {run_id}"), &agent(update));
            let chat = Chat { message: Some(message), delta_text: Some(new), ..chat(ChatState::Delta) };
            events.publish_latest(Event::Chat, &format!("chat {run_id}"), &chat);
        }
        RunEventKind::ReasoningDelta { text, new } => {
            let update = AgentUpdate::Thinking(AssistantText { text, delta: new });
            events.publish_latest(Event::Agent, &format!("thinking {run_id}"), &agent(update));
        }
        RunEventKind::AttemptDiscarded { why } => {
            events.publish(Event::Agent, &agent(AgentUpdate::Lifecycle(Lifecycle::Retry { reason: why })));
        }
        RunEventKind::TextWithdrawn => {
            events.publish(Event::Agent, &agent(AgentUpdate::Lifecycle(Lifecycle::Withdrawn)));
        }
        RunEventKind::ToolStarted(call) => {
            let item = item(&call, ItemPhase::Start, ItemStatus::Running);
            events.publish_tool_event(Event::Agent, &agent(AgentUpdate::Item(item)));
            let ToolCall { id, name, arguments } = call;
            let call = ToolUpdate::Start { name, tool_call_id: id, args: arguments };
            events.publish_tool_event(Event::Agent, &agent(AgentUpdate::Tool(call)));
        }
        RunEventKind::ToolFinished { call, result } => {
            let is_error = result.is_error;
            let status = if is_error { ItemStatus::Failed } else { ItemStatus::Completed };
            let item = item(&call, ItemPhase::End, status);
            let ToolCall { id, name, .. } = call;
            let called = ToolUpdate::Result { name, tool_call_id: id, result, is_error };
            events.publish_tool_event(Event::Agent, &agent(AgentUpdate::Tool(called)));
            events.publish_tool_event(Event::Agent, &agent(AgentUpdate::Item(item)));
        }
        RunEventKind::UsageRecorded { model, usage, cost_nano_usd } => {
            let usage = UsageUpdate {
                model,
                input: usage.input,
                output: usage.output,
                cache_read: usage.cache_read,
                cache_write: usage.cache_write,
                cost: cost_nano_usd.map(|nano| nano as f64 / 1e9),
            };
            events.publish(Event::Agent, &agent(AgentUpdate::Usage(usage)));
        }
        RunEventKind::AppsChanged(changed) => registry.publish(events, &changed),
        RunEventKind::FilesChanged(changes) => events.publish(Event::FilesChanged, &changes),
        RunEventKind::ApprovalRequested(approval) => events.publish(Event::ApprovalRequested, &approval),
        RunEventKind::ApprovalResolved(resolved) => events.publish(Event::ApprovalResolved, &resolved),
        RunEventKind::Finished(ending) => {
            let ended_at = at_ms;
            let (lifecycle, chat) = match ending {
                RunOutcome::Completed { message, is_silent, .. } => {
                    let stop_reason = Some(ChatStopReason::Stop);
                    let message = Some(message).filter(|_| !is_silent);
                    let chat = Chat { message, stop_reason, ..chat(ChatState::Final) };
                    (Lifecycle::End { ended_at, aborted: false }, chat)
                }
                RunOutcome::Aborted { shown } => {
                    let chat = Chat { message: shown, ..chat(ChatState::Aborted) };
                    (Lifecycle::End { ended_at, aborted: true }, chat)
                }
                RunOutcome::Failed { why: error, no_answer } => {
                    let error_message = Some(error.clone());
                    let chat = Chat { error_message, no_answer, ..chat(ChatState::Error) };
                    (Lifecycle::Error { ended_at, error }, chat)
                }
            };
            events.publish(Event::Agent, &agent(AgentUpdate::Lifecycle(lifecycle)));
            events.publish(Event::Chat, &chat);
        }
    }
}

/// A tool call as one line for people.
fn item(call: &ToolCall, phase: ItemPhase, status: ItemStatus) -> ItemUpdate {
    ItemUpdate { item_id: format!("tool:{}", call.id), phase, title: call.title(), status }
}
