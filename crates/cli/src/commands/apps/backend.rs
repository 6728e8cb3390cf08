//! Runs app commands through the gateway if one runs, else in this process.
//!
//! Each action is attempted once, by one of them, with the same result type. Inside an agent's process the gateway
//! is never used: it would take the agent for the owner.

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
use crate::gateway::{ACT_TIMEOUT, OptionalGateway};
use crate::output::Output;

/// The result of a launch or a stop.
pub enum ActResult {
    Completed(AppActed),
    Denied(Denied),
}

/// The gateway, or this process if none can be used.
pub struct AppBackend<'c> {
    context: &'c Context,
    gateway: OptionalGateway,
}

impl<'c> AppBackend<'c> {
    /// Connects to the gateway. If that fails, prints a note on standard error and uses this process.
    pub fn connect(context: &'c Context, output: &mut Output) -> Result<Self, Problem> {
        let gateway = match context.inside_agent() {
            Some(_) => OptionalGateway::none(),
            None => OptionalGateway::connect(context, output)?,
        };
        Ok(Self { context, gateway })
    }

    /// Queries the gateway. `None` if there is none or it does not answer: the caller reads the data itself.
    pub fn report<T: DeserializeOwned>(
        &mut self,
        method: &str,
        output: &mut Output,
    ) -> Result<Option<T>, Problem> {
        self.gateway
            .try_call(method, json!({}), output)
            .map(|answer| parse_answer(method, answer?))
            .transpose()
    }

    /// Launches an app on the desktop of this terminal.
    pub fn launch(&mut self, app: &App) -> Result<ActResult, Problem> {
        let agent = self.context.acting_agent()?.to_string();
        let session = of_the_session(self.context.environment.variables());
        // Variables that are not UTF-8 cannot describe a desktop.
        let session: BTreeMap<&str, &str> =
            session.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?))).collect();
        let params = json!({ "name": app.name, "agentId": agent, "session": session });
        if let Some(result) = self.act_via_gateway("apps.launch", params, || may_launch(app, &agent).err())? {
            return Ok(result);
        }
        let desk = super::desk(self.context)?;
        act_result(runtime()?.block_on(desk.launch(&app.name)), |launched| {
            desk::acted_on_launch(&app.name, &agent, &launched)
        })
    }

    pub fn stop(&mut self, app: &App, stopper: Stopper) -> Result<ActResult, Problem> {
        let agent = self.context.acting_agent()?.to_string();
        let confirmed = matches!(stopper, Stopper::Person { confirmed: true });
        let params = json!({ "name": app.name, "agentId": agent, "confirmed": confirmed });
        if let Some(result) =
            self.act_via_gateway("apps.stop", params, || may_stop(app, &agent, stopper).err())?
        {
            return Ok(result);
        }
        let desk = super::desk(self.context)?;
        act_result(runtime()?.block_on(desk.stop(&app.name, stopper)), |stopped| {
            desk::acted_on_stop(&app.name, &agent, &stopped)
        })
    }

    /// Saves a change of the registry. The gateway compares with the hash of `base`, this process with `seen`.
    pub fn save(
        &mut self,
        action: AppAction,
        change: &Change,
        base: &Loaded,
        seen: Seen<'_>,
    ) -> Result<AppChange, Problem> {
        let (method, mut params) = change_request(change);
        if let Some(hash) = base.hash.as_ref().filter(|_| method != "apps.create") {
            params["baseHash"] = Value::from(hash.clone());
        }
        if let Some(changed) = self.execute::<AppChange>(method, params)? {
            // The gateway treats a new policy as an edit.
            return Ok(AppChange { action, ..changed });
        }
        let saved = super::desk(self.context)?.save(change, seen)?;
        Ok(desk::changed(action, change.name(), &saved))
    }

    /// Lets the gateway act. A denial is returned with the reasons that the local policy check gives for it.
    fn act_via_gateway(
        &mut self,
        method: &str,
        params: Value,
        denied: impl FnOnce() -> Option<Denied>,
    ) -> Result<Option<ActResult>, Problem> {
        match self.execute(method, params) {
            Ok(acted) => Ok(acted.map(ActResult::Completed)),
            Err(problem) if matches!(problem.code, ErrorCode::Denied | ErrorCode::NotConfirmed) => {
                denied().map(|denied| Some(ActResult::Denied(denied))).ok_or(problem)
            }
            Err(problem) => Err(problem),
        }
    }

    fn execute<T: DeserializeOwned>(&mut self, method: &str, params: Value) -> Result<Option<T>, Problem> {
        self.gateway
            .execute(method, params, ACT_TIMEOUT)
            .map(|answer| parse_answer(method, answer?))
            .transpose()
    }
}

fn parse_answer<T: DeserializeOwned>(method: &str, answer: Value) -> Result<T, Problem> {
    serde_json::from_value(answer).map_err(|error| {
        let message = format!("what the gateway answers to {method} cannot be read: {error}");
        Problem::new(ErrorCode::Failed, message)
            .hint("it may be of another version: `tarsus gateway restart`")
    })
}

fn act_result<T>(
    tried: Result<T, DeskError>,
    acted: impl FnOnce(T) -> AppActed,
) -> Result<ActResult, Problem> {
    match tried {
        Ok(done) => Ok(ActResult::Completed(acted(done))),
        Err(DeskError::Denied(denied)) => Ok(ActResult::Denied(denied)),
        Err(error) => Err(error.into()),
    }
}

/// Returns the method and parameters for a change.
fn change_request(change: &Change) -> (&'static str, Value) {
    match change {
        Change::Create => ("apps.create", json!({})),
        Change::Delete { name } => ("apps.delete", json!({ "name": name })),
        Change::Add { name, entry } => {
            let mut fields = json!({ "launch_path": entry.launch_path.as_str() });
            set_text(&mut fields, "runtime_exe", entry.runtime_exe.as_deref());
            set_text(&mut fields, "process_name", entry.process_name.as_deref());
            set_policy(&mut fields, &entry.policy);
            ("apps.save", json!({ "name": name, "entry": fields }))
        }
        Change::Edit { name, patch } => ("apps.patch", json!({ "name": name, "patch": patch_json(patch) })),
        Change::Restore { name, written, before } => {
            ("apps.restore", json!({ "name": name, "written": written.as_str(), "before": before }))
        }
    }
}

fn patch_json(patch: &Patch) -> Value {
    let mut fields = json!({});
    set_text(&mut fields, "launch_path", patch.launch_path.as_ref().map(|path| path.as_str()));
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

fn set_text(fields: &mut Value, name: &str, value: Option<&str>) {
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
