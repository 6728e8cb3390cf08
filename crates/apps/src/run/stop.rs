//! Stops an app: asks each process to close, and kills those that do not.
//!
//! The runtime, what it runs in, and its clients are left alone, whatever an entry names. `host` checks
//! before each signal that the process is still the same one, and never ends this process or its parents.

use std::collections::HashSet;
use std::time::Duration;

use tarsus_host::processes::{
    self, ListProcessesError, ProcessId, ProcessInfo, TerminateError, TerminateOutcome,
};
use tokio::time::{Instant, sleep};

use super::{Processes, StopError, process_identity};
use crate::access::AllowedStop;

/// Time for a process to close after the request.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
/// Time for a killed process to disappear.
const KILL_TIMEOUT: Duration = Duration::from_secs(2);
const MIN_POLL_INTERVAL: Duration = Duration::from_millis(10);
const MAX_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Outcome of stopping an app.
#[derive(Debug, PartialEq)]
pub enum Stopped {
    /// Neither process name nor executable is stored.
    NoStopData,
    /// The app is not running.
    NotRunning,
    /// The result for each process.
    Processes(Vec<StoppedProcess>),
}

/// One process of a stopped app.
#[derive(Debug, PartialEq)]
pub struct StoppedProcess {
    /// Process id.
    pub pid: u32,
    /// How it ended.
    pub end: ProcessEnd,
}

/// How a process ended.
#[derive(Debug, PartialEq)]
pub enum ProcessEnd {
    /// It closed on request.
    Closed,
    /// It was killed.
    Killed,
    /// It is still running.
    StillRunning(StopError),
}

/// Stops an app, except for processes of Tarsus; `runtime` is the process that runs the state folder. Must be called
/// inside a tokio runtime.
///
/// # Errors
/// If the processes of this machine cannot be listed.
pub async fn stop(allowed: &AllowedStop, runtime: Option<u32>) -> Result<Stopped, ListProcessesError> {
    let entry = allowed.entry();
    if process_identity(entry).is_none() {
        return Ok(Stopped::NoStopData);
    }
    let list = processes::list()?;
    let found = Processes::in_list(&list).of_entry(entry).unwrap_or_default();
    if found.is_empty() {
        return Ok(Stopped::NotRunning);
    }
    let own = own_processes(&list, runtime);
    let (own, found): (Vec<_>, Vec<_>) = found.into_iter().partition(|process| own.contains(&process.pid));
    let mut ended: Vec<StoppedProcess> = own
        .into_iter()
        .map(|ProcessId { pid, .. }| StoppedProcess {
            pid,
            end: ProcessEnd::StillRunning(StopError::Tarsus { pid }),
        })
        .collect();
    ended.extend(end_all(found).await);
    ended.sort_by_key(|process| process.pid);
    Ok(Stopped::Processes(ended))
}

/// The first process of the system or container, on Unix.
const INIT: u32 = 1;

/// The runtime, what it runs in, and every process of this program: the asking client is one of them. Names do not count,
/// because an app could give itself any. `host` leaves the parents of this process alone.
fn own_processes(list: &[ProcessInfo], runtime: Option<u32>) -> HashSet<u32> {
    let us = std::process::id();
    let program = list.iter().find(|process| process.identity.pid == us).and_then(|us| us.exe.as_deref());
    let clients = list.iter().filter(|process| program.is_some() && process.exe.as_deref() == program);
    let parents = runtime.into_iter().flat_map(processes::ancestors).map(|parent| parent.pid);
    let clients = clients.map(|process| process.identity.pid);
    clients.chain(runtime).chain(parents).chain([us, INIT]).collect()
}

/// Asks processes to close, and kills those that do not.
async fn end_all(found: Vec<ProcessId>) -> Vec<StoppedProcess> {
    let signalled: Vec<_> =
        found.into_iter().map(|process| (process, processes::terminate(process))).collect();
    let listening =
        signalled.iter().filter(|(_, outcome)| matches!(outcome, Ok(TerminateOutcome::Requested)));
    // A process that takes no request gets the same time if another one took it: both may end together.
    let listening: Vec<ProcessId> = listening.map(|(process, _)| *process).collect();
    wait_for_exit(CLOSE_TIMEOUT, &listening).await;

    // The end of one process often ends others, so all are killed before waiting for any.
    let killed: Vec<_> = signalled
        .into_iter()
        .map(|(process, outcome)| (process, kill_unless_gone(process, outcome)))
        .collect();
    let waited_for = killed.iter().filter(|(_, end)| matches!(end, ProcessEnd::Killed));
    let waited_for: Vec<ProcessId> = waited_for.map(|(process, _)| *process).collect();
    wait_for_exit(KILL_TIMEOUT, &waited_for).await;
    let ended = killed.into_iter().map(|(process, end)| {
        let pid = process.pid;
        let stuck = matches!(end, ProcessEnd::Killed) && processes::is_running(process);
        StoppedProcess {
            pid,
            end: if stuck { ProcessEnd::StillRunning(StopError::StillThere { pid }) } else { end },
        }
    });
    ended.collect()
}

/// Kills a process that did not close, or could not be asked to.
fn kill_unless_gone(process: ProcessId, outcome: Result<TerminateOutcome, TerminateError>) -> ProcessEnd {
    match outcome.and_then(|_| processes::kill(process)) {
        Ok(()) => ProcessEnd::Killed,
        Err(TerminateError::Gone { .. }) => ProcessEnd::Closed,
        Err(error) => ProcessEnd::StillRunning(error.into()),
    }
}

/// Waits until none of the processes is running, or the time is over.
async fn wait_for_exit(limit: Duration, waited_for: &[ProcessId]) {
    let deadline = Instant::now() + limit;
    let mut pause = MIN_POLL_INTERVAL;
    while Instant::now() < deadline && waited_for.iter().any(|process| processes::is_running(*process)) {
        sleep(pause).await;
        pause = (pause * 2).min(MAX_POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_process_and_processes_of_this_program_are_left_alone() {
        let process = |pid, exe: &str| ProcessInfo {
            identity: ProcessId { pid, start: 1 },
            parent: 0,
            name: "x".into(),
            exe: Some(exe.into()),
            argv0: None,
            mine: true,
        };
        let us = std::process::id();
        // Numbers that no process has.
        let (client, other, runtime) = (u32::MAX, u32::MAX - 1, u32::MAX - 2);
        let list =
            [process(us, "/opt/tarsus"), process(client, "/opt/tarsus"), process(other, "/tmp/tarsus")];
        let own = own_processes(&list, Some(runtime));
        for pid in [INIT, us, client, runtime] {
            assert!(own.contains(&pid), "{pid}: {own:?}");
        }
        assert!(!own.contains(&other), "another program of that name");
    }
}
