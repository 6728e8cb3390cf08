//! Runs app commands through the gateway if one runs, else in this process.
//!
//! Each action is attempted once, by one of them, with the same result type. Inside an agent's process the gateway
//! is never used: it would take the agent for the owner.

use std::collections::BTreeMap;

use tarsus_apps::manager::{self, ManagerError};
use tarsus_apps::run::session_environment;
use tarsus_apps::{
    AccessDenied, App, BaseVersion, LoadedRegistry, RegistryChange, Stopper, authorize_launch, authorize_stop,
};
use tarsus_protocol::apps::{AppAction, AppChange, AppRunReport};
use tarsus_protocol::rpc::apps::{
    AppDeleteParams, AppPatchParams, AppRestoreParams, AppRunParams, AppSaveParams, AppStopParams, Create,
    Delete, Launch, Patch, Restore, Save, Stop,
};
use tarsus_protocol::rpc::{Method, NoParams};
use tarsus_protocol::{ErrorCode, Problem};

use crate::commands::runtime;
use crate::context::Context;
use crate::gateway::{ACT_TIMEOUT, OptionalGateway};
use crate::output::Output;

/// The result of a launch or a stop.
pub enum ActResult {
    Completed(AppRunReport),
    Denied(AccessDenied),
}

/// The gateway, or this process if none can be used.
pub struct AppBackend<'c> {
    context: &'c Context,
    gateway: OptionalGateway,
}

impl<'c> AppBackend<'c> {
    /// Connects to the gateway. If that fails, prints a note on standard error and uses this process.
    pub fn connect(context: &'c Context, output: &mut Output) -> Result<Self, Problem> {
        let gateway = match context.inside() {
            Some(_) => OptionalGateway::none(),
            None => OptionalGateway::connect(context, output)?,
        };
        Ok(Self { context, gateway })
    }

    /// Queries the gateway. `None` if there is none or it does not answer: the caller reads the data itself.
    pub fn report<M: Method<Params = NoParams>>(
        &mut self,
        output: &mut Output,
    ) -> Result<Option<M::Result>, Problem> {
        self.gateway.try_call::<M>(&NoParams {}, output).transpose()
    }

    /// Launches an app on the desktop of this terminal.
    pub fn launch(&mut self, app: &App) -> Result<ActResult, Problem> {
        let agent = self.context.acting_agent()?.to_string();
        let session = session_environment(self.context.environment.variables());
        // Variables that are not UTF-8 cannot describe a desktop.
        let session: BTreeMap<String, String> = session
            .iter()
            .filter_map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())))
            .collect();
        let params =
            AppRunParams { name: app.name.clone(), agent_id: Some(agent.clone()), session: Some(session) };
        if let Some(result) =
            self.act_via_gateway::<Launch>(&params, || authorize_launch(app, &agent).err())?
        {
            return Ok(result);
        }
        let manager = super::manager(self.context)?;
        act_result(runtime()?.block_on(manager.launch(app)), |launched| {
            manager::launch_report(&app.name, &agent, &launched)
        })
    }

    pub fn stop(&mut self, app: &App, stopper: Stopper) -> Result<ActResult, Problem> {
        let agent = self.context.acting_agent()?.to_string();
        let confirmed = matches!(stopper, Stopper::Person { confirmed: true });
        let params = AppStopParams {
            name: app.name.clone(),
            agent_id: Some(agent.clone()),
            confirmed: Some(confirmed),
        };
        if let Some(result) =
            self.act_via_gateway::<Stop>(&params, || authorize_stop(app, &agent, stopper).err())?
        {
            return Ok(result);
        }
        let manager = super::manager(self.context)?;
        act_result(runtime()?.block_on(manager.stop(app, stopper)), |stopped| {
            manager::stop_report(&app.name, &agent, &stopped)
        })
    }

    /// Saves a change of the registry. The gateway compares with the hash of `base`, this process with `version`.
    pub fn save(
        &mut self,
        action: AppAction,
        change: &RegistryChange,
        base: &LoadedRegistry,
        version: BaseVersion<'_>,
    ) -> Result<AppChange, Problem> {
        if let Some(changed) = self.save_via_gateway(change, base.hash.clone())? {
            // The gateway treats a new policy as an edit.
            return Ok(AppChange { action, ..changed });
        }
        let saved = super::manager(self.context)?.save(change, version)?;
        Ok(manager::app_change(action, change.name(), &saved))
    }

    /// Lets the gateway act. A denial is returned with the reasons that the local policy check gives for it.
    fn act_via_gateway<M: Method<Result = AppRunReport>>(
        &mut self,
        params: &M::Params,
        denied: impl FnOnce() -> Option<AccessDenied>,
    ) -> Result<Option<ActResult>, Problem> {
        match self.execute::<M>(params) {
            Ok(report) => Ok(report.map(ActResult::Completed)),
            Err(problem) if matches!(problem.code, ErrorCode::Denied | ErrorCode::NotConfirmed) => {
                denied().map(|denied| Some(ActResult::Denied(denied))).ok_or(problem)
            }
            Err(problem) => Err(problem),
        }
    }

    fn save_via_gateway(
        &mut self,
        change: &RegistryChange,
        base_hash: Option<String>,
    ) -> Result<Option<AppChange>, Problem> {
        match change.clone() {
            RegistryChange::Create => self.execute::<Create>(&NoParams {}),
            RegistryChange::Add { name, entry } => {
                self.execute::<Save>(&AppSaveParams { name, entry, base_hash })
            }
            RegistryChange::Edit { name, patch } => {
                self.execute::<Patch>(&AppPatchParams { name, patch, base_hash })
            }
            RegistryChange::Delete { name } => {
                let deleted = self.execute::<Delete>(&AppDeleteParams { name, base_hash })?;
                Ok(deleted.map(|deleted| deleted.change))
            }
            RegistryChange::Restore { name, entry, before } => {
                let written = entry.as_str().to_owned();
                self.execute::<Restore>(&AppRestoreParams { name, written, before, base_hash })
            }
        }
    }

    fn execute<M: Method>(&mut self, params: &M::Params) -> Result<Option<M::Result>, Problem> {
        self.gateway.execute::<M>(params, ACT_TIMEOUT).transpose()
    }
}

fn act_result<T>(
    attempt: Result<T, ManagerError>,
    report: impl FnOnce(T) -> AppRunReport,
) -> Result<ActResult, Problem> {
    match attempt {
        Ok(done) => Ok(ActResult::Completed(report(done))),
        Err(ManagerError::Denied(denied)) => Ok(ActResult::Denied(denied)),
        Err(error) => Err(error.into()),
    }
}
