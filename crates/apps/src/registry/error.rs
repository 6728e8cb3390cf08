//! Errors of the registry.

use std::path::PathBuf;

use tarsus_home::config::json5::{EditError, SyntaxError, SyntaxErrorKind};
use tarsus_home::files::FileError;
use tarsus_protocol::apps::InvalidAppField;
use tarsus_protocol::{ErrorCode, ExitCode, Problem, SourceLocation};

use super::LoadedRegistry;

/// The registry could not be read or changed. In every case the file is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The lock, the key or the write failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The path is not a readable file.
    #[error(transparent)]
    Unreadable(FileError),
    /// The file is not JSON, or not an object.
    #[error("{}: {error}", fault_of(error))]
    Syntax {
        /// Path of the file.
        path: PathBuf,
        /// The syntax error, with its position.
        error: SyntaxError,
    },
    /// There is no file yet.
    #[error("the application registry is not created yet")]
    Missing {
        /// Its future path.
        path: PathBuf,
    },
    /// The file to be created exists.
    #[error("the application registry is already there")]
    AlreadyThere {
        /// Its path.
        path: PathBuf,
    },
    /// The file changed since the version that the change is based on.
    #[error("the application registry changed since it was shown")]
    Stale {
        /// Name of the changed app.
        name: Option<String>,
        /// The registry as it is now.
        current: Box<LoadedRegistry>,
    },
    /// No app has that name.
    #[error("no app named {name:?} is registered")]
    NotRegistered {
        /// The unknown name.
        name: String,
    },
    /// Another app has that name.
    #[error("an app named {taken_by:?} is already registered")]
    NameTaken {
        /// The requested name.
        name: String,
        /// The existing name, which may differ in case and white space.
        taken_by: String,
    },
    /// The name is not allowed.
    #[error(transparent)]
    Name(#[from] AppNameError),
    /// The stored entry is not an object, so single fields cannot be changed.
    #[error("the entry of {name:?} is {found}, not an object: it can only be replaced as a whole")]
    NotAnObject {
        /// Name of the app.
        name: String,
        /// Type of the entry.
        found: &'static str,
    },
    /// The new entry is not valid.
    #[error("the entry is not valid: {0}")]
    InvalidField(#[from] InvalidAppField),
    /// The change would exceed a limit of the file.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Why an app cannot be named so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AppNameError {
    /// The name is empty.
    #[error("an app needs a name")]
    Empty,
    /// The name is too long.
    #[error("the name of an app has at most {most} characters")]
    TooLong {
        /// The limit, in characters.
        most: usize,
    },
    /// The name has a control character.
    #[error("the name of an app has no control characters; this one has U+{:04X}", u32::from(*.0))]
    Control(char),
}

impl From<RegistryError> for Problem {
    fn from(error: RegistryError) -> Self {
        let message = error.to_string();
        match error {
            RegistryError::File(error) => error.into(),
            RegistryError::Unreadable(error) => unreadable(error),
            RegistryError::Syntax { path, error } => {
                let message = fault_of(&error);
                error
                    .problem(&path, message)
                    .hint("nothing was changed; fix the file, then `tarsus apps validate` checks it again")
            }
            RegistryError::Missing { path } => Self::new(ErrorCode::NotFound, message)
                .at(SourceLocation::file(path))
                .hint("`tarsus apps create` makes an empty one"),
            RegistryError::AlreadyThere { path } => Self::new(ErrorCode::Usage, message)
                .at(SourceLocation::file(path))
                .note("nothing was changed")
                .hint("`tarsus apps list` shows what is in it"),
            RegistryError::Stale { name, current } => {
                let problem = Self::new(ErrorCode::Stale, message).note("nothing was saved");
                match name.map(|name| (current.app(&name).map(|app| app.json.clone()), name)) {
                    Some((Some(written), name)) => problem.note(format!("{name} is now {}", &*written)),
                    Some((None, name)) => problem.note(format!("{name} is not registered now")),
                    None => problem,
                }
            }
            RegistryError::NotRegistered { .. } => {
                Self::new(ErrorCode::NotFound, message).hint("`tarsus apps list` shows what is registered")
            }
            RegistryError::NameTaken { taken_by, .. } => Self::new(ErrorCode::Usage, message)
                .note("nothing was changed")
                .hint(format!("`tarsus apps edit \"{taken_by}\"` changes it")),
            RegistryError::Name(_) => Self::new(ErrorCode::Usage, message).hint("choose another name"),
            RegistryError::InvalidField(_) => {
                Self::new(ErrorCode::Usage, message).note("nothing was changed").hint("correct this field")
            }
            RegistryError::NotAnObject { .. } => Self::new(ErrorCode::Usage, message)
                .note("nothing was changed")
                .hint("name its launch path and its mode as well"),
            RegistryError::Edit(error) => error.into(),
        }
    }
}

/// What is wrong with the file as a whole.
fn fault_of(error: &SyntaxError) -> &'static str {
    match *error.kind {
        SyntaxErrorKind::NotAnObject { .. } => "the application registry is valid JSON, but not an object",
        SyntaxErrorKind::DuplicateKey { .. } => "the application registry is valid JSON, but has a key twice",
        _ if error.code == ErrorCode::TooLarge => "the application registry is too large",
        _ => "the application registry is not valid JSON",
    }
}

/// A registry that cannot be used, and what is wrong with its text, for every language.
#[derive(Debug, Clone, PartialEq)]
pub struct UnreadableRegistry {
    /// The error in English.
    pub problem: Problem,
    /// What is wrong with the text, if the file could be read.
    pub syntax: Option<SyntaxErrorKind>,
}

impl From<RegistryError> for UnreadableRegistry {
    fn from(error: RegistryError) -> Self {
        let syntax = match &error {
            RegistryError::Syntax { error, .. } => Some((*error.kind).clone()),
            _ => None,
        };
        Self { problem: error.into(), syntax }
    }
}

/// An unreadable registry counts as malformed, whatever the system error is.
fn unreadable(error: FileError) -> Problem {
    let (why, code, place) = (error.to_string(), error.code(), SourceLocation::file(error.path()));
    let code = if code.exit() == ExitCode::Malformed { code } else { ErrorCode::Malformed };
    Problem::new(code, "the application registry cannot be read")
        .at(place)
        .note(why)
        .hint("nothing was changed; put a readable JSON file there, or move it away")
}
