//! Methods of the application registry, and of launching and stopping apps.

use std::ffi::OsString;
use std::sync::Arc;

use tarsus_apps::manager::{self, AppManager, Requester};
use tarsus_apps::run::Processes;
use tarsus_apps::{BaseVersion, RawEntry, RegistryChange, RegistryError, SavedChange, Stopper};
use tarsus_protocol::apps::{AppAction, AppChange, AppCheck, AppRunReport, InvalidAppField};
use tarsus_protocol::event::{AppsAction, AppsChanged};
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::apps::{
    AppDeleteParams, AppDeleted, AppPatchParams, AppRestoreParams, AppRunParams, AppSaveParams,
    AppStopParams, RemovedApp,
};
use tarsus_protocol::{ErrorCode, Problem};

use tokio::runtime::Handle;
use tokio::task::JoinError;

use super::agents::find;
use super::failure::Failure;
use super::table::Caller;
use crate::gateway::{Gateway, WorkKind};

/// Locations in parameters, for error messages.
const IN_ENTRY: &str = "apps.save params: at /entry";
const IN_PATCH: &str = "apps.patch params: at /patch";
const IN_RESTORE: &str = "apps.restore params: at ";

/// The environment variables of a desktop session.
type Session = Vec<(OsString, OsString)>;

/// The application manager for an agent, by default the default agent. Apps are launched in `session`, by default in our own.
fn manager_for(
    gateway: &Gateway,
    agent: Option<&str>,
    session: Option<Session>,
) -> Result<AppManager, Failure> {
    let config = gateway.config();
    let agent = match agent {
        Some(id) => find(&config, id)?.id.to_string(),
        None => config.agents.default_id().to_string(),
    };
    let context = &gateway.context;
    let requester = Requester { agent, session: None };
    Ok(AppManager::new(
        &context.home,
        Ok(Arc::clone(&context.audit)),
        context.clock.clone(),
        requester,
        session.unwrap_or_else(|| context.environment.clone()),
    ))
}

pub(super) fn list(gateway: &Gateway, _: NoParams) -> Result<Arc<str>, Failure> {
    let loaded = manager_for(gateway, None, None)?.load()?;
    let processes = Processes::now();
    if let Err(error) = &processes {
        tracing::warn!(%error, "the running programs cannot be read");
    }
    let list = serde_json::to_string(&manager::app_list(&loaded, processes.ok().as_ref()));
    Ok(list.map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?.into())
}

pub(super) fn validate(gateway: &Gateway, _: NoParams) -> Result<AppCheck, Failure> {
    let loaded = manager_for(gateway, None, None)?.load()?;
    if !loaded.exists() {
        return Err(RegistryError::Missing { path: loaded.path }.into());
    }
    Ok(manager::app_check(&loaded))
}

pub(super) fn create(gateway: &Gateway, _: NoParams) -> Result<AppChange, Failure> {
    saved(gateway, AppAction::Create, &RegistryChange::Create, BaseVersion::Any)
}

pub(super) fn save(gateway: &Gateway, params: AppSaveParams) -> Result<AppChange, Failure> {
    let AppSaveParams { name, entry, base_hash } = params;
    let entry = entry.checked().map_err(|field| invalid_app_field(IN_ENTRY, field))?;
    let base_hash = require_base_hash(base_hash)?;
    let is_there = manager_for(gateway, None, None)?.load()?.app(&name).is_some();
    let (action, change) = if is_there {
        (AppAction::Edit, RegistryChange::Edit { name, patch: entry.into() })
    } else {
        (AppAction::Add, RegistryChange::Add { name, entry })
    };
    saved(gateway, action, &change, BaseVersion::Hash(&base_hash))
}

pub(super) fn patch(gateway: &Gateway, params: AppPatchParams) -> Result<AppChange, Failure> {
    let AppPatchParams { name, patch, base_hash } = params;
    let patch = patch.checked().map_err(|field| invalid_app_field(IN_PATCH, field))?;
    let base_hash = require_base_hash(base_hash)?;
    saved(gateway, AppAction::Edit, &RegistryChange::Edit { name, patch }, BaseVersion::Hash(&base_hash))
}

pub(super) fn delete(gateway: &Gateway, params: AppDeleteParams) -> Result<AppDeleted, Failure> {
    let base_hash = require_base_hash(params.base_hash)?;
    // Compared with the version that the client saw: if it changed, nothing is deleted.
    let before = manager_for(gateway, None, None)?.load()?.name_after(&params.name).map(str::to_owned);
    let change = RegistryChange::Delete { name: params.name };
    let (saved, change) = save_change(gateway, AppAction::Delete, &change, BaseVersion::Hash(&base_hash))?;
    let written = saved.proposal.before.map(|app| app.json.to_string()).unwrap_or_default();
    Ok(AppDeleted { change, removed: RemovedApp { written, before, hash: saved.hash } })
}

