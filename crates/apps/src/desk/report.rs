//! What happened and what is there, as the values that every surface shows.

use std::borrow::Cow;

use serde_json::Value;
use tarsus_protocol::Problem;
use tarsus_protocol::apps::{
    AppActed, AppAction, AppChange, AppCheck, AppDecision, AppGroup, AppGroups, AppList, AppOutcome,
    AppRegistry, AppRun, AppStatus, DoubtfulApp, RegisteredApp, ValidApp,
};
use tarsus_protocol::apps_fault::AppFault;
use tarsus_protocol::report::AppsStatus;

use crate::access::Denied;
use crate::entry::Mode;
use crate::registry::{App, Loaded, Proposal, Saved};
use crate::run::{Ended, How, Launched, Outcome, Processes, Stopped, Target};
use crate::shown::quoted;
use crate::validate::{Fields, Group};

/// Every app with what runs of it. Without a process list nothing is known to run.
#[must_use]
pub fn listed<'a>(loaded: &'a Loaded, processes: Option<&Processes>) -> AppList<'a> {
    let registry = AppRegistry {
        path: loaded.path.to_string_lossy().into_owned(),
        exists: loaded.exists(),
        hash: loaded.hash.clone(),
    };
    AppList { registry, apps: loaded.apps.iter().map(|app| shown(app, processes)).collect() }
}

/// One app with what runs of it.
#[must_use]
pub fn shown<'a>(app: &'a App, processes: Option<&Processes>) -> RegisteredApp<'a> {
    let (running, pids) = running(app, processes);
    let Fields { launch_path, runtime_exe, process_name, mode, allowed_agents } = &app.fields;
    RegisteredApp {
        name: Cow::Borrowed(&app.name),
        launch_path: launch_path.as_deref().map(Cow::Borrowed),
        runtime_exe: runtime_exe.as_deref().map(Cow::Borrowed),
        process_name: process_name.as_deref().map(Cow::Borrowed),
        mode: *mode,
        allowed_agents: Cow::Borrowed(allowed_agents),
        group: group(app.verdict.group),
        reasons: reasons(app),
        faults: faults(app),
        running,
        pids,
    }
}

/// Whether an app runs, as far as its processes can be recognised.
#[must_use]
pub fn recognised(app: &App, processes: Option<&Processes>) -> AppStatus {
    let (running, pids) = running(app, processes);
    AppStatus { name: app.name.clone(), running, pids }
}

fn running(app: &App, processes: Option<&Processes>) -> (Option<bool>, Vec<u32>) {
    let target = Target {
        launch_path: app.fields.launch_path.as_deref().unwrap_or_default(),
        runtime_exe: app.fields.runtime_exe.as_deref(),
        process_name: app.fields.process_name.as_deref(),
    };
    let found = processes.and_then(|processes| processes.of(&target));
    let is_running = found.as_ref().map(|found| !found.is_empty());
    (is_running, found.unwrap_or_default().iter().map(|process| process.pid).collect())
}

/// How many apps there are of which kind.
#[must_use]
pub fn counted(loaded: &Loaded, processes: Option<&Processes>) -> AppsStatus {
    let count = |is: &dyn Fn(&App) -> bool| loaded.apps.iter().filter(|app| is(app)).count() as u64;
    AppsStatus {
        exists: loaded.exists(),
        registered: count(&|_| true),
        running: count(&|app| running(app, processes).0 == Some(true)),
        off: count(&|app| app.fields.mode == Some(Mode::Off)),
        doubtful: count(&|app| app.verdict.group != Group::Valid),
        problem: None,
    }
}

/// Every entry in its group, with every reason.
#[must_use]
pub fn checked(loaded: &Loaded) -> AppCheck {
    let mut groups = AppGroups::default();
    for app in &loaded.apps {
        let doubtful = || DoubtfulApp { name: app.name.clone(), reasons: reasons(app), faults: faults(app) };
        match app.verdict.group {
            Group::Valid => groups.valid.push(ValidApp { name: app.name.clone() }),
            Group::Incomplete => groups.incomplete.push(doubtful()),
            Group::Malformed => groups.malformed.push(doubtful()),
            Group::PolicyMismatch => groups.policy_mismatch.push(doubtful()),
        }
    }
    let ok = groups.valid.len() == loaded.apps.len();
    AppCheck { path: loaded.path.to_string_lossy().into_owned(), ok, groups }
}

