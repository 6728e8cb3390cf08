//! The application registry, and launching and stopping apps.

use std::ffi::OsString;
use std::sync::Arc;

use tarsus_apps::desk::{self, Asker, Desk};
use tarsus_apps::run::Processes;
use tarsus_apps::{
    Change, Entry, LaunchPath, Patch, Policy, Put, RegistryError, Saved, Seen, Stopper, WrittenEntry,
};
use tarsus_protocol::apps::{AppActed, AppAction, AppChange, AppCheck, AppMode};
use tarsus_protocol::event::{AppsAction, AppsChanged};
use tarsus_protocol::rpc::apps::{
    AppDeleteParams, AppDeleted, AppEntry, AppPatchParams, AppRestoreParams, AppRunParams, AppSaveParams,
    AppStopParams, RemovedApp,
};
use tarsus_protocol::rpc::{self, NoParams};
use tarsus_protocol::{ErrorCode, Problem};

use tokio::runtime::Handle;
use tokio::task::JoinError;

use super::agents::find;
use super::failure::Failure;
use super::table::Caller;
use crate::gateway::{Gateway, WorkKind};

/// Parameter that holds an app's entry.
const IN_ENTRY: &str = "apps.save params: at /entry";
const IN_PATCH: &str = "apps.patch params: at /patch";
const IN_RESTORE: &str = "apps.restore params: at ";

/// The variables of a desktop.
type Session = Vec<(OsString, OsString)>;

/// The desk for an agent, by default the default agent. Apps appear on the desktop of `session`, or on our own.
fn desk_for(gateway: &Gateway, agent: Option<&str>, session: Option<Session>) -> Result<Desk, Failure> {
    let config = gateway.config();
    let agent = match agent {
        Some(id) => find(&config, id)?.id.to_string(),
        None => config.agents.default_id().to_string(),
    };
    let context = &gateway.context;
    let asker = Asker { agent, session: None };
    Ok(Desk::new(
        &context.home,
        Ok(Arc::clone(&context.audit)),
        context.clock.clone(),
        asker,
        session.unwrap_or_else(|| context.environment.clone()),
    ))
}

pub(super) fn list(gateway: &Gateway, _: NoParams) -> Result<Arc<str>, Failure> {
    let loaded = desk_for(gateway, None, None)?.load()?;
    let processes = Processes::now();
    if let Err(error) = &processes {
        tracing::warn!(%error, "the running programs cannot be read");
    }
    let list = serde_json::to_string(&desk::listed(&loaded, processes.ok().as_ref()));
    Ok(list.map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))?.into())
}

pub(super) fn validate(gateway: &Gateway, _: NoParams) -> Result<AppCheck, Failure> {
    let loaded = desk_for(gateway, None, None)?.load()?;
    if !loaded.exists() {
        return Err(RegistryError::Missing { path: loaded.path }.into());
    }
    Ok(desk::checked(&loaded))
}

pub(super) fn create(gateway: &Gateway, _: NoParams) -> Result<AppChange, Failure> {
    saved(gateway, AppAction::Create, &Change::Create, Seen::Any)
}

pub(super) fn save(gateway: &Gateway, params: AppSaveParams) -> Result<AppChange, Failure> {
    let AppSaveParams { name, entry, base_hash } = params;
    let entry = parse_entry(entry)?;
    let base_hash = require_base_hash(base_hash)?;
    let is_there = desk_for(gateway, None, None)?.load()?.app(&name).is_some();
    let (action, change) = if is_there {
        (AppAction::Edit, Change::Edit { name, patch: entry.into() })
    } else {
        (AppAction::Add, Change::Add { name, entry })
    };
    saved(gateway, action, &change, Seen::Hash(&base_hash))
}

pub(super) fn patch(gateway: &Gateway, params: AppPatchParams) -> Result<AppChange, Failure> {
    let AppPatchParams { name, patch, base_hash } = params;
    let patch = Patch {
        launch_path: patch.launch_path.map(|path| launch_path(path, IN_PATCH)).transpose()?,
        runtime_exe: put(patch.runtime_exe),
        process_name: put(patch.process_name),
        policy: match (patch.mode, patch.allowed_agents) {
            (Some(mode), agents) => Some(policy(mode, agents, IN_PATCH)?),
            (None, None) => None,
            (None, Some(_)) => {
                return Err(invalid_field(IN_PATCH, "allowed_agents", "counts only beside a mode"));
            }
        },
    };
    let base_hash = require_base_hash(base_hash)?;
    saved(gateway, AppAction::Edit, &Change::Edit { name, patch }, Seen::Hash(&base_hash))
}

fn put(field: Option<rpc::Change<String>>) -> Put {
    match field {
        None => Put::Keep,
        Some(rpc::Change::Clear) => Put::Clear,
        Some(rpc::Change::Set(value)) => Put::Value(value),
    }
}

pub(super) fn delete(gateway: &Gateway, params: AppDeleteParams) -> Result<AppDeleted, Failure> {
    let base_hash = require_base_hash(params.base_hash)?;
    // Compared with the version that the client saw: if it changed, nothing is deleted.
    let before = desk_for(gateway, None, None)?.load()?.after(&params.name).map(str::to_owned);
    let change = Change::Delete { name: params.name };
    let (saved, change) = save_change(gateway, AppAction::Delete, &change, Seen::Hash(&base_hash))?;
    let written = saved.proposal.before.map(|app| app.written.to_string()).unwrap_or_default();
    Ok(AppDeleted { change, removed: RemovedApp { written, before, hash: saved.hash } })
}

