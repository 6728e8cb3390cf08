//! The launch policy: who may launch and stop an app.
//!
//! [`run::launch`](crate::run::launch) takes an [`AllowedLaunch`], which only [`authorize_launch`] makes, so a launch
//! that the policy did not allow does not compile. Each example that fails has one beside it that compiles:
//!
//! ```compile_fail,E0423
//! # use tarsus_apps::{App, AllowedLaunch};
//! fn forge(app: &App) -> Option<AllowedLaunch> {
//!     app.entry().map(AllowedLaunch)
//! }
//! ```
//!
//! ```
//! # use tarsus_apps::{App, AllowedLaunch, authorize_launch};
//! fn authorize(app: &App) -> Option<AllowedLaunch> {
//!     authorize_launch(app, "main").ok()
//! }
//! ```
//!
//! Neither the permission to stop an app nor its entry launches it:
//!
//! ```compile_fail,E0308
//! # use tarsus_apps::{AllowedStop, run::{self, Desktop}};
//! async fn launch(allowed: &AllowedStop, desktop: &Desktop) {
//!     run::launch(allowed, desktop).await;
//! }
//! ```
//!
//! ```compile_fail,E0308
//! # use tarsus_apps::{AppEntry, run::{self, Desktop}};
//! async fn launch(entry: &AppEntry, desktop: &Desktop) {
//!     run::launch(entry, desktop).await;
//! }
//! ```
//!
//! ```
//! # use tarsus_apps::{AllowedLaunch, run::{self, Desktop}};
//! async fn launch(allowed: &AllowedLaunch, desktop: &Desktop) {
//!     run::launch(allowed, desktop).await;
//! }
//! ```

use tarsus_protocol::apps::{AppEntry, AppMode};
use tarsus_protocol::apps_fault::AppFault;
use tarsus_protocol::{ErrorCode, Problem};

use crate::quote::quoted;
use crate::registry::App;
use crate::validate::key;

/// Proof that the policy allows this launch; owns the entry that is launched. Made by [`authorize_launch`] only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedLaunch(AllowedEntry);

/// Proof that the policy allows this stop; owns the entry. Made by [`authorize_stop`] only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedStop {
    allowed: AllowedEntry,
    stopper: Stopper,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct AllowedEntry {
    name: String,
    entry: AppEntry,
    warnings: Vec<AppFault>,
}

impl AllowedLaunch {
    /// Name of the app.
    #[must_use]
    pub fn app(&self) -> &str {
        &self.0.name
    }

    /// The entry as it was when the policy was checked.
    #[must_use]
    pub fn entry(&self) -> &AppEntry {
        &self.0.entry
    }

    /// Faults of the entry that do not prevent the launch.
    #[must_use]
    pub fn warnings(&self) -> &[AppFault] {
        &self.0.warnings
    }
}

impl AllowedStop {
    /// Name of the app.
    #[must_use]
    pub fn app(&self) -> &str {
        &self.allowed.name
    }

    /// The entry as it was when the policy was checked.
    #[must_use]
    pub fn entry(&self) -> &AppEntry {
        &self.allowed.entry
    }

    /// The party that was allowed to stop it.
    pub(crate) fn stopper(&self) -> Stopper {
        self.stopper
    }
}

/// The launch policy denied a launch or a stop.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct AccessDenied {
    /// Name of the app.
    pub app: String,
    /// Id of the requesting agent.
    pub agent: String,
    /// The reason.
    pub reason: DenialReason,
}

/// The reason why an app may not be launched or stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DenialReason {
    /// The mode is `off`.
    Off,
    /// The mode is `off`, and the person did not confirm the stop.
    OffNeedsYes,
    /// The agent is not on the allowlist.
    NotListed {
        /// The agents on the list.
        listed: Vec<String>,
    },
    /// The entry is malformed or incomplete.
    Unusable(Vec<AppFault>),
}

/// The party that stops an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopper {
    /// An agent, under the same policy as for a launch.
    Agent,
    /// A person at the terminal or in Studio, who may also stop an app in mode `off`, after confirmation.
    Person {
        /// Whether the person confirmed it.
        confirmed: bool,
    },
}

/// Checks the policy for a launch and returns the proof that [`run::launch`](crate::run::launch) takes. Agent ids are
/// compared exactly.
///
/// # Errors
/// The denial, with its reason.
pub fn authorize_launch(app: &App, agent: &str) -> Result<AllowedLaunch, AccessDenied> {
    authorize(app, agent, None).map(AllowedLaunch)
}

/// Checks the policy for a stop: as for a launch, except that a person may stop an app in mode `off`.
///
/// # Errors
/// The denial, with its reason.
pub fn authorize_stop(app: &App, agent: &str, stopper: Stopper) -> Result<AllowedStop, AccessDenied> {
    authorize(app, agent, Some(stopper)).map(|allowed| AllowedStop { allowed, stopper })
}

