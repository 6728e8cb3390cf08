//! Noticing changes below the roots of a library, and bringing the library up to date once they have settled.
//!
//! Promises: those of [`tarsus_host::watch`]; [`Event::Polling`] says when the system cannot watch. Leaves to others:
//! what is done with a changed snapshot.

pub(crate) mod relevant;

use std::sync::Arc;

use tarsus_host::Clock;
use tarsus_host::watch::{self, ChangedPaths, WatchHandler, WatchTarget};

use crate::Library;
use crate::snapshot::ChangesByAgent;

pub use tarsus_host::watch::WatchTiming;

/// What a watcher tells.
#[derive(Debug)]
pub enum Event {
    /// Skills are different.
    Changed(ChangesByAgent),
    /// The system cannot watch, and why; said once.
    Polling(String),
}

/// Watches the roots of a library until it is dropped.
#[derive(Debug)]
pub struct Watcher(watch::Watcher);

impl Watcher {
    /// Begins to watch, and once that is so looks at everything: what changed before is not missed either. Does not
    /// wait for that. `tell` is called on a thread of its own.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        library: Arc<Library>,
        clock: Clock,
        pace: WatchTiming,
        tell: impl FnMut(Event) + Send + 'static,
    ) -> std::io::Result<Self> {
        watch::Watcher::start("skills-watch", clock, pace, Refreshing { library, tell }).map(Self)
    }

    /// Watches the roots that the library has now, after its configuration changed. They are watched when this
    /// returns.
    pub fn rearm(&self) {
        self.0.rearm();
    }
}

struct Refreshing<T> {
    library: Arc<Library>,
    tell: T,
}

impl<T: FnMut(Event) + Send + 'static> WatchHandler for Refreshing<T> {
    fn targets(&self) -> Vec<WatchTarget> {
        let roots = self.library.roots().into_iter();
        // Any file of a skill from elsewhere matters; the library knows which skills are.
        roots.map(|root| WatchTarget::Folder { path: root.path, matters: |_, _| true }).collect()
    }

    fn on_change(&mut self, touched: &ChangedPaths) {
        let different = match touched {
            ChangedPaths::At(paths) => self.library.refresh_at(paths),
            ChangedPaths::Anywhere => self.library.refresh(),
        };
        if !different.is_empty() {
            (self.tell)(Event::Changed(different));
        }
    }

    fn on_polling(&mut self, why: &str) {
        (self.tell)(Event::Polling(why.to_owned()));
    }
}
