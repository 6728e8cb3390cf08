//! Watches the roots of a library and refreshes it once changes have settled.

pub(crate) mod relevant;

use std::sync::Arc;

use tarsus_host::Clock;
use tarsus_host::watch::{self, ChangedPaths, WatchHandler, WatchTarget};

use crate::Library;
use crate::snapshot::ChangesByAgent;

pub use tarsus_host::watch::WatchTiming;

/// An event of a [`SkillsWatcher`].
#[derive(Debug)]
pub enum WatchEvent {
    /// Skills changed.
    Changed(ChangesByAgent),
    /// The system cannot watch, for this reason, so the roots are polled. Sent once.
    Polling(String),
}

/// Watches the roots of a library until it is dropped.
#[derive(Debug)]
pub struct SkillsWatcher(watch::Watcher);

impl SkillsWatcher {
    /// Starts to watch and then refreshes everything, so that no earlier change is missed. Returns without waiting.
    /// `publish` is called on a separate thread.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(
        library: Arc<Library>,
        clock: Clock,
        timing: WatchTiming,
        publish: impl FnMut(WatchEvent) + Send + 'static,
    ) -> std::io::Result<Self> {
        watch::Watcher::start("skills-watch", clock, timing, Refresher { library, publish }).map(Self)
    }

    /// Watches the current roots of the library, after its configuration changed. They are watched when this returns.
    pub fn rearm(&self) {
        self.0.rearm();
    }
}

struct Refresher<T> {
    library: Arc<Library>,
    publish: T,
}

impl<T: FnMut(WatchEvent) + Send + 'static> WatchHandler for Refresher<T> {
    fn targets(&self) -> Vec<WatchTarget> {
        let roots = self.library.roots().into_iter();
        // Every file of a third-party skill matters; the library knows which skills these are.
        roots.map(|root| WatchTarget::Folder { path: root.path, matters: |_, _| true }).collect()
    }

    fn on_change(&mut self, touched: &ChangedPaths) {
        let different = match touched {
            ChangedPaths::At(paths) => self.library.refresh_at(paths),
            ChangedPaths::Anywhere => self.library.refresh(),
        };
        if !different.is_empty() {
            (self.publish)(WatchEvent::Changed(different));
        }
    }

    fn on_polling(&mut self, why: &str) {
        (self.publish)(WatchEvent::Polling(why.to_owned()));
    }
}
