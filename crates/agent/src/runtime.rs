//! The entry point: accepts messages, queues each in the lane of its session, and has it answered.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::tz::TimeZone;
use tarsus_guard::Guard;
use tarsus_home::config::Config;
use tarsus_home::files::{self, FileError};
use tarsus_protocol::approval::{Approval, ApprovalDecision, ResolvedBy};
use tarsus_protocol::rpc::chat::ChatAttachment;
use tarsus_protocol::{Block, ErrorCode, Message, Problem, Role};
use tarsus_store::{Accepted, Durability, NewMessage, Run, RunId, Session, SessionKey, StoreError};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::approvals::{ApprovalError, Approvals};
use crate::attachments::{self, AttachmentError};
use crate::commands::{self, Command};
use crate::file_changes::FileChanges;
use crate::lanes::{LaneGuard, Lanes};
use crate::prompt::chat::Channel;
use crate::prompt::quote::{self, Marker};
use crate::reply::SecretMatcher;
use crate::run_end::{self, UnrecordedEnds};
use crate::run_event::{RunEvent, Subscribers};
use crate::runs::{AbortedRuns, Runs};
use crate::services::Services;
use crate::tools::Toolbox;
use crate::turn::{AcceptedMessage, Turn};
use crate::watch_cache::WatchCache;
use crate::{guide, recovery};

/// Messages of all sessions that are being answered or wait for it.
pub const MAX_WAITING_TURNS: usize = 256;

/// A message for an agent, before it is accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbound {
    pub session: SessionKey,
    /// The idempotency key, and from then on the id of the run.
    pub run: RunId,
    pub text: String,
    pub attachments: Vec<ChatAttachment>,
    /// Where it came from.
    pub channel: Channel,
    /// Whether the sender may change the app registry.
    pub may_change_apps: bool,
    /// Whether the sender is a process that the session's agent started, not the owner.
    pub is_by_agent: bool,
    /// Whether the sender may decide approvals.
    pub may_approve: bool,
    /// The model for this message only, as `provider/model`.
    pub model: Option<String>,
}

/// Why a message is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    #[error("the message is empty")]
    EmptyMessage,
    #[error(transparent)]
    Attachment(#[from] AttachmentError),
    #[error("{MAX_WAITING_TURNS} messages are already waiting")]
    Busy,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<RuntimeError> for Problem {
    fn from(error: RuntimeError) -> Self {
        let message = error.to_string();
        match error {
            RuntimeError::EmptyMessage => {
                Self::new(ErrorCode::Usage, message).hint("send a text or an attachment")
            }
            RuntimeError::Busy => Self::new(ErrorCode::Busy, message)
                .hint("the message was not accepted; try again in a moment"),
            RuntimeError::Attachment(error) => error.into(),
            RuntimeError::Store(error) => error.into(),
        }
    }
}

/// The run of an accepted message: a new one, or the one that the same message started before.
///
/// The turn of a new run waits until [`AcceptedRun::start_turn`], so that the sender gets its reply before the first
/// event. Dropping the value starts the turn too: an accepted message is always answered.
#[derive(Debug)]
pub struct AcceptedRun {
    pub run: Run,
    turn_gate: Option<oneshot::Sender<()>>,
}

impl AcceptedRun {
    /// Whether this message started the run.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.turn_gate.is_some()
    }

    /// Starts the turn of a new run. Call it once the sender's reply is on its way.
    pub fn start_turn(self) {
        if let Some(gate) = self.turn_gate {
            // The turn task lives until its gate opens.
            gate.send(()).ok();
        }
    }
}

/// Runs the agents.
pub struct Runtime {
    pub(crate) services: Arc<Services>,
    pub(crate) runs: Runs,
    pub(crate) unrecorded: UnrecordedEnds,
    pub(crate) approvals: Approvals,
    pub(crate) toolbox: Toolbox,
    pub(crate) guard: Guard,
    pub(crate) watch_cache: WatchCache,
    pub(crate) file_changes: Arc<FileChanges>,
    /// The key of the session markers, once it was needed.
    marker_key: OnceLock<[u8; 32]>,
    subscribers: Subscribers,
    turn_lanes: Arc<Lanes>,
    /// Items are published in the order in which they are written.
    pub(crate) publish_lanes: Arc<Lanes>,
    waiting: Arc<Semaphore>,
}

