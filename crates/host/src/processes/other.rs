//! The process list of systems without `/proc`, from sysinfo; start times are whole seconds there.

use std::collections::HashMap;
use std::io;

use rustix::process::{Signal, geteuid, getpgid, kill_process};
use sysinfo::{Pid, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

use super::{ProcessId, ProcessInfo, ProcessLink, TerminateError, TerminateOutcome, is_running, unix_pid};

pub(super) fn list() -> io::Result<Vec<ProcessInfo>> {
    let kind = ProcessRefreshKind::nothing()
        .with_exe(UpdateKind::Always)
        .with_cmd(UpdateKind::Always)
        .with_user(UpdateKind::Always);
    let us = geteuid().as_raw();
    let system = look(ProcessesToUpdate::All, kind)?;
    Ok(alive(&system)
        .map(|(pid, process)| ProcessInfo {
            identity: ProcessId { pid, start: process.start_time() },
            parent: link_of(process).parent,
            name: process.name().to_string_lossy().into_owned(),
            exe: process.exe().map(Into::into),
            argv0: process.cmd().first().cloned(),
            mine: process.effective_user_id().or(process.user_id()).is_some_and(|id| **id == us),
        })
        .collect())
}

pub(super) fn links() -> io::Result<HashMap<u32, ProcessLink>> {
    let system = look(ProcessesToUpdate::All, ProcessRefreshKind::nothing())?;
    Ok(alive(&system).map(|(pid, process)| (pid, link_of(process))).collect())
}

pub(super) fn link(pid: u32) -> Option<ProcessLink> {
    let only = [Pid::from_u32(pid)];
    let system = look(ProcessesToUpdate::Some(&only), ProcessRefreshKind::nothing()).ok()?;
    alive(&system).find(|(found, _)| *found == pid).map(|(_, process)| link_of(process))
}

pub(super) fn terminate(process: ProcessId) -> Result<TerminateOutcome, TerminateError> {
    signal(process, Signal::TERM).map(|()| TerminateOutcome::Requested)
}

pub(super) fn kill(process: ProcessId) -> Result<(), TerminateError> {
    signal(process, Signal::KILL)
}

fn signal(process: ProcessId, signal: Signal) -> Result<(), TerminateError> {
    let gone = TerminateError::Gone { pid: process.pid };
    match unix_pid(process.pid).filter(|_| is_running(process)).map(|pid| kill_process(pid, signal)) {
        Some(Ok(())) => Ok(()),
        None | Some(Err(rustix::io::Errno::SRCH)) => Err(gone),
        Some(Err(error)) => Err(TerminateError::Refused { pid: process.pid, source: error.into() }),
    }
}

fn look(which: ProcessesToUpdate<'_>, kind: ProcessRefreshKind) -> io::Result<System> {
    let mut system = System::new().map_err(io::Error::other)?;
    system.refresh_processes_specifics(which, true, kind.without_tasks());
    Ok(system)
}

fn alive(system: &System) -> impl Iterator<Item = (u32, &sysinfo::Process)> {
    system
        .processes()
        .iter()
        .filter(|(_, process)| process.thread_kind().is_none())
        .filter(|(_, process)| !matches!(process.status(), ProcessStatus::Zombie | ProcessStatus::Dead))
        .map(|(pid, process)| (pid.as_u32(), process))
}

fn link_of(process: &sysinfo::Process) -> ProcessLink {
    let group = unix_pid(process.pid().as_u32()).and_then(|pid| getpgid(Some(pid)).ok());
    ProcessLink {
        start: process.start_time(),
        parent: process.parent().map_or(0, Pid::as_u32),
        group: group.map_or(0, |group| group.as_raw_pid().unsigned_abs()),
    }
}
