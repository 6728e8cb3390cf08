//! Errors of the store.

use std::path::{Path, PathBuf};

use rusqlite::ffi;
use tarsus_home::files::FileError;
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

use crate::names::{RunId, SessionKey};

/// A failure to open, read or write the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file is not accessible.
    #[error(transparent)]
    File(#[from] FileError),
    /// SQLite reported an error.
    #[error("{}: {failure}", path.display())]
    Sql {
        /// Path of the store.
        path: PathBuf,
        /// SQLite's error.
        failure: SqlError,
    },
    /// Another process has the store open.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// Path of the store.
        path: PathBuf,
    },
    /// A database of another program.
    #[error("{} is a database, but not one of ours", path.display())]
    Foreign {
        /// Path of the file.
        path: PathBuf,
    },
    /// A newer version of the program wrote it.
    #[error("{} has schema version {found}; this program supports versions up to {known}", path.display())]
    Newer {
        /// Path of the store.
        path: PathBuf,
        /// Schema version of the store.
        found: u32,
        /// Newest version that this program supports.
        known: u32,
    },
    /// The queue of the writer is full.
    #[error("too many changes wait to be written")]
    Behind,
    /// The writer has ended.
    #[error("the store has been closed")]
    Closed,
    /// A value exceeds its limit.
    #[error("{what} is larger than {limit} {unit}")]
    TooLarge {
        /// Name of the value.
        what: &'static str,
        /// Largest accepted size.
        limit: u64,
        /// Unit of the limit.
        unit: &'static str,
    },
    /// Unknown session.
    #[error("there is no session {0}")]
    NoSession(SessionKey),
    /// The session has no such run.
    #[error("there is no run {0} in that session")]
    NoRun(RunId),
    /// The run has ended.
    #[error("the run {0} has ended")]
    RunEnded(RunId),
    /// An answer of a model without a run.
    #[error("an answer of a model has to belong to a run")]
    MissingRun,
    /// Invalid change of a call.
    #[error("the call {call} of the run {run} {why}")]
    Call {
        /// Run of the call.
        run: RunId,
        /// Call id.
        call: String,
        /// The reason for the failure.
        why: CallChangeError,
    },
    /// The idempotency key belongs to a run of another session.
    #[error("the idempotency key {run} was already used in the session {session}")]
    RunElsewhere {
        /// The idempotency key.
        run: RunId,
        /// Session in which it was used.
        session: SessionKey,
    },
}

/// The reason why a change of a call is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallChangeError {
    /// Unknown call.
    #[error("is not known")]
    Unknown,
    /// The call id exists already.
    #[error("exists already")]
    Duplicate,
    /// The call has started before.
    #[error("has started already")]
    AlreadyStarted,
    /// The call has a result.
    #[error("already has a result")]
    AlreadyFinished,
    /// The message is not a result of this call.
    #[error("does not match this result")]
    ResultMismatch,
    /// The call has no result, although its run is being closed.
    #[error("has no result yet")]
    StillOpen,
}

/// An error of SQLite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct SqlError {
    /// Its kind.
    pub kind: SqlErrorKind,
    /// SQLite's message.
    pub text: String,
}

/// The kind of an SQLite error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlErrorKind {
    /// The file is corrupt.
    Damaged,
    /// The disk is full.
    DiskFull,
    /// Another process holds a lock.
    Busy,
    /// The account lacks permission.
    Permission,
    /// Anything else.
    Other,
}

impl From<rusqlite::Error> for SqlError {
    fn from(error: rusqlite::Error) -> Self {
        let kind = match &error {
            rusqlite::Error::SqliteFailure(ffi::Error { code, .. }, _) => match code {
                ffi::ErrorCode::DatabaseCorrupt | ffi::ErrorCode::NotADatabase => SqlErrorKind::Damaged,
                ffi::ErrorCode::DiskFull => SqlErrorKind::DiskFull,
                ffi::ErrorCode::DatabaseBusy | ffi::ErrorCode::DatabaseLocked => SqlErrorKind::Busy,
                ffi::ErrorCode::PermissionDenied | ffi::ErrorCode::ReadOnly | ffi::ErrorCode::CannotOpen => {
                    SqlErrorKind::Permission
                }
                _ => SqlErrorKind::Other,
            },
            rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::IntegralValueOutOfRange(..) => SqlErrorKind::Damaged,
            _ => SqlErrorKind::Other,
        };
        Self { kind, text: error.to_string() }
    }
}

