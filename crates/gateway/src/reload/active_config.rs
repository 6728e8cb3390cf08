//! The active configuration and settings, replaced as a whole.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tarsus_health::status::file_issue;
use tarsus_home::config::view::Gateway as Server;
use tarsus_home::config::{Checked, Config, ConfigFile, LoadedConfig, check};
use tarsus_home::settings::{self, Logs, Settings};
use tarsus_protocol::Problem;
use tarsus_protocol::report::{ConfigReload, RejectedFile};

use super::plan::record_manual_edits;
use crate::gateway::GatewayContext;

/// Holds the active configuration and what only a start reads.
#[derive(Debug)]
pub struct ActiveConfigCell {
    /// Locked only to read or replace the pointer.
    now: RwLock<Arc<ActiveConfig>>,
    /// Serialises reloads, so that the newest files win.
    applying: Mutex<()>,
    pub(super) startup: StartupConfig,
}

/// The configuration and settings in use at one moment.
#[derive(Debug, Clone)]
pub struct ActiveConfig {
    /// The configuration.
    pub config: LoadedConfig,
    /// Its typed view.
    pub view: Arc<Config>,
    /// Our own settings.
    pub settings: Settings,
    /// Changes in the files that are not active.
    pub reload: ConfigReload,
}

/// Values that are read only at start.
#[derive(Debug)]
pub(super) struct StartupConfig {
    pub server: Server,
    pub logs: Logs,
}

impl ActiveConfigCell {
    /// Reads the files; falls back to the last good configuration if its file is broken.
    ///
    /// # Errors
    /// When the configuration is broken and was never good, or the settings are broken.
    pub fn load(context: &GatewayContext) -> Result<Self, Problem> {
        let file = ConfigFile::for_home(&context.home);
        let mut reload =
            ConfigReload { hash: file.hash_as_it_is().ok().flatten(), ..ConfigReload::default() };
        let config = match file.load(&context.variables) {
            Ok(loaded) => loaded,
            Err(error) => {
                let Some(document) = file.last_good()? else { return Err(error.into()) };
                tracing::warn!(%error, "the last good configuration is active");
                let path = file.path().display().to_string();
                reload.rejected.push(RejectedFile { path, issues: vec![file_issue(error.into())] });
                let Checked { view, issues, warnings } = check(&document, Some(&context.variables));
                LoadedConfig { exists: true, document, view, issues, warnings }
            }
        };
        let settings = settings::load(&context.home)?;
        record_manual_edits(context, &settings)?;
        let startup = StartupConfig { server: config.view.gateway.clone(), logs: settings.logs };
        let now = ActiveConfig::new(config, settings, reload);
        Ok(Self { now: RwLock::new(Arc::new(now)), applying: Mutex::default(), startup })
    }

    /// Returns the active configuration.
    #[must_use]
    pub fn current(&self) -> Arc<ActiveConfig> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn put(&self, active: Arc<ActiveConfig>) {
        *self.now.write().unwrap_or_else(PoisonError::into_inner) = active;
    }

    /// Serialises reloads. A poisoned lock is fine: the next reload reads everything again.
    pub(super) fn lock_apply(&self) -> MutexGuard<'_, ()> {
        self.applying.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveConfig {
    pub(super) fn new(config: LoadedConfig, settings: Settings, reload: ConfigReload) -> Self {
        let view = Arc::new(config.view.clone());
        Self { config, view, settings, reload }
    }
}
