//! Who may launch and stop an app.
//!
//! Promises: [`Allowed`] is made here and nowhere else, and whoever launches or stops an app needs one. Nothing is
//! launched in mode `off`. Leaves to others: writing the decision down.

use tarsus_protocol::{ErrorCode, Problem};

use crate::entry::{Entry, Policy};
use crate::registry::App;
use crate::validate::Reason;

/// Proof that the policy of an app was asked and said yes.
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

    /// What would have to be done to allow it.
    #[must_use]
    pub fn how_to_allow(&self) -> String {
        let Self { app, agent, why } = self;
        match why {
            Why::Off => format!("`tarsus apps policy \"{app}\" --mode full` lets any agent launch it"),
            Why::OffNeedsYes => ErrorCode::NotConfirmed.hint().to_owned(),
            Why::NotListed { listed } => {
                let agents = listed.iter().chain([agent]).map(|agent| format!(" --allow {agent}"));
                let agents: String = agents.collect();
                format!("`tarsus apps policy \"{app}\" --mode allowlist{agents}` adds the agent")
            }
            Why::Unusable(_) => format!("`tarsus apps edit \"{app}\"` sets what is wrong or missing"),
        }
    }
}

impl From<Denied> for Problem {
    fn from(denied: Denied) -> Self {
        let code = match denied.why {
            Why::OffNeedsYes => ErrorCode::NotConfirmed,
            Why::Off | Why::NotListed { .. } | Why::Unusable(_) => ErrorCode::Denied,
        };
        let problem = Self::new(code, denied.to_string()).hint(denied.how_to_allow());
        match denied.why {
            Why::Unusable(reasons) => {
                reasons.iter().fold(problem, |problem, reason| problem.note(reason.to_string()))
            }
            Why::NotListed { listed } => problem.note(format!("allowed agents: {}", listed.join(", "))),
            Why::Off | Why::OffNeedsYes => problem,
        }
    }
}