/// Error of a change or query before the path of the store is attached.
#[derive(Debug)]
pub(crate) enum QueryError {
    Sql(SqlError),
    Refused(StoreError),
}

impl QueryError {
    pub(crate) fn with_path(self, path: &Path) -> StoreError {
        match self {
            Self::Sql(failure) => StoreError::Sql { path: path.to_path_buf(), failure },
            Self::Refused(error) => error,
        }
    }
}

impl From<rusqlite::Error> for QueryError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error.into())
    }
}

impl From<SqlError> for QueryError {
    fn from(failure: SqlError) -> Self {
        Self::Sql(failure)
    }
}

impl From<StoreError> for QueryError {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

impl StoreError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::File(error) => error.code(),
            Self::Sql { failure, .. } => match failure.kind {
                SqlErrorKind::Damaged => ErrorCode::Malformed,
                SqlErrorKind::DiskFull => ErrorCode::DiskFull,
                SqlErrorKind::Busy => ErrorCode::Busy,
                SqlErrorKind::Permission => ErrorCode::Permission,
                SqlErrorKind::Other => ErrorCode::Io,
            },
            Self::InUse { .. } | Self::Behind => ErrorCode::Busy,
            Self::Foreign { .. } | Self::Newer { .. } => ErrorCode::Malformed,
            Self::Closed => ErrorCode::Failed,
            Self::TooLarge { .. } => ErrorCode::TooLarge,
            Self::NoSession(_) | Self::NoRun(_) => ErrorCode::NotFound,
            Self::RunElsewhere { .. } | Self::RunEnded(_) | Self::MissingRun | Self::Call { .. } => {
                ErrorCode::Usage
            }
        }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let code = error.code();
        let error = match error {
            StoreError::File(error) => return error.into(),
            error => error,
        };
        let named = |path: &Path, message: &str| {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
            Self::new(code, format!("{name} {message}")).at(SourceLocation::file(path))
        };
        match &error {
            StoreError::Sql { path, failure } => match failure.kind {
                SqlErrorKind::Damaged => named(path, "is damaged")
                    .note(failure.text.clone())
                    .hint("nothing was changed; restore it from a backup (`tarsus docs sessions`), or move it away to start with an empty one"),
                SqlErrorKind::DiskFull => named(path, "cannot be written").note(failure.text.clone()),
                SqlErrorKind::Busy => named(path, "is in use by another process").note(failure.text.clone()),
                SqlErrorKind::Permission | SqlErrorKind::Other => {
                    named(path, "cannot be used").note(failure.text.clone())
                }
            },
            StoreError::InUse { path } => named(path, "is in use by another process")
                .hint("use the running gateway, or stop it with `tarsus gateway stop`"),
            StoreError::Foreign { path } => named(path, "is a database, but not one of ours")
                .hint("nothing was changed; move the file away"),
            StoreError::Newer { path, found, known } => named(path, "was written by a newer Tarsus")
                .note(format!("it has schema version {found}; this program supports versions up to {known}"))
                .hint("nothing was changed; use the newer version of Tarsus"),
            StoreError::TooLarge { .. } => {
                Self::new(code, error.to_string()).hint("nothing was changed; send less at once")
            }
            StoreError::RunElsewhere { .. } => {
                Self::new(code, error.to_string()).hint("nothing was changed; use a new idempotency key")
            }
            StoreError::Behind => {
                Self::new(code, error.to_string()).hint("nothing was changed; try again in a moment")
            }
            StoreError::RunEnded(_) | StoreError::MissingRun | StoreError::Call { .. } => {
                Self::new(code, error.to_string()).hint("nothing was changed")
            }
            StoreError::File(_) | StoreError::Closed | StoreError::NoSession(_) | StoreError::NoRun(_) => {
                Self::new(code, error.to_string())
            }
        }
    }
}
