//! A program and all its descendants: termination, killing, and detection of their end.
//!
//! Unix: a process group, plus descendants that left it (`setsid`) as far as their parents can be traced.
//! Windows: a job object, which no descendant leaves and which ends with this process.

use std::io;
use std::path::Path;
use std::process::{ExitStatus, Stdio};

use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use super::{Env, ProcessError, ProcessSpec};
#[cfg(unix)]
use crate::processes::{self, ProcessId};

/// The process group of one program. Killed on drop unless it is gone.
#[derive(Debug)]
pub(super) struct ProcessGroup {
    child: Box<dyn ChildWrapper>,
    pid: u32,
    reaped: bool,
    gone: bool,
    #[cfg(unix)]
    descendants_outside: Vec<ProcessId>,
}

impl ProcessGroup {
    pub(super) fn spawn(run: &ProcessSpec) -> Result<Self, ProcessError> {
        let mut command = command(&run.program, &run.env, &run.cwd)?;
        command.args(&run.args).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if run.stdin.is_some() { Stdio::piped() } else { Stdio::null() });

        let mut command = CommandWrap::from(command);
        command.wrap(KillOnDrop);
        #[cfg(unix)]
        command.wrap(process_wrap::tokio::ProcessGroup::leader());
        #[cfg(windows)]
        command.wrap(process_wrap::tokio::JobObject).wrap(NoWindow);

        let spawned = command.spawn().and_then(|child| match child.id() {
            Some(pid) => Ok((child, pid)),
            None => Err(io::Error::other("it ended before it could be observed")),
        });
        match spawned {
            Ok((child, pid)) => Ok(Self {
                child,
                pid,
                reaped: false,
                gone: false,
                #[cfg(unix)]
                descendants_outside: Vec::new(),
            }),
            Err(source) => Err(start_error(&run.program, &run.cwd, source)),
        }
    }

    pub(super) const fn pid(&self) -> u32 {
        self.pid
    }

    pub(super) fn take_pipes(&mut self) -> (Option<ChildStdin>, Option<ChildStdout>, Option<ChildStderr>) {
        (self.child.stdin().take(), self.child.stdout().take(), self.child.stderr().take())
    }

    /// Waits for the program itself, not for its children.
    pub(super) async fn exit(&mut self) -> io::Result<ExitStatus> {
        // The wrapper's own `wait` blocks a thread until the last of the group has ended.
        let status = self.child.inner_mut().wait().await?;
        self.reaped = true;
        Ok(status)
    }
}

#[cfg(unix)]
impl ProcessGroup {
    /// Asks every process of the group to end.
    pub(super) fn terminate(&mut self) {
        self.record_descendants();
        self.signal_group(rustix::process::Signal::TERM);
        // A process that cannot be asked is killed after the grace period.
        self.descendants_outside.retain(|stray| processes::terminate(*stray).is_ok());
    }

    /// Kills every process of the group.
    pub(super) fn kill(&mut self) {
        self.record_descendants();
        self.signal_group(rustix::process::Signal::KILL);
        self.descendants_outside.retain(|stray| processes::kill(*stray).is_ok());
    }

    /// Whether the whole group has ended. Once true it stays true, so that a reused group id is never signalled.
    pub(super) fn is_gone(&mut self) -> bool {
        if !self.gone && self.reaped {
            // Where we are process 1, orphans of the group are ours to reap. An error means that there is nothing to reap.
            let _nothing_to_reap = self.child.try_wait();
            let group_gone = processes::group_has_ended(self.pid);
            self.gone =
                group_gone && !self.descendants_outside.iter().any(|stray| processes::is_running(*stray));
        }
        self.gone
    }

    /// Records descendants while they can still be found: once the program is reaped, its children have another parent.
    fn record_descendants(&mut self) {
        let mut roots: Vec<u32> = self.descendants_outside.iter().map(|stray| stray.pid).collect();
        if !self.reaped {
            roots.push(self.pid);
        }
        for found in processes::descendants(&roots) {
            let in_group = processes::is_in_group(found.pid, self.pid);
            if !in_group && !self.descendants_outside.contains(&found) {
                self.descendants_outside.push(found);
            }
        }
    }

    /// A group that cannot be signalled has ended or was never ours; `is_gone` finds out which.
    fn signal_group(&mut self, signal: rustix::process::Signal) {
        if let Some(leader) = processes::unix_pid(self.pid).filter(|_| !self.gone) {
            let _seen_by_is_gone = rustix::process::kill_process_group(leader, signal);
        }
    }
}

#[cfg(windows)]
impl ProcessGroup {
    /// No signal terminates every kind of Windows program, so this kills.
    pub(super) fn terminate(&mut self) {
        self.kill();
    }

    /// Ends the job with all its processes; done when this returns.
    pub(super) fn kill(&mut self) {
        self.gone = self.child.start_kill().is_ok();
    }

    /// Whether the job was ended.
    pub(super) fn is_gone(&mut self) -> bool {
        self.reaped && self.gone
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.is_gone() {
            self.kill();
        }
    }
}

/// The common part of every start: absolute path, exact environment, working directory.
#[allow(clippy::disallowed_methods, reason = "host starts the processes")]
pub(super) fn command(program: &Path, env: &Env, cwd: &Path) -> Result<Command, ProcessError> {
    let program = program.to_path_buf();
    if !program.is_absolute() {
        return Err(ProcessError::NotAbsolute { program });
    }
    if let Some(name) = env.bad_name() {
        return Err(ProcessError::EnvName { program, name: name.into() });
    }
    let mut command = Command::new(program);
    command.env_clear().envs(env.iter()).current_dir(cwd);
    Ok(command)
}

/// Distinguishes a missing program from a missing folder: the system has one error for both.
pub(super) fn start_error(program: &Path, cwd: &Path, source: io::Error) -> ProcessError {
    let program = program.to_path_buf();
    if !cwd.is_dir() {
        return ProcessError::NoFolder { program, cwd: cwd.to_path_buf() };
    }
    match source.kind() {
        io::ErrorKind::NotFound if !program.exists() => ProcessError::NotFound { program },
        _ => ProcessError::Start { program, source },
    }
}

/// Prevents a console program from opening its own window if we have no console. Comes after the job object and
/// repeats its flag (start suspended), because flags replace each other.
#[cfg(windows)]
#[derive(Debug)]
struct NoWindow;

#[cfg(windows)]
impl process_wrap::tokio::CommandWrapper for NoWindow {
    fn pre_spawn(&mut self, command: &mut Command, _: &CommandWrap) -> io::Result<()> {
        use windows_sys::Win32::System::Threading::{CREATE_NO_WINDOW, CREATE_SUSPENDED};
        command.creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW);
        Ok(())
    }
}
