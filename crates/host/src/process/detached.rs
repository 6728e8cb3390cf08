//! Launching a program that outlives us: its own session, no pipe to us, only its number is kept.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use super::group::{command, start_error};
use super::{Env, ProcessError};

/// A program to launch.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The program: a full path.
    pub program: PathBuf,
    /// Its arguments, passed one by one; no shell reads them.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub env: Env,
    /// The folder it starts in.
    pub cwd: PathBuf,
}

/// Starts a program in a session of its own, with empty input and its output thrown away, and returns
/// its pid. It keeps running when we end. Must be called inside a tokio runtime, which also takes
/// note of its end so that no dead entry stays in the process list.
///
/// # Errors
/// When it cannot be started.
pub fn launch(launch: &Launch) -> Result<u32, ProcessError> {
    let mut command = command(&launch.program, &launch.env, &launch.cwd)?;
    command.args(&launch.args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    spawn(command)
        .and_then(|pid| pid.ok_or_else(|| io::Error::other("it ended before it could be seen")))
        .map_err(|source| start_error(&launch.program, &launch.cwd, source))
}

#[cfg(unix)]
fn spawn(command: tokio::process::Command) -> io::Result<Option<u32>> {
    use process_wrap::tokio::{CommandWrap, ProcessSession};
    Ok(CommandWrap::from(command).wrap(ProcessSession).spawn()?.id())
}

#[cfg(windows)]
fn spawn(mut command: tokio::process::Command) -> io::Result<Option<u32>> {
    use windows_sys::Win32::System::Threading::{CREATE_NEW_PROCESS_GROUP, DETACHED_PROCESS};
    Ok(command.creation_flags(DETACHED_PROCESS | CREATE_NEW_PROCESS_GROUP).spawn()?.id())
}
