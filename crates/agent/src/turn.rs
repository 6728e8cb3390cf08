//! One turn: publishes the message, passes it to the handler that the route names, stores the answer and publishes it.

use std::sync::Arc;

use tarsus_protocol::event::ChatPhase;
use tarsus_protocol::exec::Reasoning;
use tarsus_protocol::message::Visibility;
use tarsus_protocol::{Block, Message, NoAnswer, Problem, Role};
use tarsus_store::{Durability, NewItem, RequestUsage, RunEnd, RunId, SessionKey, Store, StoreError};

use crate::commands::{self, CommandLine};
use crate::lanes::LaneGuard;
use crate::manager::ManagerDecision;
use crate::model::{self, NO_MODEL};
use crate::prompt::chat::Channel;
use crate::route::{self, DirectReply, Route};
use crate::run_end::{self, EarlyEnd};
use crate::run_event::{RunEvent, RunEventKind, RunOutcome};
use crate::runs::AbortedRuns;
use crate::runtime::{Runtime, text_message};
use crate::skills_refresh;
use crate::turn_context::TurnError;

/// A message that was accepted and stored, with what was done for it at that moment.
#[derive(Debug, Clone)]
pub struct AcceptedMessage {
    pub run: RunId,
    pub session: SessionKey,
    /// The number of its transcript item.
    pub number: u64,
    pub message: Message,
    pub text: String,
    pub command_line: Option<CommandLine>,
    /// The runs that it aborted, for `/stop`.
    pub aborted: AbortedRuns,
    /// The reply to `/approve`.
    pub approval_reply: Option<String>,
    /// Where it came from.
    pub channel: Channel,
    /// Whether the sender may change the app registry.
    pub may_change_apps: bool,
    /// Whether the sender is a process that the session's agent started.
    pub is_by_agent: bool,
    /// The model for this message only.
    pub model: Option<String>,
}

impl AcceptedMessage {
    /// Whether the sender is the owner, who has every right.
    pub(crate) fn is_from_owner(&self) -> bool {
        self.may_change_apps
    }
}

/// A run in progress: writes its items and publishes its events.
pub struct Turn<'r> {
    pub(crate) runtime: &'r Arc<Runtime>,
    pub(crate) accepted: AcceptedMessage,
    published: u64,
    has_started: bool,
    /// What the session shows besides the reply.
    visibility: Visibility,
}

/// An item that is being written.
pub(crate) struct PendingWrite {
    publish_lane: LaneGuard,
    answer: tarsus_store::PendingChange<u64>,
}

impl PendingWrite {
    /// The item's number, once it is written and every item before it was published.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn written(self) -> Result<u64, StoreError> {
        let Self { mut publish_lane, answer } = self;
        let number = answer.await?;
        publish_lane.wait_turn().await;
        Ok(number)
    }
}

/// Runs blocking work of a turn; a panic becomes an error.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, TurnError> + Send + 'static,
) -> Result<T, TurnError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        tracing::error!(%error, "blocking work of a turn panicked");
        Err(TurnError::Panicked)
    })
}

impl<'r> Turn<'r> {
    /// Publishes the accepted message, after everything that was written before it.
    pub(crate) async fn announce(
        runtime: &'r Arc<Runtime>,
        accepted: AcceptedMessage,
        mut publish_lane: LaneGuard,
    ) -> Self {
        let visibility = Visibility::default();
        let mut turn = Self { runtime, accepted, published: 0, has_started: false, visibility };
        publish_lane.wait_turn().await;
        let (number, message) = (turn.accepted.number, turn.accepted.message.clone());
        turn.publish(RunEventKind::ItemAppended { number, message });
        turn
    }

    /// Answers the message and ends the run.
    pub(crate) async fn run(mut self) {
        let outcome = self.answer().await;
        self.publish_changes().await;
        self.runtime.runs.remove(self.id());
        self.publish(RunEventKind::Finished(outcome));
    }

