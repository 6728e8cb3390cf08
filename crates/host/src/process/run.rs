//! A run as its caller sees it: what to start, how to follow it, how to stop it, how it ended.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::group::Group;
use super::supervise::supervise;
use super::{Captured, Env, ProcessError};

/// How many pieces of output may wait for a reader before the program has to.
const CHUNKS_WAITING: usize = 64;

/// A program to run and the bounds it runs in.
///
/// ```no_run
/// # async fn example() -> Result<(), tarsus_host::process::ProcessError> {
/// use std::time::Duration;
/// use tarsus_host::process::Run;
///
/// let outcome = Run {
///     args: vec!["--version".into()],
///     timeout: Duration::from_secs(5),
///     ..Run::new("/usr/bin/git", "/")
/// }
/// .finish()
/// .await?;
/// assert!(outcome.exit.success());
/// # Ok(())
/// # }
/// ```
pub struct Run {
    /// The program: a full path, as `path::SearchPath` finds it.
    pub program: PathBuf,
    /// Its arguments, passed one by one; no shell reads them.
    pub args: Vec<OsString>,
    /// Its whole environment.
    pub env: Env,
    /// The folder it starts in.
    pub cwd: PathBuf,
    /// Its input; without one it reads an empty input.
    pub stdin: Option<Vec<u8>>,
    /// How long it may run.
    pub timeout: Duration,
    /// How long it may take to end after it was asked to, before it is killed. Windows programs are
    /// killed at once: there is no signal that asks all of them.
    pub grace: Duration,
    /// How long others of its group may still write after it has ended, as `| tee` does, before they
    /// are asked to end.
    pub linger: Duration,
    /// How many bytes are kept of its output, and as many of its error output.
    pub output_cap: usize,
}

impl Run {
    /// A run with no argument, no environment and no input, of at most a minute, keeping 1 MiB of output.
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

    /// Runs the program to its end. Dropping the future ends the program with all it started.
    ///
    /// # Errors
    /// When it cannot be started or followed.
    pub async fn finish(self) -> Result<Outcome, ProcessError> {
        self.start()?.outcome().await
    }

    /// Starts the program and returns a handle to it. Must be called inside a tokio runtime.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn start(self) -> Result<Running, ProcessError> {
        self.begin(None)
    }

    /// Starts the program and hands its output over as it comes, besides keeping it for the outcome.
    /// A receiver that is not read makes the program wait, at most until its time-out; a dropped one
    /// does not.
    ///
    /// # Errors
    /// When it cannot be started.
    pub fn stream(self) -> Result<(Running, mpsc::Receiver<Chunk>), ProcessError> {
        let (sender, receiver) = mpsc::channel(CHUNKS_WAITING);
        Ok((self.begin(Some(sender))?, receiver))
    }

    fn begin(self, sink: Option<mpsc::Sender<Chunk>>) -> Result<Running, ProcessError> {
        let group = Group::spawn(&self)?;
        let (pid, program, stop) = (group.pid(), self.program.clone(), Stopper::new());
        let task = tokio::spawn(supervise(group, self, sink, stop.clone()));
        Ok(Running { pid, program, stop, task })
    }
}

/// A program that runs. Dropping it ends the program with all it started.
#[derive(Debug)]
#[must_use = "dropping it ends the program"]
pub struct Running {
    pid: u32,
    program: PathBuf,
    stop: Stopper,
    task: JoinHandle<Result<Outcome, ProcessError>>,
}

impl Running {
    /// The process that was started. On Unix it leads the group of the same number.
    #[must_use]
    pub const fn pid(&self) -> u32 {
        self.pid
    }

    /// Asks the program to end, as [`Stopper::stop`] does; the outcome still comes.
    pub fn stop(&self) {
        self.stop.stop();
    }

    /// What stops this run from another place.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        self.stop.clone()
    }

    /// Waits for the end.
    ///
    /// # Errors
    /// When the program could not be followed to its end.
    pub async fn outcome(mut self) -> Result<Outcome, ProcessError> {
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

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.stop();
    }
}

/// Stops one run from anywhere: asks the whole group to end, and kills what is left after the grace.
#[derive(Debug, Clone)]
pub struct Stopper(Arc<Notify>);

impl Stopper {
    fn new() -> Self {
        Self(Arc::new(Notify::new()))
    }

    /// Stops the run; does nothing when it has ended.
    pub fn stop(&self) {
        self.0.notify_one();
    }

    pub(super) async fn stopped(&self) {
        self.0.notified().await;
    }
}

/// A piece of output, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Where it was written to.
    pub stream: Stream,
    /// What was written.
    pub bytes: Vec<u8>,
}

/// One of the two output streams of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// How a run ended and what it wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// What the program itself ended with.
    pub exit: Exit,
    /// What made it end.
    pub ended_by: EndedBy,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// How long it took, to the end of the last of its group.
    pub duration: Duration,
}

/// What made a run end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndedBy {
    /// The program itself.
    Itself,
    /// Its time was up.
    TimeOut,
    /// It was stopped, or nobody waited for it any more.
    Stop,
}

/// What a program ended with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Its exit code.
    Code(i32),
    /// The signal that ended it.
    Signal(i32),
}

impl Exit {
    /// Whether it says that all went well.
    #[must_use]
    pub const fn success(self) -> bool {
        matches!(self, Self::Code(0))
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        // Only a process ended by a signal has no code.
        Self::Code(status.code().unwrap_or(-1))
    }
}
