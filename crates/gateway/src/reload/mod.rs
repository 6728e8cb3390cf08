//! Files that change while the gateway runs: the configuration, our settings, the token, the registry of apps.
//!
//! Promises: what is in force is always whole and was good; what is refused, and what waits for a restart, is said;
//! a change is told once, whoever made it. Leaves to others: skills, whose library watches them, and the files of the
//! agents, which are read when they are asked for.

mod apply;
mod in_force;
mod judge;
mod registry;
mod restart;

use std::sync::Arc;
use std::time::Duration;

use tarsus_apps::Registry;
use tarsus_home::files::{self, Fingerprints};
use tarsus_host::watch::{Look, Pace, Place, Touched, Watcher};

use crate::gateway::Gateway;

pub use apply::By;
pub use in_force::{Holding, InForce};
pub use registry::KnownRegistry;

/// More bytes the secret store never has.
const MOST_SECRETS: u64 = 1024 * 1024;

/// How long it must be quiet before changed files are read.
const SETTLE: Duration = Duration::from_millis(100);

/// Puts what changes on disk in force, until it is dropped.
///
/// # Errors
/// When the system gives no thread.
pub fn watch(gateway: Arc<Gateway>) -> std::io::Result<Watcher> {
    let clock = gateway.given.clock.clone();
    let reloading = Reloading { gateway, secrets: None };
    Watcher::start("config-watch", clock, Pace::settling_in(SETTLE), reloading)
}

struct Reloading {
    gateway: Arc<Gateway>,
    /// The hash of the secret store when it was looked at last; none before that, or when it cannot be read.
    secrets: Option<String>,
}

impl Look for Reloading {
    fn places(&self) -> Vec<Place> {
        let home = &self.gateway.given.home;
        let registry = Registry::of(home).path().to_path_buf();
        let config = home.config_path().to_path_buf();
        let files = [config, home.settings_path(), home.token_path(), home.secrets_path(), registry];
        files.into_iter().map(Place::File).collect()
    }

    fn look(&mut self, _: &Touched) {
        let home = &self.gateway.given.home;
        let secrets = files::read(&home.secrets_path(), MOST_SECRETS).ok().flatten();
        let secrets = secrets.and_then(|bytes| Fingerprints::of(home).hash(&bytes).ok());
        let other_secrets = secrets != self.secrets;
        self.secrets = secrets;
        if let Err(problem) = self.gateway.reload(By::Others, other_secrets) {
            tracing::error!(problem = problem.message, "a change of the configuration is not in force");
        }
        self.gateway.registry.look(&self.gateway.given.home, &self.gateway.events);
    }

    fn polling(&mut self, why: &str) {
        tracing::warn!(why, "the configuration cannot be watched and is looked at from time to time");
    }
}
