//! The desk that every surface comes to: it launches, stops and saves for whoever asks.
//!
//! Promises: the registry is read fresh for each act; the policy is asked here, so that no surface gets around it; what
//! cannot be written into the audit chain is not launched and not saved, while stopping and refusing always work. Leaves
//! to others: asking the person first, and how the answer looks.

mod error;
mod record;
mod report;
mod talk;

use std::ffi::OsString;
use std::sync::Arc;

use tarsus_audit::{Audit, Entry as Line};
use tarsus_home::Home;
use tarsus_host::Clock;
use tarsus_host::platform::Platform;
use tarsus_protocol::Problem;
use tarsus_protocol::apps::AppAction;

pub use error::DeskError;
pub use report::{
    acted_on_launch, acted_on_stop, changed, checked, counted, denied, listed, recognised, shown,
};
pub use talk::{PendingTalk, Surface, Talked};

use crate::access::{Denied, Stopper, authorize_launch, may_stop};
use crate::fold::fold;
use crate::registry::{App, Change, Loaded, Registry, RegistryError, Saved, Seen};
use crate::run::{self, Desktop, Launched, Stopped, Target};

/// Who asks, and for whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asker {
    /// The current agent.
    pub agent: String,
    /// The session it is asked in, where there is one.
    pub session: Option<String>,
}

/// What was asked for and refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// A launch.
    Launch,
    /// A stop.
    Stop,
    /// A change of the registry.
    Change(AppAction),
}

/// Carries out what one asker wants.
#[derive(Debug)]
pub struct Desk {
    registry: Registry,
    audit: Result<Arc<Audit>, Problem>,
    clock: Clock,
    asker: Asker,
    variables: Vec<(OsString, OsString)>,
    /// Why the asker may not change the registry.
    no_changes: Option<Problem>,
}

impl Desk {
    /// A desk for `asker`. `audit` is where every act is written down, or why that cannot be; `variables` is our own
    /// environment, from which an app gets what belongs to the desktop.
    pub fn new(
        home: &Home,
        audit: Result<Arc<Audit>, Problem>,
        clock: Clock,
        asker: Asker,
        variables: Vec<(OsString, OsString)>,
    ) -> Self {
        Self { registry: Registry::of(home), audit, clock, asker, variables, no_changes: None }
    }

    /// The same desk for somebody who may not change the registry, for this reason.
    #[must_use]
    pub fn without_changes(self, why: Problem) -> Self {
        Self { no_changes: Some(why), ..self }
    }

    /// Who asks.
    #[must_use]
    pub fn asker(&self) -> &Asker {
        &self.asker
    }

    /// The desktop that apps are launched on, as it is now.
    #[must_use]
    pub fn desktop(&self) -> Desktop {
        Desktop::new(&Platform::detect(), self.variables.iter().cloned())
    }

    /// The registry as it is now.
    ///
    /// # Errors
    /// When it cannot be read, or is not what it has to be.
    pub fn load(&self) -> Result<Loaded, RegistryError> {
        self.registry.load()
    }

    /// Launches the app of exactly this name, if its policy lets the asker. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When there is no such app, its policy says no, or the launch cannot be written down. Whether it then started is
    /// in what is returned.
    pub async fn launch(&self, name: &str) -> Result<Launched, DeskError> {
        let loaded = self.load()?;
        let app = registered(&loaded, name)?;
        let allowed =
            authorize_launch(app, &self.asker.agent).map_err(|denied| self.refuse(Act::Launch, denied))?;
        self.permit(record::launch(&self.asker, name, &allowed))?;
        let launched = run::launch(&allowed, &self.desktop()).await;
        self.note(record::launched(&self.asker, name, &launched));
        Ok(launched)
    }