pub(super) fn restore(gateway: &Gateway, params: AppRestoreParams) -> Result<AppChange, Failure> {
    let AppRestoreParams { name, written, before, base_hash } = params;
    let written = written
        .parse::<WrittenEntry>()
        .map_err(|error| invalid_field(IN_RESTORE, "written", &error.to_string()))?;
    let base_hash = require_base_hash(base_hash)?;
    let change = Change::Restore { name, written, before };
    saved(gateway, AppAction::Add, &change, Seen::Hash(&base_hash))
}

fn require_base_hash(base_hash: Option<String>) -> Result<String, Failure> {
    base_hash.ok_or_else(|| Failure::invalid("apps base hash required; re-run apps.list and retry"))
}

fn parse_entry(entry: AppEntry) -> Result<Entry, Failure> {
    let context = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    Ok(Entry {
        launch_path: launch_path(entry.launch_path, IN_ENTRY)?,
        policy: policy(entry.mode, entry.allowed_agents, IN_ENTRY)?,
        runtime_exe: context(entry.runtime_exe),
        process_name: context(entry.process_name),
    })
}

fn launch_path(path: String, place: &str) -> Result<LaunchPath, Failure> {
    LaunchPath::new(path).ok_or_else(|| invalid_field(place, "launch_path", "must not be blank"))
}

fn policy(mode: AppMode, agents: Option<Vec<String>>, place: &str) -> Result<Policy, Failure> {
    Policy::new(mode, agents.unwrap_or_default())
        .ok_or_else(|| invalid_field(place, "allowed_agents", "an allowlist names an agent"))
}

/// The error for a parameter that is no valid app.
fn invalid_field(place: &str, field: &str, why: &str) -> Failure {
    Failure::invalid(format!("invalid {place}/{field}: {why}"))
}

fn saved(
    gateway: &Gateway,
    action: AppAction,
    change: &Change,
    seen: Seen<'_>,
) -> Result<AppChange, Failure> {
    save_change(gateway, action, change, seen).map(|(_, told)| told)
}

/// Saves a change; returns its outcome and the reply.
fn save_change(
    gateway: &Gateway,
    action: AppAction,
    change: &Change,
    seen: Seen<'_>,
) -> Result<(Saved, AppChange), Failure> {
    let told = match action {
        AppAction::Create => AppsAction::Create,
        AppAction::Add | AppAction::Edit | AppAction::Policy => AppsAction::Save,
        AppAction::Delete => AppsAction::Delete,
    };
    let desk = desk_for(gateway, None, None)?;
    let saved = gateway.registry.changing(&gateway.events, || -> Result<_, Failure> {
        let saved = desk.save(change, seen)?;
        let changed = saved.changed.then(|| apps_changed(told, change.name(), Some(saved.hash.clone())));
        Ok((saved, changed))
    })?;
    let change = desk::changed(action, change.name(), &saved);
    Ok((saved, change))
}

pub(super) async fn launch(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: AppRunParams,
) -> Result<AppActed, Failure> {
    let AppRunParams { name, agent_id, session } = params;
    if session.is_some() && !caller.is_admin {
        let why = "an app is launched on another desktop than the gateway's only for an administrator";
        return Err(Problem::new(ErrorCode::Denied, why).into());
    }
    let session = session.map(|variables| {
        variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect::<Session>()
    });
    let desk = desk_for(&gateway, agent_id.as_deref(), session)?;
    let worked = gateway.run_blocking(WorkKind::Act, move |gateway| {
        let launched = Handle::current().block_on(desk.launch(&name))?;
        gateway
            .registry
            .publish(&gateway.events, &apps_changed(AppsAction::Launch, Some(&name), hash(&desk)));
        Ok(desk::acted_on_launch(&name, &desk.asker().agent, &launched))
    });
    flatten_join(worked.await)
}

pub(super) async fn stop(
    gateway: Arc<Gateway>,
    _: Caller,
    params: AppStopParams,
) -> Result<AppActed, Failure> {
    let desk = desk_for(&gateway, params.agent_id.as_deref(), None)?;
    let stopper = Stopper::Person { confirmed: params.confirmed == Some(true) };
    let worked = gateway.run_blocking(WorkKind::Act, move |gateway| {
        let stopped = Handle::current().block_on(desk.stop(&params.name, stopper))?;
        gateway
            .registry
            .publish(&gateway.events, &apps_changed(AppsAction::Stop, Some(&params.name), hash(&desk)));
        Ok(desk::acted_on_stop(&params.name, &desk.asker().agent, &stopped))
    });
    flatten_join(worked.await)
}

pub(super) fn flatten_join<T>(worked: Result<Result<T, Failure>, JoinError>) -> Result<T, Failure> {
    worked.unwrap_or_else(|error| {
        Err(Problem::new(ErrorCode::Failed, format!("it could not be carried out: {error}")).into())
    })
}

fn hash(desk: &Desk) -> Option<String> {
    // Another process may have broken the file meanwhile; the change is published anyway.
    desk.load().ok().and_then(|loaded| loaded.hash)
}

fn apps_changed(action: AppsAction, name: Option<&str>, hash: Option<String>) -> AppsChanged {
    AppsChanged { action, name: name.map(str::to_owned), hash }
}
