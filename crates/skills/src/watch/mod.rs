//! Noticing changes below the roots of a library, and bringing the library up to date once they have settled.
//!
//! Promises: a change after [`Watcher::start`] returned is noticed; many changes at once are one refresh; where the
//! system cannot watch, everything is looked at again from time to time, and [`Event::Polling`] says so. Leaves to
//! others: what is done with a changed snapshot.

mod armed;
mod mailbox;
mod relevant;
#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tarsus_host::Clock;

use self::armed::{Armed, System};
use self::mailbox::{Mail, Mailbox, Touched};
use crate::Library;
use crate::snapshot::Different;

/// How a watcher waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How long it must be quiet before changes are read.
    pub settle: Duration,
    /// How long changes may go on before they are read all the same.
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

/// What a watcher tells.
#[derive(Debug)]
pub enum Event {
    /// Skills are different.
    Changed(Different),
    /// The system cannot watch, and why; said once.
    Polling(String),
}

/// Watches the roots of a library until it is dropped.
#[derive(Debug)]
pub struct Watcher {
    mailbox: Arc<Mailbox>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// Begins to watch, then looks at everything once: what changed before is not missed either. `tell` is called on
    /// a thread of its own.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        library: Arc<Library>,
        clock: Clock,
        pace: Pace,
        tell: impl FnMut(Event) + Send + 'static,
    ) -> std::io::Result<Self> {
        Self::start_on(armed::this_system(), library, clock, pace, Box::new(tell))
    }

    fn start_on(
        system: System,
        library: Arc<Library>,
        clock: Clock,
        pace: Pace,
        tell: Box<dyn FnMut(Event) + Send>,
    ) -> std::io::Result<Self> {
        let mailbox = Arc::new(Mailbox::default());
        let inbox = Closing(Arc::clone(&mailbox));
        let (ready, is_ready) = mpsc::channel();
        let thread = thread::Builder::new().name("skills-watch".to_owned()).spawn(move || {
            let armed = Armed::new(system, Arc::clone(&inbox.0));
            let mut watch = Watch { armed, library, clock, pace, tell, polling: false };
            watch.rearm();
            // Nobody waits any more when the starter is gone.
            let _ = ready.send(());
            watch.run(&inbox.0);
        })?;
        // An error means that the thread is gone, and there is nothing to wait for.
        let _ = is_ready.recv();
        Ok(Self { mailbox, thread: Some(thread) })
    }

    /// Watches the roots that the library has now, after its configuration changed. They are watched when this
    /// returns.
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

struct Watch {
    armed: Armed,
    library: Arc<Library>,
    clock: Clock,
    pace: Pace,
    tell: Box<dyn FnMut(Event) + Send>,
    polling: bool,
}

impl Watch {
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
                Mail::Touched(touched) => self.refresh(&touched),
            }
        }
    }

    fn refresh(&mut self, touched: &Touched) {
        // Before looking: what appears while looking is then noticed.
        if self.armed.must_be_armed_anew(touched) {
            self.rearm();
            return;
        }
        let different = match touched {
            Touched::At(paths) => self.library.refresh_at(paths),
            Touched::Anywhere => self.library.refresh(),
        };
        self.tell_of(different);
    }

    fn rearm(&mut self) {
        let refused = self.armed.arm(&self.library.roots());
        if let (Err(why), false) = (&refused, self.polling) {
            (self.tell)(Event::Polling(why.to_string()));
        }
        self.polling = refused.is_err();
        let different = self.library.refresh();
        self.tell_of(different);
    }

    fn tell_of(&mut self, different: Different) {
        if !different.is_empty() {
            (self.tell)(Event::Changed(different));
        }
    }
}
