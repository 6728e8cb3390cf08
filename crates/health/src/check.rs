//! Building blocks of the checks.

use std::path::Path;

use tarsus_home::files::FileError;
use tarsus_home::{Home, files};
use tarsus_protocol::Problem;
use tarsus_protocol::report::{Check, Level};
use tarsus_text::printable;

/// Permission bits of other accounts: any access.
pub(crate) const OTHERS_ANY: u32 = 0o077;
/// Permission bits of other accounts: write access.
pub(crate) const OTHERS_WRITE: u32 = 0o022;

pub(crate) fn ok(id: &str, title: &str, message: impl Into<String>) -> Check {
    Check { id: id.into(), title: title.into(), level: Level::Ok, message: message.into(), fix: None }
}

pub(crate) fn warning(id: &str, title: &str, message: impl Into<String>, fix: impl Into<String>) -> Check {
    let (message, fix) = (message.into(), Some(fix.into()));
    Check { id: id.into(), title: title.into(), level: Level::Warning, message, fix }
}

pub(crate) fn error(id: &str, title: &str, message: impl Into<String>, fix: impl Into<String>) -> Check {
    Check { level: Level::Error, ..warning(id, title, message, fix) }
}

pub(crate) const AUDIT_TITLE: &str = "audit log";

/// The error of an audit chain that does not verify.
pub(crate) fn audit_fault(fault: &str) -> Check {
    let message = format!("the chain is broken: {}", printable(fault));
    error("audit", AUDIT_TITLE, message, "tarsus audit verify, then tarsus audit reset")
}

/// An error with the problem's own message and next step.
pub(crate) fn failed(id: &str, title: &str, problem: impl Into<Problem>) -> Check {
    let problem = problem.into();
    error(id, title, problem.to_string(), problem.next_step())
}

/// Whether other accounts can access a file or folder.
pub(crate) enum Privacy {
    Private,
    Missing,
    /// A warning about permissions that are too wide.
    Open(Check),
    Failed(FileError),
}

/// Checks the permissions of other accounts that `bits` selects.
pub(crate) fn privacy(id: &str, title: &str, path: &Path, bits: u32, home: &Home) -> Privacy {
    match files::open_to_others(path) {
        Ok(Some(mode)) if mode & bits != 0 => {
            let mode_wanted = if path.is_dir() { "700" } else { "600" };
            let message =
                format!("{} is open to other accounts (mode {mode:o})", printable(&home.display(path)));
            let fix = format!("chmod {mode_wanted} {}", printable(&path.to_string_lossy()));
            Privacy::Open(warning(id, title, message, fix))
        }
        Ok(_) if path.exists() => Privacy::Private,
        Ok(_) => Privacy::Missing,
        Err(error) => Privacy::Failed(error),
    }
}
