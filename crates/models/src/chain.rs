//! A model and those to ask when it fails: tries, pauses, fallbacks, and a record of all of it.
//!
//! Promises: what is shown of an answer that broke off is taken back by an event before anything else is shown; every
//! failure is in the record with its model. Dropping the stream ends the request that runs.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::stream::unfold;
use futures_util::{Stream, StreamExt};
use tarsus_protocol::{ErrorCode, Problem};

use crate::delta::Delta;
use crate::failure::{Class, Failure};
use crate::name::ModelName;
use crate::remote::{Deltas, LanguageModel};
use crate::request::Request;
use crate::retry::Policy;
use crate::usage::Usage;

/// One model of a chain; one that cannot be asked at all counts as one that failed.
#[derive(Clone)]
pub struct Link {
    /// Its name.
    pub name: ModelName,
    /// The model, or why it cannot be asked.
    pub model: Result<Arc<dyn LanguageModel>, Failure>,
}

impl Link {
    /// A model that can be asked.
    #[must_use]
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { name: model.name().clone(), model: Ok(model) }
    }
}

/// A try that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    /// The model.
    pub model: ModelName,
    /// Which try of it, from 1.
    pub attempt: u32,
    /// Why it failed.
    pub failure: Failure,
    /// Tokens that it took all the same, where the provider said so.
    pub usage: Option<Usage>,
}

/// What happens after a try that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Next {
    /// The same model is asked again.
    Again {
        /// After this long.
        after: Duration,
    },
    /// Another model is asked.
    Fallback {
        /// Which one.
        model: ModelName,
    },
    /// Nothing more.
    GiveUp,
}

/// No model answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.last().map_or("no model is named".to_owned(), |last| format!("{}: {}", last.model, last.failure)))]
pub struct GaveUp(
    /// Every try, in order.
    pub Vec<Tried>,
);

/// What happens while a chain is asked. The last is `Answered` or `GaveUp`.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A model is asked.
    Asking {
        /// Which one.
        model: ModelName,
        /// Which try of it, from 1.
        attempt: u32,
    },
    /// A piece of its answer.
    Delta(Delta),
    /// The try failed; what came of its answer does not count.
    Dropped {
        /// What failed.
        tried: Tried,
        /// What happens next.
        next: Next,
    },
    /// The answer is whole.
    Answered {
        /// The model that gave it.
        model: ModelName,
        /// The tries that failed before.
        tried: Vec<Tried>,
    },
    /// No model answered.
    GaveUp(GaveUp),
}

/// What happens, as it happens.
pub type Asking = Pin<Box<dyn Stream<Item = Event> + Send>>;

/// A model, and those to ask when it fails.
#[derive(Clone)]
pub struct Chain {
    links: Arc<[Link]>,
    policy: Policy,
}

impl Chain {
    /// The models in the order in which they are asked.
    #[must_use]
    pub fn new(links: Vec<Link>, policy: Policy) -> Self {
        Self { links: links.into(), policy }
    }

    /// The models.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// Asks. Nothing happens before the stream is asked for its first event.
    #[must_use]
    pub fn ask(&self, request: Arc<Request>) -> Asking {
        let asked = Asked {
            chain: self.clone(),
            request,
            link: 0,
            attempt: 1,
            tried: Vec::new(),
            usage: None,
            step: Step::Ask,
        };
        Box::pin(unfold(asked, |asked| asked.next()))
    }
}

struct Asked {
    chain: Chain,
    request: Arc<Request>,
    link: usize,
    attempt: u32,
    tried: Vec<Tried>,
    usage: Option<Usage>,
    step: Step,
}

enum Step {
    Ask,
    Answer(Deltas),
    Answered,
    Failed(Failure),
    Pause(Duration),
    GiveUp,
    Over,
}

impl Asked {
    async fn next(mut self) -> Option<(Event, Self)> {
        loop {
            match std::mem::replace(&mut self.step, Step::Over) {
                Step::Over => return None,
                Step::Pause(after) => {
                    tokio::time::sleep(after).await;
                    self.step = Step::Ask;
                }
                Step::Ask => {
                    let Some(link) = self.chain.links.get(self.link) else {
                        self.step = Step::GiveUp;
                        continue;
                    };
                    let model = link.name.clone();
                    self.step = match &link.model {
                        Ok(model) => Step::Answer(model.ask(Arc::clone(&self.request))),
                        Err(failure) => Step::Failed(failure.clone()),
                    };
                    let attempt = self.attempt;
                    return Some((Event::Asking { model, attempt }, self));
                }
                Step::Answer(mut deltas) => match deltas.next().await {
                    Some(Ok(delta)) => {
                        if let Delta::Usage(usage) = delta {
                            self.usage = Some(usage);
                        }
                        let is_last = matches!(delta, Delta::Stop(_));
                        self.step = if is_last { Step::Answered } else { Step::Answer(deltas) };
                        return Some((Event::Delta(delta), self));
                    }
                    Some(Err(failure)) => self.step = Step::Failed(failure),
                    None => {
                        let cut = "the answer was cut off before its end";
                        self.step = Step::Failed(Failure::new(Class::Network, cut));
                    }
                },
                Step::Answered => {
                    let model = self.chain.links[self.link].name.clone();
                    let tried = std::mem::take(&mut self.tried);
                    return Some((Event::Answered { model, tried }, self));
                }
                Step::Failed(failure) => return Some(self.failed(failure)),
                Step::GiveUp => return Some((Event::GaveUp(GaveUp(std::mem::take(&mut self.tried))), self)),
            }
        }
    }

    fn failed(mut self, failure: Failure) -> (Event, Self) {
        let model = self.chain.links[self.link].name.clone();
        let pause = self.chain.policy.pause(self.attempt, &failure);
        let fallback = self.chain.links.get(self.link + 1).filter(|_| failure.class.falls_back());
        let next = match (pause, fallback) {
            (Some(after), _) => Next::Again { after },
            (None, Some(link)) => Next::Fallback { model: link.name.clone() },
            (None, None) => Next::GiveUp,
        };
        let tried = Tried { model, attempt: self.attempt, failure, usage: self.usage.take() };
        self.tried.push(tried.clone());
        self.step = match &next {
            Next::Again { after } => Step::Pause(*after),
            Next::Fallback { .. } => Step::Ask,
            Next::GiveUp => Step::GiveUp,
        };
        match &next {
            Next::Again { .. } => self.attempt += 1,
            Next::Fallback { .. } => (self.link, self.attempt) = (self.link + 1, 1),
            Next::GiveUp => {}
        }
        (Event::Dropped { tried, next }, self)
    }
}

impl From<GaveUp> for Problem {
    fn from(gave_up: GaveUp) -> Self {
        let message = gave_up.to_string();
        let mut tried = gave_up.0;
        let Some(last) = tried.pop() else {
            return Self::new(ErrorCode::NotFound, message).hint("`tarsus models set` chooses one");
        };
        let problem = Self { message, ..last.failure.into() };
        tried.into_iter().fold(problem, |problem, tried| {
            problem.note(format!("before that {} (try {}): {}", tried.model, tried.attempt, tried.failure))
        })
    }
}

#[cfg(test)]
mod tests;
