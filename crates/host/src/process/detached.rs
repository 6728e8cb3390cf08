//! Launches a program that outlives us: its own session, only its process id is kept, and what it prints as errors
//! while it is watched.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::Stdio;

use process_wrap::tokio::ChildWrapper;
use tokio::process::Command;

#[cfg(unix)]
use super::error_output::ErrorOutput;
use super::group::{command, start_error};
use super::{CapturedOutput, Env, ProcessError, ProcessExit};
use crate::agent_mark::{AGENT_VARIABLE, AgentMark};

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
    /// The agent that starts it. It is marked as a process of this agent, with everything that it starts.
    pub agent: Option<String>,
    /// A command that reads its input to the end and discards it, as `cat` does. It takes over the reading of errors when
    /// we stop watching, so that the program can go on printing. Without it, errors are discarded from the start.
    pub drain: Vec<OsString>,
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
    #[cfg(unix)]
    errors: Option<ErrorOutput>,
}

impl DetachedProcess {
    #[cfg(unix)]
    fn new(mut child: Box<dyn ChildWrapper>, pid: u32, launch: &DetachedCommand) -> Self {
        let errors = child.stderr().take().map(|pipe| ErrorOutput::new(pipe, launch));
        Self { child, pid, errors }
    }

    #[cfg(windows)]
    fn new(child: Box<dyn ChildWrapper>, pid: u32, _: &DetachedCommand) -> Self {
        Self { child, pid }
    }

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
        let ended = self.child.inner_mut().wait();
        #[cfg(unix)]
        if let Some(errors) = &mut self.errors {
            return Ok(errors.read_until(ended).await?.into());
        }
        Ok(ended.await?.into())
    }

    /// What the program printed as errors so far: the beginning and the end.
    #[must_use]
    pub fn printed_errors(&mut self) -> CapturedOutput {
        #[cfg(unix)]
        if let Some(errors) = &mut self.errors {
            return errors.captured();
        }
        CapturedOutput::default()
    }
}

/// Starts a program in its own session, with empty input and discarded output. It continues when we end. Must be called
/// inside a tokio runtime, which also reaps it.
///
/// # Errors
/// When it cannot be started.
pub fn launch(launch: &DetachedCommand) -> Result<DetachedProcess, ProcessError> {
    let mut command = command(&launch.program, &launch.env, &launch.cwd)?;
    if let Some(agent) = &launch.agent {
        command.env(AGENT_VARIABLE, agent);
        AgentMark::apply(agent, &mut command);
    }
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    #[cfg(unix)]
    if !launch.drain.is_empty() {
        command.stderr(Stdio::piped());
    }
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
        Some(pid) => Ok(DetachedProcess::new(child, pid, launch)),
        None => Err(io::Error::other("it ended before it could be observed")),
    };
    spawn(command).and_then(seen).map_err(|source| start_error(&launch.program, &launch.cwd, source))
}

#[cfg(unix)]
pub(super) fn spawn(command: Command) -> io::Result<Box<dyn ChildWrapper>> {
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
