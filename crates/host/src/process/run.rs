//! The public interface of a supervised program: start, stream, stop, outcome.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::group::ProcessGroup;
use super::supervise::supervise;
use super::{CapturedOutput, Env, ProcessError};

/// Chunks of output that may wait for a reader before the program blocks.
const CHUNKS_WAITING: usize = 64;

/// A program to run, with its limits.
///
/// ```no_run
/// # async fn example() -> Result<(), tarsus_host::process::ProcessError> {
/// use std::time::Duration;
/// use tarsus_host::process::ProcessSpec;
///
/// let outcome = ProcessSpec {
///     args: vec!["--version".into()],
///     timeout: Duration::from_secs(5),
///     ..ProcessSpec::new("/usr/bin/git", "/")
/// }
/// .finish()
/// .await?;
/// assert!(outcome.exit.success());
/// # Ok(())
/// # }
/// ```
pub struct ProcessSpec {
    /// The absolute path of the program, as `path::SearchPath` finds it.
    pub program: PathBuf,
    /// The arguments, passed without a shell.
    pub args: Vec<OsString>,
    /// The complete environment.
    pub env: Env,
    /// The working directory.
    pub cwd: PathBuf,
    /// Standard input; empty by default.
    pub stdin: Option<Vec<u8>>,
    /// The maximum run time.
    pub timeout: Duration,
    /// The time between termination and kill. Windows programs are killed at once, as no signal terminates all of them.
    pub grace: Duration,
    /// The time for which others of its group may still write after the program ended, as `| tee` does.
    pub linger: Duration,
    /// Bytes captured of standard output, and as many of standard error.
    pub output_cap: usize,
}

impl ProcessSpec {
    /// No arguments, no environment, no input; at most one minute and 1 MiB of output.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, cwd: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Env::empty(),
            cwd: cwd.into(),
            stdin: None,
            timeout: Duration::from_mins(1),
            grace: Duration::from_secs(2),
            linger: Duration::from_millis(500),
            output_cap: 1 << 20,
        }
    }

    /// Runs the program to its end. Dropping the future ends it with all its descendants.
    ///
    /// # Errors
    /// When it cannot be started or supervised.
    pub async fn finish(self) -> Result<ProcessOutcome, ProcessError> {
        self.start()?.outcome().await
    }

    /// Starts the program and returns a handle to it. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(self) -> Result<RunningProcess, ProcessError> {
        self.begin(None)
    }

    /// Starts the program and streams its output, besides capturing it. A receiver that is not read blocks the program, at
    /// most until its timeout; a dropped one does not.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn stream(self) -> Result<(RunningProcess, mpsc::Receiver<OutputChunk>), ProcessError> {
        let (sender, receiver) = mpsc::channel(CHUNKS_WAITING);
        Ok((self.begin(Some(sender))?, receiver))
    }

    fn begin(self, sink: Option<mpsc::Sender<OutputChunk>>) -> Result<RunningProcess, ProcessError> {
        let group = ProcessGroup::spawn(&self)?;
        let (pid, program, stop) = (group.pid(), self.program.clone(), StopHandle::new());
        let task = tokio::spawn(supervise(group, self, sink, stop.clone()));
        Ok(RunningProcess { pid, program, stop, task })
    }
}

/// A running program. Dropping it ends the program with all its descendants.
#[derive(Debug)]
#[must_use = "dropping it ends the program"]
pub struct RunningProcess {
    pid: u32,
    program: PathBuf,
    stop: StopHandle,
    task: JoinHandle<Result<ProcessOutcome, ProcessError>>,
}

impl RunningProcess {
    /// The process id. On Unix it is also the id of the group.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Terminates the program, as [`StopHandle::stop`] does; the outcome still arrives.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// A handle to stop the program from elsewhere.
    #[must_use]
    pub fn stopper(&self) -> StopHandle {
        self.stop.clone()
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// When the program could not be supervised to its end.
    pub async fn outcome(mut self) -> Result<ProcessOutcome, ProcessError> {
        match (&mut self.task).await {
            Ok(outcome) => outcome,
            // The runtime is shutting down; the group was killed as the task was dropped.
            Err(source) => Err(ProcessError::Lost {
                program: self.program.clone(),
                pid: self.pid,
                source: source.into(),
            }),
        }
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// Stops a program from anywhere: terminates its group, and kills the rest after the grace period.
#[derive(Debug, Clone)]
pub struct StopHandle(Arc<Notify>);

impl StopHandle {
    fn new() -> Self {
        Self(Arc::new(Notify::new()))
    }

    /// Stops the program; does nothing when it has ended.
    pub fn stop(&self) {
        self.0.notify_one();
    }

    pub(super) async fn stopped(&self) {
        self.0.notified().await;
    }
}

/// A chunk of output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputChunk {
    /// The stream.
    pub stream: OutputStream,
    /// The bytes.
    pub bytes: Vec<u8>,
}

/// An output stream of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// The end of a program and its output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessOutcome {
    /// The exit of the program itself.
    pub exit: ProcessExit,
    /// The cause of the end.
    pub ended_by: EndCause,
    /// Captured standard output.
    pub stdout: CapturedOutput,
    /// Captured standard error.
    pub stderr: CapturedOutput,
    /// The time until the last process of the group ended.
    pub duration: Duration,
}

/// The cause of a program's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndCause {
    /// It ended by itself.
    Itself,
    /// It timed out.
    TimeOut,
    /// It was stopped, or its handle was dropped.
    Stop,
}

/// The exit of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    /// An exit code.
    Code(i32),
    /// A signal.
    Signal(i32),
}

impl ProcessExit {
    /// Whether the exit code is 0.
    #[must_use]
    pub const fn success(self) -> bool {
        matches!(self, Self::Code(0))
    }
}

impl From<ExitStatus> for ProcessExit {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        // Only a process ended by a signal has no code.
        Self::Code(status.code().unwrap_or(-1))
    }
}
