//! A model and its fallbacks: attempts, delays and a record of every failure.
//!
//! When an attempt fails, an event discards its output before any other output is sent. Dropping the stream cancels
//! the current request.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::stream::unfold;
use futures_util::{Stream, StreamExt};
use tarsus_home::Home;
use tarsus_home::config::Lookup;
use tarsus_protocol::{ErrorCode, NoAnswer, Problem};

use crate::catalog::ModelCatalog;
use crate::delta::Delta;
use crate::error::ModelError;
use crate::name::ModelName;
use crate::remote::{DeltaStream, LanguageModel, ModelConnections};
use crate::request::ModelRequest;
use crate::retry::RetryPolicy;
use crate::usage::Usage;

/// One model of a chain. A model that could not be opened counts as a failed attempt.
#[derive(Clone)]
pub struct ChainLink {
    pub name: ModelName,
    pub model: Result<Arc<dyn LanguageModel>, ModelError>,
}

impl ChainLink {
    #[must_use]
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { name: model.name().clone(), model: Ok(model) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedAttempt {
    pub model: ModelName,
    /// Counts from 1 for each model.
    pub attempt: u32,
    pub error: ModelError,
    /// Tokens that the failed attempt used, where the provider reported them.
    pub usage: Option<Usage>,
}

/// The decision after a failed attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RetryDecision {
    /// Call this model again after a delay.
    Retry {
        after: Duration,
    },
    Fallback {
        model: ModelName,
    },
    GiveUp,
}

/// No model answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.last().map_or("no model is configured".to_owned(), |last| format!("{}: {}", last.model, last.error)))]
pub struct ChainError(
    /// Every failed attempt, in order.
    pub Vec<FailedAttempt>,
);

/// An event of a chain. The last one is `Completed` or `Failed`.
#[derive(Debug, Clone, PartialEq)]
pub enum ChainEvent {
    AttemptStarted {
        model: ModelName,
        /// Counts from 1 for each model.
        attempt: u32,
    },
    Delta(Delta),
    /// The attempt failed: discard everything streamed since `AttemptStarted`.
    AttemptFailed {
        failed: FailedAttempt,
        decision: RetryDecision,
    },
    Completed {
        model: ModelName,
        failed: Vec<FailedAttempt>,
    },
    Failed(ChainError),
}

pub type ChainEvents = Pin<Box<dyn Stream<Item = ChainEvent> + Send>>;

/// A model and the fallbacks to call when it fails, in this order.
#[derive(Clone)]
pub struct ModelChain {
    links: Arc<[ChainLink]>,
    policy: RetryPolicy,
}

impl ModelChain {
    #[must_use]
    pub fn new(links: Vec<ChainLink>, policy: RetryPolicy) -> Self {
        Self { links: links.into(), policy }
    }

    /// Opens models in the order of their names. A model that cannot be opened is in the chain with its error. Environment
    /// variables are read before this returns.
    pub fn open(
        connections: &ModelConnections,
        catalog: &ModelCatalog,
        names: &[ModelName],
        home: &Home,
        variables: Lookup<'_>,
        policy: RetryPolicy,
    ) -> impl Future<Output = Self> + Send + use<> {
        let opened: Vec<_> = names
            .iter()
            .map(|name| {
                let opened = catalog.model(name).map(|model| connections.open(model, home, variables));
                let name = name.clone();
                async move {
                    let model = match opened {
                        Ok(remote) => remote.await,
                        Err(failure) => Err(failure),
                    };
                    ChainLink { name, model: model.map(|remote| Arc::new(remote) as Arc<dyn LanguageModel>) }
                }
            })
            .collect();
        async move { Self::new(join_all(opened).await, policy) }
    }

    #[must_use]
    pub fn links(&self) -> &[ChainLink] {
        &self.links
    }