impl Runtime {
    /// Closes the runs that the last process left open, and writes the user guide to disk.
    #[must_use]
    pub fn new(services: Services) -> Self {
        let (unrecorded, now_ms) = (UnrecordedEnds::default(), services.clock.wall_ms());
        for run in recovery::close_interrupted_runs(&services.store, now_ms) {
            unrecorded.add(run, recovery::interrupted(now_ms));
        }
        let file_changes = FileChanges::new(&services.home, Arc::clone(&services.store));
        if let Err(error) = file_changes.recover(now_ms) {
            tracing::warn!(%error, "what interrupted changes of files left behind is not removed");
        }
        if let Err(error) = guide::ensure(&services.home) {
            tracing::warn!(%error, "agents cannot read the user guide");
        }
        Self {
            runs: Runs::default(),
            unrecorded,
            approvals: Approvals::default(),
            toolbox: Toolbox::new(),
            guard: Guard::new(Arc::clone(&services.audit)),
            watch_cache: WatchCache::default(),
            file_changes: Arc::new(file_changes),
            marker_key: OnceLock::new(),
            subscribers: Subscribers::default(),
            turn_lanes: Arc::default(),
            publish_lanes: Arc::default(),
            waiting: Arc::new(Semaphore::new(MAX_WAITING_TURNS)),
            services: Arc::new(services),
        }
    }

    /// The files that turns changed.
    #[must_use]
    pub fn file_changes(&self) -> &Arc<FileChanges> {
        &self.file_changes
    }

    /// Accepts a message, power-safe, or finds the run that the same message started before. The answer arrives as
    /// events.
    ///
    /// # Errors
    /// When the message is empty, an attachment cannot be used, too many messages wait, or the store cannot be written.
    /// Nothing is accepted then.
    pub async fn send(self: &Arc<Self>, inbound: Inbound) -> Result<AcceptedRun, RuntimeError> {
        if inbound.text.trim().is_empty() && inbound.attachments.is_empty() {
            return Err(RuntimeError::EmptyMessage);
        }
        let permit = Arc::clone(&self.waiting).try_acquire_owned().map_err(|_| RuntimeError::Busy)?;
        let at_ms = self.services.clock.wall_ms();
        let Inbound {
            session,
            run,
            text,
            attachments,
            channel,
            may_change_apps,
            is_by_agent,
            may_approve,
            model,
        } = inbound;
        let command_line = commands::parse(&text);
        let command = command_line.as_ref().map(|line| line.command);
        let mut message = text_message(Role::User, &text, at_ms);
        if text.trim().is_empty() {
            message.content.clear();
        }
        message.content.extend(self.read_attachments(attachments).await?);
        let new = NewMessage { session: session.clone(), run, message: message.clone(), at_ms };
        let resets_session = matches!(command, Some(Command::New | Command::Reset));
        let accept = || {
            if resets_session {
                // Messages that follow belong to the new transcript.
                self.services.store.accept_and_reset(new)
            } else {
                self.services.store.accept(new)
            }
        };
        // Submitted inside the lane, so that the transcript has the order of the turns.
        let (turn_lane, (publish_lane, accepting)) =
            self.turn_lanes.enter(&session, || self.publish_lanes.enter(&session, accept));
        let (number, run) = match accepting.await? {
            Accepted::Already(run) => {
                return Ok(AcceptedRun { run: self.unrecorded.apply(run), turn_gate: None });
            }
            Accepted::New { number, run } => (number, run),
        };
        // The store can be written again.
        run_end::retry_in_background(self);
        // `/stop` and `/approve` act now: their own turns wait behind the run that they are about.
        let aborted = match command {
            Some(Command::Stop) => self.abort(&session, None),
            _ => AbortedRuns::default(),
        };
        let approval_reply = command_line
            .as_ref()
            .filter(|line| line.command == Command::Approve)
            .map(|line| commands::approve(self, &line.arguments, may_approve));
        let accepted = AcceptedMessage {
            run: run.id.clone(),
            session: run.session.clone(),
            number,
            message,
            text,
            command_line,
            aborted,
            approval_reply,
            channel,
            may_change_apps,
            is_by_agent,
            model,
        };
        // A session that was reset is an action that cannot be undone.
        self.runs.add(&accepted, resets_session);
        let (turn_gate, gate_opened) = oneshot::channel();
        let running = Arc::clone(self).run_turn(turn_lane, publish_lane, gate_opened, accepted, permit);
        tokio::spawn(running);
        Ok(AcceptedRun { run, turn_gate: Some(turn_gate) })
    }

