//! The application manager of one requester: launches, stops and saves for every surface.
//!
//! The launch policy is enforced here. A launch or a change that cannot be written to the audit log does not happen; a stop
//! or a refusal always does.

mod conversation;
mod error;
mod record;
mod report;

use std::ffi::OsString;
use std::sync::Arc;

use tarsus_audit::{Audit, AuditEntry};
use tarsus_home::{Home, runtime_lock};
use tarsus_host::Clock;
use tarsus_host::platform::Platform;
use tarsus_host::processes;
use tarsus_protocol::Problem;
use tarsus_protocol::apps::AppAction;

pub use conversation::{ConversationOptions, ConversationUpdate, PendingUpdate};
pub use error::ManagerError;
pub use report::{
    app_change, app_check, app_counts, app_list, app_status, denied_run, launch_report, registered_app,
    stop_report,
};

use crate::access::{AccessDenied, Stopper, authorize_launch, authorize_stop};
use crate::registry::{
    App, BaseVersion, LoadedRegistry, Registry, RegistryChange, RegistryError, SavedChange,
};
use crate::run::{self, Desktop, Launched, Stopped};

/// Who makes a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requester {
    /// Id of the current agent.
    pub agent: String,
    /// The session of the request, if it has one.
    pub session: Option<String>,
}

/// A kind of request that can be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// A launch.
    Launch,
    /// A stop.
    Stop,
    /// A change of the registry.
    Change(AppAction),
}

/// Handles the requests of one requester.
#[derive(Debug)]
pub struct AppManager {
    home: Home,
    registry: Registry,
    audit: Result<Arc<Audit>, Problem>,
    clock: Clock,
    requester: Requester,
    variables: Vec<(OsString, OsString)>,
    /// The reason why the requester may not change the registry.
    read_only: Option<Problem>,
    /// Whether the requests come from the agent itself, not from the owner.
    is_by_agent: bool,
}

impl AppManager {
    /// A manager for `requester`. `audit` is the audit log, or the reason why it cannot be written; `variables` is our own
    /// environment, whose desktop variables are passed to apps.
    pub fn new(
        home: &Home,
        audit: Result<Arc<Audit>, Problem>,
        clock: Clock,
        requester: Requester,
        variables: Vec<(OsString, OsString)>,
    ) -> Self {
        let (home, registry) = (home.clone(), Registry::for_home(home));
        Self { home, registry, audit, clock, requester, variables, read_only: None, is_by_agent: false }
    }

    /// Refuses changes of the registry, for this reason.
    #[must_use]
    pub fn read_only(self, reason: Problem) -> Self {
        Self { read_only: Some(reason), ..self }
    }

    /// The requests come from the agent itself: from a model's tool call, or from a process that the agent started. What is
    /// launched is marked as a process of this agent.
    #[must_use]
    pub fn by_agent(self) -> Self {
        Self { is_by_agent: true, ..self }
    }

    /// Who makes the requests.
    #[must_use]
    pub fn requester(&self) -> &Requester {
        &self.requester
    }

    /// The current desktop session, for launches.
    #[must_use]
    pub fn desktop(&self) -> Desktop {
        let desktop = Desktop::new(&Platform::detect(), self.variables.iter().cloned());
        if self.is_by_agent { desktop.for_agent(&self.requester.agent) } else { desktop }
    }

    /// The registry as it is now.
    ///
    /// # Errors
    /// If it cannot be read or is invalid.
    pub fn load(&self) -> Result<LoadedRegistry, RegistryError> {
        self.registry.load()
    }

    /// Launches an app that was just loaded, if its launch policy allows it. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// If the policy denies it, or the launch cannot be recorded. A launch that failed is not an error.
    pub async fn launch(&self, app: &App) -> Result<Launched, ManagerError> {
        let allowed = authorize_launch(app, &self.requester.agent)
            .map_err(|denied| self.refuse(Attempt::Launch, denied))?;
        self.record(record::launch(&self.requester, &allowed))?;
        let launched = run::launch(&allowed, &self.desktop()).await;
        self.record_best_effort(record::launched(&self.requester, allowed.app(), &launched));
        Ok(launched)
    }

