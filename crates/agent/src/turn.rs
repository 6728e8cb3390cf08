//! One turn: what was said is told, somebody answers, the answer is written and then told.

use std::sync::Arc;

use tarsus_protocol::{Message, Problem, Role};
use tarsus_store::{Durability, NewItem, Outcome, RunId, SessionKey, StoreError};

use crate::answer::{self, Answer};
use crate::lanes::Place;
use crate::runs::CalledOff;
use crate::runtime::{Runtime, said};
use crate::told::{Ending, Told, What};

/// Something that was said and written.
#[derive(Debug)]
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
    /// Whether whoever said it may change the registry of apps.
    pub may_change_apps: bool,
}

/// Tells that something was said, after everything that was written before.
pub async fn hear<'r>(runtime: &'r Arc<Runtime>, said: &Said, mut telling: Place) -> Turn<'r> {
    let mut turn = Turn { runtime, run: said.run.clone(), session: said.session.clone(), told: 0 };
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
    runtime: &'r Arc<Runtime>,
    run: RunId,
    session: SessionKey,
    told: u64,
}

impl Turn<'_> {
    fn tell(&mut self, what: What) {
        self.told += 1;
        (self.runtime.given.tell)(Told {
            run: self.run.clone(),
            session: self.session.clone(),
            seq: self.told,
            at_ms: self.runtime.given.clock.wall_ms(),
            what,
        });
    }

    async fn answered(&mut self, said: Said) -> Ending {
        if !self.runtime.runs.begin(&self.run) {
            return self.called_off().await;
        }
        self.tell(What::Began);
        // Files, processes and the registry are looked at.
        let runtime = Arc::clone(self.runtime);
        let answering = tokio::task::spawn_blocking(move || answer::answer(&runtime, &said));
        let answer = match answering.await {
            Ok(Ok(Some(answer))) if self.runtime.runs.act(&self.run) => answer,
            Ok(Ok(_)) => return self.called_off().await,
            Ok(Err(error)) => return self.failed(Problem::from(error).message).await,
            Err(error) => {
                tracing::error!(%error, run = %self.run, "an answer could not be made");
                return self.failed("the answer could not be made".to_owned()).await;
            }
        };
        match self.written(answer).await {
            Ok(message) => Ending::Answered(message),
            Err(error) => self.failed(Problem::from(error).message).await,
        }
    }

    /// Writes an answer, with which the run is over, and tells it.
    async fn written(&mut self, answer: Answer) -> Result<Message, StoreError> {
        for change in answer.apps {
            self.tell(What::Apps(change));
        }
        let at_ms = self.runtime.given.clock.wall_ms();
        let message = said(Role::Assistant, &answer.text, at_ms);
        // The transcript that a run began in is not the one that it has begun.
        let run = (!answer.begins_anew).then(|| self.run.clone());
        let item = NewItem { session: self.session.clone(), run, message: message.clone(), at_ms };
        self.last(item, Outcome::Finished, Some(&message)).await?;
        Ok(message)
    }

    /// Ends a run that came to nothing, with a remark in the transcript.
    async fn failed(&mut self, why: String) -> Ending {
        let at_ms = self.runtime.given.clock.wall_ms();
        let role = Role::Custom { custom_type: "run-failed-before-reply".to_owned() };
        let item = NewItem {
            session: self.session.clone(),
            run: Some(self.run.clone()),
            message: said(role, &why, at_ms),
            at_ms,
        };
        let outcome = Outcome::Failed(why.clone());
        if let Err(error) = self.last(item, outcome.clone(), None).await {
            tracing::warn!(%error, run = %self.run, "a failed run is not marked in its session");
            self.end(outcome).await;
        }
        Ending::Failed(why)
    }

    async fn called_off(&mut self) -> Ending {
        self.end(Outcome::Aborted).await;
        Ending::CalledOff
    }

    /// Writes the last item of the run and ends it, then tells the item; before that, what it says.
    async fn last(
        &mut self,
        item: NewItem,
        outcome: Outcome,
        says: Option<&Message>,
    ) -> Result<(), StoreError> {
        let message = item.message.clone();
        let (store, run) = (&self.runtime.given.store, self.run.clone());
        let conclude = || store.conclude(item, run, outcome, Durability::KillSafe);
        let (mut telling, concluding) = self.runtime.telling.enter(&self.session, conclude);
        let number = concluding.await?;
        telling.reached().await;
        says.into_iter().for_each(|says| self.tell(What::Says(says.clone())));
        self.tell(What::Written { number, message });
        Ok(())
    }

    async fn end(&self, outcome: Outcome) {
        let (store, at_ms) = (&self.runtime.given.store, self.runtime.given.clock.wall_ms());
        if let Err(error) = store.finish(self.run.clone(), outcome, at_ms, Durability::KillSafe).await {
            // It is found and marked as interrupted at the next start.
            tracing::error!(%error, run = %self.run, "the end of a run cannot be written");
        }
    }
}