    /// Publishes the files that the run changed, and gives up old contents of others for them.
    async fn publish_changes(&mut self) {
        let (changes, run, now_ms) =
            (Arc::clone(&self.runtime.file_changes), self.id().clone(), self.now_ms());
        let load = move || {
            let changed = changes.run_changes(&run)?;
            if changed.is_some()
                && let Err(error) = changes.clean_up(now_ms)
            {
                tracing::warn!(%error, "earlier contents of files cannot be removed");
            }
            Ok(changed)
        };
        match run_blocking(load).await {
            Ok(Some(changed)) => self.publish(RunEventKind::FilesChanged(changed)),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, run = %self.id(), "the changed files of a run cannot be read")
            }
        }
    }

    async fn answer(&mut self) -> RunOutcome {
        if self.runtime.runs.is_taken_in(self.id()) {
            // The turn before has answered it and ended the run.
            let message = Message { role: Role::Assistant, content: Vec::new(), timestamp: None };
            return RunOutcome::Completed { message, is_silent: true, reply_to: None };
        }
        if !self.runtime.runs.begin(self.id()) {
            return self.abort().await;
        }
        let (runtime, accepted) = (Arc::clone(self.runtime), self.accepted.clone());
        let decide = move || {
            let session = runtime.services.store.session(&accepted.session)?;
            let settings = session.map(|session| session.settings).unwrap_or_default();
            Ok((route::decide(&runtime, &accepted)?, settings.visibility()))
        };
        let outcome = match run_blocking(decide).await {
            Ok((route, visibility)) => {
                self.visibility = visibility;
                self.take(route).await
            }
            Err(error) => Err(error),
        };
        match outcome {
            Ok(outcome) => outcome,
            Err(error) => self.fail(error.into()).await,
        }
    }

    /// Has the message answered by the one that the route names.
    async fn take(&mut self, route: Route) -> Result<RunOutcome, TurnError> {
        // Clients rely on this order: a model's turn is prepared first, and starts then.
        match &route {
            Route::Model { .. } => self.publish(RunEventKind::Preparing(ChatPhase::PreparingWorkspace)),
            _ => self.start(),
        }
        let outcome = match route {
            Route::Reply(text) => Ok(self.reply(DirectReply::text(text)).await?),
            Route::Command => self.run_command().await,
            Route::Manager(talk) => {
                let (runtime, accepted) = (Arc::clone(self.runtime), self.accepted.clone());
                match run_blocking(move || Ok(talk.carry_out(&runtime, &accepted)?)).await? {
                    Some(reply) => Ok(self.reply(reply).await?),
                    None => Ok(self.abort().await),
                }
            }
            Route::RefreshSkills { language, passed_on } => {
                self.save_conversation(passed_on).await?;
                if !self.runtime.runs.act(self.id()) {
                    return Ok(self.abort().await);
                }
                let (runtime, agent) = (Arc::clone(self.runtime), self.session().agent().clone());
                let refresh = move || Ok(skills_refresh::refresh(&runtime, &agent, language));
                let text = run_blocking(refresh).await?;
                Ok(self.reply(DirectReply::text(text)).await?)
            }
            Route::Model { invocation, passed_on } => {
                self.save_conversation(passed_on).await?;
                model::answer(self, invocation).await
            }
            Route::Tool(dispatch) => model::dispatch(self, &dispatch).await,
            Route::Compact { focus } => model::compact(self, &focus).await,
        };
        match outcome {
            Err(TurnError::NoModel) => Ok(self.reply(DirectReply::text(NO_MODEL)).await?),
            outcome => outcome,
        }
    }

    /// Stores the Application Manager's conversation of a message that it passed on.
    async fn save_conversation(&self, passed_on: Option<ManagerDecision>) -> Result<(), TurnError> {
        let Some(talk) = passed_on else { return Ok(()) };
        let (runtime, session) = (Arc::clone(self.runtime), self.session().clone());
        run_blocking(move || Ok(talk.save_conversation(&runtime, session)?)).await
    }

    async fn run_command(&mut self) -> Result<RunOutcome, TurnError> {
        // Commands are quick, and some of them change the session: they are not interrupted.
        if !self.runtime.runs.act(self.id()) {
            return Ok(self.abort().await);
        }
        let (runtime, accepted) = (Arc::clone(self.runtime), self.accepted.clone());
        let reply = run_blocking(move || Ok(commands::run(&runtime, &accepted)?)).await?;
        Ok(self.reply(reply).await?)
    }

    pub(crate) fn id(&self) -> &RunId {
        &self.accepted.run
    }

    pub(crate) fn reasoning(&self) -> Reasoning {
        self.visibility.reasoning
    }

    pub(crate) fn session(&self) -> &SessionKey {
        &self.accepted.session
    }

    pub(crate) fn store(&self) -> &Store {
        &self.runtime.services.store
    }

    /// Publishes an event, as far as the session shows it.
    pub(crate) fn publish(&mut self, kind: RunEventKind) {
        let Some(kind) = kind.visible(self.visibility) else { return };
        self.published += 1;
        self.runtime.publish(RunEvent {
            run: self.id().clone(),
            session: self.session().clone(),
            seq: self.published,
            at_ms: self.now_ms(),
            kind,
        });
    }

    /// Publishes that the turn has started, once.
    pub(crate) fn start(&mut self) {
        if !std::mem::replace(&mut self.has_started, true) {
            self.publish(RunEventKind::Started);
        }
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.runtime.services.clock.wall_ms()
    }

    fn new_item(&self, message: Message) -> NewItem {
        let at_ms = self.now_ms();
        NewItem { session: self.session().clone(), run: Some(self.id().clone()), message, at_ms }
    }

    /// Submits an item to the store; items are published in the order in which they were submitted.
    pub(crate) fn submit(
        &self,
        message: Message,
        write: impl FnOnce(&Store, RunId, NewItem) -> tarsus_store::PendingChange<u64>,
    ) -> PendingWrite {
        let (store, item) = (self.store(), self.new_item(message));
        let write = || write(store, self.id().clone(), item);
        let (publish_lane, answer) = self.runtime.publish_lanes.enter(self.session(), write);
        PendingWrite { publish_lane, answer }
    }

    /// Writes an item, then publishes it. Returns its number.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn append(
        &mut self,
        message: Message,
        write: impl FnOnce(&Store, RunId, NewItem) -> tarsus_store::PendingChange<u64>,
    ) -> Result<u64, StoreError> {
        let number = self.submit(message.clone(), write).written().await?;
        self.publish(RunEventKind::ItemAppended { number, message });
        Ok(number)
    }

    /// Ends the run with a reply that no model wrote, unless the run was aborted.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn reply(&mut self, reply: DirectReply) -> Result<RunOutcome, StoreError> {
        if !self.runtime.runs.act(self.id()) {
            return Ok(self.abort().await);
        }
        self.start();
        for change in reply.apps {
            self.publish(RunEventKind::AppsChanged(change));
        }
        if let Some(changes) = reply.files {
            self.publish(RunEventKind::FilesChanged(changes));
        }
        let mut message = text_message(Role::Assistant, &reply.text, self.now_ms());
        message.content.extend(reply.menu.map(Block::Menu));
        let mut item = self.new_item(message.clone());
        if reply.resets_session {
            // The run belongs to the transcript before the reset.
            item.run = None;
        }
        self.append_last(item, RunEnd::Finished, Some(&message), None).await?;
        Ok(RunOutcome::Completed { message, is_silent: false, reply_to: None })
    }

    /// Adds a page of the Application Manager below the model's text.
    pub(crate) fn show_page(&mut self, message: &mut Message, page: &[Block]) {
        let before = message.text().len();
        message.content.extend(page.iter().cloned());
        self.publish(RunEventKind::TextDelta {
            message: message.clone(),
            new: message.text().split_off(before),
        });
    }

    /// Writes the last message of a model, whose text was published already, and ends the run.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn conclude(
        &mut self,
        message: Message,
        usage: Option<RequestUsage>,
    ) -> Result<(), StoreError> {
        let item = self.new_item(message);
        self.append_last(item, RunEnd::Finished, None, usage).await
    }

    /// Ends an aborted run and keeps the part of its answer that was published.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn abort_with(&mut self, partial: String) -> Result<RunOutcome, StoreError> {
        if partial.is_empty() {
            return Ok(self.abort().await);
        }
        let message = text_message(Role::Assistant, &partial, self.now_ms());
        let item = self.new_item(message.clone());
        self.append_last(item, RunEnd::Aborted, None, None).await?;
        Ok(RunOutcome::Aborted { shown: Some(message) })
    }

    /// Ends an aborted run of which nothing was published.
    pub(crate) async fn abort(&mut self) -> RunOutcome {
        self.end_early(RunEnd::Aborted, None).await;
        RunOutcome::Aborted { shown: None }
    }

    /// Ends a failed run with a remark in the transcript: what went wrong, and what to do next.
    pub(crate) async fn fail(&mut self, problem: Problem) -> RunOutcome {
        self.start();
        let why = format!("{}\n{}", problem.message, problem.next_step());
        let no_answer = problem.no_answer;
        self.end_early(RunEnd::Failed(why.clone()), no_answer).await;
        RunOutcome::Failed { why, no_answer }
    }

    async fn end_early(&mut self, end: RunEnd, no_answer: Option<NoAnswer>) {
        let early = EarlyEnd { end, no_answer, at_ms: self.now_ms() };
        let items = match run_end::close(self.runtime, self.id(), &early).await {
            Ok(Some(closed)) => closed.items().await,
            Ok(None) => Vec::new(),
            Err(error) => {
                tracing::error!(%error, run = %self.id(), "the end of a run cannot be stored yet");
                self.runtime.unrecorded.add(self.id().clone(), early);
                run_end::retry_in_background(self.runtime);
                Vec::new()
            }
        };
        for (number, message) in items {
            self.publish(RunEventKind::ItemAppended { number, message });
        }
    }

    /// Writes the last item of the run and ends it. Publishes `text` first, where it was not published yet, then the
    /// item.
    async fn append_last(
        &mut self,
        item: NewItem,
        outcome: RunEnd,
        text: Option<&Message>,
        usage: Option<RequestUsage>,
    ) -> Result<(), StoreError> {
        let message = item.message.clone();
        let (store, run) = (self.store(), self.id().clone());
        let conclude = || store.conclude(item, run, outcome, usage, Durability::KillSafe);
        let (publish_lane, answer) = self.runtime.publish_lanes.enter(self.session(), conclude);
        let number = PendingWrite { publish_lane, answer }.written().await?;
        if let Some(text) = text {
            self.publish(RunEventKind::TextDelta { message: text.clone(), new: text.text() });
        }
        self.publish(RunEventKind::ItemAppended { number, message });
        Ok(())
    }
}
