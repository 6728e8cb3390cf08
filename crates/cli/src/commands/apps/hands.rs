//! Who carries out what these commands ask for: the gateway where one runs, else this process.
//!
//! Promises: an act is carried out once, whoever does it, and what came of it is told in the same words. Inside an
//! agent's process nobody else is asked: the gateway would take it for the owner.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tarsus_apps::desk::{self, DeskError};
use tarsus_apps::run::of_the_session;
use tarsus_apps::{App, Change, Denied, Loaded, Patch, Policy, Put, Seen, Stopper, may_launch, may_stop};
use tarsus_protocol::apps::{AppActed, AppAction, AppChange};
use tarsus_protocol::{ErrorCode, Problem};

use crate::commands::runtime;
use crate::context::Context;
use crate::gateway::{ACTING, Neighbour};
use crate::output::Output;

/// What came of a launch or a stop.
pub enum Came {
    /// It was tried.
    Acted(AppActed),
    /// The policy said no.
    Denied(Denied),
}

/// Whoever carries it out.
pub struct Hands<'c> {
    context: &'c Context,
    gateway: Neighbour,
}

impl<'c> Hands<'c> {
    /// Finds out who that is. A gateway that cannot be asked is named on standard error.
    pub fn find(context: &'c Context, output: &mut Output) -> Result<Self, Problem> {
        let gateway = match context.inside() {
            Some(_) => Neighbour::none(),
            None => Neighbour::find(context, output)?,
        };
        Ok(Self { context, gateway })
    }

    /// What the gateway reports; `None` when there is none, or none that answers: what is only read, this process can
    /// read itself.
    pub fn report<T: DeserializeOwned>(
        &mut self,
        method: &str,
        output: &mut Output,
    ) -> Result<Option<T>, Problem> {
        self.gateway.hear_of(method, json!({}), output).map(|answer| read(method, answer?)).transpose()
    }

    /// Launches an app, on the desktop of this terminal.
    pub fn launch(&mut self, app: &App) -> Result<Came, Problem> {
        let agent = self.context.acting_agent()?.to_string();
        let session = of_the_session(self.context.environment.variables());
        // What is no text does not lead to a desktop.
        let session: BTreeMap<&str, &str> =
            session.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?))).collect();
        let asked = json!({ "name": app.name, "agentId": agent, "session": session });
        if let Some(came) = self.act("apps.launch", asked, || may_launch(app, &agent).err())? {
            return Ok(came);
        }
        let desk = super::desk(self.context)?;
        came(runtime()?.block_on(desk.launch(&app.name)), |launched| {
            desk::acted_on_launch(&app.name, &agent, &launched)
        })
    }

    /// Stops an app.
    pub fn stop(&mut self, app: &App, stopper: Stopper) -> Result<Came, Problem> {
        let agent = self.context.acting_agent()?.to_string();
        let confirmed = matches!(stopper, Stopper::Person { confirmed: true });
        let asked = json!({ "name": app.name, "agentId": agent, "confirmed": confirmed });
        if let Some(came) = self.act("apps.stop", asked, || may_stop(app, &agent, stopper).err())? {
            return Ok(came);
        }
        let desk = super::desk(self.context)?;
        came(runtime()?.block_on(desk.stop(&app.name, stopper)), |stopped| {
            desk::acted_on_stop(&app.name, &agent, &stopped)
        })
    }

    /// Saves a change of the registry. A gateway takes it for the registry that was `read`, this process for what was
    /// `seen`.
    pub fn save(
        &mut self,
        action: AppAction,
        change: &Change,
        read: &Loaded,
        seen: Seen<'_>,
    ) -> Result<AppChange, Problem> {
        let (method, mut params) = request(change);
        if let Some(hash) = read.hash.as_ref().filter(|_| method != "apps.create") {
            params["baseHash"] = Value::from(hash.clone());
        }
        if let Some(changed) = self.ask::<AppChange>(method, params)? {
            // A new policy is an edit to the gateway.
            return Ok(AppChange { action, ..changed });
        }
        let saved = super::desk(self.context)?.save(change, seen)?;
        Ok(desk::changed(action, change.name(), &saved))
    }

    /// Has the gateway act. What it refuses is told in the words that the policy has for it here.
    fn act(
        &mut self,
        method: &str,
        asked: Value,
        denied: impl FnOnce() -> Option<Denied>,
    ) -> Result<Option<Came>, Problem> {
        match self.ask(method, asked) {
            Ok(acted) => Ok(acted.map(Came::Acted)),
            Err(problem) if matches!(problem.code, ErrorCode::Denied | ErrorCode::NotConfirmed) => {
                denied().map(|denied| Some(Came::Denied(denied))).ok_or(problem)
            }
            Err(problem) => Err(problem),
        }
    }

    fn ask<T: DeserializeOwned>(&mut self, method: &str, params: Value) -> Result<Option<T>, Problem> {
        self.gateway.have_done(method, params, ACTING).map(|answer| read(method, answer?)).transpose()
    }
}

fn read<T: DeserializeOwned>(method: &str, answer: Value) -> Result<T, Problem> {
    serde_json::from_value(answer).map_err(|error| {
        let message = format!("what the gateway answers to {method} cannot be read: {error}");
        Problem::new(ErrorCode::Failed, message)
            .hint("it may be of another version: `tarsus gateway restart`")
    })
}

fn came<T>(tried: Result<T, DeskError>, acted: impl FnOnce(T) -> AppActed) -> Result<Came, Problem> {
    match tried {
        Ok(done) => Ok(Came::Acted(acted(done))),
        Err(DeskError::Denied(denied)) => Ok(Came::Denied(denied)),
        Err(error) => Err(error.into()),
    }
}

/// The request that a change is.
fn request(change: &Change) -> (&'static str, Value) {
    match change {
        Change::Create => ("apps.create", json!({})),
        Change::Delete { name } => ("apps.delete", json!({ "name": name })),
        Change::Add { name, entry } => {
            let mut fields = json!({ "launch_path": entry.launch_path.as_str() });
            set(&mut fields, "runtime_exe", entry.runtime_exe.as_deref());
            set(&mut fields, "process_name", entry.process_name.as_deref());
            set_policy(&mut fields, &entry.policy);
            ("apps.save", json!({ "name": name, "entry": fields }))
        }
        Change::Edit { name, patch } => ("apps.patch", json!({ "name": name, "patch": patched(patch) })),
        Change::Restore { name, written, before } => {
            ("apps.restore", json!({ "name": name, "written": written.as_str(), "before": before }))
        }
    }
}

fn patched(patch: &Patch) -> Value {
    let mut fields = json!({});
    set(&mut fields, "launch_path", patch.launch_path.as_ref().map(|path| path.as_str()));
    for (name, put) in [("runtime_exe", &patch.runtime_exe), ("process_name", &patch.process_name)] {
        match put {
            Put::Keep => {}
            Put::Clear => fields[name] = Value::Null,
            Put::Value(value) => fields[name] = Value::from(value.clone()),
        }
    }
    if let Some(policy) = &patch.policy {
        set_policy(&mut fields, policy);
    }
    fields
}

fn set(fields: &mut Value, name: &str, value: Option<&str>) {
    if let Some(value) = value {
        fields[name] = Value::from(value);
    }
}

fn set_policy(fields: &mut Value, policy: &Policy) {
    fields["mode"] = Value::from(policy.mode().as_str());
    if let Policy::Allowlist(agents) = policy {
        fields["allowed_agents"] = json!(agents.as_slice());
    }
}