fn authorize(app: &App, agent: &str, stopper: Option<Stopper>) -> Result<AllowedEntry, AccessDenied> {
    let denied = |reason| AccessDenied { app: app.name.clone(), agent: agent.to_owned(), reason };
    let Some(entry) = app.entry() else {
        return Err(denied(DenialReason::Unusable(app.faults.clone())));
    };
    match (entry.mode, stopper) {
        (AppMode::Full, _) | (AppMode::Off, Some(Stopper::Person { confirmed: true })) => {}
        (AppMode::Allowlist, _) if entry.allowed_agents().iter().any(|listed| listed == agent) => {}
        (AppMode::Allowlist, _) => {
            return Err(denied(DenialReason::NotListed { listed: entry.allowed_agents().to_vec() }));
        }
        (AppMode::Off, Some(Stopper::Person { confirmed: false })) => {
            return Err(denied(DenialReason::OffNeedsYes));
        }
        (AppMode::Off, Some(Stopper::Agent) | None) => return Err(denied(DenialReason::Off)),
    }
    Ok(AllowedEntry { name: app.name.clone(), entry, warnings: app.faults.clone() })
}

impl AccessDenied {
    fn message(&self) -> String {
        let Self { app, agent, reason } = self;
        match reason {
            DenialReason::Off => format!("{app} is off: nobody may launch or stop it"),
            DenialReason::OffNeedsYes => format!("{app} is off: stopping it needs your confirmation"),
            DenialReason::NotListed { .. } => format!("the agent {agent} is not on the allowlist of {app}"),
            DenialReason::Unusable(_) => format!("the entry of {app} is not valid"),
        }
    }

    /// The command that would allow it; `None` if only the confirmation is missing.
    ///
    /// ```
    /// use tarsus_apps::{AccessDenied, DenialReason};
    ///
    /// let denied = AccessDenied { app: "Last Z".into(), agent: "main".into(), reason: DenialReason::Off };
    /// assert_eq!(denied.remedy().as_deref(), Some("tarsus apps policy \"Last Z\" --mode full"));
    /// ```
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        self.fix().map(|(command, _)| command)
    }

    fn hint(&self) -> String {
        let confirm = || ErrorCode::NotConfirmed.hint().to_owned();
        self.fix().map_or_else(confirm, |(command, effect)| format!("`{command}` {effect}"))
    }

    /// The command that would allow it, and its effect.
    fn fix(&self) -> Option<(String, &'static str)> {
        let Self { app, agent, reason } = self;
        let app = quoted(app);
        match reason {
            DenialReason::OffNeedsYes => None,
            DenialReason::Off => {
                Some((format!("tarsus apps policy {app} --mode full"), "lets any agent launch it"))
            }
            DenialReason::NotListed { listed } => {
                let agents = listed.iter().chain([agent]).map(|agent| format!(" --allow {}", quoted(agent)));
                let agents: String = agents.collect();
                Some((format!("tarsus apps policy {app} --mode allowlist{agents}"), "adds the agent"))
            }
            DenialReason::Unusable(faults) => {
                let mut flags: Vec<&str> = faults.iter().map(repair_flags).collect();
                flags.sort_unstable();
                flags.dedup();
                let flags = flags.join(" ");
                Some((format!("tarsus apps edit {app} {flags}"), "sets what is wrong or missing"))
            }
        }
    }
}

/// The flags of `tarsus apps edit` that repair a fault.
fn repair_flags(fault: &AppFault) -> &'static str {
    match fault {
        AppFault::NotAnObject { .. } => "--launch-path PATH --mode MODE",
        AppFault::NotText { field, .. } | AppFault::Missing { field } => match field.as_str() {
            key::LAUNCH_PATH => "--launch-path PATH",
            key::RUNTIME_EXE => "--clear-runtime-exe",
            key::PROCESS_NAME => "--clear-process-name",
            _ => "--mode MODE",
        },
        AppFault::NobodyListed => "--allow AGENT",
        AppFault::UnknownMode { .. }
        | AppFault::AgentsNotAList { .. }
        | AppFault::AgentNotText { .. }
        | AppFault::AgentsLeftOver { .. } => "--mode MODE",
    }
}

impl From<AccessDenied> for Problem {
    fn from(denied: AccessDenied) -> Self {
        let code = match denied.reason {
            DenialReason::OffNeedsYes => ErrorCode::NotConfirmed,
            DenialReason::Off | DenialReason::NotListed { .. } | DenialReason::Unusable(_) => {
                ErrorCode::Denied
            }
        };
        let problem = Self::new(code, denied.to_string()).hint(denied.hint());
        match denied.reason {
            DenialReason::Unusable(faults) => {
                faults.iter().fold(problem, |problem, fault| problem.note(fault.to_string()))
            }
            DenialReason::NotListed { listed } => {
                problem.note(format!("allowed agents: {}", listed.join(", ")))
            }
            DenialReason::Off | DenialReason::OffNeedsYes => problem,
        }
    }
}