    /// Sends the request. Nothing happens before the stream is polled.
    #[must_use]
    pub fn stream(&self, request: Arc<ModelRequest>) -> ChainEvents {
        let state = ChainState {
            chain: self.clone(),
            request,
            link: 0,
            attempt: 1,
            failed: Vec::new(),
            usage: None,
            step: Step::Start,
        };
        Box::pin(unfold(state, |state| state.next()))
    }
}

struct ChainState {
    chain: ModelChain,
    request: Arc<ModelRequest>,
    link: usize,
    attempt: u32,
    failed: Vec<FailedAttempt>,
    usage: Option<Usage>,
    step: Step,
}

enum Step {
    Start,
    Stream(DeltaStream),
    Complete,
    Failed(ModelError),
    Pause(Duration),
    GiveUp,
    Done,
}

impl ChainState {
    async fn next(mut self) -> Option<(ChainEvent, Self)> {
        loop {
            match std::mem::replace(&mut self.step, Step::Done) {
                Step::Done => return None,
                Step::Pause(after) => {
                    tokio::time::sleep(after).await;
                    self.step = Step::Start;
                }
                Step::Start => {
                    let Some(link) = self.chain.links.get(self.link) else {
                        self.step = Step::GiveUp;
                        continue;
                    };
                    let model = link.name.clone();
                    self.step = match &link.model {
                        Ok(model) => Step::Stream(model.stream(Arc::clone(&self.request))),
                        Err(failure) => Step::Failed(failure.clone()),
                    };
                    let attempt = self.attempt;
                    return Some((ChainEvent::AttemptStarted { model, attempt }, self));
                }
                Step::Stream(mut deltas) => match deltas.next().await {
                    Some(Ok(delta)) => {
                        if let Delta::Usage(usage) = delta {
                            self.usage = Some(usage);
                        }
                        let is_last = matches!(delta, Delta::Stop(_));
                        self.step = if is_last { Step::Complete } else { Step::Stream(deltas) };
                        return Some((ChainEvent::Delta(delta), self));
                    }
                    Some(Err(failure)) => self.step = Step::Failed(failure),
                    None => {
                        let cut = "the answer was cut off before its end";
                        self.step = Step::Failed(ModelError::new(NoAnswer::Network, cut));
                    }
                },
                Step::Complete => {
                    let model = self.chain.links[self.link].name.clone();
                    let tried = std::mem::take(&mut self.failed);
                    return Some((ChainEvent::Completed { model, failed: tried }, self));
                }
                Step::Failed(failure) => return Some(self.failed(failure)),
                Step::GiveUp => {
                    return Some((ChainEvent::Failed(ChainError(std::mem::take(&mut self.failed))), self));
                }
            }
        }
    }

    fn failed(mut self, failure: ModelError) -> (ChainEvent, Self) {
        let model = self.chain.links[self.link].name.clone();
        let pause = self.chain.policy.delay(self.attempt, &failure);
        let fallback = self.chain.links.get(self.link + 1).filter(|_| failure.allows_fallback());
        let next = match (pause, fallback) {
            (Some(after), _) => RetryDecision::Retry { after },
            (None, Some(link)) => RetryDecision::Fallback { model: link.name.clone() },
            (None, None) => RetryDecision::GiveUp,
        };
        let tried = FailedAttempt { model, attempt: self.attempt, error: failure, usage: self.usage.take() };
        self.failed.push(tried.clone());
        self.step = match &next {
            RetryDecision::Retry { after } => Step::Pause(*after),
            RetryDecision::Fallback { .. } => Step::Start,
            RetryDecision::GiveUp => Step::GiveUp,
        };
        match &next {
            RetryDecision::Retry { .. } => self.attempt += 1,
            RetryDecision::Fallback { .. } => (self.link, self.attempt) = (self.link + 1, 1),
            RetryDecision::GiveUp => {}
        }
        (ChainEvent::AttemptFailed { failed: tried, decision: next }, self)
    }
}

impl From<ChainError> for Problem {
    fn from(gave_up: ChainError) -> Self {
        let message = gave_up.to_string();
        let mut tried = gave_up.0;
        let Some(last) = tried.pop() else {
            return Self::new(ErrorCode::NotFound, message).hint("choose one with `tarsus models set`");
        };
        let problem = Self { message, ..last.error.into() };
        tried.into_iter().fold(problem, |problem, tried| {
            problem.note(format!("before that {} (attempt {}): {}", tried.model, tried.attempt, tried.error))
        })
    }
}

#[cfg(test)]
mod tests;
