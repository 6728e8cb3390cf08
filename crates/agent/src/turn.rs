//! One turn: what was said is told, somebody answers, the answer is written and then told.

use std::sync::Arc;

use tarsus_protocol::event::ChatPhase;
use tarsus_protocol::{Block, ErrorCode, Message, Problem, Role};
use tarsus_store::{Durability, NewItem, Outcome, RunId, SessionKey, Store, StoreError, Usage};

use crate::answer::{self, Answer, Answers};
use crate::lanes::Place;
use crate::model;
use crate::runs::CalledOff;
use crate::runtime::{Runtime, said};
use crate::skill_commands::Invoked;
use crate::told::{Ending, Told, What};

/// Something that was said and written.
#[derive(Debug, Clone)]
pub struct Said {
    /// The run that it began.
    pub run: RunId,
    /// The session.
    pub session: SessionKey,
    /// The number of its item.
    pub number: u64,
    /// What was said.
    pub message: Message,
    /// The same as text.
    pub text: String,
    /// What was called off for it.
    pub called_off: CalledOff,
    /// What its answer for the owner came to, where it is one.
    pub decided: Option<String>,
    /// Whether whoever said it may change the registry of apps.
    pub may_change_apps: bool,
    /// The model that answers this time.
    pub model: Option<String>,
    /// The skill that it calls for, once that is known.
    pub invoked: Option<Invoked>,
}

/// Tells that something was said, after everything that was written before.
pub async fn hear<'r>(runtime: &'r Arc<Runtime>, said: &Said, mut telling: Place) -> Turn<'r> {
    let (run, session) = (said.run.clone(), said.session.clone());
    let mut turn = Turn { runtime, run, session, told: 0, has_begun: false };
    telling.reached().await;
    turn.tell(What::Written { number: said.number, message: said.message.clone() });
    turn
}

/// Takes the turn of a run.
pub async fn take(mut turn: Turn<'_>, said: Said) {
    let ending = turn.answered(said).await;
    turn.runtime.runs.remove(&turn.run);
    turn.tell(What::Over(ending));
}

/// A run on its way.
pub struct Turn<'r> {
    /// The runtime.
    pub(crate) runtime: &'r Arc<Runtime>,
    /// The run.
    pub(crate) run: RunId,
    /// The session.
    pub(crate) session: SessionKey,
    told: u64,
    /// Whether it was told that somebody answers.
    has_begun: bool,
}

/// An item that is being written.
pub(crate) struct Writing {
    telling: Place,
    answer: tarsus_store::Answer<u64>,
}

impl Writing {
    /// Its number, once it is written and everything before it was told.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn written(self) -> Result<u64, StoreError> {
        let Self { mut telling, answer } = self;
        let number = answer.await?;
        telling.reached().await;
        Ok(number)
    }
}

