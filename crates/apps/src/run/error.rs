//! Errors of launching and stopping, with the system error as source.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use tarsus_host::process::{ProcessError, ProcessExit};
use tarsus_host::processes::{ListProcessesError, TerminateError};
use tarsus_protocol::error::{ErrorCode, Problem};

use super::DesktopFileError;

/// Errors of a launch.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// No launcher takes this path unchanged.
    #[error("{path:?} cannot be launched: {reason}")]
    Unsafe {
        /// The launch path.
        path: String,
        /// The reason.
        reason: &'static str,
    },
    /// A relative path, or a name that is not on PATH.
    #[error("{path:?} cannot be launched: it is neither a full path nor a program on PATH")]
    NotAbsolute {
        /// The launch path.
        path: String,
    },
    /// The path does not exist.
    #[error("{path:?} cannot be launched: there is no such file")]
    Missing {
        /// The launch path.
        path: String,
    },
    /// The path could not be read.
    #[error("{path:?} cannot be read")]
    Unreadable {
        /// The launch path.
        path: String,
        /// The system error.
        source: io::Error,
    },
    /// An invalid desktop file.
    #[error("{path:?} cannot be launched")]
    DesktopFile {
        /// The launch path.
        path: String,
        /// The error in the file.
        source: DesktopFileError,
    },
    /// The launcher for this path is not installed.
    #[error("{path:?} cannot be launched: that needs {tool}, which is not on PATH")]
    MissingTool {
        /// The launch path.
        path: String,
        /// The program.
        tool: &'static str,
    },
    /// The system did not start the program.
    #[error(transparent)]
    Start(#[from] ProcessError),
    /// The program or its launcher failed right after the start.
    #[error("{} {}", program.display(), exit_text(*exit))]
    ExitedEarly {
        /// The program or its launcher.
        program: PathBuf,
        /// Its exit status.
        exit: ProcessExit,
    },
    /// The program was started, but its exit status could not be read.
    #[error("{} was started, but its exit status is not known", program.display())]
    ExitUnknown {
        /// The program or its launcher.
        program: PathBuf,
        /// The system error.
        source: io::Error,
    },
    /// The process list could not be read.
    #[error(transparent)]
    List(#[from] ListProcessesError),
}

fn exit_text(exit: ProcessExit) -> String {
    match exit {
        ProcessExit::Code(code) => format!("failed with exit code {code}"),
        ProcessExit::Signal(signal) => format!("was ended by signal {signal}"),
    }
}

impl LaunchError {
    /// The error and its causes in one line.
    #[must_use]
    pub fn reason(&self) -> String {
        with_causes(self)
    }

    /// The error code.
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
            Self::MissingTool { .. } => {
                (ErrorCode::Failed, "install it, or store the path of a program as launch_path")
            }
            Self::Unreadable { .. } => (ErrorCode::Io, ErrorCode::Io.hint()),
            Self::Start(_) | Self::ExitedEarly { .. } => {
                (ErrorCode::Failed, "start it manually to see its output")
            }
            Self::ExitUnknown { .. } | Self::List(_) => (ErrorCode::Failed, ErrorCode::Failed.hint()),
        }
    }
}

/// Equal if both report the same text; system errors cannot be compared otherwise.
impl PartialEq for LaunchError {
    fn eq(&self, other: &Self) -> bool {
        self.reason() == other.reason()
    }
}

impl From<&LaunchError> for Problem {
    fn from(error: &LaunchError) -> Self {
        let (code, hint) = error.code_and_hint();
        problem(code, error).hint(hint)
    }
}

/// Errors of stopping a process.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// The process could not be asked to close, or killed.
    #[error(transparent)]
    End(#[from] TerminateError),
    /// The process was killed but is still there, as one that is stuck in the kernel.
    #[error("process {pid} was killed but has not ended")]
    StillThere {
        /// Process id.
        pid: u32,
    },
}

impl StopError {
    /// The error and its causes in one line.
    #[must_use]
    pub fn reason(&self) -> String {
        with_causes(self)
    }
}

/// Equal if both report the same text; system errors cannot be compared otherwise.
impl PartialEq for StopError {
    fn eq(&self, other: &Self) -> bool {
        self.reason() == other.reason()
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
    fn reason_names_every_cause() {
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
    fn exit_is_reported_with_code_or_signal() {
        let failed =
            |exit| LaunchError::ExitedEarly { program: "/usr/bin/xdg-open".into(), exit }.to_string();
        assert_eq!(failed(ProcessExit::Code(4)), "/usr/bin/xdg-open failed with exit code 4");
        assert_eq!(failed(ProcessExit::Signal(11)), "/usr/bin/xdg-open was ended by signal 11");
    }
}
