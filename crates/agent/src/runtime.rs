//! The front door: what is said comes in here, waits in the lane of its session, and is answered.

use std::ffi::OsString;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::tz::TimeZone;
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_home::config::Config;
use tarsus_home::files::{self, FileError};
use tarsus_home::{Home, Secret, Settings};
use tarsus_host::Clock;
use tarsus_protocol::approval::{Approval, ApprovalDecision, ResolvedBy};
use tarsus_protocol::rpc::chat::ChatAttachment;
use tarsus_protocol::{Block, Message, Role};
use tarsus_skills::Library;
use tarsus_store::{Accepted, Durability, NewMessage, Run, RunId, Session, SessionKey, Store, StoreError};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::approvals::{Approvals, NotTaken};
use crate::attachments::{self, AttachmentError};
use crate::commands::{self, Command};
use crate::error::RuntimeError;
use crate::lanes::{Lanes, Place};
use crate::listeners::Listeners;
use crate::model::Models;
use crate::prompt::gather::Machine;
use crate::prompt::quote::{self, Marker};
use crate::reply::Secrets;
use crate::runs::{CalledOff, Runs};
use crate::told::Told;
use crate::tools::Toolbox;
use crate::watches::Watches;
use crate::{guide, recovery, turn};

/// Messages of all sessions that are answered or wait for it.
pub const TURNS_WAITING: usize = 256;

/// What a runtime is given by whoever starts it.
pub struct Given {
    /// The state folder.
    pub home: Home,
    /// The time.
    pub clock: Clock,
    /// Where acts are written down.
    pub audit: Arc<Audit>,
    /// Our own environment, from which an app gets what belongs to the desktop.
    pub environment: Vec<(OsString, OsString)>,
    /// The language of replies when nothing else tells it.
    pub language: Language,
    /// Where sessions are kept.
    pub store: Arc<Store>,
    /// Every agent's skills.
    pub library: Arc<Library>,
    /// The configuration that is in force.
    pub config: Box<dyn Fn() -> Config + Send + Sync>,
    /// Our own settings that are in force.
    pub settings: Box<dyn Fn() -> Settings + Send + Sync>,
    /// The secrets that are known: nobody is shown one.
    pub secrets: Box<dyn Fn() -> Vec<Secret> + Send + Sync>,
    /// Gets models ready to be asked.
    pub models: Arc<dyn Models>,
    /// What is known of this machine.
    pub machine: Machine,
    /// Hears what comes of what was said. Called in order for each run; must not wait for anything.
    pub tell: Box<dyn Fn(Told) + Send + Sync>,
    /// Whether somebody who may answer for the owner hears what is told.
    pub is_heard: Box<dyn Fn() -> bool + Send + Sync>,
}

/// Something that is said to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inbound {
    /// The session.
    pub session: SessionKey,
    /// The idempotency key, and from then on the id of the run.
    pub run: RunId,
    /// What is said.
    pub text: String,
    /// Pictures and files that come with it.
    pub attachments: Vec<ChatAttachment>,
    /// Whether whoever says it may change the registry of apps.
    pub may_change_apps: bool,
    /// Whether whoever says it may answer for the owner.
    pub may_approve: bool,
    /// The model that answers this time, as `provider/model`.
    pub model: Option<String>,
}

/// What became of something that was said.
#[derive(Debug)]
pub struct Sent {
    /// The run: a new one, or that of the same message before.
    pub run: Run,
    /// Holds the turn of a new run back.
    pub begin: Option<Begin>,
}

