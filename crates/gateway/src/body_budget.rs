//! A bound on the bytes of all request bodies that are in memory at one moment.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use futures_util::{StreamExt, future};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The bytes that all bodies may take together.
#[derive(Debug)]
pub(crate) struct BodyBudget(Arc<Semaphore>);

/// The share of one request, given back when the last clone is dropped.
#[derive(Debug, Clone)]
pub(crate) struct BodyShare(Arc<Share>);

#[derive(Debug)]
struct Share {
    budget: Arc<Semaphore>,
    held: Mutex<Option<OwnedSemaphorePermit>>,
    is_exceeded: AtomicBool,
}

/// A body does not fit into the budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the gateway is reading too many large requests at once")]
pub(crate) struct BudgetExceeded;

impl BodyBudget {
    pub(crate) fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes)))
    }

    /// The share of a new request: nothing yet.
    pub(crate) fn share(&self) -> BodyShare {
        let budget = Arc::clone(&self.0);
        BodyShare(Arc::new(Share { budget, held: Mutex::default(), is_exceeded: AtomicBool::new(false) }))
    }
}

impl BodyShare {
    /// Counts the bytes of a body as they are read; fails the body that does not fit.
    pub(crate) fn count(&self, body: Body) -> Body {
        let share = self.clone();
        Body::from_stream(body.into_data_stream().then(move |chunk| {
            future::ready(match chunk {
                Ok(chunk) if share.take(chunk.len()) => Ok(chunk),
                Ok(_) => Err(axum::Error::new(BudgetExceeded)),
                Err(error) => Err(error),
            })
        }))
    }

    fn take(&self, bytes: usize) -> bool {
        let permits = u32::try_from(bytes).unwrap_or(u32::MAX);
        let Ok(more) = Arc::clone(&self.0.budget).try_acquire_many_owned(permits) else {
            self.0.is_exceeded.store(true, Ordering::Relaxed);
            return false;
        };
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        match held.as_mut() {
            Some(held) => held.merge(more),
            None => *held = Some(more),
        }
        true
    }

    /// Gives the bytes back: the body was dropped.
    pub(crate) fn release(&self) {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Why the body was not read to its end, if that is our reason.
    pub(crate) fn exceeded(&self) -> Option<BudgetExceeded> {
        self.0.is_exceeded.load(Ordering::Relaxed).then_some(BudgetExceeded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bodies_share_one_budget() {
        let budget = BodyBudget::new(10);
        let (first, second, third) = (budget.share(), budget.share(), budget.share());
        let read = async |share: &BodyShare, text: &'static str| {
            axum::body::to_bytes(share.count(Body::from(text)), usize::MAX).await.is_ok()
        };
        assert!(read(&first, "123456").await);
        assert!(!read(&second, "12345").await);
        assert_eq!((first.exceeded(), second.exceeded()), (None, Some(BudgetExceeded)));
        assert!(read(&third, "1234").await);
        first.release();
        assert!(read(&second, "12345").await, "released bytes are free again");
        drop((second, third));
        assert!(read(&first, "1234567890").await, "so are those of dropped requests");
    }
}
