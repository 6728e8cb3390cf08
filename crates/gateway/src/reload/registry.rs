//! Publishes changes of the app registry file, each version once. The registry itself is read on every use.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsus_apps::Registry;
use tarsus_home::Home;
use tarsus_home::config::json5::MAX_BYTES;
use tarsus_home::files::{self, Fingerprints};
use tarsus_protocol::Problem;
use tarsus_protocol::event::{AppsAction, AppsChanged, Event};

use crate::events::Events;

/// The registry version that clients were last notified of.
#[derive(Debug)]
pub struct KnownRegistry {
    /// Its hash; `None` if the file is missing or unreadable. Locked only briefly.
    hash: Mutex<Option<String>>,
    /// Held while a client changes the file and while it is compared, which may take a while.
    writing: Mutex<()>,
}

impl KnownRegistry {
    /// Reads the version at start-up.
    #[must_use]
    pub fn load(home: &Home) -> Self {
        Self { hash: Mutex::new(hash(home)), writing: Mutex::default() }
    }

    /// Applies a change and publishes it under one lock, so that the watcher does not publish it first.
    ///
    /// # Errors
    /// The error of `change`; nothing is published then.
    pub fn changing<T, E>(
        &self,
        events: &Events,
        change: impl FnOnce() -> Result<(T, Option<AppsChanged>), E>,
    ) -> Result<T, E> {
        let _writing = self.writing();
        let (done, changed) = change()?;
        if let Some(changed) = changed {
            self.publish(events, &changed);
        }
        Ok(done)
    }

    /// Publishes a change; a new version of the file only once.
    pub fn publish(&self, events: &Events, changed: &AppsChanged) {
        match changed.action {
            AppsAction::Launch | AppsAction::Stop => events.publish(Event::AppsChanged, changed),
            AppsAction::Create | AppsAction::Save | AppsAction::Delete | AppsAction::Change => {
                let mut known = self.known();
                if *known != changed.hash {
                    events.publish(Event::AppsChanged, changed);
                    known.clone_from(&changed.hash);
                }
            }
        }
    }

    /// Reads the file and publishes a version that clients do not know yet.
    pub(super) fn publish_if_changed(&self, home: &Home, events: &Events) {
        let writing = self.writing();
        let hash = hash(home);
        if *self.known() == hash {
            return;
        }
        self.publish(events, &AppsChanged { action: AppsAction::Change, name: None, hash });
        drop(writing);
        if let Err(error) = Registry::for_home(home).load() {
            let Problem { message, location, .. } = error.into();
            let (line, column) = location.map_or((None, None), |location| (location.line, location.column));
            tracing::warn!(line, column, reason = message, "the changed app registry is invalid");
        }
    }

    fn writing(&self) -> MutexGuard<'_, ()> {
        // It protects nothing that a panic could leave half done.
        self.writing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, Option<String>> {
        // A holder that panicked has left a whole value behind.
        self.hash.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The hash of the file, valid or not.
fn hash(home: &Home) -> Option<String> {
    let bytes = files::read(Registry::for_home(home).path(), MAX_BYTES).ok()??;
    Fingerprints::for_home(home).hash(&bytes).ok()
}
