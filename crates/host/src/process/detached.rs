//! Launching a program that outlives us: its own session, no pipe to us, only its number is kept.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use process_wrap::tokio::ChildWrapper;
use tokio::process::Command;

use super::group::{command, start_error};
use super::{Env, Exit, ProcessError};

/// A program to launch.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program: a full path.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Args,
    /// Its whole environment.
    pub env: Env,
    /// The folder it starts in.
    pub cwd: PathBuf,
}

/// How arguments are handed over.
#[derive(Debug, Clone)]
pub enum Args {
    /// One by one; no shell reads them.
    Each(Vec<OsString>),
    /// As one line, exactly as it is, for `cmd.exe`, whose quoting is its own. The caller answers for
    /// what is in it.
    #[cfg(windows)]
    Line(OsString),
}

/// A program that was launched. Dropping this leaves it running.
#[derive(Debug)]
pub struct Launched {
    child: Box<dyn ChildWrapper>,
    pid: u32,
}

impl Launched {
    /// Its number.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits until it has ended; what it started may run on.
    ///
    /// # Errors
    /// When the system does not tell.
    pub async fn exit(&mut self) -> io::Result<Exit> {
        Ok(self.child.inner_mut().wait().await?.into())
    }
}

/// Starts a program in a session of its own, with empty input and its output thrown away. It keeps
/// running when we end. Must be called inside a tokio runtime, which also takes note of its end so that
/// no dead entry stays in the process list.
///
/// # Errors
/// When it cannot be started.
pub fn launch(launch: &Launch) -> Result<Launched, ProcessError> {
    let mut command = command(&launch.program, &launch.env, &launch.cwd)?;
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match &launch.args {
        Args::Each(args) => {
            command.args(args);
        }
        #[cfg(windows)]
        Args::Line(line) => {
            command.raw_arg(line);
        }
    }
    let seen = |child: Box<dyn ChildWrapper>| match child.id() {
        Some(pid) => Ok(Launched { child, pid }),
        None => Err(io::Error::other("it ended before it could be seen")),
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
    // A job that we are in may end with us, and may forbid to leave it.
    let child = match command.creation_flags(flags | CREATE_BREAKAWAY_FROM_JOB).spawn() {
        Err(error) if error.raw_os_error() == Some(ERROR_ACCESS_DENIED.cast_signed()) => {
            command.creation_flags(flags).spawn()?
        }
        started => started?,
    };
    Ok(Box::new(child))
}
