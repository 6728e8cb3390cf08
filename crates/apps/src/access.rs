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
//! A permission to stop an app does not launch it, nor do the stored values by themselves:
//!
//! ```compile_fail,E0308
//! # use tarsus_apps::{Allowed, run::{self, Desktop}};
//! async fn launch(allowed: &Allowed, desktop: &Desktop) {
//!     run::launch(allowed, desktop).await;
//! }
//! ```
//!
//! ```compile_fail,E0308
//! # use tarsus_apps::run::{self, Desktop, Target};
//! async fn launch(target: &Target<'_>, desktop: &Desktop) {
//!     run::launch(target, desktop).await;
//! }
//! ```
//!
//! ```
//! # use tarsus_apps::{AllowedLaunch, run::{self, Desktop}};
//! async fn launch(allowed: &AllowedLaunch, desktop: &Desktop) {
//!     run::launch(allowed, desktop).await;
//! }
//! ```

use tarsus_protocol::{ErrorCode, Problem};

use crate::entry::{Entry, Policy};
use crate::registry::App;
use crate::run::Target;
use crate::shown::quoted;
use crate::validate::{Reason, key};

/// A positive answer of an app's policy. It does not launch anything: that takes an [`AllowedLaunch`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Allowed {
    entry: Entry,
    warnings: Vec<Reason>,
}

impl Allowed {
    /// The app as it was when it was asked.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        &self.entry
    }

    /// What is odd about the entry but does not stand in the way.
    #[must_use]
    pub fn warnings(&self) -> &[Reason] {
        &self.warnings
    }
}

/// Proof that the policy allows this launch; owns the entry that is launched. Made by [`authorize_launch`] only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedLaunch(Allowed);

impl AllowedLaunch {
    /// The entry as it was when the policy was checked.
    #[must_use]
    pub fn entry(&self) -> &Entry {
        self.0.entry()
    }

    /// Oddities of the entry that do not prevent the launch.
    #[must_use]
    pub fn warnings(&self) -> &[Reason] {
        self.0.warnings()
    }

    pub(crate) fn target(&self) -> Target<'_> {
        Target::for_entry(self.entry())
    }
}

/// The policy of an app said no.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.message())]
pub struct Denied {
    /// The app.
    pub app: String,
    /// Who asked.
    pub agent: String,
    /// The reason.
    pub why: Why,
}

/// Why an app may not be launched or stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Its mode is `off`.
    Off,
    /// Its mode is `off`, and the person who wants to stop it has not said yes.
    OffNeedsYes,
    /// The agent is not on its allowlist.
    NotListed {
        /// Who is.
        listed: Vec<String>,
    },
    /// The entry cannot be relied on.
    Unusable(Vec<Reason>),
}

/// Who wants to stop an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopper {
    /// An agent: the rule for launching holds.
    Agent,
    /// A person at the terminal or the page, who may stop what is `off` after a yes.
    Person {
        /// Whether the yes was given.
        confirmed: bool,
    },
}

/// Whether an agent may launch an app. Agent ids compare exactly.
///
/// # Errors
/// Why not, and how it could be allowed.
pub fn may_launch(app: &App, agent: &str) -> Result<Allowed, Denied> {
    decide(app, agent, None)
}

/// Checks the policy for a launch, as [`may_launch`], and returns the proof that [`run::launch`](crate::run::launch)
/// takes.
///
/// # Errors
/// Why not, and how it could be allowed.
pub fn authorize_launch(app: &App, agent: &str) -> Result<AllowedLaunch, Denied> {
    may_launch(app, agent).map(AllowedLaunch)
}

/// Whether an app may be stopped: as [`may_launch`], except that a person may stop what is `off`.
///
/// # Errors
/// Why not, and how it could be allowed.
pub fn may_stop(app: &App, agent: &str, stopper: Stopper) -> Result<Allowed, Denied> {
    decide(app, agent, Some(stopper))
}

