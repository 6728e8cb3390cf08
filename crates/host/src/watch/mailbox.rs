//! What waits for the watcher's thread: places that were touched, and requests.
//!
//! Promises: whoever posts never waits; what waits is bounded. When too many places were touched, everything may have
//! changed, and that is what is kept.

use std::collections::BTreeSet;
use std::mem;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::Clock;

use super::Pace;

/// Places that wait to be looked at.
pub const TOUCHED_WAITING: usize = 4_096;

/// Where something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Touched {
    /// At these paths.
    At(BTreeSet<PathBuf>),
    /// At a place that is not known.
    Anywhere,
}

impl Touched {
    fn add(&mut self, more: Self) {
        match (&mut *self, more) {
            (Self::At(paths), Self::At(more)) => {
                paths.extend(more);
                if paths.len() > TOUCHED_WAITING {
                    *self = Self::Anywhere;
                }
            }
            (_, Self::Anywhere) => *self = Self::Anywhere,
            (Self::Anywhere, _) => {}
        }
    }
}

/// What the watcher's thread is to do next.
#[derive(Debug)]
pub enum Mail {
    /// Look at what was touched.
    Touched(Touched),
    /// Watch other roots, and tell these.
    Rearm(Vec<Sender<()>>),
    /// End.
    Stop,
}

/// What waits.
#[derive(Debug, Default)]
pub struct Mailbox {
    post: Mutex<Post>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct Post {
    touched: Option<Touched>,
    rearm: Vec<Sender<()>>,
    closed: bool,
    /// How often something was touched.
    touches: u64,
}

impl Mailbox {
    /// Something happened.
    pub fn touch(&self, touched: Touched) {
        self.post(|post| {
            post.touches = post.touches.wrapping_add(1);
            match &mut post.touched {
                Some(before) => before.add(touched),
                none => *none = Some(touched),
            }
        });
    }

    /// Asks for the roots to be watched anew; `done` is dropped unanswered when nobody will do it.
    pub fn rearm(&self, done: Sender<()>) {
        self.post(|post| {
            if !post.closed {
                post.rearm.push(done);
            }
        });
    }

    /// Asks for the end, or says that it has come.
    pub fn close(&self) {
        self.post(|post| {
            post.closed = true;
            post.rearm.clear();
        });
    }

    fn post(&self, change: impl FnOnce(&mut Post)) {
        change(&mut self.lock());
        self.arrived.notify_all();
    }

    /// Waits for what is to be done next: for touches until they have settled. With `poll`, when nothing comes for that
    /// long, everything is to be looked at.
    pub fn next(&self, pace: Pace, poll: bool, clock: &Clock) -> Mail {
        let mut post = self.lock();
        let mut first = None;
        loop {
            if post.closed {
                return Mail::Stop;
            }
            if !post.rearm.is_empty() {
                return Mail::Rearm(mem::take(&mut post.rearm));
            }
            let patience = if let Some(touched) = post.touched.take() {
                let now = clock.monotonic();
                if now.duration_since(*first.get_or_insert(now)) >= pace.at_most {
                    return Mail::Touched(touched);
                }
                post.touched = Some(touched);
                Some(pace.settle)
            } else {
                poll.then_some(pace.poll)
            };
            let touches = post.touches;
            let timed_out;
            (post, timed_out) = self.wait(post, patience);
            if timed_out && post.touches == touches {
                return Mail::Touched(post.touched.take().unwrap_or(Touched::Anywhere));
            }
        }
    }

    fn wait<'m>(
        &self,
        post: MutexGuard<'m, Post>,
        patience: Option<Duration>,
    ) -> (MutexGuard<'m, Post>, bool) {
        match patience {
            Some(patience) => {
                let waited = self.arrived.wait_timeout(post, patience);
                let (post, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
                (post, timeout.timed_out())
            }
            None => (self.arrived.wait(post).unwrap_or_else(PoisonError::into_inner), false),
        }
    }

    /// Every change of what waits is one step, so that a panic leaves nothing half done.
    fn lock(&self) -> MutexGuard<'_, Post> {
        self.post.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { settle: Duration::ZERO, at_most: Duration::ZERO, poll: Duration::ZERO };

    fn at(numbers: std::ops::Range<usize>) -> Touched {
        Touched::At(numbers.map(|number| PathBuf::from(number.to_string())).collect())
    }

    fn taken(posts: &[Touched]) -> Touched {
        let mailbox = Mailbox::default();
        for touched in posts {
            mailbox.touch(touched.clone());
        }
        match mailbox.next(PACE, true, &Clock::fixed(0).0) {
            Mail::Touched(touched) => touched,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_was_touched_is_kept_until_it_is_too_much_and_then_it_is_everything() {
        let table = [
            (vec![], Touched::Anywhere),
            (vec![at(0..2), at(1..3)], at(0..3)),
            (vec![at(0..TOUCHED_WAITING)], at(0..TOUCHED_WAITING)),
            (vec![at(0..TOUCHED_WAITING), at(0..1)], at(0..TOUCHED_WAITING)),
            (vec![at(0..TOUCHED_WAITING), at(0..TOUCHED_WAITING + 1), at(0..1)], Touched::Anywhere),
            (vec![at(0..1), Touched::Anywhere], Touched::Anywhere),
            (vec![Touched::Anywhere, at(0..1)], Touched::Anywhere),
        ];
        for (posts, expected) in table {
            assert_eq!(taken(&posts), expected);
        }
    }

    #[test]
    fn a_request_comes_before_what_was_touched_and_the_end_before_everything() {
        let (mailbox, (clock, _hand)) = (Mailbox::default(), Clock::fixed(0));
        let (done, is_done) = std::sync::mpsc::channel();
        mailbox.touch(at(0..1));
        mailbox.rearm(done.clone());
        assert!(matches!(mailbox.next(PACE, false, &clock), Mail::Rearm(requests) if requests.len() == 1));
        assert!(matches!(mailbox.next(PACE, false, &clock), Mail::Touched(touched) if touched == at(0..1)));
        mailbox.rearm(done.clone());
        mailbox.close();
        mailbox.rearm(done);
        assert!(matches!(mailbox.next(PACE, false, &clock), Mail::Stop));
        assert!(is_done.recv().is_err(), "nobody waits for an answer that never comes");
    }
}
