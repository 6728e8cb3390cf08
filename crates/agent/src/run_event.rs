//! Events of a run, in the order in which they are published, and their subscribers.
//!
//! An event is published only after its durable part is in the store.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsus_models::Usage;
use tarsus_protocol::approval::{Approval, ApprovalResolved};
use tarsus_protocol::event::{AppsChanged, ChatPhase, ToolResult};
use tarsus_protocol::message::{ToolCall, Visibility};
use tarsus_protocol::rpc::files::RunChanges;
use tarsus_protocol::{Message, NoAnswer};
use tarsus_store::{RunId, SessionKey};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// One event of a run. `seq` counts per run, from 1, without gaps.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEvent {
    pub run: RunId,
    pub session: SessionKey,
    pub seq: u64,
    pub at_ms: i64,
    pub kind: RunEventKind,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RunEventKind {
    /// A message was appended to the transcript; `number` is its item's.
    ItemAppended {
        number: u64,
        message: Message,
    },
    Preparing(ChatPhase),
    Started,
    /// `attempt` counts the attempts with this `provider/model`, from 1.
    ModelRequested {
        model: String,
        attempt: u32,
    },
    /// `message` holds everything streamed since the last tool call or discarded attempt; `new` only what is new.
    TextDelta {
        message: Message,
        new: String,
    },
    /// `text` holds everything so far; published only where the session streams reasoning.
    ReasoningDelta {
        text: String,
        new: String,
    },
    /// The attempt failed: discard everything streamed since `ModelRequested`.
    AttemptDiscarded {
        why: String,
    },
    /// The text streamed for the current answer was not the reply: discard it.
    TextWithdrawn,
    ToolStarted(ToolCall),
    ToolFinished {
        call: ToolCall,
        result: ToolResult,
    },
    /// The cost is in billionths of a dollar, where the price is known.
    UsageRecorded {
        model: String,
        usage: Usage,
        cost_nano_usd: Option<u64>,
    },
    /// The run changed the app registry, or launched or stopped an app.
    AppsChanged(AppsChanged),
    /// The run changed files, or undid the changes of another one.
    FilesChanged(RunChanges),
    /// The run waits until the owner decides about a call.
    ApprovalRequested(Approval),
    /// The owner decided, or the request ended without a decision.
    ApprovalResolved(ApprovalResolved),
    Finished(RunOutcome),
}

impl RunEventKind {
    /// The event as the session shows it; `None` where nothing of it is shown.
    #[must_use]
    pub(crate) fn visible(self, visibility: Visibility) -> Option<Self> {
        Some(match self {
            Self::ItemAppended { number, message } => {
                Self::ItemAppended { number, message: visibility.apply(message) }
            }
            Self::ToolStarted(_) | Self::ToolFinished { .. } if !visibility.shows_calls() => return None,
            Self::ToolFinished { call, result } if !visibility.shows_results() => Self::ToolFinished {
                call,
                result: ToolResult { content: Vec::new(), details: None, ..result },
            },
            other => other,
        })
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum RunOutcome {
    /// `message` is empty when the agent chose to send nothing. Where the session shows reasoning after the reply, that of
    /// the whole run follows the reply in it.
    Completed { message: Message, is_silent: bool, reply_to: Option<String> },
    /// `shown` is the part of the answer that had been streamed, which is kept.
    Aborted { shown: Option<Message> },
    /// `why` says what went wrong and what to do next; `no_answer` is its class, where there is one.
    Failed { why: String, no_answer: Option<NoAnswer> },
}

/// The subscribers of single runs. The queue of each is bounded by the events of its run, which come at most some times a
/// second.
#[derive(Debug, Default)]
pub struct Subscribers(Mutex<BTreeMap<RunId, Vec<UnboundedSender<RunEvent>>>>);

impl Subscribers {
    /// Every event of a run from now on; the last one is `Finished`.
    pub fn subscribe(&self, run: RunId) -> UnboundedReceiver<RunEvent> {
        let (sender, receiver) = unbounded_channel();
        let mut subscribers = self.subscribers();
        // Drop subscribers that went away before their run began.
        subscribers.retain(|_, all| {
            all.retain(|one| !one.is_closed());
            !all.is_empty()
        });
        subscribers.entry(run).or_default().push(sender);
        receiver
    }

    pub fn publish(&self, event: &RunEvent) {
        let mut subscribers = self.subscribers();
        let Some(all) = subscribers.get_mut(&event.run) else { return };
        all.retain(|one| one.send(event.clone()).is_ok());
        if all.is_empty() || matches!(event.kind, RunEventKind::Finished(_)) {
            subscribers.remove(&event.run);
        }
    }

    fn subscribers(&self) -> MutexGuard<'_, BTreeMap<RunId, Vec<UnboundedSender<RunEvent>>>> {
        // A holder that panicked has left whole entries behind.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn subscriber_gets_events_until_the_run_finished() {
        let subscribers = Subscribers::default();
        let event = |run: &str, seq, kind| RunEvent {
            run: run.parse().unwrap(),
            session: "agent:main:main".parse().unwrap(),
            seq,
            at_ms: 0,
            kind,
        };
        let over = || RunEventKind::Finished(RunOutcome::Aborted { shown: None });
        let mut first = subscribers.subscribe("a".parse().unwrap());
        drop(subscribers.subscribe("gone".parse().unwrap()));
        let mut second = subscribers.subscribe("a".parse().unwrap());
        assert_eq!(subscribers.subscribers().len(), 1, "a closed subscriber is dropped");
        for event in [
            event("a", 1, RunEventKind::Started),
            event("b", 1, RunEventKind::Started),
            event("a", 2, over()),
            event("a", 3, over()),
        ] {
            subscribers.publish(&event);
        }
        for receiver in [&mut first, &mut second] {
            assert_eq!(receiver.recv().await, Some(event("a", 1, RunEventKind::Started)));
            assert_eq!(receiver.recv().await, Some(event("a", 2, over())));
            assert_eq!(receiver.recv().await, None);
        }
        assert!(subscribers.subscribers().is_empty());
    }
}
