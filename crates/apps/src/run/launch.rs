//! Launches an app as planned, outside of our own session, and confirms it in the process list.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tarsus_host::process::{self, DetachedCommand, Env, LaunchArgs, ProcessError, ProcessExit};
use tarsus_host::processes::{self, ListProcessesError, ProcessId};
use tarsus_protocol::apps::AppEntry;
use tokio::time::{Instant, sleep, timeout};

use super::plan::{LaunchPlan, LaunchStep, inspect, plan_launch};
use super::printed::printed_lines;
use super::{Desktop, LaunchError, Processes, process_identity};
use crate::access::AllowedLaunch;

/// Time in which the process of an app must appear in the process list.
const CONFIRM_TIMEOUT: Duration = Duration::from_secs(5);
/// Time in which a program whose process cannot be identified is watched for an early failure.
const SETTLE_TIMEOUT: Duration = Duration::from_millis(250);
/// Time in which a second copy of a running app hands the request over to the first one and ends.
const HANDOFF_TIMEOUT: Duration = Duration::from_secs(2);
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(20);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// A launch that was attempted, and its outcome.
#[derive(Debug, PartialEq)]
pub struct Launched {
    /// The program that was run, with its arguments; empty if nothing was run.
    pub launcher: Vec<OsString>,
    /// Error of the first attempt, if this was the second.
    pub retry_of: Option<LaunchError>,
    /// The outcome.
    pub outcome: LaunchOutcome,
}

/// Outcome of a launch, on every surface.
#[derive(Debug, PartialEq)]
pub enum LaunchOutcome {
    /// The app was started.
    Started {
        /// Its process ids.
        pids: Vec<u32>,
    },
    /// The launcher accepted the request, but no process was seen.
    Requested {
        /// The process that was looked for, if one is stored.
        process: Option<String>,
    },
    /// The app was running already and no other copy of it was seen: the running one took the request.
    AlreadyRunning {
        /// The process ids before the launch.
        pids: Vec<u32>,
    },
    /// The app was running already, and another copy of it was started.
    StartedAnother {
        /// The process ids of the new copy.
        pids: Vec<u32>,
        /// The process ids before the launch.
        before: Vec<u32>,
    },
    /// The app was not launched.
    Failed(LaunchError),
}

/// Launches an app in a session of its own, which outlives this process. Must be called inside a tokio runtime.
pub async fn launch(allowed: &AllowedLaunch, desktop: &Desktop) -> Launched {
    let entry = allowed.entry();
    let failed =
        |error| Launched { launcher: Vec::new(), retry_of: None, outcome: LaunchOutcome::Failed(error) };
    let before = match running_processes(entry) {
        Ok(before) => before.unwrap_or_default(),
        Err(error) => return failed(error.into()),
    };
    let path = &entry.launch_path;
    let LaunchPlan { first, stable } = match plan_launch(path, &desktop.facts, || inspect(path, desktop)) {
        Ok(plan) => plan,
        Err(error) => return failed(error),
    };

    let env = desktop.environment().await;
    let (step, started, retry_of) = match (start(&first, desktop, &env), stable) {
        (Err(error), Some(stable)) if is_not_executable(&error) => {
            let second = start(&stable, desktop, &env);
            (stable, second, Some(error.into()))
        }
        (started, _) => (first, started, None),
    };
    let launcher = argv(&step, desktop);
    let outcome = match started {
        Ok(started) => follow(started, &step, entry, &before).await.unwrap_or_else(LaunchOutcome::Failed),
        Err(error) => LaunchOutcome::Failed(error.into()),
    };
    Launched { launcher, retry_of, outcome }
}

/// The running processes of an app; `None` if nothing is stored to identify them by.
fn running_processes(entry: &AppEntry) -> Result<Option<Vec<ProcessId>>, ListProcessesError> {
    match process_identity(entry) {
        Some(_) => Ok(Processes::now()?.of_entry(entry)),
        None => Ok(None),
    }
}

/// The command line of a step, with the prefix that starts it outside our own service unit.
fn argv(step: &LaunchStep, desktop: &Desktop) -> Vec<OsString> {
    // Newer versions of systemd-run replace `${NAME}` in arguments, and older ones cannot be told not to.
    let literal = !step.argv.iter().any(|argument| argument.as_encoded_bytes().contains(&b'$'));
    let prefix = desktop.scope_prefix.iter().filter(|_| literal);
    prefix.chain(&step.argv).cloned().collect()
}

fn start(step: &LaunchStep, desktop: &Desktop, env: &Env) -> Result<process::DetachedProcess, ProcessError> {
    let mut argv = argv(step, desktop).into_iter();
    let program = argv.next().map(PathBuf::from).unwrap_or_default();
    let mut env = env.clone();
    if let Some((name, value)) = &step.variable {
        env.set(*name, value);
    }
    let args = match &step.line {
        #[cfg(windows)]
        Some(line) => LaunchArgs::Line(line.into()),
        _ => LaunchArgs::Each(argv.collect()),
    };
    let (agent, drain) = (desktop.agent.clone(), desktop.drain());
    process::launch(&DetachedCommand { program, args, env, cwd: step.cwd.clone(), agent, drain })
}

