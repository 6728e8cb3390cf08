//! The pending result of a change. It is ready once the change has the requested durability.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::sync::oneshot;

use crate::error::StoreError;

/// The pending result of a change: await it, or block with [`wait`](PendingChange::wait). Dropping it does not cancel the
/// change.
#[derive(Debug)]
#[must_use = "only the result tells whether the change was made"]
pub struct PendingChange<T>(State<T>);

#[derive(Debug)]
enum State<T> {
    Waiting(oneshot::Receiver<Result<T, StoreError>>),
    /// `None` once it was returned.
    Refused(Option<StoreError>),
}

// Nothing in it is ever borrowed across a poll.
impl<T> Unpin for PendingChange<T> {}

impl<T> PendingChange<T> {
    pub(crate) fn waiting(receiver: oneshot::Receiver<Result<T, StoreError>>) -> Self {
        Self(State::Waiting(receiver))
    }

    pub(crate) fn refused(error: StoreError) -> Self {
        Self(State::Refused(Some(error)))
    }

    /// Blocks the current thread until the result is there; in async code, await instead.
    ///
    /// # Errors
    /// Returns the reason when the change was not made.
    pub fn wait(mut self) -> Result<T, StoreError> {
        let waker = Waker::from(Arc::new(ThreadWaker(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            match Pin::new(&mut self).poll(&mut context) {
                Poll::Ready(answer) => return answer,
                Poll::Pending => thread::park(),
            }
        }
    }
}

struct ThreadWaker(Thread);

impl Wake for ThreadWaker {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl<T> Future for PendingChange<T> {
    type Output = Result<T, StoreError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            State::Waiting(receiver) => {
                Pin::new(receiver).poll(context).map(|answer| answer.unwrap_or(Err(StoreError::Closed)))
            }
            State::Refused(error) => Poll::Ready(Err(error.take().unwrap_or(StoreError::Closed))),
        }
    }
}
