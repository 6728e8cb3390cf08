//! The services that all turns share. Whoever starts a runtime makes them once.

use std::ffi::OsString;
use std::sync::Arc;

use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_home::config::Config;
use tarsus_home::{Home, Secret, Settings};
use tarsus_host::Clock;
use tarsus_skills::Library;
use tarsus_store::Store;

use crate::model::ModelSource;
use crate::prompt::Machine;
use crate::run_event::RunEvent;

pub struct Services {
    pub home: Home,
    pub clock: Clock,
    pub audit: Arc<Audit>,
    /// The environment of this process, from which an app gets its desktop variables. It may hold secrets.
    pub environment: Vec<(OsString, OsString)>,
    /// The language of the Application Manager when a message does not show another one.
    pub language: Language,
    pub store: Arc<Store>,
    /// Every agent's skills.
    pub library: Arc<Library>,
    pub models: Arc<dyn ModelSource>,
    pub machine: Machine,
    pub host: Arc<dyn RuntimeHost>,
}

/// The process that hosts a runtime: its active configuration and its clients.
pub trait RuntimeHost: Send + Sync {
    /// The active configuration.
    fn config(&self) -> Arc<Config>;

    /// The active settings.
    fn settings(&self) -> Settings;

    /// Reads the skills of all agents again. May block.
    fn refresh_skills(&self);

    /// Every known secret; none of them is shown to anybody.
    fn secrets(&self) -> Vec<Secret>;

    /// Delivers an event to clients. Called in order for each run; must not block.
    fn publish(&self, event: RunEvent);

    /// Whether a client is connected that may decide approvals.
    fn has_approver(&self) -> bool;
}
