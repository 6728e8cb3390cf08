//! File errors: the operation, the path and the cause.

use std::io;
use std::path::{Path, PathBuf};

use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

/// The file operation that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileOperation {
    /// Reading a file.
    Read,
    /// Writing or replacing a file.
    Write,
    /// Removing a file.
    Remove,
    /// Moving a folder.
    Move,
    /// Listing a folder.
    List,
    /// Making a folder.
    MakeFolder,
    /// Locking a file.
    Lock,
}

impl FileOperation {
    const fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Remove => "remove",
            Self::Move => "move",
            Self::List => "list",
            Self::MakeFolder => "make",
            Self::Lock => "lock",
        }
    }
}

/// A file could not be read, written or locked.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The system returned an error.
    #[error("cannot {} {}: {source}", operation.verb(), path.display())]
    System {
        operation: FileOperation,
        /// Path of the file or folder.
        path: PathBuf,
        /// The system error.
        source: io::Error,
    },
    /// A folder, pipe or device is where a file should be.
    #[error("cannot {} {}: it is a {found}, not a file", operation.verb(), path.display())]
    NotAFile {
        operation: FileOperation,
        path: PathBuf,
        /// Kind of the existing entry.
        found: &'static str,
    },
    /// A file is where a folder should be.
    #[error("cannot use {}: it is not a folder", path.display())]
    NotAFolder { path: PathBuf },
    /// The file exceeds the size limit.
    #[error("{} is larger than {limit} bytes", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        limit: u64,
    },
    /// The folder has too many entries.
    #[error("{} has more than {limit} entries", path.display())]
    TooMany {
        /// Path of the folder.
        path: PathBuf,
        limit: usize,
    },
    /// Another process held the lock for too long.
    #[error("{} is in use by another process ({seconds} s waited)", path.display())]
    Busy {
        /// The file that the lock protects.
        path: PathBuf,
        /// Seconds waited.
        seconds: u64,
    },
    /// A key file does not hold a key.
    #[error("{} has {length} bytes; a key has 32", path.display())]
    NotAKey {
        /// Path of the file.
        path: PathBuf,
        /// Length of the file in bytes.
        length: usize,
    },
    /// The path exists already.
    #[error("{} already exists", path.display())]
    Exists { path: PathBuf },
    /// A path leads out of a confined folder.
    #[error("{} leads out of its folder", path.display())]
    Outside {
        /// The path as it was given.
        path: PathBuf,
    },
}

impl FileError {
    /// Returns a closure for `map_err` that adds operation and path to a system error.
    pub fn system(operation: FileOperation, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::System { operation, path: path.to_path_buf(), source }
    }

    /// The path of the file or folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::System { path, .. }
            | Self::NotAFile { path, .. }
            | Self::NotAFolder { path }
            | Self::TooLarge { path, .. }
            | Self::TooMany { path, .. }
            | Self::Busy { path, .. }
            | Self::NotAKey { path, .. }
            | Self::Exists { path }
            | Self::Outside { path } => path,
        }
    }

    /// The error code for users and scripts.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::System { source, .. } => match source.kind() {
                // A quota or file-size limit counts as a full disk.
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                    ErrorCode::DiskFull
                }
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => ErrorCode::Permission,
                io::ErrorKind::NotFound => ErrorCode::NotFound,
                _ => ErrorCode::Io,
            },
            Self::NotAFile { .. } | Self::NotAFolder { .. } | Self::NotAKey { .. } => ErrorCode::Malformed,
            Self::TooLarge { .. } | Self::TooMany { .. } => ErrorCode::TooLarge,
            Self::Busy { .. } => ErrorCode::Busy,
            Self::Exists { .. } => ErrorCode::Stale,
            Self::Outside { .. } => ErrorCode::Denied,
        }
    }

    /// True if there was no space left.
    #[must_use]
    pub fn is_disk_full(&self) -> bool {
        self.code() == ErrorCode::DiskFull
    }
}

impl From<FileError> for Problem {
    fn from(error: FileError) -> Self {
        let path = error.path();
        let name = path
            .file_name()
            .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
        let problem = match &error {
            FileError::System { operation, source, .. } => {
                let problem = Self::new(error.code(), format!("cannot {} {name}", operation.verb()))
                    .note(source.to_string());
                // The default hint of the code is about listed names, not about paths.
                match error.code() {
                    ErrorCode::NotFound => problem.hint("check that the path exists"),
                    _ => problem,
                }
            }
            FileError::NotAFile { operation, found, .. } => Self::new(
                error.code(),
                format!("cannot {} {name}: it is a {found}, not a file", operation.verb()),
            )
            .hint("nothing was changed; move it away"),
            FileError::NotAFolder { .. } => {
                Self::new(error.code(), format!("cannot use {name}: it is not a folder"))
                    .hint("nothing was changed; move it away")
            }
            FileError::TooLarge { limit, .. } => {
                Self::new(error.code(), format!("{name} is larger than {limit} bytes"))
            }
            FileError::TooMany { limit, .. } => {
                Self::new(error.code(), format!("{name} has more than {limit} entries"))
                    .hint("nothing was changed; move away files that do not belong there")
            }
            FileError::Busy { seconds, .. } => {
                Self::new(error.code(), format!("{name} is in use by another process"))
                    .note(format!("waited {seconds} s for its lock; nothing was changed"))
            }
            FileError::NotAKey { length, .. } => {
                Self::new(error.code(), format!("{name} has {length} bytes; a key has 32"))
                    .hint("nothing was changed; restore the file, or move it away to create a new key")
            }
            FileError::Exists { .. } => Self::new(error.code(), format!("{name} already exists"))
                .hint("nothing was changed; move it away"),
            FileError::Outside { .. } => {
                Self::new(error.code(), format!("{} leads out of its folder", path.display()))
                    .hint("use a path inside the folder")
            }
        };
        problem.at(SourceLocation::file(path))
    }
}