    /// Stops the app of exactly this name, if its policy lets the asker; a person may stop what is `off` after a yes.
    /// Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When there is no such app, its policy says no, or the processes of this machine cannot be listed. What came of
    /// each process is in what is returned.
    pub async fn stop(&self, name: &str, stopper: Stopper) -> Result<Stopped, DeskError> {
        let loaded = self.load()?;
        let app = registered(&loaded, name)?;
        let allowed =
            may_stop(app, &self.asker.agent, stopper).map_err(|denied| self.refuse(Act::Stop, denied))?;
        self.note(record::stop(&self.asker, name, &allowed));
        let stopped = run::stop(&Target::for_entry(allowed.entry())).await;
        self.note(record::stopped(&self.asker, name, &stopped));
        Ok(stopped?)
    }

    /// Saves a change that the person agreed to, if the registry is still the one that was seen then.
    ///
    /// # Errors
    /// When it is another one (`Stale`, with what is there now), the change cannot be made, or it cannot be written
    /// down. Nothing is changed then.
    pub fn save(&self, change: &Change, seen: Seen<'_>) -> Result<Saved, DeskError> {
        if let Some(why) = &self.no_changes {
            self.barred(Act::Change(action(change)), change.name(), why);
            return Err(DeskError::NoChanges(why.clone()));
        }
        let loaded = self.load()?;
        if seen != Seen::Any && seen != loaded.seen() {
            let name = change.name().map(str::to_owned);
            return Err(RegistryError::Stale { name, current: Box::new(loaded) }.into());
        }
        let proposal = loaded.propose(change)?;
        let seen = if matches!(change, Change::Create) || proposal.before != proposal.after {
            self.permit(record::change(&self.asker, change, &proposal))?;
            seen
        } else {
            // Nothing was written down, so nothing may change, whatever another process does meanwhile.
            loaded.seen()
        };
        self.registry.save(change, seen).map_err(|error| {
            self.note(record::not_saved(&self.asker, change, &error));
            error.into()
        })
    }

    /// Writes down that the asker was refused.
    pub fn refused(&self, act: Act, denied: &Denied) {
        self.note(record::refused(&self.asker, act, denied));
    }

    /// Writes down that something was refused before any policy was asked; `app` is what it was called.
    pub fn barred(&self, act: Act, app: Option<&str>, why: &Problem) {
        self.note(record::barred(&self.asker, act, app, why));
    }

    fn refuse(&self, act: Act, denied: Denied) -> DeskError {
        self.refused(act, &denied);
        DeskError::Denied(denied)
    }

    /// Writes down what is about to happen, which may then happen.
    fn permit(&self, line: Line) -> Result<(), DeskError> {
        let audit = self.audit.as_ref().map_err(|problem| DeskError::NotRecorded(problem.clone()))?;
        audit.record(line, self.clock.now()).map_err(|error| DeskError::NotRecorded(error.into()))?;
        Ok(())
    }

    /// Writes down what happens in any case; the chain itself counts what is lost.
    fn note(&self, line: Line) {
        if let Ok(audit) = &self.audit {
            audit.record_best_effort(line, self.clock.now());
        }
    }
}

fn action(change: &Change) -> AppAction {
    match change {
        Change::Create => AppAction::Create,
        Change::Add { .. } | Change::Restore { .. } => AppAction::Add,
        Change::Edit { .. } => AppAction::Edit,
        Change::Delete { .. } => AppAction::Delete,
    }
}

fn registered<'l>(loaded: &'l Loaded, name: &str) -> Result<&'l App, RegistryError> {
    if !loaded.exists() {
        return Err(RegistryError::Missing { path: loaded.path.clone() });
    }
    loaded.app(name).ok_or_else(|| RegistryError::NotRegistered { name: name.to_owned() })
}

/// The app of this name, letter case, kind of character and white space aside.
#[must_use]
pub fn same_name<'l>(loaded: &'l Loaded, name: &str) -> Option<&'l App> {
    loaded.app(name).or_else(|| {
        let folded = fold(name);
        loaded.apps.iter().find(|app| fold(&app.name) == folded)
    })
}
