//! Lists, identifies and terminates processes.
//!
//! Threads, kernel threads and zombies are not listed. The system reuses process ids, so a process is identified by its
//! id and its start time; both are checked again right before a signal, which is never sent to this process or one of
//! its parents.

#[cfg(target_os = "linux")]
#[path = "processes/linux.rs"]
mod source;
#[cfg(windows)]
#[path = "processes/windows.rs"]
mod source;
#[cfg(not(any(target_os = "linux", windows)))]
#[path = "processes/other.rs"]
mod source;

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

#[cfg(target_os = "linux")]
use crate::agent_mark::AgentMark;

/// Identifies one process: a later one with the same pid has another start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId {
    /// The process id.
    pub pid: u32,
    /// The start time in the system's own unit; only for comparison on this machine.
    pub start: u64,
}

/// A running process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessInfo {
    /// Its id and start time.
    pub identity: ProcessId,
    /// The id of its parent; on Windows the parent may have ended and its id may be in use again.
    pub parent: u32,
    /// Its name; Linux truncates it to 15 bytes.
    pub name: String,
    /// Its executable, if this account can see it.
    pub exe: Option<PathBuf>,
    /// Its first argument, if the system reports it (not on Windows).
    pub argv0: Option<OsString>,
    /// Whether it belongs to this account.
    pub mine: bool,
}

/// The processes could not be listed.
#[derive(Debug, thiserror::Error)]
#[error("cannot list the processes of this machine")]
pub struct ListProcessesError(#[from] io::Error);

/// The reason why a process was not terminated.
#[derive(Debug, thiserror::Error)]
pub enum TerminateError {
    /// It is this process or one of its parents.
    #[error("process {pid} is this program or one of its parents and is not terminated")]
    Ourselves {
        /// The process.
        pid: u32,
    },
    /// It has ended; its id may belong to another process now.
    #[error("process {pid} has already ended")]
    Gone {
        /// The process.
        pid: u32,
    },
    /// The system refused.
    #[error("cannot terminate process {pid}")]
    Refused {
        /// The process.
        pid: u32,
        /// The system's error.
        source: io::Error,
    },
}

/// The result of a termination request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminateOutcome {
    /// The request was sent; the process may ignore it.
    Requested,
    /// The process cannot receive requests: a Windows process without a window.
    Unsupported,
}

/// The place of a process among others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProcessLink {
    start: u64,
    parent: u32,
    /// Zero for a group that cannot be seen from here, as from inside a container.
    #[cfg(unix)]
    group: u32,
}

/// Lists all processes, in the order of their numbers.
///
/// # Errors
/// When the system's list cannot be read.
pub fn list() -> Result<Vec<ProcessInfo>, ListProcessesError> {
    let mut processes = source::list()?;
    processes.sort_by_key(|process| process.identity);
    Ok(processes)
}

/// The identity of the process that has this number now.
#[must_use]
pub fn identity(pid: u32) -> Option<ProcessId> {
    source::link(pid).map(|link| ProcessId { pid, start: link.start })
}

/// Whether exactly this process is still running.
#[must_use]
pub fn is_running(process: ProcessId) -> bool {
    identity(process.pid) == Some(process)
}

/// The parents of a process, nearest first, as far as they still run.
#[must_use]
pub fn ancestors(pid: u32) -> Vec<ProcessId> {
    let mut found: Vec<ProcessId> = Vec::new();
    let mut child = source::link(pid);
    while let Some(link) = child {
        let parent = source::link(link.parent);
        let Some(next) = parent.filter(|parent| parent.start <= link.start) else { break };
        let identity = ProcessId { pid: link.parent, start: next.start };
        // A number that was passed on can close a circle.
        if identity.pid == pid || found.contains(&identity) {
            break;
        }
        found.push(identity);
        child = Some(next);
    }
    found
}

/// All descendants of these processes, as far as their parents still run.
#[must_use]
pub fn descendants(of: &[u32]) -> Vec<ProcessId> {
    // Without a list nothing can be found; who asks has the process group to fall back on.
    let links = source::links().unwrap_or_default();
    let mut children: HashMap<u32, Vec<ProcessId>> = HashMap::new();
    for (pid, link) in &links {
        let older = links.get(&link.parent).is_some_and(|parent| parent.start <= link.start);
        if older {
            let child = ProcessId { pid: *pid, start: link.start };
            children.entry(link.parent).or_default().push(child);
        }
    }
    let (mut found, mut seen) = (Vec::new(), HashSet::<u32>::from_iter(of.iter().copied()));
    let mut open = of.to_vec();
    while let Some(pid) = open.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            if seen.insert(child.pid) {
                open.push(child.pid);
                found.push(child);
            }
        }
    }
    found.sort();
    found
}

/// Asks a process to end: SIGTERM, or on Windows a request to close each of its windows.
///
/// # Errors
/// When it is ourselves, has ended, or the system refuses.
pub fn terminate(process: ProcessId) -> Result<TerminateOutcome, TerminateError> {
    refuse_own_processes(process)?;
    source::terminate(process)
}

/// Kills a process.
///
/// # Errors
/// When it is ourselves, has ended, or the system refuses.
pub fn kill(process: ProcessId) -> Result<(), TerminateError> {
    refuse_own_processes(process)?;
    source::kill(process)
}

fn refuse_own_processes(process: ProcessId) -> Result<(), TerminateError> {
    let us = std::process::id();
    if process.pid == us || ancestors(us).iter().any(|parent| parent.pid == process.pid) {
        return Err(TerminateError::Ourselves { pid: process.pid });
    }
    Ok(())
}

/// Whether no process of the group with this leader is running. For signals, zombies still count as members, so the
/// process list decides.
#[cfg(unix)]
pub(crate) fn group_has_ended(leader: u32) -> bool {
    let Some(group) = unix_pid(leader) else { return true };
    rustix::process::test_kill_process_group(group) == Err(rustix::io::Errno::SRCH)
        || source::links().is_ok_and(|links| !links.values().any(|link| link.group == leader))
}

/// Whether a process is in the group with this leader.
#[cfg(unix)]
pub(crate) fn is_in_group(pid: u32, leader: u32) -> bool {
    source::link(pid).is_some_and(|link| link.group == leader)
}

/// The ids of all processes, oldest first unless the numbers began anew.
#[cfg(target_os = "linux")]
pub(crate) fn pids() -> io::Result<Vec<u32>> {
    Ok(source::pids()?.collect())
}

/// The mark of a process that an agent started. Fails if the process has ended.
#[cfg(target_os = "linux")]
pub(crate) fn agent_mark(pid: u32) -> io::Result<Option<AgentMark>> {
    let limits = source::read(pid, "limits").ok_or(io::ErrorKind::NotFound)?;
    Ok(AgentMark::in_limits(&String::from_utf8_lossy(&limits)))
}

/// The name of a process, cut to 15 bytes.
#[cfg(target_os = "linux")]
pub(crate) fn short_name(pid: u32) -> Option<Vec<u8>> {
    source::read(pid, "comm")
}

/// The account that a process acts as.
#[cfg(target_os = "linux")]
pub(crate) fn effective_user(pid: u32) -> Option<u32> {
    source::effective_user(&source::read(pid, "status")?)
}

#[cfg(unix)]
pub(crate) fn unix_pid(pid: u32) -> Option<rustix::process::Pid> {
    i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw)
}
