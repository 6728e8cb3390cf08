//! The audit records of requests: who requested what, the decision, and the outcome.

use serde_json::{Map, Value, json};
use tarsus_audit::{AuditEntry, RecordCategory, RecordSeverity};
use tarsus_host::processes::ListProcessesError;
use tarsus_protocol::Problem;
use tarsus_protocol::apps::AppAction;

use super::{Attempt, Requester, report};
use crate::access::{AccessDenied, AllowedLaunch, AllowedStop};
use crate::registry::{Proposal, RegistryChange, RegistryError};
use crate::run::{Launched, Stopped};

const ALLOWED: &str = "allowed";
const DENIED: &str = "denied";
const FAILED: &str = "failed";

const CREATE: &str = "apps.create";
const ADD: &str = "app.add";
const EDIT: &str = "app.edit";
const DELETE: &str = "app.delete";

/// An allowed launch, before it happens.
pub(super) fn launch(requester: &Requester, allowed: &AllowedLaunch) -> AuditEntry {
    let entry = allowed.entry();
    let detail = detail(json!({ "launchPath": entry.launch_path, "mode": entry.mode }));
    AuditEntry {
        decision: Some(ALLOWED.to_owned()),
        detail,
        ..new_entry(requester, Some(allowed.app()), "app.launch", RecordSeverity::Info)
    }
}

/// The outcome of a launch.
pub(super) fn launched(requester: &Requester, app: &str, launched: &Launched) -> AuditEntry {
    let run = report::launch_run(app, &requester.agent, launched);
    let severity = if run.error.is_some() { RecordSeverity::Warning } else { RecordSeverity::Info };
    AuditEntry {
        decision: Some(run.outcome.as_str().to_owned()),
        detail: detail(json!({ "launcher": run.launcher, "pids": run.pids })),
        reason: run.error,
        ..new_entry(requester, Some(app), "app.launched", severity)
    }
}

/// An allowed stop, before it happens.
pub(super) fn stop(requester: &Requester, allowed: &AllowedStop) -> AuditEntry {
    let detail = detail(json!({ "mode": allowed.entry().mode }));
    AuditEntry {
        decision: Some(ALLOWED.to_owned()),
        detail,
        ..new_entry(requester, Some(allowed.app()), "app.stop", RecordSeverity::Info)
    }
}

/// The outcome of a stop.
pub(super) fn stopped(
    requester: &Requester,
    app: &str,
    stopped: &Result<Stopped, ListProcessesError>,
) -> AuditEntry {
    let run = stopped.as_ref().map(|stopped| report::stop_run(app, &requester.agent, stopped));
    let (outcome, pids, error) = match run {
        Ok(run) => (run.outcome.as_str(), run.pids, run.error),
        Err(error) => (FAILED, Vec::new(), Some(error.to_string())),
    };
    let severity = if error.is_some() { RecordSeverity::Warning } else { RecordSeverity::Info };
    AuditEntry {
        decision: Some(outcome.to_owned()),
        reason: error,
        detail: detail(json!({ "pids": pids })),
        ..new_entry(requester, Some(app), "app.stopped", severity)
    }
}

/// A denial by the launch policy.
pub(super) fn denied(requester: &Requester, attempt: Attempt, denied: &AccessDenied) -> AuditEntry {
    refusal(requester, attempt, Some(&denied.app), denied.to_string())
}

/// A refusal for another reason than the launch policy.
pub(super) fn refused(
    requester: &Requester,
    attempt: Attempt,
    app: Option<&str>,
    reason: &Problem,
) -> AuditEntry {
    refusal(requester, attempt, app, reason.message.clone())
}

fn refusal(requester: &Requester, attempt: Attempt, app: Option<&str>, reason: String) -> AuditEntry {
    let event = match attempt {
        Attempt::Launch => "app.launch",
        Attempt::Stop => "app.stop",
        Attempt::Change(AppAction::Create) => CREATE,
        Attempt::Change(AppAction::Add) => ADD,
        Attempt::Change(AppAction::Edit | AppAction::Policy) => EDIT,
        Attempt::Change(AppAction::Delete) => DELETE,
    };
    let (decision, reason) = (Some(DENIED.to_owned()), Some(reason));
    AuditEntry { decision, reason, ..new_entry(requester, app, event, RecordSeverity::Warning) }
}

/// A change of the registry, before it happens.
pub(super) fn change(requester: &Requester, change: &RegistryChange, proposal: &Proposal) -> AuditEntry {
    let (before, after) = report::entry_values(proposal);
    let detail = detail(json!({ "before": before, "after": after }));
    AuditEntry {
        decision: Some(ALLOWED.to_owned()),
        detail,
        ..change_entry(requester, change, RecordSeverity::Info)
    }
}

/// A change that failed after it was recorded.
pub(super) fn not_saved(requester: &Requester, change: &RegistryChange, error: &RegistryError) -> AuditEntry {
    let reason = Some(error.to_string());
    AuditEntry {
        decision: Some(FAILED.to_owned()),
        reason,
        ..change_entry(requester, change, RecordSeverity::Warning)
    }
}

fn change_entry(requester: &Requester, change: &RegistryChange, severity: RecordSeverity) -> AuditEntry {
    let event = match change {
        RegistryChange::Create => CREATE,
        RegistryChange::Add { .. } | RegistryChange::Restore { .. } => ADD,
        RegistryChange::Edit { .. } => EDIT,
        RegistryChange::Delete { .. } => DELETE,
    };
    new_entry(requester, change.name(), event, severity)
}

fn new_entry(requester: &Requester, app: Option<&str>, event: &str, severity: RecordSeverity) -> AuditEntry {
    AuditEntry {
        agent_id: Some(requester.agent.clone()),
        session_key: requester.session.clone(),
        app: app.map(str::to_owned),
        ..AuditEntry::new(RecordCategory::Security, event, severity)
    }
}

fn detail(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(detail) => detail,
        _ => Map::new(),
    }
}
