//! Reports that every surface shows: apps, checks, changes, launches and stops.

use std::borrow::Cow;

use serde_json::Value;
use tarsus_protocol::Problem;
use tarsus_protocol::apps::{
    AppAction, AppChange, AppCheck, AppDecision, AppGroup, AppGroups, AppList, AppMode, AppRegistry, AppRun,
    AppRunOutcome, AppRunReport, AppStatus, InvalidApp, RegisteredApp, ValidApp,
};
use tarsus_protocol::report::AppsStatus;

use crate::access::AccessDenied;
use crate::quote::quoted;
use crate::registry::{App, LoadedRegistry, Proposal, SavedChange};
use crate::run::{LaunchOutcome, Launched, ProcessEnd, Processes, Stopped, StoppedProcess};

/// All apps with their running state, which is unknown without a process list.
#[must_use]
pub fn app_list<'a>(loaded: &'a LoadedRegistry, processes: Option<&Processes>) -> AppList<'a> {
    let registry = AppRegistry {
        path: loaded.path.to_string_lossy().into_owned(),
        exists: loaded.exists(),
        hash: loaded.hash.clone(),
    };
    AppList { registry, apps: loaded.apps.iter().map(|app| registered_app(app, processes)).collect() }
}

/// One app with its running state.
#[must_use]
pub fn registered_app<'a>(app: &'a App, processes: Option<&Processes>) -> RegisteredApp<'a> {
    let (running, pids) = running(app, processes);
    RegisteredApp {
        name: Cow::Borrowed(&app.name),
        launch_path: app.launch_path.as_deref().map(Cow::Borrowed),
        runtime_exe: app.runtime_exe.as_deref().map(Cow::Borrowed),
        process_name: app.process_name.as_deref().map(Cow::Borrowed),
        mode: app.mode,
        allowed_agents: Cow::Borrowed(&app.allowed_agents),
        group: app.group,
        reasons: reasons(app),
        faults: app.faults.clone(),
        running,
        pids,
    }
}

/// The running state of an app, if its processes can be identified.
#[must_use]
pub fn app_status(app: &App, processes: Option<&Processes>) -> AppStatus {
    let (running, pids) = running(app, processes);
    AppStatus { name: app.name.clone(), running, pids }
}

fn running(app: &App, processes: Option<&Processes>) -> (Option<bool>, Vec<u32>) {
    let found = processes.and_then(|processes| processes.of_app(app));
    let is_running = found.as_ref().map(|found| !found.is_empty());
    (is_running, found.unwrap_or_default().iter().map(|process| process.pid).collect())
}

/// The number of apps in each state.
#[must_use]
pub fn app_counts(loaded: &LoadedRegistry, processes: Option<&Processes>) -> AppsStatus {
    let count = |is: &dyn Fn(&App) -> bool| loaded.apps.iter().filter(|app| is(app)).count() as u64;
    AppsStatus {
        exists: loaded.exists(),
        registered: count(&|_| true),
        running: count(&|app| running(app, processes).0 == Some(true)),
        off: count(&|app| app.mode == Some(AppMode::Off)),
        doubtful: count(&|app| app.group != AppGroup::Valid),
        problem: None,
    }
}

/// All entries by group, with their faults.
#[must_use]
pub fn app_check(loaded: &LoadedRegistry) -> AppCheck {
    let mut groups = AppGroups::default();
    for app in &loaded.apps {
        let invalid =
            || InvalidApp { name: app.name.clone(), reasons: reasons(app), faults: app.faults.clone() };
        match app.group {
            AppGroup::Valid => groups.valid.push(ValidApp { name: app.name.clone() }),
            AppGroup::Incomplete => groups.incomplete.push(invalid()),
            AppGroup::Malformed => groups.malformed.push(invalid()),
            AppGroup::PolicyMismatch => groups.policy_mismatch.push(invalid()),
        }
    }
    let ok = groups.valid.len() == loaded.apps.len();
    AppCheck { path: loaded.path.to_string_lossy().into_owned(), ok, groups }
}

/// The JSON report of a launch.
#[must_use]
pub(super) fn launch_run(app: &str, agent: &str, launched: &Launched) -> AppRun {
    let (outcome, pids, error) = match &launched.outcome {
        LaunchOutcome::Started { pids } => (AppRunOutcome::Started, pids.clone(), None),
        LaunchOutcome::Requested { .. } => (AppRunOutcome::Requested, Vec::new(), None),
        LaunchOutcome::AlreadyRunning { pids } | LaunchOutcome::StartedAnother { before: pids, .. } => {
            (AppRunOutcome::AlreadyRunning, pids.clone(), None)
        }
        LaunchOutcome::Failed(error) => (AppRunOutcome::Failed, Vec::new(), Some(error.reason())),
    };
    let launcher = launched.launcher.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    AppRun { launcher, pids, error, ..allowed_run(app, agent, outcome) }
}