/// Holds a turn back until it is dropped, so that whoever sent the message is answered before anything is told.
#[derive(Debug)]
pub struct Begin(#[expect(dead_code, reason = "held, not read")] oneshot::Sender<()>);

/// Answers what is said to the agents.
pub struct Runtime {
    pub(crate) given: Given,
    pub(crate) runs: Runs,
    pub(crate) approvals: Approvals,
    pub(crate) toolbox: Toolbox,
    pub(crate) watches: Watches,
    /// What the markers of sessions are made of, once it was needed.
    marker_key: OnceLock<[u8; 32]>,
    listeners: Listeners,
    lanes: Arc<Lanes>,
    /// The same for items: they are told in the order in which they are written.
    pub(crate) telling: Arc<Lanes>,
    room: Arc<Semaphore>,
}

impl Runtime {
    /// A runtime that nothing was said to yet. What the last process left unanswered is closed in its session.
    #[must_use]
    pub fn new(given: Given) -> Self {
        recovery::close_left(&given.store, given.clock.wall_ms());
        if let Err(error) = guide::ensure(&given.home) {
            tracing::warn!(%error, "agents cannot read the user guide");
        }
        let room = Arc::new(Semaphore::new(TURNS_WAITING));
        Self {
            given,
            runs: Runs::default(),
            approvals: Approvals::default(),
            toolbox: Toolbox::new(),
            watches: Watches::default(),
            marker_key: OnceLock::new(),
            listeners: Listeners::default(),
            lanes: Arc::default(),
            telling: Arc::default(),
            room,
        }
    }

    /// Takes a message, power-safe, or finds the run that the same one began before. The reply is told.
    ///
    /// # Errors
    /// When nothing was said, something that comes with it cannot be used, too much waits, or the message cannot be
    /// written. Nothing is taken then.
    pub async fn send(self: &Arc<Self>, inbound: Inbound) -> Result<Sent, RuntimeError> {
        if inbound.text.trim().is_empty() && inbound.attachments.is_empty() {
            return Err(RuntimeError::NothingSaid);
        }
        let room = Arc::clone(&self.room).try_acquire_owned().map_err(|_| RuntimeError::Busy)?;
        let at_ms = self.given.clock.wall_ms();
        let Inbound { session, run, text, attachments, may_change_apps, may_approve, model } = inbound;
        let command = commands::read(&text).map(|(command, _)| command);
        let mut message = said(Role::User, &text, at_ms);
        if text.trim().is_empty() {
            message.content.clear();
        }
        message.content.extend(self.attached(attachments).await?);
        let new = NewMessage { session: session.clone(), run, message: message.clone(), at_ms };
        let begins_anew = matches!(command, Some(Command::New | Command::Reset));
        let accept = || {
            if begins_anew {
                // What is said after it belongs to what it begins.
                self.given.store.accept_and_reset(new)
            } else {
                self.given.store.accept(new)
            }
        };
        // Asked for in the order of the lane, so that the transcript has the order of the turns.
        let (place, (telling, accepting)) =
            self.lanes.enter(&session, || self.telling.enter(&session, accept));
        let (number, run) = match accepting.await? {
            Accepted::Already(run) => return Ok(Sent { run, begin: None }),
            Accepted::New { number, run } => (number, run),
        };
        let called_off = match command {
            // What waits before it has nothing to wait for any more.
            Some(Command::Stop) => self.abort(&session, None),
            _ => CalledOff::default(),
        };
        // What waits for this answer is in the way of its turn.
        let decided = commands::approve(self, &text, may_approve);
        let (begin, begun) = oneshot::channel();
        let said = turn::Said {
            run: run.id.clone(),
            session: run.session.clone(),
            number,
            message,
            text,
            called_off,
            decided,
            may_change_apps,
            model,
            invoked: None,
        };
        // A session that was begun anew is something that was done.
        self.runs.add(&said, begins_anew);
        tokio::spawn(Arc::clone(self).take_turn(place, telling, begun, said, room));
        Ok(Sent { run, begin: Some(Begin(begin)) })
    }

    /// What comes with a message, as it is kept.
    async fn attached(
        self: &Arc<Self>,
        attachments: Vec<ChatAttachment>,
    ) -> Result<Vec<Block>, AttachmentError> {
        if attachments.is_empty() {
            return Ok(Vec::new());
        }
        let runtime = Arc::clone(self);
        // They may be large, and secrets are read from files.
        let reading = tokio::task::spawn_blocking(move || {
            let known = (runtime.given.secrets)();
            attachments::read(&attachments, &Secrets::new(known.iter().map(|secret| secret.expose())))
        });
        match reading.await {
            Ok(blocks) => blocks,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    async fn take_turn(
        self: Arc<Self>,
        mut place: Place,
        telling: Place,
        begun: oneshot::Receiver<()>,
        said: turn::Said,
        _room: OwnedSemaphorePermit,
    ) {
        // Nothing is ever sent: the end of the other side is what is waited for.
        let _ = begun.await;
        let turn = turn::hear(&self, &said, telling).await;
        place.reached().await;
        turn::take(turn, said).await;
    }

    /// Calls off the runs of a session, or the one of them that is named, and says which. One that does something
    /// already is not interrupted: an app that is being launched is launched, and that is told.
    pub fn abort(&self, session: &SessionKey, only: Option<&RunId>) -> CalledOff {
        self.runs.call_off(session, only)
    }

    /// The calls that wait for the owner's word, the oldest first.
    #[must_use]
    pub fn waiting_for_the_owner(&self) -> Vec<Approval> {
        self.approvals.waiting()
    }

    /// Takes the owner's answer about a call, and says what was asked.
    ///
    /// # Errors
    /// When nothing of that id waits, or it cannot be answered so.
    pub fn owner_says(
        &self,
        id: &str,
        decision: ApprovalDecision,
        by: ResolvedBy,
    ) -> Result<Approval, NotTaken> {
        self.approvals.answer(id, decision, by)
    }

    /// The owner is asked nothing any more: a turn that waits for a yes goes on without one.
    pub fn stop_asking(&self) {
        self.approvals.close();
    }

    /// Everything that is told of a run from now on.
    pub fn listen(&self, run: RunId) -> UnboundedReceiver<Told> {
        self.listeners.listen(run)
    }

    /// Tells everybody who hears of a run.
    pub(crate) fn tell(&self, told: Told) {
        self.listeners.tell(&told);
        (self.given.tell)(told);
    }

    /// The user's time zone.
    pub(crate) fn zone(&self, config: &Config) -> TimeZone {
        let configured = config.agents.defaults.user_timezone.as_deref();
        let named = [configured, self.given.machine.time_zone.as_deref()].into_iter().flatten();
        named.filter_map(|zone| TimeZone::get(zone).ok()).next().unwrap_or(TimeZone::UTC)
    }

    /// What text of others stands between in a session.
    ///
    /// # Errors
    /// When the key that markers are made of can be neither read nor made.
    pub(crate) fn marker(&self, session: &SessionKey) -> Result<Marker, FileError> {
        let key = match self.marker_key.get() {
            Some(key) => key,
            None => {
                let key = files::read_or_create_key(&quote::key_path(&self.given.home))?;
                self.marker_key.get_or_init(|| key)
            }
        };
        Ok(Marker::of(key, session.as_str()))
    }

    /// Waits until a run is over, but no longer than `at_most`. The store says how it stands then.
    pub async fn wait(&self, run: &RunId, at_most: Duration) {
        // Out of time is no failure: the run goes on.
        tokio::time::timeout(at_most, self.runs.over(run)).await.ok();
    }

    /// Calls off what waits in a session and gives it an empty transcript, to which everything belongs that is said from
    /// now on. Comes back when what is being answered is over.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn reset(&self, session: SessionKey) -> Result<Session, StoreError> {
        self.abort(&session, None);
        let (store, at_ms) = (&self.given.store, self.given.clock.wall_ms());
        let (mut place, resetting) = self.lanes.enter(&session, || store.reset(session.clone(), at_ms));
        let begun = resetting.await?;
        place.reached().await;
        // What was answered meanwhile may have left a conversation open.
        store.set_conversation(session, None, at_ms, Durability::PowerSafe).await?;
        Ok(begun)
    }

    /// Calls off what waits in a session and deletes it once what is being answered is over, with what was said
    /// meanwhile. Answers whether there was one.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub async fn delete(&self, session: SessionKey) -> Result<bool, StoreError> {
        self.abort(&session, None);
        let (mut place, ()) = self.lanes.enter(&session, || ());
        place.reached().await;
        self.abort(&session, None);
        self.given.store.delete(session).await
    }

    /// Waits until everything that was said is answered.
    pub async fn idle(&self) {
        let all = u32::try_from(TURNS_WAITING).unwrap_or(u32::MAX);
        // Never closed.
        let _ = self.room.acquire_many(all).await;
    }
}

/// A message of one text.
pub(crate) fn said(role: Role, text: &str, at_ms: i64) -> Message {
    Message { role, content: vec![Block::text(text)], timestamp: u64::try_from(at_ms).ok() }
}
