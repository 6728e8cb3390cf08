//! The changes that wait for the writer. Bounded in number and in bytes: what does not fit is refused at once, so that
//! nobody waits without end and memory does not grow.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::StoreError;
use crate::writer::Job;

/// Changes that may wait.
pub(crate) const CHANGES_WAITING: usize = 1_024;
/// Bytes of their messages. A change that waits alone may be of any size that a message may have.
const BYTES_WAITING: usize = 64 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct Queue {
    pending: Mutex<Pending>,
    changed: Condvar,
}

#[derive(Default)]
struct Pending {
    jobs: Vec<Box<dyn Job>>,
    bytes: usize,
    closed: bool,
}

impl Queue {
    pub(crate) fn push(&self, job: Box<dyn Job>) -> Result<(), StoreError> {
        let mut pending = self.lock();
        if pending.closed {
            return Err(StoreError::Closed);
        }
        let bytes = pending.bytes.saturating_add(job.bytes());
        if pending.jobs.len() == CHANGES_WAITING || bytes > BYTES_WAITING {
            return Err(StoreError::Behind);
        }
        pending.bytes = bytes;
        pending.jobs.push(job);
        drop(pending);
        self.changed.notify_one();
        Ok(())
    }

    /// All that wait, as soon as there are any; `None` when the queue is closed and everything was taken.
    pub(crate) fn take(&self) -> Option<Vec<Box<dyn Job>>> {
        let empty = |pending: &mut Pending| pending.jobs.is_empty() && !pending.closed;
        let mut pending = self.changed.wait_while(self.lock(), empty).unwrap_or_else(PoisonError::into_inner);
        pending.bytes = 0;
        Some(std::mem::take(&mut pending.jobs)).filter(|jobs| !jobs.is_empty())
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.lock().closed
    }

    /// Takes no more.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Each change of the queue is one step: a thread that panicked has left it whole.
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