/// Whether the system cannot execute this as a program: a shortcut, a script without an interpreter, or a program that
/// needs elevation.
fn is_not_executable(error: &ProcessError) -> bool {
    /// `ENOEXEC`, or a missing interpreter.
    const UNIX: &[i32] = &[8, 2];
    /// `ERROR_BAD_EXE_FORMAT`, `ERROR_ELEVATION_REQUIRED`.
    const WINDOWS: &[i32] = &[193, 740];
    let codes = if cfg!(windows) { WINDOWS } else { UNIX };
    let ProcessError::Start { source, .. } = error else { return false };
    source.raw_os_error().is_some_and(|code| codes.contains(&code))
}

/// Watches a started process until the outcome is known.
async fn follow(
    mut started: process::DetachedProcess,
    step: &LaunchStep,
    entry: &AppEntry,
    before: &[ProcessId],
) -> Result<LaunchOutcome, LaunchError> {
    if !before.is_empty() {
        return follow_again(&mut started, step, entry, before).await;
    }
    if let Some(process) = process_identity(entry) {
        return confirm(&mut started, step, entry, process).await;
    }
    let is_running = settle(&mut started, step).await?.is_none() && !step.hands_over;
    Ok(match is_running {
        true => LaunchOutcome::Started { pids: vec![started.pid()] },
        false => LaunchOutcome::Requested { process: None },
    })
}

/// Finds out whether an app that was running took the request, or another copy of it runs now.
async fn follow_again(
    started: &mut process::DetachedProcess,
    step: &LaunchStep,
    entry: &AppEntry,
    before: &[ProcessId],
) -> Result<LaunchOutcome, LaunchError> {
    let limit = if step.hands_over { CONFIRM_TIMEOUT } else { HANDOFF_TIMEOUT };
    if let Some(exit) = exit_within(limit, started, step).await? {
        check_exit(exit, started, step)?;
        if step.hands_over {
            sleep(HANDOFF_TIMEOUT).await;
        }
    }
    // A new process of the copy that was running is part of that copy.
    let old: Vec<u32> = pids(before);
    let parts: Vec<u32> = pids(&processes::descendants(&old));
    let now = running_processes(entry)?.unwrap_or_default();
    let (old, new): (Vec<u32>, Vec<u32>) =
        pids(&now).into_iter().filter(|pid| !parts.contains(pid)).partition(|pid| old.contains(pid));
    Ok(match (old.is_empty(), new.is_empty()) {
        (_, true) => LaunchOutcome::AlreadyRunning { pids: pids(before) },
        (true, false) => LaunchOutcome::Started { pids: new },
        (false, false) => LaunchOutcome::StartedAnother { pids: new, before: old },
    })
}

/// Polls the process list until the process appears or the time is over.
async fn confirm(
    started: &mut process::DetachedProcess,
    step: &LaunchStep,
    entry: &AppEntry,
    process: &str,
) -> Result<LaunchOutcome, LaunchError> {
    let deadline = Instant::now() + CONFIRM_TIMEOUT;
    let (mut exit, mut pause) = (None, MIN_POLL_INTERVAL);
    loop {
        let found = running_processes(entry)?.unwrap_or_default();
        if !found.is_empty() {
            return Ok(LaunchOutcome::Started { pids: pids(&found) });
        }
        // It exited before this poll, so nothing of it is left running.
        if let Some(exit) = exit {
            check_exit(exit, started, step)?;
        }
        if Instant::now() >= deadline {
            return Ok(LaunchOutcome::Requested { process: Some(process.to_owned()) });
        }
        match exit {
            Some(_) => sleep(pause).await,
            None => exit = exit_within(pause, started, step).await?,
        }
        pause = (pause * 2).min(MAX_POLL_INTERVAL);
    }
}

/// Gives a launcher time to hand over, and a program time to fail early.
async fn settle(
    started: &mut process::DetachedProcess,
    step: &LaunchStep,
) -> Result<Option<ProcessExit>, LaunchError> {
    let limit = if step.hands_over { CONFIRM_TIMEOUT } else { SETTLE_TIMEOUT };
    let exit = exit_within(limit, started, step).await?;
    if let Some(exit) = exit {
        check_exit(exit, started, step)?;
    }
    Ok(exit)
}

async fn exit_within(
    limit: Duration,
    started: &mut process::DetachedProcess,
    step: &LaunchStep,
) -> Result<Option<ProcessExit>, LaunchError> {
    let exit = timeout(limit, started.exit()).await.ok().transpose();
    exit.map_err(|source| LaunchError::ExitUnknown { program: program(step), source })
}

fn check_exit(
    exit: ProcessExit,
    started: &mut process::DetachedProcess,
    step: &LaunchStep,
) -> Result<(), LaunchError> {
    if exit.success() {
        return Ok(());
    }
    let printed = printed_lines(&started.printed_errors());
    Err(LaunchError::ExitedEarly { program: program(step), exit, printed })
}

fn program(step: &LaunchStep) -> PathBuf {
    step.argv.first().map(PathBuf::from).unwrap_or_default()
}

fn pids(processes: &[ProcessId]) -> Vec<u32> {
    processes.iter().map(|process| process.pid).collect()
}
