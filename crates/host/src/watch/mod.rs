//! File watching with debouncing.
//!
//! Every change after [`Watcher::start`] returned is noticed, and many changes at once are one call. Where the system
//! cannot watch, everything is checked at intervals.

mod active_watches;
mod mailbox;
mod target;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use self::active_watches::{ActiveWatches, System};
use self::mailbox::{Mailbox, WatcherTask};
use crate::Clock;

pub use self::mailbox::ChangedPaths;
pub use self::target::{ChangeKind, WatchTarget};

/// The delays of a watcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WatchTiming {
    /// Quiet time before changes are reported.
    pub settle: Duration,
    /// The longest delay of a report while changes go on.
    pub at_most: Duration,
    /// The interval of full checks where the system cannot watch.
    pub poll: Duration,
}

impl WatchTiming {
    /// Timing for changes that settle in `settle`.
    #[must_use]
    pub const fn with_settle(settle: Duration) -> Self {
        Self { settle, at_most: settle.saturating_mul(20), poll: settle.saturating_mul(8) }
    }
}

/// Receives changes, on the watcher's own thread.
pub trait WatchHandler: Send + 'static {
    /// The files and folders to watch.
    fn targets(&self) -> Vec<WatchTarget>;

    /// Something changed, or may have.
    fn on_change(&mut self, changed: &ChangedPaths);

    /// The system cannot watch, for this reason; from now on everything is checked at intervals.
    fn on_polling(&mut self, why: &str);
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    mailbox: Arc<Mailbox>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Starts to watch and then reports a full check, so that earlier changes are not missed. Does not wait for it. `name` is
    /// the thread's.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(
        name: &str,
        clock: Clock,
        timing: WatchTiming,
        handler: impl WatchHandler,
    ) -> std::io::Result<Self> {
        Self::start_on(active_watches::this_system(), name, clock, timing, handler)
    }

    fn start_on(
        system: System,
        name: &str,
        clock: Clock,
        timing: WatchTiming,
        handler: impl WatchHandler,
    ) -> std::io::Result<Self> {
        let mailbox = Arc::new(Mailbox::default());
        let inbox = Closing(Arc::clone(&mailbox));
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            let active_watches = ActiveWatches::new(system, Arc::clone(&inbox.0));
            let mut watch = Watch { active_watches, handler, clock, timing, polling: false };
            watch.rearm();
            watch.run(&inbox.0);
        })?;
        Ok(Self { mailbox, thread: Some(thread) })
    }

    /// Updates the watches after the targets changed. When this returns, the new targets are watched and were checked.
    pub fn rearm(&self) {
        let (done, is_done) = mpsc::channel();
        self.mailbox.rearm(done);
        // An error means that the thread has ended.
        let _ = is_done.recv();
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.mailbox.close();
        if let Some(thread) = self.thread.take() {
            // A panic was printed where it happened.
            let _ = thread.join();
        }
    }
}

/// Closes the mailbox, however the thread ends.
struct Closing(Arc<Mailbox>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

struct Watch<L> {
    active_watches: ActiveWatches,
    handler: L,
    clock: Clock,
    timing: WatchTiming,
    polling: bool,
}

impl<L: WatchHandler> Watch<L> {
    fn run(&mut self, mailbox: &Mailbox) {
        loop {
            match mailbox.next(self.timing, self.polling, &self.clock) {
                WatcherTask::Stop => return,
                WatcherTask::Rearm(requests) => {
                    self.rearm();
                    for done in requests {
                        // The caller may have gone.
                        let _ = done.send(());
                    }
                }
                // Before the check, so that changes during it are noticed.
                WatcherTask::ChangedPaths(changed) if self.active_watches.must_rearm(&changed) => {
                    self.rearm()
                }
                WatcherTask::ChangedPaths(changed) => self.handler.on_change(&changed),
            }
        }
    }

    fn rearm(&mut self) {
        let refused = self.active_watches.arm(self.handler.targets());
        if let (Err(why), false) = (&refused, self.polling) {
            self.handler.on_polling(&why.to_string());
        }
        self.polling = refused.is_err();
        self.handler.on_change(&ChangedPaths::Anywhere);
    }
}
