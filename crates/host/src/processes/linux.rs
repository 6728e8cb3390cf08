//! The process list straight from `/proc`, which lists no threads.
//!
//! A process may end between two reads; then it is left out, as if the first had come later.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::process::{PidfdFlags, Signal, geteuid, kill_process, pidfd_open, pidfd_send_signal};

use super::{ProcessId, ProcessInfo, ProcessLink, TerminateError, TerminateOutcome, is_running, unix_pid};

/// The largest file read here is a command line, of which only the first word counts.
const READ_LIMIT: u64 = 8 * 1024;
/// The kernel's flag for its own threads.
const KERNEL_THREAD: u64 = 0x0020_0000;

pub(super) fn list() -> io::Result<Vec<ProcessInfo>> {
    let us = geteuid().as_raw();
    Ok(pids()?.filter_map(|pid| process(pid, us)).collect())
}

pub(super) fn links() -> io::Result<HashMap<u32, ProcessLink>> {
    Ok(pids()?.filter_map(|pid| Some((pid, link(pid)?))).collect())
}

pub(super) fn link(pid: u32) -> Option<ProcessLink> {
    Some(stat(pid)?.link)
}

pub(super) fn terminate(process: ProcessId) -> Result<TerminateOutcome, TerminateError> {
    signal(process, Signal::TERM).map(|()| TerminateOutcome::Requested)
}

pub(super) fn kill(process: ProcessId) -> Result<(), TerminateError> {
    signal(process, Signal::KILL)
}

/// Signals through a descriptor of the process, checked after it was opened: a number that is passed
/// on in between cannot be hit. Kernels without such descriptors get the signal right after the check.
fn signal(process: ProcessId, signal: Signal) -> Result<(), TerminateError> {
    let gone = TerminateError::Gone { pid: process.pid };
    let Some(pid) = unix_pid(process.pid) else { return Err(gone) };
    let descriptor = pidfd_open(pid, PidfdFlags::empty());
    if !is_running(process) {
        return Err(gone);
    }
    let sent = match descriptor {
        Ok(descriptor) => pidfd_send_signal(descriptor, signal),
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => kill_process(pid, signal),
        Err(error) => Err(error),
    };
    match sent {
        Ok(()) => Ok(()),
        Err(rustix::io::Errno::SRCH) => Err(gone),
        Err(error) => Err(TerminateError::Refused { pid: process.pid, source: error.into() }),
    }
}

pub(super) fn pids() -> io::Result<impl Iterator<Item = u32>> {
    let entries = std::fs::read_dir("/proc")?;
    Ok(entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()))
}

fn process(pid: u32, us: u32) -> Option<ProcessInfo> {
    let Stat { name, link } = stat(pid)?;
    let status = read(pid, "status")?;
    Some(ProcessInfo {
        identity: ProcessId { pid, start: link.start },
        parent: link.parent,
        name,
        exe: exe(pid),
        argv0: argv0(&read(pid, "cmdline").unwrap_or_default()),
        mine: effective_user(&status) == Some(us),
    })
}

#[derive(Debug, PartialEq, Eq)]
struct Stat {
    name: String,
    link: ProcessLink,
}

fn stat(pid: u32) -> Option<Stat> {
    parse_stat(&read(pid, "stat")?)
}

/// Reads `PID (NAME) STATE PARENT …`. The name may hold anything, brackets too: the last one ends it.
/// Dead entries and kernel threads give nothing.
fn parse_stat(stat: &[u8]) -> Option<Stat> {
    let open = stat.iter().position(|&byte| byte == b'(')?;
    let close = stat.iter().rposition(|&byte| byte == b')')?;
    let name = String::from_utf8_lossy(stat.get(open + 1..close)?).into_owned();
    let rest = std::str::from_utf8(&stat[close + 1..]).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();

    // Counted from the state, which is field 3 of proc(5).
    let dead = matches!(*fields.first()?, "Z" | "X" | "x");
    if dead || number(6)? & KERNEL_THREAD != 0 {
        return None;
    }
    let parent = u32::try_from(number(1)?).ok()?;
    let group = u32::try_from(number(2)?).ok()?;
    Some(Stat { name, link: ProcessLink { start: number(19)?, parent, group } })
}

/// The user a process acts as. The owner of its folder in `/proc` is not always that one.
pub(super) fn effective_user(status: &[u8]) -> Option<u32> {
    let line = status.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(b"Uid:"))?;
    std::str::from_utf8(line).ok()?.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn argv0(cmdline: &[u8]) -> Option<OsString> {
    let first = cmdline.split(|&byte| byte == 0).next()?;
    (!first.is_empty()).then(|| OsStr::from_bytes(first).to_os_string())
}

/// The kernel marks the path of a file that was replaced since, as an update does; the path still says
/// which program this is.
fn exe(pid: u32) -> Option<PathBuf> {
    let path = std::fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    match path.as_os_str().as_bytes().strip_suffix(b" (deleted)") {
        Some(before) if !path.exists() => Some(PathBuf::from(OsStr::from_bytes(before))),
        _ => Some(path),
    }
}

pub(super) fn read(pid: u32, file: &str) -> Option<Vec<u8>> {
    let path = Path::new("/proc").join(pid.to_string()).join(file);
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(READ_LIMIT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(name: &str, state: &str, flags: u64) -> Vec<u8> {
        let zeros = "0 ".repeat(12);
        format!("7 ({name}) {state} 3 5 5 0 -1 {flags} {zeros}4711 9 9\n").into_bytes()
    }

    #[test]
    fn stat_line_with_any_process_name_is_parsed() {
        for name in ["sh", "", "a b", ") R 1 (", "((", "名字"] {
            let expected = Stat { name: name.into(), link: ProcessLink { start: 4711, parent: 3, group: 5 } };
            assert_eq!(parse_stat(&line(name, "S", 4_194_304)), Some(expected), "{name:?}");
        }
    }

    #[test]
    fn zombies_and_kernel_threads_are_not_processes() {
        let cases = [
            line("sh", "Z", 0),
            line("sh", "X", 0),
            line("kworker/0:1", "I", 0x0420_8060),
            b"7 (sh".to_vec(),
            b") 7 (".to_vec(),
            b"7 (sh) S x".to_vec(),
            b"7 (sh) S 3 7 7".to_vec(),
            Vec::new(),
        ];
        for case in cases {
            assert_eq!(parse_stat(&case), None, "{}", String::from_utf8_lossy(&case));
        }
    }

    #[test]
    fn the_user_and_the_first_word_are_found() {
        assert_eq!(effective_user(b"Name:\tsh\nUid:\t1000\t1001\t0\t0\nGid:\t5\n"), Some(1001));
        assert_eq!(effective_user(b"Name:\tsh\n"), None);
        assert_eq!(argv0(b"/bin/sh\0-c\0x\0"), Some("/bin/sh".into()));
        assert_eq!(argv0(b""), None);
    }
}
