//! The configuration and the settings that hold now, replaced whole.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tarsus_home::config::view::Gateway as Server;
use tarsus_home::config::{Checked, Config, ConfigFile, Loaded, check};
use tarsus_home::settings::{self, Logs, Settings};
use tarsus_protocol::Problem;
use tarsus_protocol::report::{ConfigReload, RejectedFile};

use super::judge::note_edits;
use crate::gateway::Surroundings;
use crate::overview::whole_file;

/// What holds, and what held at the start.
#[derive(Debug)]
pub struct InForce {
    /// Held only to take or to set the pointer.
    now: RwLock<Arc<Holding>>,
    /// Held while files are read and put in force, so that the newest ones are the last.
    applying: Mutex<()>,
    pub(super) began_with: BeganWith,
}

/// Everything that holds at one moment.
#[derive(Debug, Clone)]
pub struct Holding {
    /// The configuration.
    pub config: Loaded,
    /// The same as types.
    pub view: Arc<Config>,
    /// Our own settings.
    pub settings: Settings,
    /// What the files say that does not hold.
    pub reload: ConfigReload,
}

/// What only a start reads.
#[derive(Debug)]
pub(super) struct BeganWith {
    pub server: Server,
    pub logs: Logs,
}

impl InForce {
    /// Reads the files; the last good configuration holds while its file is broken.
    ///
    /// # Errors
    /// When the configuration is broken and was never good, or the settings are broken.
    pub fn at_start(given: &Surroundings) -> Result<Self, Problem> {
        let file = ConfigFile::of(&given.home);
        let mut reload =
            ConfigReload { hash: file.hash_as_it_is().ok().flatten(), ..ConfigReload::default() };
        let config = match file.load(&given.variables) {
            Ok(loaded) => loaded,
            Err(error) => {
                let Some(document) = file.last_good()? else { return Err(error.into()) };
                tracing::warn!(%error, "the last good configuration is in force");
                let path = file.path().display().to_string();
                reload.rejected.push(RejectedFile { path, issues: vec![whole_file(error.into())] });
                let Checked { view, issues, warnings } = check(&document, Some(&given.variables));
                Loaded { exists: true, document, view, issues, warnings }
            }
        };
        let settings = settings::load(&given.home)?;
        note_edits(given, &settings)?;
        let began_with = BeganWith { server: config.view.gateway.clone(), logs: settings.logs };
        let now = Holding::new(config, settings, reload);
        Ok(Self { now: RwLock::new(Arc::new(now)), applying: Mutex::default(), began_with })
    }

    /// What holds now.
    #[must_use]
    pub fn now(&self) -> Arc<Holding> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn put(&self, holding: Arc<Holding>) {
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = holding;
    }

    /// One at a time. What a holder that panicked left undone is done by the next one, who reads everything.
    pub(super) fn applying(&self) -> MutexGuard<'_, ()> {
        self.applying.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Holding {
    pub(super) fn new(config: Loaded, settings: Settings, reload: ConfigReload) -> Self {
        let view = Arc::new(config.view.clone());
        Self { config, view, settings, reload }
    }
}