    /// Converts attachments into blocks of the message.
    async fn read_attachments(
        self: &Arc<Self>,
        attachments: Vec<ChatAttachment>,
    ) -> Result<Vec<Block>, AttachmentError> {
        if attachments.is_empty() {
            return Ok(Vec::new());
        }
        let runtime = Arc::clone(self);
        // They may be large, and secrets are read from files.
        let reading = tokio::task::spawn_blocking(move || {
            let known = runtime.services.host.secrets();
            attachments::read(&attachments, &SecretMatcher::new(known.iter().map(|secret| secret.expose())))
        });
        match reading.await {
            Ok(blocks) => blocks,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    async fn run_turn(
        self: Arc<Self>,
        mut turn_lane: LaneGuard,
        publish_lane: LaneGuard,
        gate_opened: oneshot::Receiver<()>,
        accepted: AcceptedMessage,
        _permit: OwnedSemaphorePermit,
    ) {
        // Opened, or dropped: the turn starts either way.
        gate_opened.await.ok();
        let turn = Turn::announce(&self, accepted, publish_lane).await;
        turn_lane.wait_turn().await;
        turn.run().await;
    }

    /// Aborts the runs of a session, or only the given one. A run that is performing an action finishes it and reports
    /// the result.
    pub fn abort(&self, session: &SessionKey, only: Option<&RunId>) -> AbortedRuns {
        self.runs.abort(session, only)
    }

    /// The calls that wait for the owner's decision, the oldest first.
    #[must_use]
    pub fn pending_approvals(&self) -> Vec<Approval> {
        self.approvals.pending()
    }

    /// Applies the owner's decision about a call.
    ///
    /// # Errors
    /// When no approval of that id is pending, or it does not allow this decision.
    pub fn resolve_approval(
        &self,
        id: &str,
        decision: ApprovalDecision,
        by: ResolvedBy,
    ) -> Result<Approval, ApprovalError> {
        self.approvals.resolve(id, decision, by)
    }

    /// Denies every pending approval and every later one, so that no turn waits for the owner.
    pub fn close_approvals(&self) {
        self.approvals.close();
    }

    /// Every event of a run from now on.
    pub fn subscribe(&self, run: RunId) -> UnboundedReceiver<RunEvent> {
        self.subscribers.subscribe(run)
    }

    /// Publishes an event to the subscribers of its run and to the host.
    pub(crate) fn publish(&self, event: RunEvent) {
        self.subscribers.publish(&event);
        self.services.host.publish(event);
    }

    /// The user's time zone.
    pub(crate) fn zone(&self, config: &Config) -> TimeZone {
        let configured = config.agents.defaults.user_timezone.as_deref();
        let named = [configured, self.services.machine.time_zone.as_deref()].into_iter().flatten();
        named.filter_map(|zone| TimeZone::get(zone).ok()).next().unwrap_or(TimeZone::UTC)
    }

    /// The tag around text of others in a session.
    ///
    /// # Errors
    /// When the key of the markers can be neither read nor created.
    pub(crate) fn marker(&self, session: &SessionKey) -> Result<Marker, FileError> {
        let key = match self.marker_key.get() {
            Some(key) => key,
            None => {
                let key = files::read_or_create_key(&quote::key_path(&self.services.home))?;
                self.marker_key.get_or_init(|| key)
            }
        };
        Ok(Marker::for_session(key, session.as_str()))
    }

    /// Waits until a run has ended, but no longer than `at_most`; [`Runtime::run`] has its state then.
    pub async fn wait(&self, run: &RunId, at_most: Duration) {
        // A timeout is no failure: the run goes on.
        tokio::time::timeout(at_most, self.runs.ended(run)).await.ok();
    }

    /// Aborts what waits in a session and gives it an empty transcript, to which all later messages belong. Returns
    /// when the run in progress has ended.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn reset(&self, session: SessionKey) -> Result<Session, StoreError> {
        self.abort(&session, None);
        let (store, at_ms) = (&self.services.store, self.services.clock.wall_ms());
        let (mut lane, resetting) = self.turn_lanes.enter(&session, || store.reset(session.clone(), at_ms));
        let reset = resetting.await?;
        lane.wait_turn().await;
        // The run that was in progress may have left a conversation open.
        store.set_conversation(session, None, at_ms, Durability::PowerSafe).await?;
        Ok(reset)
    }

    /// Aborts what waits in a session and deletes it when the run in progress has ended, with the messages that arrived
    /// meanwhile. Returns whether the session existed.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn delete(&self, session: SessionKey) -> Result<bool, StoreError> {
        self.abort(&session, None);
        let (mut lane, ()) = self.turn_lanes.enter(&session, || ());
        lane.wait_turn().await;
        self.abort(&session, None);
        self.services.store.delete(session).await
    }

    /// Waits until every accepted message is answered, and tries once more to store the ends of runs.
    pub async fn idle(self: &Arc<Self>) {
        let all = u32::try_from(MAX_WAITING_TURNS).unwrap_or(u32::MAX);
        // Never closed.
        let _ = self.waiting.acquire_many(all).await;
        run_end::store_ends(self).await;
    }
}

/// A message with one text block.
pub(crate) fn text_message(role: Role, text: &str, at_ms: i64) -> Message {
    Message { role, content: vec![Block::text(text)], timestamp: u64::try_from(at_ms).ok() }
}
