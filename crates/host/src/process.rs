//! Starting programs and ending them, each with everything it started.
//!
//! A [`ProcessSpec`] gets exactly the environment, folder, input, time and output room it is given. However it
//! ends, by itself, by time-out, by [`StopHandle::stop`] or because its future was dropped, its whole
//! process group (a job object on Windows) has ended too. [`launch`] is for what shall outlive us.
//! Other crates decide whether a program may run.

mod captured;
mod detached;
mod env;
#[cfg(unix)]
mod error_output;
mod group;
mod run;
mod supervise;

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

pub use captured::CapturedOutput;
pub use detached::{DetachedCommand, DetachedProcess, LaunchArgs, launch};
pub use env::Env;
pub use run::{
    EndCause, OutputChunk, OutputStream, ProcessExit, ProcessOutcome, ProcessSpec, RunningProcess, StopHandle,
};

/// The reason why a program was not started, or not supervised to its end.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// A bare or relative name would be searched for, and another program than the one meant might run.
    #[error("cannot start {}: it is not a full path", program.display())]
    NotAbsolute {
        /// The program as given.
        program: PathBuf,
    },
    /// An environment variable that no system can hold.
    #[error("cannot start {}: {name:?} is not a name for an environment variable", program.display())]
    EnvName {
        /// The program.
        program: PathBuf,
        /// The name as given.
        name: OsString,
    },
    /// The folder to start in is not there or is not a folder.
    #[error("cannot start {} in {}: the folder does not exist", program.display(), cwd.display())]
    NoFolder {
        /// The program.
        program: PathBuf,
        /// The folder as given.
        cwd: PathBuf,
    },
    /// There is no such program.
    #[error("cannot start {}: the file does not exist", program.display())]
    NotFound {
        /// The program as given.
        program: PathBuf,
    },
    /// The system refused to start it.
    #[error("cannot start {}", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Its input, its output or its end could not be followed; it was killed.
    #[error("lost contact with {} (pid {pid}); it was killed", program.display())]
    Lost {
        /// The program.
        program: PathBuf,
        /// Its process.
        pid: u32,
        /// The system's error.
        source: io::Error,
    },
    /// It was killed and is still there, as a process stuck in the kernel is.
    #[error("{} (pid {pid}) was killed but has not ended", program.display())]
    NotEnded {
        /// The program.
        program: PathBuf,
        /// Its process.
        pid: u32,
    },
}
