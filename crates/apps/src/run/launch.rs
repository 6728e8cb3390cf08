//! Launching: what was planned is started outside of us, and the process list says what came of it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use tarsus_host::process::{self, DetachedCommand, Env, LaunchArgs, ProcessError, ProcessExit};
use tarsus_host::processes::{ListProcessesError, ProcessId};
use tokio::time::{Instant, sleep, timeout};

use super::look::look;
use super::plan::{Plan, Step, plan};
use super::{Desktop, LaunchError, Processes, Target};
use crate::access::AllowedLaunch;

/// How long an application may take to be seen in the process list.
const CONFIRM: Duration = Duration::from_secs(5);
/// How long a program whose process cannot be recognised is watched for failing at once.
const SETTLE: Duration = Duration::from_millis(250);
/// The first pause between two looks at the process list, and the longest.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(20);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// What was run and what came of it.
#[derive(Debug)]
pub struct Launched {
    /// The program that was run, and its arguments; empty when nothing was.
    pub launcher: Vec<OsString>,
    /// Why the first way to start it was no way, when this was the second.
    pub retry_of: Option<LaunchError>,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a launch.
#[derive(Debug)]
pub enum Outcome {
    /// It runs.
    Started {
        /// Its processes.
        pids: Vec<u32>,
    },
    /// A launcher took it over; no process of it was seen, or could be recognised.
    Requested,
    /// It was running before, and was asked to open again.
    AlreadyRunning {
        /// The processes that were there before.
        pids: Vec<u32>,
    },
    /// It was not launched.
    Failed(LaunchError),
}

/// Launches an application in a session of its own, which outlives this process. Must be called inside a tokio runtime.
pub async fn launch(allowed: &AllowedLaunch, desktop: &Desktop) -> Launched {
    let target = &allowed.target();
    let nothing = |error| Launched { launcher: Vec::new(), retry_of: None, outcome: Outcome::Failed(error) };
    let before = match seen(target) {
        Ok(before) => before.unwrap_or_default(),
        Err(error) => return nothing(error.into()),
    };
    let plan = plan(target.launch_path, &desktop.facts, || look(target.launch_path, desktop));
    let Plan { first, stable } = match plan {
        Ok(plan) => plan,
        Err(error) => return nothing(error),
    };

    let env = desktop.environment().await;
    let (step, started, retry_of) = match (start(&first, desktop, &env), stable) {
        (Err(error), Some(stable)) if is_of_the_shape(&error) => {
            let second = start(&stable, desktop, &env);
            (stable, second, Some(error.into()))
        }
        (started, _) => (first, started, None),
    };
    let launcher = argv(&step, desktop);
    let outcome = match started {
        Ok(started) => follow(started, &step, target, &before).await.unwrap_or_else(Outcome::Failed),
        Err(error) => Outcome::Failed(error.into()),
    };
    Launched { launcher, retry_of, outcome }
}

/// The processes of the target now; none when it has no data to recognise them by.
fn seen(target: &Target<'_>) -> Result<Option<Vec<ProcessId>>, ListProcessesError> {
    match target.process() {
        Some(_) => Ok(Processes::now()?.of(target)),
        None => Ok(None),
    }
}

/// What is really run: where there is a way out of our own service, the step goes through it.
fn argv(step: &Step, desktop: &Desktop) -> Vec<OsString> {
    // Newer versions of systemd-run replace `${NAME}` in arguments, and older ones cannot be told not to.
    let literal = !step.argv.iter().any(|argument| argument.as_encoded_bytes().contains(&b'$'));
    let outside = desktop.outside.iter().filter(|_| literal);
    outside.chain(&step.argv).cloned().collect()
}

fn start(step: &Step, desktop: &Desktop, env: &Env) -> Result<process::DetachedProcess, ProcessError> {
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
    process::launch(&DetachedCommand { program, args, env, cwd: step.cwd.clone() })
}

/// Whether the system could not start this as a program: a shortcut, a script without an interpreter, or a
/// program that must be started in another way.
fn is_of_the_shape(error: &ProcessError) -> bool {
    /// `ENOEXEC`, or a missing interpreter.
    const UNIX: &[i32] = &[8, 2];
    /// `ERROR_BAD_EXE_FORMAT`, `ERROR_ELEVATION_REQUIRED`.
    const WINDOWS: &[i32] = &[193, 740];
    let shapes = if cfg!(windows) { WINDOWS } else { UNIX };
    let ProcessError::Start { source, .. } = error else { return false };
    source.raw_os_error().is_some_and(|code| shapes.contains(&code))
}

/// Watches what was started until it is known what came of it.
async fn follow(
    mut started: process::DetachedProcess,
    step: &Step,
    target: &Target<'_>,
    before: &[ProcessId],
) -> Result<Outcome, LaunchError> {
    if !before.is_empty() {
        settled(&mut started, step).await?;
        return Ok(Outcome::AlreadyRunning { pids: pids(before) });
    }
    if target.process().is_some() {
        return confirmed(&mut started, step, target).await;
    }
    let runs = settled(&mut started, step).await?.is_none() && !step.hands_over;
    Ok(if runs { Outcome::Started { pids: vec![started.pid()] } } else { Outcome::Requested })
}

/// Looks for the process, until it is there or the time is over.
async fn confirmed(
    started: &mut process::DetachedProcess,
    step: &Step,
    target: &Target<'_>,
) -> Result<Outcome, LaunchError> {
    let deadline = Instant::now() + CONFIRM;
    let (mut exit, mut pause) = (None, MIN_POLL_INTERVAL);
    loop {
        let found = seen(target)?.unwrap_or_default();
        if !found.is_empty() {
            return Ok(Outcome::Started { pids: pids(&found) });
        }
        // An end that came before this look: nothing of it is left running.
        if let Some(exit) = exit {
            succeeded(exit, step)?;
        }
        if Instant::now() >= deadline {
            return Ok(Outcome::Requested);
        }
        match exit {
            Some(_) => sleep(pause).await,
            None => exit = ended_within(pause, started, step).await?,
        }
        pause = (pause * 2).min(MAX_POLL_INTERVAL);
    }
}

/// Gives a launcher the time to hand over, and a program the time to fail at once.
async fn settled(
    started: &mut process::DetachedProcess,
    step: &Step,
) -> Result<Option<ProcessExit>, LaunchError> {
    let patience = if step.hands_over { CONFIRM } else { SETTLE };
    let exit = ended_within(patience, started, step).await?;
    if let Some(exit) = exit {
        succeeded(exit, step)?;
    }
    Ok(exit)
}

async fn ended_within(
    patience: Duration,
    started: &mut process::DetachedProcess,
    step: &Step,
) -> Result<Option<ProcessExit>, LaunchError> {
    let exit = timeout(patience, started.exit()).await.ok().transpose();
    exit.map_err(|source| LaunchError::Lost { program: program(step), source })
}

fn succeeded(exit: ProcessExit, step: &Step) -> Result<(), LaunchError> {
    if exit.success() { Ok(()) } else { Err(LaunchError::Ended { program: program(step), exit }) }
}

fn program(step: &Step) -> PathBuf {
    step.argv.first().map(PathBuf::from).unwrap_or_default()
}

fn pids(processes: &[ProcessId]) -> Vec<u32> {
    processes.iter().map(|process| process.pid).collect()
}
