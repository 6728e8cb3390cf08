//! Stopping: every process of the application is asked to close, and killed if it has not after a while.
//!
//! `host` checks before each signal that the process is still the same one, and refuses to end this process
//! or its parents; what it says is reported for each process.

use std::time::Duration;

use tarsus_host::processes::{self, ListProcessesError, ProcessId, TerminateError, TerminateOutcome};
use tokio::time::{Instant, sleep};

use super::{Processes, StopError, Target};

/// How long a process may take to close after it was asked to.
const GRACE: Duration = Duration::from_secs(5);
/// How long a killed process may take to be gone.
const KILL_WAIT: Duration = Duration::from_secs(2);
/// The first pause between two looks, and the longest.
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(10);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// What came of stopping an application.
#[derive(Debug)]
pub enum Stopped {
    /// Nothing is stored by which its processes could be recognised.
    NoStopData,
    /// No process of it runs.
    NotRunning,
    /// What came of each of its processes.
    Ended(Vec<Ended>),
}

/// One process.
#[derive(Debug)]
pub struct Ended {
    /// Its number.
    pub pid: u32,
    /// What came of it.
    pub how: How,
}

/// How a process ended.
#[derive(Debug)]
pub enum How {
    /// By itself, after it was asked to.
    Closed,
    /// It was killed.
    Killed,
    /// It still runs.
    Left(StopError),
}

/// Stops an application. Whether it may be stopped is checked before.
///
/// # Errors
/// When the processes of this machine cannot be listed.
pub async fn stop(target: &Target<'_>) -> Result<Stopped, ListProcessesError> {
    if target.process().is_none() {
        return Ok(Stopped::NoStopData);
    }
    let found = Processes::now()?.of(target).unwrap_or_default();
    if found.is_empty() {
        return Ok(Stopped::NotRunning);
    }
    let asked: Vec<_> = found.into_iter().map(|process| (process, processes::terminate(process))).collect();
    let listening = asked.iter().filter(|(_, asked)| matches!(asked, Ok(TerminateOutcome::Requested)));
    // A process that cannot be asked gets the same time when another of the application was asked: it may
    // belong to it and end with it.
    let listening: Vec<ProcessId> = listening.map(|(process, _)| *process).collect();
    gone_within(GRACE, &listening).await;

    // The end of one often ends others, so all are killed before any is waited for.
    let killed: Vec<_> =
        asked.into_iter().map(|(process, asked)| (process, kill_if_asked(process, asked))).collect();
    let waited_for = killed.iter().filter(|(_, how)| matches!(how, How::Killed));
    let waited_for: Vec<ProcessId> = waited_for.map(|(process, _)| *process).collect();
    gone_within(KILL_WAIT, &waited_for).await;
    let ended = killed.into_iter().map(|(process, how)| {
        let pid = process.pid;
        let stuck = matches!(how, How::Killed) && processes::is_running(process);
        Ended { pid, how: if stuck { How::Left(StopError::StillThere { pid }) } else { how } }
    });
    Ok(Stopped::Ended(ended.collect()))
}

/// Kills a process that was asked in vain, or that there was no way to ask.
fn kill_if_asked(process: ProcessId, asked: Result<TerminateOutcome, TerminateError>) -> How {
    match asked.and_then(|_| processes::kill(process)) {
        Ok(()) => How::Killed,
        Err(TerminateError::Gone { .. }) => How::Closed,
        Err(error) => How::Left(error.into()),
    }
}

/// Waits until none of these runs, or the time is over.
async fn gone_within(patience: Duration, waited_for: &[ProcessId]) {
    let deadline = Instant::now() + patience;
    let mut pause = MIN_POLL_INTERVAL;
    while Instant::now() < deadline && waited_for.iter().any(|process| processes::is_running(*process)) {
        sleep(pause).await;
        pause = (pause * 2).min(MAX_POLL_INTERVAL);
    }
}
