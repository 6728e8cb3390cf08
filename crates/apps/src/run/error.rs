//! Why an application was not launched or not stopped, down to what the system said.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use tarsus_host::process::{ProcessError, ProcessExit};
use tarsus_host::processes::{ListProcessesError, TerminateError};
use tarsus_protocol::error::{ErrorCode, Problem};

use super::DesktopFileError;

/// Why an application was not launched.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No launcher can be given this path without changing its meaning.
    #[error("{path:?} cannot be launched: {reason}")]
    Unsafe {
        /// The launch path.
        path: String,
        /// What is in it.
        reason: &'static str,
    },
    /// A name or a relative path, which could mean different things at different times.
    #[error("{path:?} cannot be launched: it is neither a full path nor a program on PATH")]
    NotAbsolute {
        /// The launch path.
        path: String,
    },
    /// Nothing is there.
    #[error("{path:?} cannot be launched: there is no such file")]
    Missing {
        /// The launch path.
        path: String,
    },
    /// It could not be looked at.
    #[error("{path:?} cannot be looked at")]
    Look {
        /// The launch path.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// A desktop file that says no command.
    #[error("{path:?} cannot be launched")]
    DesktopFile {
        /// The launch path.
        path: String,
        /// What is wrong with it.
        source: DesktopFileError,
    },
    /// The program that opens such a path is not installed.
    #[error("{path:?} cannot be launched: that needs {tool}, which is not on PATH")]
    NoTool {
        /// The launch path.
        path: String,
        /// The program.
        tool: &'static str,
    },
    /// The system did not start it.
    #[error(transparent)]
    Start(#[from] ProcessError),
    /// It was started and failed at once.
    #[error("{} {}", program.display(), ended(*exit))]
    Ended {
        /// What was started: the program or its launcher.
        program: PathBuf,
        /// How it ended.
        exit: ProcessExit,
    },
    /// It was started, and its end could not be followed.
    #[error("{} was started, but what came of it is not known", program.display())]
    Lost {
        /// What was started.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Whether it runs could not be seen.
    #[error(transparent)]
    List(#[from] ListProcessesError),
}

fn ended(exit: ProcessExit) -> String {
    match exit {
        ProcessExit::Code(code) => format!("failed with exit code {code}"),
        ProcessExit::Signal(signal) => format!("was ended by signal {signal}"),
    }
}

impl LaunchError {
    /// The whole reason in one line, with what the system said.
    #[must_use]
    pub fn reason(&self) -> String {
        with_causes(self)
    }

    /// What kind of failure it is.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        self.code_and_hint().0
    }

    fn code_and_hint(&self) -> (ErrorCode, &'static str) {
        match self {
            Self::Unsafe { .. } => {
                (ErrorCode::Usage, "store a launch path without it, for example of a shortcut")
            }
            Self::NotAbsolute { .. } => (ErrorCode::Usage, "store the full path as launch_path"),
            Self::Missing { .. } => (ErrorCode::NotFound, "check launch_path, or install the application"),
            Self::DesktopFile { .. } => (ErrorCode::Malformed, "fix the desktop file"),
            Self::NoTool { .. } => {
                (ErrorCode::Failed, "install it, or store the path of a program as launch_path")
            }
            Self::Look { .. } => (ErrorCode::Io, ErrorCode::Io.hint()),
            Self::Start(_) | Self::Ended { .. } => {
                (ErrorCode::Failed, "start it by hand to see what it says")
            }
            Self::Lost { .. } | Self::List(_) => (ErrorCode::Failed, ErrorCode::Failed.hint()),
        }
    }
}

impl From<&LaunchError> for Problem {
    fn from(error: &LaunchError) -> Self {
        let (code, hint) = error.code_and_hint();
        problem(code, error).hint(hint)
    }
}

/// Why a process was not ended.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// It could not be asked or killed.
    #[error(transparent)]
    End(#[from] TerminateError),
    /// It was killed and is still there, as a process stuck in the kernel is.
    #[error("process {pid} was killed but has not ended")]
    StillThere {
        /// The process.
        pid: u32,
    },
}

impl StopError {
    /// The whole reason in one line, with what the system said.
    #[must_use]
    pub fn reason(&self) -> String {
        with_causes(self)
    }
}

impl From<StopError> for Problem {
    fn from(error: StopError) -> Self {
        problem(ErrorCode::Failed, &error)
    }
}

fn problem(code: ErrorCode, error: &dyn Error) -> Problem {
    let problem = Problem::new(code, error.to_string());
    causes(error).fold(problem, |problem, cause| problem.note(cause.to_string()))
}

fn with_causes(error: &dyn Error) -> String {
    causes(error).fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn causes<'a>(error: &'a dyn Error) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(error.source(), |cause| (**cause).source())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_names_every_cause() {
        let source = io::Error::other("no medium");
        let error = LaunchError::from(ProcessError::Start { program: "/opt/app".into(), source });
        assert_eq!(error.reason(), "cannot start /opt/app: no medium");
        let problem = Problem::from(&error);
        assert_eq!(
            (problem.message.as_str(), problem.notes),
            ("cannot start /opt/app", vec!["no medium".into()])
        );
    }

    #[test]
    fn an_end_is_told_with_its_code_or_signal() {
        let ended = |exit| LaunchError::Ended { program: "/usr/bin/xdg-open".into(), exit }.to_string();
        assert_eq!(ended(ProcessExit::Code(4)), "/usr/bin/xdg-open failed with exit code 4");
        assert_eq!(ended(ProcessExit::Signal(11)), "/usr/bin/xdg-open was ended by signal 11");
    }
}