    /// Stops an app that was just loaded, if its launch policy allows it; a person may stop one in mode `off` after
    /// confirmation. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// If the policy denies it, or the processes of this machine cannot be listed. The result for each process is in the
    /// returned value.
    pub async fn stop(&self, app: &App, stopper: Stopper) -> Result<Stopped, ManagerError> {
        let allowed = authorize_stop(app, &self.requester.agent, stopper)
            .map_err(|denied| self.refuse(Attempt::Stop, denied))?;
        self.record_best_effort(record::stop(&self.requester, &allowed));
        let stopped = run::stop(&allowed, self.runtime_process()).await;
        self.record_best_effort(record::stopped(&self.requester, allowed.app(), &stopped));
        Ok(stopped?)
    }

    /// The process that runs this state folder. Stopping works without knowing it.
    fn runtime_process(&self) -> Option<u32> {
        let holder = runtime_lock::holder(&self.home).ok().flatten()?;
        // Another container that shares the folder has process ids of its own.
        let start = processes::identity(holder.pid)?.start;
        holder.start.is_none_or(|known| known == start).then_some(holder.pid)
    }

    /// Saves a confirmed change, if the registry is still the version that it is based on.
    ///
    /// # Errors
    /// `Stale`, with the current registry, if it is another version; if the change cannot be applied or recorded. Nothing
    /// is changed then.
    pub fn save(&self, change: &RegistryChange, base: BaseVersion<'_>) -> Result<SavedChange, ManagerError> {
        if let Some(reason) = &self.read_only {
            self.record_refused(Attempt::Change(action_of(change)), change.name(), reason);
            return Err(ManagerError::ReadOnly(reason.clone()));
        }
        let loaded = self.load()?;
        if base != BaseVersion::Any && base != loaded.version() {
            let name = change.name().map(str::to_owned);
            return Err(RegistryError::Stale { name, current: Box::new(loaded) }.into());
        }
        let proposal = loaded.propose(change)?;
        let base = if matches!(change, RegistryChange::Create) || proposal.before != proposal.after {
            self.record(record::change(&self.requester, change, &proposal))?;
            base
        } else {
            // Nothing was recorded, so nothing may change, even if another process changes the file meanwhile.
            loaded.version()
        };
        self.registry.save(change, base).map_err(|error| {
            self.record_best_effort(record::not_saved(&self.requester, change, &error));
            error.into()
        })
    }

    /// Records a denial by the launch policy.
    pub fn record_denied(&self, attempt: Attempt, denied: &AccessDenied) {
        self.record_best_effort(record::denied(&self.requester, attempt, denied));
    }

    /// Records a refusal for another reason than the launch policy; `app` is the name that was given.
    pub fn record_refused(&self, attempt: Attempt, app: Option<&str>, reason: &Problem) {
        self.record_best_effort(record::refused(&self.requester, attempt, app, reason));
    }

    fn refuse(&self, attempt: Attempt, denied: AccessDenied) -> ManagerError {
        self.record_denied(attempt, &denied);
        ManagerError::Denied(denied)
    }

    /// Records an action before it happens; it must not happen if this fails.
    fn record(&self, entry: AuditEntry) -> Result<(), ManagerError> {
        let audit = self.audit.as_ref().map_err(|problem| ManagerError::NotRecorded(problem.clone()))?;
        audit.record(entry, self.clock.now()).map_err(|error| ManagerError::NotRecorded(error.into()))?;
        Ok(())
    }

    /// Records an event that happens in any case; the audit log counts lost records.
    fn record_best_effort(&self, entry: AuditEntry) {
        if let Ok(audit) = &self.audit {
            audit.record_best_effort(entry, self.clock.now());
        }
    }
}

fn action_of(change: &RegistryChange) -> AppAction {
    match change {
        RegistryChange::Create => AppAction::Create,
        RegistryChange::Add { .. } | RegistryChange::Restore { .. } => AppAction::Add,
        RegistryChange::Edit { .. } => AppAction::Edit,
        RegistryChange::Delete { .. } => AppAction::Delete,
    }
}
