//! The process list and ending single processes, with real processes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::support::gone;
use tarsus_host::processes::{self, ProcessId, ProcessInfo, TerminateError};

/// A program that runs until it is ended, under a name of our choice.
struct Sleeper {
    child: Child,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Sleeper {
    fn start(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join(name);
        let (program, args): (&str, &[&str]) = if cfg!(windows) {
            (r"C:\windows\system32\cmd.exe", &["/c", "pause"])
        } else {
            ("/bin/sleep", &["1000"])
        };
        std::fs::copy(program, &path).unwrap();
        let mut command = Command::new(&path);
        command.args(args).stdin(Stdio::piped()).stdout(Stdio::null());
        let sleeper = Self { child: command.spawn().unwrap(), path, _folder: folder };
        // A program has its arguments only a moment after it was started.
        while cfg!(unix) && listed(sleeper.identity()).unwrap().argv0.is_none() {
            std::thread::yield_now();
        }
        sleeper
    }

    fn identity(&self) -> ProcessId {
        processes::identity(self.child.id()).unwrap()
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        let _already_ended = self.child.kill();
        self.child.wait().unwrap();
    }
}

fn listed(identity: ProcessId) -> Option<ProcessInfo> {
    processes::list().unwrap().into_iter().find(|process| process.identity == identity)
}

#[test]
fn process_is_listed_with_name_path_and_parent() {
    let sleeper = Sleeper::start(if cfg!(windows) { "睡 觉.exe" } else { "睡 觉" });
    let argv0 = (!cfg!(windows)).then(|| sleeper.path.clone().into_os_string());
    let process = listed(sleeper.identity()).unwrap();
    let exe = process.exe.clone().map(|exe| exe.canonicalize().unwrap());
    assert_eq!(exe.as_deref(), Some(sleeper.path.as_path()));
    let expected = ProcessInfo {
        identity: sleeper.identity(),
        parent: std::process::id(),
        name: sleeper.path.file_name().unwrap().to_str().unwrap().into(),
        exe: process.exe.clone(),
        argv0,
        mine: true,
    };
    assert_eq!(process, expected);
}

#[cfg(target_os = "linux")]
#[test]
fn a_replaced_executable_keeps_its_path() {
    let sleeper = Sleeper::start("sleeper");
    std::fs::remove_file(&sleeper.path).unwrap();
    assert_eq!(listed(sleeper.identity()).unwrap().exe.as_ref(), Some(&sleeper.path));
}

#[test]
fn every_pid_is_listed_once_without_threads() {
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let thread = std::thread::spawn(move || stopped.recv());
    let numbers: Vec<u32> = processes::list().unwrap().iter().map(|process| process.identity.pid).collect();
    drop(stop);
    thread.join().unwrap().unwrap_err();
    assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len());
    assert_eq!(numbers.iter().filter(|pid| **pid == std::process::id()).count(), 1);
    assert!(numbers.is_sorted());
}

#[test]
fn zombie_is_not_running() {
    let mut sleeper = Sleeper::start(if cfg!(windows) { "s.exe" } else { "s" });
    let identity = sleeper.identity();
    assert!(processes::is_running(identity));
    sleeper.child.kill().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(gone(identity));
    assert_eq!(listed(identity), None);
}

#[test]
fn same_pid_with_other_start_is_another_process() {
    let sleeper = Sleeper::start(if cfg!(windows) { "s.exe" } else { "s" });
    let mut earlier = sleeper.identity();
    earlier.start -= 1;
    assert!(!processes::is_running(earlier));
    assert!(matches!(processes::kill(earlier), Err(TerminateError::Gone { pid }) if pid == earlier.pid));
    assert!(matches!(processes::terminate(earlier), Err(TerminateError::Gone { .. })));
    assert!(processes::is_running(sleeper.identity()), "it was not touched");
}

#[tokio::test]
async fn killed_process_cannot_be_killed_again() {
    let mut sleeper = Sleeper::start(if cfg!(windows) { "s.exe" } else { "s" });
    let identity = sleeper.identity();
    processes::kill(identity).unwrap();
    gone(identity).await;
    sleeper.child.wait().unwrap();
    assert!(matches!(processes::kill(identity), Err(TerminateError::Gone { .. })));
}

#[cfg(unix)]
#[tokio::test]
async fn terminate_sends_a_signal_on_unix() {
    use std::os::unix::process::ExitStatusExt;
    let mut sleeper = Sleeper::start("s");
    assert_eq!(processes::terminate(sleeper.identity()).unwrap(), processes::TerminateOutcome::Requested);
    assert_eq!(sleeper.child.wait().unwrap().signal(), Some(15));
}

#[cfg(windows)]
#[test]
fn windows_process_without_window_is_unsupported() {
    let sleeper = Sleeper::start("s.exe");
    assert_eq!(processes::terminate(sleeper.identity()).unwrap(), processes::TerminateOutcome::Unsupported);
    assert!(processes::is_running(sleeper.identity()));
}

#[test]
fn own_process_and_parents_are_never_ended() {
    let us = std::process::id();
    let mut family = processes::ancestors(us);
    #[cfg(unix)]
    assert_eq!(family[0].pid, std::os::unix::process::parent_id());
    family.push(processes::identity(us).unwrap());
    for process in family {
        for refused in [processes::kill(process), processes::terminate(process).map(drop)] {
            assert!(matches!(refused, Err(TerminateError::Ourselves { pid }) if pid == process.pid));
        }
    }
}

#[test]
fn descendants_are_found_through_parents() {
    let sleeper = Sleeper::start(if cfg!(windows) { "s.exe" } else { "s" });
    let found = processes::descendants(&[std::process::id()]);
    assert!(found.contains(&sleeper.identity()));
    assert!(!found.iter().any(|process| process.pid == std::process::id()));
    assert_eq!(processes::descendants(&[u32::MAX]), []);
    assert_eq!(processes::ancestors(u32::MAX), []);
}
