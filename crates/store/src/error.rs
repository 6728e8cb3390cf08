//! What can go wrong with the store: a request that cannot be met, a file that is not what it has to be, or what
//! SQLite says.

use std::path::{Path, PathBuf};

use rusqlite::ffi;
use tarsus_home::files::FileError;
use tarsus_protocol::{ErrorCode, Place, Problem};

use crate::names::{RunId, SessionKey};

/// The store could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file could not be reached.
    #[error(transparent)]
    File(#[from] FileError),
    /// SQLite said no.
    #[error("{}: {failure}", path.display())]
    Sql {
        /// The store.
        path: PathBuf,
        /// Why.
        failure: SqlError,
    },
    /// Another process has the store open.
    #[error("{} is in use by another process", path.display())]
    InUse {
        /// The store.
        path: PathBuf,
    },
    /// A database of something else.
    #[error("{} is a database, but not one of ours", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A newer program wrote it.
    #[error("{} has schema version {found}; this program knows versions up to {known}", path.display())]
    Newer {
        /// The store.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest version that this program knows.
        known: u32,
    },
    /// More changes wait than the writer may be behind.
    #[error("too many changes wait to be written")]
    Behind,
    /// The writer has ended.
    #[error("the store has been closed")]
    Closed,
    /// More than is kept in one place.
    #[error("{what} is larger than {limit} {unit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// What would have been accepted.
        limit: u64,
        /// Of what.
        unit: &'static str,
    },
    /// There is no such session.
    #[error("there is no session {0}")]
    NoSession(SessionKey),
    /// There is no such run in that session.
    #[error("there is no run {0} in that session")]
    NoRun(RunId),
    /// A run that has ended does nothing more.
    #[error("the run {0} is over")]
    RunOver(RunId),
    /// What a model says is part of a run.
    #[error("what a model says needs the run that it belongs to")]
    OfNoRun,
    /// A call cannot be what it is asked to be.
    #[error("the call {call} of the run {run} {why}")]
    Call {
        /// The run.
        run: RunId,
        /// The id of the call.
        call: String,
        /// Why.
        why: CallError,
    },
    /// The idempotency key belongs to a run of another session.
    #[error("the key {run} was used in the session {session} already")]
    RunElsewhere {
        /// The key.
        run: RunId,
        /// Where it was used.
        session: SessionKey,
    },
}

/// Why a call cannot be what it is asked to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// There is no such call.
    #[error("is not known")]
    Unknown,
    /// There is one with this id already.
    #[error("was asked for already")]
    Duplicate,
    /// It has begun before.
    #[error("has begun already")]
    AlreadyStarted,
    /// It has its result.
    #[error("has its result already")]
    AlreadyFinished,
    /// The message is not its result.
    #[error("has another result than this")]
    ResultMismatch,
    /// It has no result, where each has to have one.
    #[error("has no result yet")]
    StillOpen,
}

/// What SQLite said, and what kind of trouble that is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct SqlError {
    /// What kind.
    pub kind: SqlErrorKind,
    /// In its words.
    pub text: String,
}

/// Kinds of trouble with a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlErrorKind {
    /// What is in the file is not what has to be there.
    Damaged,
    /// No space is left.
    DiskFull,
    /// Another process keeps it locked.
    Busy,
    /// This account may not use it.
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
            Self::RunElsewhere { .. } | Self::RunOver(_) | Self::OfNoRun | Self::Call { .. } => {
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
            Self::new(code, format!("{name} {message}")).at(Place::file(path))
        };
        match &error {
            StoreError::Sql { path, failure } => match failure.kind {
                SqlErrorKind::Damaged => named(path, "is damaged")
                    .note(failure.text.clone())
                    .hint("nothing was changed; restore it from a backup, or move it away to begin anew"),
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
                .note(format!("it has schema version {found}; this program knows versions up to {known}"))
                .hint("nothing was changed; use the newer program"),
            StoreError::TooLarge { .. } => {
                Self::new(code, error.to_string()).hint("nothing was changed; send less at once")
            }
            StoreError::RunElsewhere { .. } => {
                Self::new(code, error.to_string()).hint("nothing was changed; use a new idempotency key")
            }
            StoreError::Behind => {
                Self::new(code, error.to_string()).hint("nothing was changed; try again in a moment")
            }
            StoreError::RunOver(_) | StoreError::OfNoRun | StoreError::Call { .. } => {
                Self::new(code, error.to_string()).hint("nothing was changed")
            }
            StoreError::File(_) | StoreError::Closed | StoreError::NoSession(_) | StoreError::NoRun(_) => {
                Self::new(code, error.to_string())
            }
        }
    }
}
