//! Launches a program that outlives us: its own session, no pipes, only its process id is kept.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use process_wrap::tokio::ChildWrapper;
use tokio::process::Command;

use super::group::{command, start_error};
use super::{Env, ProcessError, ProcessExit};

/// A program to launch.
#[derive(Debug, Clone)]
pub struct DetachedCommand {
    /// The absolute path of the program.
    pub program: PathBuf,
    /// The arguments.
    pub args: LaunchArgs,
    /// The complete environment.
    pub env: Env,
    /// The working directory.
    pub cwd: PathBuf,
}

/// Command-line arguments.
#[derive(Debug, Clone)]
pub enum LaunchArgs {
    /// One by one, without a shell.
    Each(Vec<OsString>),
    /// One raw line for `cmd.exe`, which has its own quoting. The caller is responsible for its content.
    #[cfg(windows)]
    Line(OsString),
}

/// A launched program. Dropping this leaves it running.
#[derive(Debug)]
pub struct DetachedProcess {
    child: Box<dyn ChildWrapper>,
    pid: u32,
}

impl DetachedProcess {
    /// The process id.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until the program has ended; its children may continue.
    ///
    /// # Errors
    /// When the system cannot report its end.
    pub async fn exit(&mut self) -> io::Result<ProcessExit> {
        Ok(self.child.inner_mut().wait().await?.into())
    }
}

/// Starts a program in its own session, with empty input and discarded output. It continues when we end. Must be called
/// inside a tokio runtime, which also reaps it.
///
/// # Errors
/// When it cannot be started.
pub fn launch(launch: &DetachedCommand) -> Result<DetachedProcess, ProcessError> {
    let mut command = command(&launch.program, &launch.env, &launch.cwd)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match &launch.args {
        LaunchArgs::Each(args) => {
            command.args(args);
        }
        #[cfg(windows)]
        LaunchArgs::Line(line) => {
            command.raw_arg(line);
        }
    }
    let seen = |child: Box<dyn ChildWrapper>| match child.id() {
        Some(pid) => Ok(DetachedProcess { child, pid }),
        None => Err(io::Error::other("it ended before it could be observed")),
    };
    spawn(command).and_then(seen).map_err(|source| start_error(&launch.program, &launch.cwd, source))
}

#[cfg(unix)]
fn spawn(command: Command) -> io::Result<Box<dyn ChildWrapper>> {
    use process_wrap::tokio::{CommandWrap, ProcessSession};
    CommandWrap::from(command).wrap(ProcessSession).spawn()
}

#[cfg(windows)]
fn spawn(mut command: Command) -> io::Result<Box<dyn ChildWrapper>> {
    use windows_sys::Win32::Foundation::ERROR_ACCESS_DENIED;
    use windows_sys::Win32::System::Threading::{
        CREATE_BREAKAWAY_FROM_JOB, CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS,
    };
    let flags = DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP;
    // Our job may end with us, and may not allow to leave it.
    let child = match command.creation_flags(flags | CREATE_BREAKAWAY_FROM_JOB).spawn() {
        Err(error) if error.raw_os_error() == Some(ERROR_ACCESS_DENIED.cast_signed()) => {
            command.creation_flags(flags).spawn()?
        }
        started => started?,
    };
    Ok(Box::new(child))
}
