//! The queue of the watcher's thread: changed paths and requests.
//!
//! Posting never blocks, and the queue is bounded: too many changed paths become "anything may have changed".

use std::collections::BTreeSet;
use std::mem;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Clock;

use super::WatchTiming;

/// Changed paths that may wait.
pub const MAX_CHANGED_PATHS: usize = 4_096;

/// The location of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangedPaths {
    /// At these paths.
    At(BTreeSet<PathBuf>),
    /// At an unknown path.
    Anywhere,
}

impl ChangedPaths {
    fn add(&mut self, more: Self) {
        match (&mut *self, more) {
            (Self::At(paths), Self::At(more)) => {
                paths.extend(more);
                if paths.len() > MAX_CHANGED_PATHS {
                    *self = Self::Anywhere;
                }
            }
            (_, Self::Anywhere) => *self = Self::Anywhere,
            (Self::Anywhere, _) => {}
        }
    }
}

/// The next task of the watcher's thread.
#[derive(Debug)]
pub enum WatcherTask {
    /// Report changed paths.
    ChangedPaths(ChangedPaths),
    /// Set the watches again, and answer these.
    Rearm(Vec<Sender<()>>),
    /// Stop watching.
    Stop,
}

/// The queue.
#[derive(Debug, Default)]
pub struct Mailbox {
    post: Mutex<MailboxState>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct MailboxState {
    changed: Option<ChangedPaths>,
    rearm: Vec<Sender<()>>,
    closed: bool,
    /// Counts changes.
    touches: u64,
}

impl Mailbox {
    /// Adds changed paths.
    pub fn add(&self, changed: ChangedPaths) {
        self.post(|post| {
            post.touches = post.touches.wrapping_add(1);
            match &mut post.changed {
                Some(before) => before.add(changed),
                none => *none = Some(changed),
            }
        });
    }

    /// Requests new watches; `done` is dropped unanswered when the watcher has stopped.
    pub fn rearm(&self, done: Sender<()>) {
        self.post(|post| {
            if !post.closed {
                post.rearm.push(done);
            }
        });
    }

    /// Requests the end, or records it.
    pub fn close(&self) {
        self.post(|post| {
            post.closed = true;
            post.rearm.clear();
        });
    }

    fn post(&self, change: impl FnOnce(&mut MailboxState)) {
        change(&mut self.lock());
        self.arrived.notify_all();
    }

    /// Waits for the next task; changes are returned once they have settled. With `poll`, a quiet interval ends with a full
    /// check.
    pub fn next(&self, timing: WatchTiming, poll: bool, clock: &Clock) -> WatcherTask {
        let mut post = self.lock();
        let mut first = None;
        loop {
            if post.closed {
                return WatcherTask::Stop;
            }
            if !post.rearm.is_empty() {
                return WatcherTask::Rearm(mem::take(&mut post.rearm));
            }
            let patience = if let Some(changed) = post.changed.take() {
                let now = clock.monotonic();
                if now.duration_since(*first.get_or_insert(now)) >= timing.at_most {
                    return WatcherTask::ChangedPaths(changed);
                }
                post.changed = Some(changed);
                Some(timing.settle)
            } else {
                poll.then_some(timing.poll)
            };
            let touches = post.touches;
            let timed_out;
            (post, timed_out) = self.wait(post, patience);
            if timed_out && post.touches == touches {
                return WatcherTask::ChangedPaths(post.changed.take().unwrap_or(ChangedPaths::Anywhere));
            }
        }
    }

    fn wait<'m>(
        &self,
        post: MutexGuard<'m, MailboxState>,
        patience: Option<Duration>,
    ) -> (MutexGuard<'m, MailboxState>, bool) {
        match patience {
            Some(patience) => {
                let waited = self.arrived.wait_timeout(post, patience);
                let (post, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                (post, timeout.timed_out())
            }
            None => (self.arrived.wait(post).unwrap_or_else(PoisonError::into_inner), false),
        }
    }

    /// Every update is a single step, so that a panic leaves a consistent state.
    fn lock(&self) -> MutexGuard<'_, MailboxState> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: WatchTiming =
        WatchTiming { settle: Duration::ZERO, at_most: Duration::ZERO, poll: Duration::ZERO };

    fn at(numbers: std::ops::Range<usize>) -> ChangedPaths {
        ChangedPaths::At(numbers.map(|number| PathBuf::from(number.to_string())).collect())
    }

    fn taken(posts: &[ChangedPaths]) -> ChangedPaths {
        let mailbox = Mailbox::default();
        for changed in posts {
            mailbox.add(changed.clone());
        }
        match mailbox.next(PACE, true, &Clock::fixed(0).0) {
            WatcherTask::ChangedPaths(changed) => changed,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn too_many_changed_paths_become_anywhere() {
        let table = [
            (vec![], ChangedPaths::Anywhere),
            (vec![at(0..2), at(1..3)], at(0..3)),
            (vec![at(0..MAX_CHANGED_PATHS)], at(0..MAX_CHANGED_PATHS)),
            (vec![at(0..MAX_CHANGED_PATHS), at(0..1)], at(0..MAX_CHANGED_PATHS)),
            (vec![at(0..MAX_CHANGED_PATHS), at(0..MAX_CHANGED_PATHS + 1), at(0..1)], ChangedPaths::Anywhere),
            (vec![at(0..1), ChangedPaths::Anywhere], ChangedPaths::Anywhere),
            (vec![ChangedPaths::Anywhere, at(0..1)], ChangedPaths::Anywhere),
        ];
        for (posts, expected) in table {
            assert_eq!(taken(&posts), expected);
        }
    }

    #[test]
    fn requests_precede_changes_and_close_precedes_all() {
        let (mailbox, (clock, _hand)) = (Mailbox::default(), Clock::fixed(0));
        let (done, is_done) = std::sync::mpsc::channel();
        mailbox.add(at(0..1));
        mailbox.rearm(done.clone());
        assert!(
            matches!(mailbox.next(PACE, false, &clock), WatcherTask::Rearm(requests) if requests.len() == 1)
        );
        assert!(
            matches!(mailbox.next(PACE, false, &clock), WatcherTask::ChangedPaths(changed) if changed == at(0..1))
        );
        mailbox.rearm(done.clone());
        mailbox.close();
        mailbox.rearm(done);
        assert!(matches!(mailbox.next(PACE, false, &clock), WatcherTask::Stop));
        assert!(is_done.recv().is_err(), "nobody waits for an answer that never comes");
    }
}