/// What came of a launch.
#[must_use]
pub fn launched(app: &str, agent: &str, launched: &Launched) -> AppRun {
    let (outcome, pids, error) = match &launched.outcome {
        Outcome::Started { pids } => (AppOutcome::Started, pids.clone(), None),
        Outcome::Requested => (AppOutcome::Requested, Vec::new(), None),
        Outcome::AlreadyRunning { pids } => (AppOutcome::AlreadyRunning, pids.clone(), None),
        Outcome::Failed(error) => (AppOutcome::Failed, Vec::new(), Some(error.reason())),
    };
    let launcher = launched.launcher.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    AppRun { launcher, pids, error, ..run(app, agent, outcome) }
}

/// What came of a stop. It failed when a single process is left.
#[must_use]
pub fn stopped(app: &str, agent: &str, stopped: &Stopped) -> AppRun {
    let ended = match stopped {
        Stopped::NoStopData => return run(app, agent, AppOutcome::NoStopData),
        Stopped::NotRunning => return run(app, agent, AppOutcome::NotRunning),
        Stopped::Ended(ended) => ended,
    };
    let errors: Vec<String> = ended
        .iter()
        .filter_map(|process| match &process.how {
            How::Left(error) => Some(error.reason()),
            How::Closed | How::Killed => None,
        })
        .collect();
    let outcome = if errors.is_empty() { AppOutcome::Stopped } else { AppOutcome::Failed };
    let error = (!errors.is_empty()).then(|| errors.join("; "));
    AppRun { pids: ended.iter().map(|process| process.pid).collect(), error, ..run(app, agent, outcome) }
}

/// What came of a launch, with what was run, why what was tried before was no way, and what went wrong.
#[must_use]
pub fn acted_on_launch(app: &str, agent: &str, came: &Launched) -> AppActed {
    let words: Vec<String> = came.launcher.iter().map(|word| quoted(&word.to_string_lossy())).collect();
    let ran = (!words.is_empty()).then(|| format!("ran   {}", words.join(" ")));
    let first = came.retry_of.as_ref().map(|error| format!("first {}", error.reason()));
    let mut notes: Vec<String> = ran.into_iter().chain(first).collect();
    let (mut hint, mut code) = (None, None);
    if let Outcome::Failed(error) = &came.outcome {
        let problem = Problem::from(error);
        notes.splice(..0, [problem.message].into_iter().chain(problem.notes));
        (hint, code) = (problem.hint, Some(problem.code));
    }
    AppActed { run: launched(app, agent, came), notes, hint, code }
}

/// What came of a stop, with what became of each process.
#[must_use]
pub fn acted_on_stop(app: &str, agent: &str, came: &Stopped) -> AppActed {
    let ended = if let Stopped::Ended(ended) = came { ended.as_slice() } else { &[] };
    let note = |process: &Ended| match &process.how {
        How::Closed => format!("pid {} closed", process.pid),
        How::Killed => format!("pid {} killed, because it did not close", process.pid),
        How::Left(error) => format!("pid {} still runs: {}", process.pid, error.reason()),
    };
    let notes = ended.iter().map(note).collect();
    AppActed { run: stopped(app, agent, came), notes, hint: None, code: None }
}

/// A launch or a stop that the policy refused.
#[must_use]
pub fn denied(denied: &Denied) -> AppRun {
    let error = Some(denied.to_string());
    let decision = AppDecision::Denied;
    AppRun { decision, error, ..run(&denied.app, &denied.agent, AppOutcome::Denied) }
}

fn run(app: &str, agent: &str, outcome: AppOutcome) -> AppRun {
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

/// A change that was made.
#[must_use]
pub fn changed(action: AppAction, name: Option<&str>, saved: &Saved) -> AppChange {
    let (before, after) = values(&saved.proposal);
    AppChange { ok: true, action, name: name.map(str::to_owned), before, after, saved: saved.changed }
}

/// The entry before and after, with the fields that nobody knows.
pub(super) fn values(proposal: &Proposal) -> (Option<Value>, Option<Value>) {
    // What the registry has is JSON; a number beyond what a program can hold is shown as it is written.
    let value = |app: &App| serde_json::from_str(&app.written).unwrap_or_else(|_| Value::from(&*app.written));
    (proposal.before.as_ref().map(value), proposal.after.as_ref().map(value))
}

fn reasons(app: &App) -> Vec<String> {
    app.verdict.reasons.iter().map(ToString::to_string).collect()
}

fn faults(app: &App) -> Vec<AppFault> {
    app.verdict.reasons.iter().map(AppFault::from).collect()
}

const fn group(group: Group) -> AppGroup {
    match group {
        Group::Valid => AppGroup::Valid,
        Group::Incomplete => AppGroup::Incomplete,
        Group::Malformed => AppGroup::Malformed,
        Group::PolicyMismatch => AppGroup::PolicyMismatch,
    }
}