pub(super) fn restore(gateway: &Gateway, params: AppRestoreParams) -> Result<AppChange, Failure> {
    let AppRestoreParams { name, written, before, base_hash } = params;
    let entry = written
        .parse::<RawEntry>()
        .map_err(|error| invalid_field(IN_RESTORE, "written", &error.to_string()))?;
    let base_hash = require_base_hash(base_hash)?;
    let change = RegistryChange::Restore { name, entry, before };
    saved(gateway, AppAction::Add, &change, BaseVersion::Hash(&base_hash))
}

fn require_base_hash(base_hash: Option<String>) -> Result<String, Failure> {
    base_hash.ok_or_else(|| Failure::invalid("apps base hash required; re-run apps.list and retry"))
}

fn invalid_app_field(place: &str, InvalidAppField { field, reason }: InvalidAppField) -> Failure {
    invalid_field(place, field, reason)
}

/// The error for an invalid parameter.
fn invalid_field(place: &str, field: &str, why: &str) -> Failure {
    Failure::invalid(format!("invalid {place}/{field}: {why}"))
}

fn saved(
    gateway: &Gateway,
    action: AppAction,
    change: &RegistryChange,
    base: BaseVersion<'_>,
) -> Result<AppChange, Failure> {
    save_change(gateway, action, change, base).map(|(_, change)| change)
}

/// Saves a change; returns its outcome and the reply.
fn save_change(
    gateway: &Gateway,
    action: AppAction,
    change: &RegistryChange,
    base: BaseVersion<'_>,
) -> Result<(SavedChange, AppChange), Failure> {
    let published = match action {
        AppAction::Create => AppsAction::Create,
        AppAction::Add | AppAction::Edit | AppAction::Policy => AppsAction::Save,
        AppAction::Delete => AppsAction::Delete,
    };
    let manager = manager_for(gateway, None, None)?;
    let saved = gateway.registry.changing(&gateway.events, || -> Result<_, Failure> {
        let saved = manager.save(change, base)?;
        let changed = saved.changed.then(|| apps_changed(published, change.name(), Some(saved.hash.clone())));
        Ok((saved, changed))
    })?;
    let change = manager::app_change(action, change.name(), &saved);
    Ok((saved, change))
}

pub(super) async fn launch(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: AppRunParams,
) -> Result<AppRunReport, Failure> {
    let AppRunParams { name, agent_id, session } = params;
    if session.is_some() && !caller.is_admin {
        let why = "only an administrator may launch an app in another desktop session than the gateway's";
        return Err(Problem::new(ErrorCode::Denied, why).into());
    }
    let session = session.map(|variables| {
        variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect::<Session>()
    });
    let manager = manager_for(&gateway, agent_id.as_deref(), session)?;
    let worked = gateway.run_blocking(WorkKind::Act, move |gateway| {
        let loaded = manager.load()?;
        let launched = Handle::current().block_on(manager.launch(loaded.require_app(&name)?))?;
        let changed = apps_changed(AppsAction::Launch, Some(&name), loaded.hash);
        gateway.registry.publish(&gateway.events, &changed);
        Ok(manager::launch_report(&name, &manager.requester().agent, &launched))
    });
    flatten_join(worked.await)
}

pub(super) async fn stop(
    gateway: Arc<Gateway>,
    _: Caller,
    params: AppStopParams,
) -> Result<AppRunReport, Failure> {
    let manager = manager_for(&gateway, params.agent_id.as_deref(), None)?;
    let stopper = Stopper::Person { confirmed: params.confirmed == Some(true) };
    let worked = gateway.run_blocking(WorkKind::Act, move |gateway| {
        let (name, loaded) = (&params.name, manager.load()?);
        let stopped = Handle::current().block_on(manager.stop(loaded.require_app(name)?, stopper))?;
        let changed = apps_changed(AppsAction::Stop, Some(name), loaded.hash);
        gateway.registry.publish(&gateway.events, &changed);
        Ok(manager::stop_report(name, &manager.requester().agent, &stopped))
    });
    flatten_join(worked.await)
}

pub(super) fn flatten_join<T>(worked: Result<Result<T, Failure>, JoinError>) -> Result<T, Failure> {
    worked.unwrap_or_else(|error| {
        Err(Problem::new(ErrorCode::Failed, format!("the request failed: {error}")).into())
    })
}

fn apps_changed(action: AppsAction, name: Option<&str>, hash: Option<String>) -> AppsChanged {
    AppsChanged { action, name: name.map(str::to_owned), hash }
}
