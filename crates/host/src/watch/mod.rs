//! Noticing changes on disk, and having somebody look once they have settled.
//!
//! Promises: a change after [`Watcher::start`] returned is noticed; many changes at once are one look; where the system
//! cannot watch, everything is looked at from time to time. Leaves to others: what there is to see.

mod armed;
mod mailbox;
mod place;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use self::armed::{Armed, System};
use self::mailbox::{Mail, Mailbox};
use crate::Clock;

pub use self::mailbox::Touched;
pub use self::place::{About, Place};

/// How a watcher waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How long it must be quiet before changes are looked at.
    pub settle: Duration,
    /// How long changes may go on before they are looked at all the same.
    pub at_most: Duration,
    /// How often everything is looked at where the system cannot watch.
    pub poll: Duration,
}

impl Pace {
    /// A pace for changes that settle in `settle`.
    #[must_use]
    pub const fn settling_in(settle: Duration) -> Self {
        Self { settle, at_most: settle.saturating_mul(20), poll: settle.saturating_mul(8) }
    }
}

/// Somebody who looks at what changed. Called on the watcher's own thread.
pub trait Look: Send + 'static {
    /// Where to watch.
    fn places(&self) -> Vec<Place>;

    /// Something changed there, or may have.
    fn look(&mut self, touched: &Touched);

    /// The system cannot watch, and why: from now on this looks at everything from time to time.
    fn polling(&mut self, why: &str);
}

/// Watches until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    mailbox: Arc<Mailbox>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Begins to watch, and once that is so looks at everything: what changed before is not missed either. Does not
    /// wait for that. `name` is the thread's.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(name: &str, clock: Clock, pace: Pace, looking: impl Look) -> std::io::Result<Self> {
        Self::start_on(armed::this_system(), name, clock, pace, looking)
    }

    fn start_on(
        system: System,
        name: &str,
        clock: Clock,
        pace: Pace,
        looking: impl Look,
    ) -> std::io::Result<Self> {
        let mailbox = Arc::new(Mailbox::default());
        let inbox = Closing(Arc::clone(&mailbox));
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            let armed = Armed::new(system, Arc::clone(&inbox.0));
            let mut watch = Watch { armed, looking, clock, pace, polling: false };
            watch.rearm();
            watch.run(&inbox.0);
        })?;
        Ok(Self { mailbox, thread: Some(thread) })
    }

    /// Watches where it is to watch now, after that has changed. The new places are watched, and were looked at, when
    /// this returns.
    pub fn rearm(&self) {
        let (done, is_done) = mpsc::channel();
        self.mailbox.rearm(done);
        // An error means that the thread is gone, and nobody watches.
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

/// Says that nobody reads any more, however the thread ends.
struct Closing(Arc<Mailbox>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

struct Watch<L> {
    armed: Armed,
    looking: L,
    clock: Clock,
    pace: Pace,
    polling: bool,
}

impl<L: Look> Watch<L> {
    fn run(&mut self, mailbox: &Mailbox) {
        loop {
            match mailbox.next(self.pace, self.polling, &self.clock) {
                Mail::Stop => return,
                Mail::Rearm(requests) => {
                    self.rearm();
                    for done in requests {
                        // Whoever asked may have gone.
                        let _ = done.send(());
                    }
                }
                // Before looking: what appears while looking is then noticed.
                Mail::Touched(touched) if self.armed.must_be_armed_anew(&touched) => self.rearm(),
                Mail::Touched(touched) => self.looking.look(&touched),
            }
        }
    }

    fn rearm(&mut self) {
        let refused = self.armed.arm(self.looking.places());
        if let (Err(why), false) = (&refused, self.polling) {
            self.looking.polling(&why.to_string());
        }
        self.polling = refused.is_err();
        self.looking.look(&Touched::Anywhere);
    }
}