fn decide(app: &App, agent: &str, stopper: Option<Stopper>) -> Result<Allowed, Denied> {
    let denied = |why| Denied { app: app.name.clone(), agent: agent.to_owned(), why };
    let Some(entry) = app.entry() else {
        return Err(denied(Why::Unusable(app.verdict.reasons.clone())));
    };
    match (&entry.policy, stopper) {
        (Policy::Full, _) | (Policy::Off, Some(Stopper::Person { confirmed: true })) => {}
        (Policy::Allowlist(agents), _) if agents.lists(agent) => {}
        (Policy::Allowlist(agents), _) => {
            return Err(denied(Why::NotListed { listed: agents.as_slice().to_vec() }));
        }
        (Policy::Off, Some(Stopper::Person { confirmed: false })) => return Err(denied(Why::OffNeedsYes)),
        (Policy::Off, Some(Stopper::Agent) | None) => return Err(denied(Why::Off)),
    }
    Ok(Allowed { entry, warnings: app.verdict.reasons.clone() })
}

impl Denied {
    fn message(&self) -> String {
        let Self { app, agent, why } = self;
        match why {
            Why::Off => format!("{app} is off: nobody may launch or stop it"),
            Why::OffNeedsYes => format!("{app} is off: it is stopped only after a yes"),
            Why::NotListed { .. } => format!("the agent {agent} is not on the allowlist of {app}"),
            Why::Unusable(_) => format!("the entry of {app} cannot be relied on"),
        }
    }

    /// The command that would allow it; none where only a yes is missing.
    ///
    /// ```
    /// use tarsus_apps::{Denied, Why};
    ///
    /// let denied = Denied { app: "Last Z".into(), agent: "main".into(), why: Why::Off };
    /// assert_eq!(denied.remedy().as_deref(), Some("tarsus apps policy \"Last Z\" --mode full"));
    /// ```
    #[must_use]
    pub fn remedy(&self) -> Option<String> {
        self.way_out().map(|(command, _)| command)
    }

    fn hint(&self) -> String {
        let yes = || ErrorCode::NotConfirmed.hint().to_owned();
        self.way_out().map_or_else(yes, |(command, does)| format!("`{command}` {does}"))
    }

    /// The command that would allow it, and what it does.
    fn way_out(&self) -> Option<(String, &'static str)> {
        let Self { app, agent, why } = self;
        let app = quoted(app);
        match why {
            Why::OffNeedsYes => None,
            Why::Off => Some((format!("tarsus apps policy {app} --mode full"), "lets any agent launch it")),
            Why::NotListed { listed } => {
                let agents = listed.iter().chain([agent]).map(|agent| format!(" --allow {}", quoted(agent)));
                let agents: String = agents.collect();
                Some((format!("tarsus apps policy {app} --mode allowlist{agents}"), "adds the agent"))
            }
            Why::Unusable(reasons) => {
                let mut flags: Vec<&str> = reasons.iter().map(flags).collect();
                flags.sort_unstable();
                flags.dedup();
                let flags = flags.join(" ");
                Some((format!("tarsus apps edit {app} {flags}"), "sets what is wrong or missing"))
            }
        }
    }
}

/// What `tarsus apps edit` has to be told to put an entry right.
fn flags(reason: &Reason) -> &'static str {
    match reason {
        Reason::NotAnObject { .. } => "--launch-path PATH --mode MODE",
        Reason::NotText { field, .. } | Reason::Missing { field } => match *field {
            key::LAUNCH_PATH => "--launch-path PATH",
            key::RUNTIME_EXE => "--clear-runtime-exe",
            key::PROCESS_NAME => "--clear-process-name",
            _ => "--mode MODE",
        },
        Reason::NobodyListed => "--allow AGENT",
        Reason::UnknownMode(_)
        | Reason::AgentsNotAList { .. }
        | Reason::AgentNotText { .. }
        | Reason::AgentsLeftOver { .. } => "--mode MODE",
    }
}

impl From<Denied> for Problem {
    fn from(denied: Denied) -> Self {
        let code = match denied.why {
            Why::OffNeedsYes => ErrorCode::NotConfirmed,
            Why::Off | Why::NotListed { .. } | Why::Unusable(_) => ErrorCode::Denied,
        };
        let problem = Self::new(code, denied.to_string()).hint(denied.hint());
        match denied.why {
            Why::Unusable(reasons) => {
                reasons.iter().fold(problem, |problem, reason| problem.note(reason.to_string()))
            }
            Why::NotListed { listed } => problem.note(format!("allowed agents: {}", listed.join(", "))),
            Why::Off | Why::OffNeedsYes => problem,
        }
    }
}
