//! The lines of the audit chain: who asked for what, what was decided, what came of it.

use serde_json::{Map, Value, json};
use tarsus_audit::{Category, Entry as Line, Severity};
use tarsus_host::processes::ListProcessesError;
use tarsus_protocol::Problem;
use tarsus_protocol::apps::AppAction;

use super::{Act, Asker, report};
use crate::access::{Allowed, AllowedLaunch, Denied};
use crate::registry::{Change, Proposal, RegistryError};
use crate::run::{Launched, Stopped};

const ALLOWED: &str = "allowed";
const DENIED: &str = "denied";
const FAILED: &str = "failed";

const CREATE: &str = "apps.create";
const ADD: &str = "app.add";
const EDIT: &str = "app.edit";
const DELETE: &str = "app.delete";

/// A launch that is about to happen.
pub(super) fn launch(asker: &Asker, app: &str, allowed: &AllowedLaunch) -> Line {
    let entry = allowed.entry();
    let detail = detail(json!({ "launchPath": entry.launch_path.as_str(), "mode": entry.policy.mode() }));
    Line {
        decision: Some(ALLOWED.to_owned()),
        detail,
        ..line(asker, Some(app), "app.launch", Severity::Info)
    }
}

/// What came of it.
pub(super) fn launched(asker: &Asker, app: &str, launched: &Launched) -> Line {
    let run = report::launched(app, &asker.agent, launched);
    let severity = if run.error.is_some() { Severity::Warning } else { Severity::Info };
    Line {
        decision: Some(run.outcome.as_str().to_owned()),
        detail: detail(json!({ "launcher": run.launcher, "pids": run.pids })),
        reason: run.error,
        ..line(asker, Some(app), "app.launched", severity)
    }
}

/// A stop that is about to happen.
pub(super) fn stop(asker: &Asker, app: &str, allowed: &Allowed) -> Line {
    let detail = detail(json!({ "mode": allowed.entry().policy.mode() }));
    Line { decision: Some(ALLOWED.to_owned()), detail, ..line(asker, Some(app), "app.stop", Severity::Info) }
}

/// What came of it.
pub(super) fn stopped(asker: &Asker, app: &str, stopped: &Result<Stopped, ListProcessesError>) -> Line {
    let run = stopped.as_ref().map(|stopped| report::stopped(app, &asker.agent, stopped));
    let (outcome, pids, error) = match run {
        Ok(run) => (run.outcome.as_str(), run.pids, run.error),
        Err(error) => (FAILED, Vec::new(), Some(error.to_string())),
    };
    let severity = if error.is_some() { Severity::Warning } else { Severity::Info };
    Line {
        decision: Some(outcome.to_owned()),
        reason: error,
        detail: detail(json!({ "pids": pids })),
        ..line(asker, Some(app), "app.stopped", severity)
    }
}

/// A request that the policy refused.
pub(super) fn refused(asker: &Asker, act: Act, denied: &Denied) -> Line {
    denial(asker, act, Some(&denied.app), denied.to_string())
}

/// A request that was refused before any policy was asked.
pub(super) fn barred(asker: &Asker, act: Act, app: Option<&str>, why: &Problem) -> Line {
    denial(asker, act, app, why.message.clone())
}

fn denial(asker: &Asker, act: Act, app: Option<&str>, reason: String) -> Line {
    let event = match act {
        Act::Launch => "app.launch",
        Act::Stop => "app.stop",
        Act::Change(AppAction::Create) => CREATE,
        Act::Change(AppAction::Add) => ADD,
        Act::Change(AppAction::Edit | AppAction::Policy) => EDIT,
        Act::Change(AppAction::Delete) => DELETE,
    };
    let (decision, reason) = (Some(DENIED.to_owned()), Some(reason));
    Line { decision, reason, ..line(asker, app, event, Severity::Warning) }
}

/// A change of the registry that is about to happen.
pub(super) fn change(asker: &Asker, change: &Change, proposal: &Proposal) -> Line {
    let changed = report::values(proposal);
    let detail = detail(json!({ "before": changed.0, "after": changed.1 }));
    Line { decision: Some(ALLOWED.to_owned()), detail, ..of_change(asker, change, Severity::Info) }
}

/// A change that did not happen after all.
pub(super) fn not_saved(asker: &Asker, change: &Change, error: &RegistryError) -> Line {
    let reason = Some(error.to_string());
    Line { decision: Some(FAILED.to_owned()), reason, ..of_change(asker, change, Severity::Warning) }
}

fn of_change(asker: &Asker, change: &Change, severity: Severity) -> Line {
    let event = match change {
        Change::Create => CREATE,
        Change::Add { .. } | Change::Restore { .. } => ADD,
        Change::Edit { .. } => EDIT,
        Change::Delete { .. } => DELETE,
    };
    line(asker, change.name(), event, severity)
}

fn line(asker: &Asker, app: Option<&str>, event: &str, severity: Severity) -> Line {
    Line {
        agent_id: Some(asker.agent.clone()),
        session_key: asker.session.clone(),
        app: app.map(str::to_owned),
        ..Line::new(Category::Security, event, severity)
    }
}

fn detail(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(detail) => detail,
        _ => Map::new(),
    }
}