/// The JSON report of a stop. It failed if any process is still running.
#[must_use]
pub(super) fn stop_run(app: &str, agent: &str, stopped: &Stopped) -> AppRun {
    let processes = match stopped {
        Stopped::NoStopData => return allowed_run(app, agent, AppRunOutcome::NoStopData),
        Stopped::NotRunning => return allowed_run(app, agent, AppRunOutcome::NotRunning),
        Stopped::Processes(processes) => processes,
    };
    let errors: Vec<String> = processes
        .iter()
        .filter_map(|process| match &process.end {
            ProcessEnd::StillRunning(error) => Some(error.reason()),
            ProcessEnd::Closed | ProcessEnd::Killed => None,
        })
        .collect();
    let outcome = if errors.is_empty() { AppRunOutcome::Stopped } else { AppRunOutcome::Failed };
    let error = (!errors.is_empty()).then(|| errors.join("; "));
    AppRun {
        pids: processes.iter().map(|process| process.pid).collect(),
        error,
        ..allowed_run(app, agent, outcome)
    }
}

/// The report of a launch with details: the command, an earlier attempt, the error.
#[must_use]
pub fn launch_report(app: &str, agent: &str, launched: &Launched) -> AppRunReport {
    let words: Vec<String> = launched.launcher.iter().map(|word| quoted(&word.to_string_lossy())).collect();
    let ran = (!words.is_empty()).then(|| format!("ran   {}", words.join(" ")));
    let first = launched.retry_of.as_ref().map(|error| format!("first {}", error.reason()));
    let again = match &launched.outcome {
        LaunchOutcome::AlreadyRunning { .. } => {
            Some("it was asked to come forward; no other copy of it was started".to_owned())
        }
        LaunchOutcome::StartedAnother { pids, .. } => {
            let pids: Vec<String> = pids.iter().map(u32::to_string).collect();
            Some(format!("another copy of it was started, pid {}", pids.join(", ")))
        }
        _ => None,
    };
    let mut notes: Vec<String> = again.into_iter().chain(ran).chain(first).collect();
    let (mut hint, mut code) = (None, None);
    if let LaunchOutcome::Failed(error) = &launched.outcome {
        let problem = Problem::from(error);
        notes.splice(..0, [problem.message].into_iter().chain(problem.notes));
        (hint, code) = (problem.hint, Some(problem.code));
    }
    AppRunReport { run: launch_run(app, agent, launched), notes, hint, code }
}

/// The report of a stop with the result for each process.
#[must_use]
pub fn stop_report(app: &str, agent: &str, stopped: &Stopped) -> AppRunReport {
    let processes = if let Stopped::Processes(processes) = stopped { processes.as_slice() } else { &[] };
    let note = |process: &StoppedProcess| match &process.end {
        ProcessEnd::Closed => format!("pid {} closed", process.pid),
        ProcessEnd::Killed => format!("pid {} killed, because it did not close", process.pid),
        ProcessEnd::StillRunning(error) => format!("pid {} still runs: {}", process.pid, error.reason()),
    };
    let notes = processes.iter().map(note).collect();
    AppRunReport { run: stop_run(app, agent, stopped), notes, hint: None, code: None }
}

/// The JSON report of a launch or a stop that the policy denied.
#[must_use]
pub fn denied_run(denied: &AccessDenied) -> AppRun {
    let error = Some(denied.to_string());
    let decision = AppDecision::Denied;
    AppRun { decision, error, ..allowed_run(&denied.app, &denied.agent, AppRunOutcome::Denied) }
}

fn allowed_run(app: &str, agent: &str, outcome: AppRunOutcome) -> AppRun {
    AppRun {
        app: app.to_owned(),
        agent: agent.to_owned(),
        decision: AppDecision::Allowed,
        outcome,
        launcher: Vec::new(),
        pids: Vec::new(),
        error: None,
    }
}

/// The report of a saved change.
#[must_use]
pub fn app_change(action: AppAction, name: Option<&str>, saved: &SavedChange) -> AppChange {
    let (before, after) = entry_values(&saved.proposal);
    AppChange { ok: true, action, name: name.map(str::to_owned), before, after, saved: saved.changed }
}

/// The JSON of the entry before and after, including unknown fields.
pub(super) fn entry_values(proposal: &Proposal) -> (Option<Value>, Option<Value>) {
    // A number that cannot be represented makes the entry a string, as it is written.
    let value = |app: &App| serde_json::from_str(&app.json).unwrap_or_else(|_| Value::from(&*app.json));
    (proposal.before.as_ref().map(value), proposal.after.as_ref().map(value))
}

fn reasons(app: &App) -> Vec<String> {
    app.faults.iter().map(ToString::to_string).collect()
}
