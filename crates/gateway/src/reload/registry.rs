//! The registry of apps, which is read fresh for each act: when its file is another one, clients are told, once.

use std::sync::{Mutex, MutexGuard, PoisonError};

use tarsus_apps::Registry;
use tarsus_home::Home;
use tarsus_home::config::json5::MAX_BYTES;
use tarsus_home::files::{self, Fingerprints};
use tarsus_protocol::Problem;
use tarsus_protocol::event::{AppsAction, AppsChanged, Event};

use crate::events::Events;

/// The version of the registry that clients know of.
#[derive(Debug)]
pub struct KnownRegistry {
    /// Its hash; none when there is no file, or none that can be read. Held only for a moment.
    hash: Mutex<Option<String>>,
    /// Held while a client changes the file and while it is looked at, which may take a while.
    writing: Mutex<()>,
}

impl KnownRegistry {
    /// The version that is there at the start.
    #[must_use]
    pub fn at_start(home: &Home) -> Self {
        Self { hash: Mutex::new(hash(home)), writing: Mutex::default() }
    }

    /// Makes a change and tells of it in one step, so that nobody else tells of it before.
    ///
    /// # Errors
    /// What `change` fails with; nothing is told then.
    pub fn changing<T, E>(
        &self,
        events: &Events,
        change: impl FnOnce() -> Result<(T, Option<AppsChanged>), E>,
    ) -> Result<T, E> {
        let _no_look_meanwhile = self.writing();
        let (done, changed) = change()?;
        if let Some(changed) = changed {
            self.tell(events, &changed);
        }
        Ok(done)
    }

    /// Tells of what was done; of another version of the file only if it is not known yet.
    pub fn tell(&self, events: &Events, changed: &AppsChanged) {
        match changed.action {
            AppsAction::Launch | AppsAction::Stop => events.tell(Event::AppsChanged, changed),
            AppsAction::Create | AppsAction::Save | AppsAction::Delete | AppsAction::Change => {
                let mut known = self.known();
                if *known != changed.hash {
                    events.tell(Event::AppsChanged, changed);
                    known.clone_from(&changed.hash);
                }
            }
        }
    }

    /// Looks at the file, and tells when it is not the one that clients know of.
    pub(super) fn look(&self, home: &Home, events: &Events) {
        let no_change_meanwhile = self.writing();
        let hash = hash(home);
        if *self.known() == hash {
            return;
        }
        self.tell(events, &AppsChanged { action: AppsAction::Change, name: None, hash });
        drop(no_change_meanwhile);
        if let Err(error) = Registry::of(home).load() {
            let Problem { message, place, .. } = error.into();
            let (line, column) = place.map_or((None, None), |place| (place.line, place.column));
            tracing::warn!(line, column, reason = message, "the changed registry of apps cannot be used");
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

/// The hash of the file, whatever it says. Whoever asks for the apps is told why it cannot be read.
fn hash(home: &Home) -> Option<String> {
    let bytes = files::read(Registry::of(home).path(), MAX_BYTES).ok()??;
    Fingerprints::of(home).hash(&bytes).ok()
}
