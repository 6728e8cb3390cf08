//! The process list of Windows: one Toolhelp snapshot, and a handle to each process for the rest.
//!
//! A process whose handle this account may not have is listed with its number and name only; it has
//! the start 0, so that it can be seen but not ended.

use std::collections::HashMap;
use std::io;

use super::{ProcessId, ProcessInfo, ProcessLink, TerminateError, TerminateOutcome};
use crate::sys::{self, Access, SnapshotEntry};

pub(super) fn list() -> io::Result<Vec<ProcessInfo>> {
    let us = sys::this_process().and_then(|process| process.user()).ok();
    Ok(sys::snapshot()?
        .into_iter()
        .filter_map(|SnapshotEntry { pid, parent, name }| {
            let handle = sys::Process::open(pid, Access::Query).ok();
            if handle.as_ref().is_some_and(sys::Process::has_ended) {
                return None;
            }
            let start = handle.as_ref().and_then(|handle| handle.start().ok()).unwrap_or_default();
            let user = handle.as_ref().and_then(|handle| handle.user().ok());
            Some(ProcessInfo {
                identity: ProcessId { pid, start },
                parent,
                name,
                exe: handle.and_then(|handle| handle.image().ok()),
                argv0: None,
                mine: user.is_some() && user == us,
            })
        })
        .collect())
}

pub(super) fn links() -> io::Result<HashMap<u32, ProcessLink>> {
    let with_start = |entry: SnapshotEntry| {
        let handle = sys::Process::open(entry.pid, Access::Query).ok()?;
        Some((entry.pid, ProcessLink { start: handle.start().ok()?, parent: entry.parent }))
    };
    Ok(sys::snapshot()?.into_iter().filter_map(with_start).collect())
}

pub(super) fn link(pid: u32) -> Option<ProcessLink> {
    let handle = sys::Process::open(pid, Access::Query).ok().filter(|handle| !handle.has_ended())?;
    let start = handle.start().ok()?;
    let parent = sys::snapshot().ok()?.into_iter().find(|entry| entry.pid == pid)?.parent;
    Some(ProcessLink { start, parent })
}

pub(super) fn terminate(process: ProcessId) -> Result<TerminateOutcome, TerminateError> {
    let _keeps_the_number = open(process, Access::Query)?;
    Ok(if sys::close_windows(process.pid) > 0 {
        TerminateOutcome::Requested
    } else {
        TerminateOutcome::Unsupported
    })
}

pub(super) fn kill(process: ProcessId) -> Result<(), TerminateError> {
    let pid = process.pid;
    let refused = |source| TerminateError::Refused { pid, source };
    open(process, Access::Terminate)?.terminate().map_err(refused)
}

/// A handle to this very process. While it is held, the number is not passed on.
fn open(process: ProcessId, access: Access) -> Result<sys::Process, TerminateError> {
    let pid = process.pid;
    let handle = match sys::Process::open(pid, access) {
        Ok(handle) => handle,
        // No process has this number.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
            return Err(TerminateError::Gone { pid });
        }
        Err(source) => return Err(TerminateError::Refused { pid, source }),
    };
    let start = handle.start().map_err(|source| TerminateError::Refused { pid, source })?;
    if start != process.start || handle.has_ended() {
        return Err(TerminateError::Gone { pid });
    }
    Ok(handle)
}
