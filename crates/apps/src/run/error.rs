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
        reason: UnsafePath,
    },
    /// A relative path, or a name that is not on PATH.
    #[error("{path:?} cannot be launched: it is neither a full path nor a program on PATH")]
    NotAbsolute {
        /// The launch path.
        path: String,
    },
    /// A path of another system.
    #[error("{path:?} cannot be launched: it is a Windows path, and this is not Windows")]
    WindowsPath {
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
        /// The last lines that it printed as errors, safe to show.
        printed: Vec<String>,
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

/// Why no launcher takes a path unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnsafePath {
    /// A NUL character.
    #[error("there is a NUL in it")]
    Nul,
    /// Characters that end the argument of a cmd line.
    #[error("a double quote or a line break cannot be handed to cmd.exe safely")]
    QuoteOrLineBreak,
    /// It begins like an option.
    #[error("cmd.exe would take it for an option")]
    LooksLikeOption,
    /// It does not fit.
    #[error("it is longer than a line of cmd.exe can be")]
    TooLong,
    /// The interop layer of WSL quotes white space only.
    #[error(
        "from Linux, a path with % or with unquoted characters that cmd.exe acts on cannot be handed to it safely"
    )]
    SpecialFromLinux,
}

fn exit_text(exit: ProcessExit) -> String {
    match exit {
        ProcessExit::Code(code) => format!("failed with exit code {code}"),
        ProcessExit::Signal(signal) => format!("was ended by signal {signal}"),
    }
}

impl LaunchError {
    /// The error, its causes and what was printed, in one line.
    #[must_use]
    pub fn reason(&self) -> String {
        let printed = self.printed().iter();
        printed.fold(with_causes(self), |text, line| format!("{text}: {line}"))
    }

    /// What the program or its launcher printed before it failed.
    fn printed(&self) -> &[String] {
        match self {
            Self::ExitedEarly { printed, .. } => printed,
            _ => &[],
        }
    }

    fn code_and_hint(&self) -> (ErrorCode, &'static str) {
        match self {
            Self::Unsafe { .. } => {
                (ErrorCode::Usage, "store a launch path without it, for example of a shortcut")
            }
            Self::NotAbsolute { .. } => (ErrorCode::Usage, "store the full path as launch_path"),
            Self::WindowsPath { .. } => (ErrorCode::Usage, "store a path of this machine as launch_path"),
            Self::Missing { .. } => (ErrorCode::NotFound, "check launch_path, or install the application"),
            Self::DesktopFile { .. } => (ErrorCode::Malformed, "fix the desktop file"),
            Self::MissingTool { .. } => {
                (ErrorCode::Failed, "install it, or store the path of a program as launch_path")
            }
            Self::Unreadable { .. } => (ErrorCode::Io, ErrorCode::Io.hint()),
            Self::ExitedEarly { printed, .. } if !printed.is_empty() => {
                (ErrorCode::Failed, "correct what it reports, then launch it again")
            }
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
        let problem = problem(code, error).hint(hint);
        error.printed().iter().fold(problem, |problem, line| problem.note(format!("it printed: {line}")))
    }
}

/// Errors of stopping a process.
#[derive(Debug, thiserror::Error)]
pub enum StopError {
    /// The process could not be asked to close, or killed.
    #[error(transparent)]
    End(#[from] TerminateError),
    /// The process is the runtime, one of its clients, or a program that one of them runs in.
    #[error("process {pid} is Tarsus, or a program that Tarsus runs in, and is not stopped")]
    Tarsus {
        /// Process id.
        pid: u32,
    },
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
    fn failure_says_what_the_launcher_printed() {
        let printed = vec!["no method available for opening 'x'".to_owned(), "giving up".to_owned()];
        let program = "/usr/bin/xdg-open".into();
        let error = LaunchError::ExitedEarly { program, exit: ProcessExit::Code(3), printed };
        let expected =
            "/usr/bin/xdg-open failed with exit code 3: no method available for opening 'x': giving up";
        assert_eq!(error.reason(), expected);
        let problem = Problem::from(&error);
        assert_eq!(problem.message, "/usr/bin/xdg-open failed with exit code 3");
        assert_eq!(
            problem.notes,
            ["it printed: no method available for opening 'x'", "it printed: giving up"]
        );
    }

    #[test]
    fn exit_is_reported_with_code_or_signal() {
        let failed = |exit| {
            LaunchError::ExitedEarly { program: "/usr/bin/xdg-open".into(), exit, printed: vec![] }
                .to_string()
        };
        assert_eq!(failed(ProcessExit::Code(4)), "/usr/bin/xdg-open failed with exit code 4");
        assert_eq!(failed(ProcessExit::Signal(11)), "/usr/bin/xdg-open was ended by signal 11");
    }
}
