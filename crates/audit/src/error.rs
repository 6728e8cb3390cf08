//! Errors of the audit chain.

use std::io;

use tarsus_home::files::FileError;
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

use crate::verify::ChainFault;

/// The chain could not be used.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// Access to a file of the chain failed.
    #[error(transparent)]
    File(#[from] FileError),
    #[error("the audit chain is broken: {0}")]
    Tampered(ChainFault),
    /// The anchor cannot be read or written.
    #[error("{0}")]
    Anchor(Box<Problem>),
    /// There are no random bytes for a key.
    #[error("{0}")]
    Random(Box<Problem>),
    /// A chain without a fault is not started anew.
    #[error("the audit log has no fault")]
    Intact,
    /// The entry cannot be written as JSON.
    #[error("the record cannot be written as JSON: {0}")]
    Unwritable(#[from] serde_json::Error),
    /// The writer of an export failed.
    #[error("the export cannot be written: {0}")]
    Export(io::Error),
}

impl AuditError {
    /// True if there was no space left.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::File(error) => error.is_disk_full(),
            Self::Anchor(problem) => problem.code == ErrorCode::DiskFull,
            _ => false,
        }
    }
}

impl From<AuditError> for Problem {
    fn from(error: AuditError) -> Self {
        let message = error.to_string();
        match error {
            AuditError::File(error) => error.into(),
            AuditError::Tampered(bad) => {
                let line = bad.line.map(|line| u32::try_from(line).unwrap_or(u32::MAX));
                Self::new(ErrorCode::Tampered, "the audit chain is broken")
                    .at(SourceLocation { line, ..SourceLocation::file(&bad.path) })
                    .note(bad.why.to_string())
                    .hint("keep a copy of the folder; `tarsus audit reset --reason \"…\"` sets the old files aside and starts a new chain")
            }
            AuditError::Anchor(problem) | AuditError::Random(problem) => *problem,
            AuditError::Intact => {
                Self::new(ErrorCode::Failed, message).hint("nothing was changed: there is nothing to reset")
            }
            AuditError::Unwritable(_) => Self::new(ErrorCode::Failed, message),
            AuditError::Export(_) => Self::new(ErrorCode::Io, message),
        }
    }
}
