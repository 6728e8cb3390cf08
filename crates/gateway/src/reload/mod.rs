//! Files that change while the gateway runs: the configuration, our settings, the token, the registry of apps.
//!
//! The active configuration is always complete and valid; rejected files and keys that need a restart are reported; a
//! change is published once. Skills are watched by their library; agent files are read on demand.

mod active_config;
mod apply;
mod plan;
mod registry;
mod restart;

use std::sync::Arc;
use std::time::Duration;

use tarsus_apps::Registry;
use tarsus_home::files::{self, Fingerprints};
use tarsus_host::watch::{ChangedPaths, WatchHandler, WatchTarget, WatchTiming, Watcher};

use crate::gateway::Gateway;

pub use active_config::{ActiveConfig, ActiveConfigCell};
pub use apply::ReloadTrigger;
pub use registry::KnownRegistry;

/// Largest secret store, in bytes.
const MAX_SECRETS_BYTES: u64 = 1024 * 1024;

/// Debounce time before changed files are read.
const SETTLE: Duration = Duration::from_millis(100);

/// Applies changes on disk until the watcher is dropped.
///
/// # Errors
/// If no thread can be started.
pub fn watch(gateway: Arc<Gateway>) -> std::io::Result<Watcher> {
    let clock = gateway.context.clock.clone();
    let reloading = ConfigWatch { gateway, secrets: None };
    Watcher::start("config-watch", clock, WatchTiming::with_settle(SETTLE), reloading)
}

struct ConfigWatch {
    gateway: Arc<Gateway>,
    /// The last hash of the secret store; `None` before the first read, or if it cannot be read.
    secrets: Option<String>,
}

impl WatchHandler for ConfigWatch {
    fn targets(&self) -> Vec<WatchTarget> {
        let home = &self.gateway.context.home;
        let registry = Registry::for_home(home).path().to_path_buf();
        let config = home.config_path().to_path_buf();
        let files = [config, home.settings_path(), home.token_path(), home.secrets_path(), registry];
        files.into_iter().map(WatchTarget::File).collect()
    }

    fn on_change(&mut self, _: &ChangedPaths) {
        let home = &self.gateway.context.home;
        let secrets = files::read(&home.secrets_path(), MAX_SECRETS_BYTES).ok().flatten();
        let secrets = secrets.and_then(|bytes| Fingerprints::for_home(home).hash(&bytes).ok());
        let other_secrets = secrets != self.secrets;
        self.secrets = secrets;
        if let Err(problem) = self.gateway.reload(ReloadTrigger::FileChange, other_secrets) {
            tracing::error!(
                problem = problem.message,
                "a change of the configuration could not be activated"
            );
        }
        self.gateway.registry.publish_if_changed(&self.gateway.context.home, &self.gateway.events);
    }

    fn on_polling(&mut self, why: &str) {
        tracing::warn!(why, "the configuration cannot be watched; polling instead");
    }
}