impl Turn<'_> {
    /// Tells something of the run.
    pub(crate) fn tell(&mut self, what: What) {
        self.told += 1;
        self.runtime.tell(Told {
            run: self.run.clone(),
            session: self.session.clone(),
            seq: self.told,
            at_ms: self.now_ms(),
            what,
        });
    }

    /// Tells that somebody answers, once.
    pub(crate) fn begin(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.tell(What::Began);
        }
    }

    /// The time, in milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> i64 {
        self.runtime.given.clock.wall_ms()
    }

    /// An item of the run.
    pub(crate) fn item(&self, message: Message) -> NewItem {
        let at_ms = self.now_ms();
        NewItem { session: self.session.clone(), run: Some(self.run.clone()), message, at_ms }
    }

    /// Asks for an item to be written; it is told after those that were asked for before it.
    pub(crate) fn ask(
        &self,
        message: Message,
        ask: impl FnOnce(&Store, RunId, NewItem) -> tarsus_store::Answer<u64>,
    ) -> Writing {
        let (store, item) = (&self.runtime.given.store, self.item(message));
        let (telling, answer) =
            self.runtime.telling.enter(&self.session, || ask(store, self.run.clone(), item));
        Writing { telling, answer }
    }

    /// Writes an item, then tells it. Answers with its number.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn write(
        &mut self,
        message: Message,
        ask: impl FnOnce(&Store, RunId, NewItem) -> tarsus_store::Answer<u64>,
    ) -> Result<u64, StoreError> {
        let number = self.ask(message.clone(), ask).written().await?;
        self.tell(What::Written { number, message });
        Ok(number)
    }

    async fn answered(&mut self, said: Said) -> Ending {
        if self.runtime.runs.is_taken_in(&self.run) {
            // It was answered with the turn before, and is over.
            let message = Message { role: Role::Assistant, content: Vec::new(), timestamp: None };
            return Ending::Answered { message, is_silent: true, reply_to: None };
        }
        if !self.runtime.runs.begin(&self.run) {
            return self.called_off().await;
        }
        // Front ends know this order: a model's turn is prepared first, and begins then.
        let (runtime, heard) = (Arc::clone(self.runtime), said.clone());
        let looking = tokio::task::spawn_blocking(move || answer::is_for_the_model(&runtime, &heard));
        match looking.await {
            Ok(Ok(true)) => self.tell(What::Prepares(ChatPhase::PreparingWorkspace)),
            // One that cannot be found out is told when it is answered.
            Ok(Ok(false) | Err(_)) | Err(_) => self.begin(),
        }
        // Files, processes and the registry are looked at.
        let (runtime, heard) = (Arc::clone(self.runtime), said.clone());
        let answering = tokio::task::spawn_blocking(move || answer::answer(&runtime, &heard));
        let ending = match answering.await {
            Ok(Ok(Answers::Answer(answer))) if self.runtime.runs.act(&self.run) => self.written(answer).await,
            Ok(Ok(Answers::Answer(_) | Answers::CalledOff)) => return self.called_off().await,
            Ok(Ok(Answers::Model(invoked))) => model::answer(self, &Said { invoked, ..said }).await,
            Ok(Ok(Answers::Tool(dispatched))) => model::dispatch(self, &said, &dispatched).await,
            Ok(Ok(Answers::Summary { wish })) => model::summarise(self, &said, &wish).await,
            Ok(Err(error)) => Err(error),
            Err(error) => {
                tracing::error!(%error, run = %self.run, "an answer could not be made");
                return self.failed(Problem::new(ErrorCode::Failed, "the answer could not be made")).await;
            }
        };
        match ending {
            Ok(ending) => ending,
            Err(error) => self.failed(error.into()).await,
        }
    }

    /// Writes an answer, with which the run is over, and tells it.
    async fn written(&mut self, answer: Answer) -> Result<Ending, StoreError> {
        self.begin();
        for change in answer.apps {
            self.tell(What::Apps(change));
        }
        let message = said(Role::Assistant, &answer.text, self.now_ms());
        let mut item = self.item(message.clone());
        if answer.begins_anew {
            // The transcript that a run began in is not the one that it has begun.
            item.run = None;
        }
        self.last(item, Outcome::Finished, Some(&message), None).await?;
        Ok(Ending::Answered { message, is_silent: false, reply_to: None })
    }

    /// Says something of our own, with which the run is over.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn say(&mut self, text: &str) -> Result<Ending, StoreError> {
        if !self.runtime.runs.act(&self.run) {
            return Ok(self.called_off().await);
        }
        self.written(Answer::words(text)).await
    }

    /// Tells a text of our own after what the model said.
    pub(crate) fn show(&mut self, message: &mut Message, text: &str) {
        let gap = if message.text().is_empty() { "" } else { "\n" };
        message.content.push(Block::text(text));
        self.tell(What::Says { message: message.clone(), new: format!("{gap}{text}") });
    }

    /// Writes the last words of a model, which were told already, and ends the run.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn conclude(
        &mut self,
        message: Message,
        usage: Option<Usage>,
    ) -> Result<(), StoreError> {
        let item = self.item(message);
        self.last(item, Outcome::Finished, None, usage).await
    }

    /// Ends a run that was called off, and keeps what was shown of its answer.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub(crate) async fn cut_short(&mut self, shown: String) -> Result<Ending, StoreError> {
        if shown.is_empty() {
            return Ok(self.called_off().await);
        }
        let message = said(Role::Assistant, &shown, self.now_ms());
        let item = self.item(message.clone());
        self.last(item, Outcome::Aborted, None, None).await?;
        Ok(Ending::CalledOff { shown: Some(message) })
    }

    /// Ends a run that came to nothing, with a remark in the transcript: what went wrong, and what to do next.
    pub(crate) async fn failed(&mut self, problem: Problem) -> Ending {
        self.begin();
        let why = format!("{}\n{}", problem.message, problem.next_step());
        let no_answer = problem.no_answer;
        let role = Role::Custom { custom_type: "run-failed-before-reply".to_owned(), no_answer };
        let item = self.item(said(role, &why, self.now_ms()));
        let outcome = Outcome::Failed(why.clone());
        if let Err(error) = self.last(item, outcome.clone(), None, None).await {
            tracing::warn!(%error, run = %self.run, "a failed run is not marked in its session");
            self.end(outcome).await;
        }
        Ending::Failed { why, no_answer }
    }

    async fn called_off(&mut self) -> Ending {
        self.end(Outcome::Aborted).await;
        Ending::CalledOff { shown: None }
    }

    /// Writes the last item of the run and ends it, then tells the item; before that, what it says.
    async fn last(
        &mut self,
        item: NewItem,
        outcome: Outcome,
        says: Option<&Message>,
        usage: Option<Usage>,
    ) -> Result<(), StoreError> {
        let message = item.message.clone();
        let (store, run) = (&self.runtime.given.store, self.run.clone());
        let conclude = || store.conclude(item, run, outcome, usage, Durability::KillSafe);
        let (telling, answer) = self.runtime.telling.enter(&self.session, conclude);
        let number = Writing { telling, answer }.written().await?;
        if let Some(says) = says {
            self.tell(What::Says { message: says.clone(), new: says.text() });
        }
        self.tell(What::Written { number, message });
        Ok(())
    }

    async fn end(&self, outcome: Outcome) {
        let (store, at_ms) = (&self.runtime.given.store, self.now_ms());
        if let Err(error) = store.finish(self.run.clone(), outcome, at_ms, Durability::KillSafe).await {
            // It is found and marked as interrupted at the next start.
            tracing::error!(%error, run = %self.run, "the end of a run cannot be written");
        }
    }
}
