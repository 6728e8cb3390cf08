//! What can go wrong with the registry.

use std::path::PathBuf;

use tarsus_home::config::json5::{EditError, SyntaxError};
use tarsus_home::files::FileError;
use tarsus_protocol::{ErrorCode, ExitCode, Place, Problem};

use super::Loaded;

/// The registry could not be read or changed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// The lock or the key, or writing.
    #[error(transparent)]
    File(#[from] FileError),
    /// Something is in the place of the file that cannot be read as one.
    #[error(transparent)]
    Unreadable(FileError),
    /// The file is not JSON, or not an object.
    #[error("the application registry is not valid JSON: {error}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Where and why.
        error: SyntaxError,
    },
    /// There is no file yet.
    #[error("the application registry is not created yet")]
    Missing {
        /// Where it would be.
        path: PathBuf,
    },
    /// The file to be created is there.
    #[error("the application registry is already there")]
    AlreadyThere {
        /// Where.
        path: PathBuf,
    },
    /// The file is not the version that was seen.
    #[error("the application registry changed since it was shown")]
    Stale {
        /// The app that the change is about.
        name: Option<String>,
        /// What is there now.
        current: Box<Loaded>,
    },
    /// No app of that name.
    #[error("no app named {name:?} is registered")]
    NotRegistered {
        /// The name.
        name: String,
    },
    /// An app of that name is there.
    #[error("an app named {taken_by:?} is already registered")]
    NameTaken {
        /// The name that was wanted.
        name: String,
        /// The name that is there, which may differ in case and white space.
        taken_by: String,
    },
    /// A name that no app may have.
    #[error(transparent)]
    Name(#[from] NameError),
    /// An entry without fields, of which only some were to be changed.
    #[error("the entry of {name:?} is {found}, not an object: it can only be replaced as a whole")]
    NotAnObject {
        /// The app.
        name: String,
        /// What its entry is.
        found: &'static str,
    },
    /// The file would pass a limit.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Why an app cannot be named so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Nothing that can be seen.
    #[error("an app needs a name")]
    Empty,
    /// More characters than the limit.
    #[error("the name of an app has at most {most} characters")]
    TooLong {
        /// The limit.
        most: usize,
    },
    /// A line break or the like.
    #[error("the name of an app has no control characters; this one has U+{:04X}", u32::from(*.0))]
    Control(char),
}

impl From<RegistryError> for Problem {
    fn from(error: RegistryError) -> Self {
        let message = error.to_string();
        match error {
            RegistryError::File(error) => error.into(),
            RegistryError::Unreadable(error) => unreadable(error),
            RegistryError::Syntax { path, error } => error
                .problem(&path, "the application registry is not valid JSON")
                .hint("nothing was changed; fix the file, then `tarsus apps validate` checks it again"),
            RegistryError::Missing { path } => Self::new(ErrorCode::NotFound, message)
                .at(Place::file(path))
                .hint("`tarsus apps create` makes an empty one"),
            RegistryError::AlreadyThere { path } => Self::new(ErrorCode::Usage, message)
                .at(Place::file(path))
                .note("nothing was changed")
                .hint("`tarsus apps list` shows what is in it"),
            RegistryError::Stale { name, current } => {
                let problem = Self::new(ErrorCode::Stale, message).note("nothing was saved");
                match name.map(|name| (current.app(&name).map(|app| app.written.clone()), name)) {
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
            RegistryError::NotAnObject { .. } => Self::new(ErrorCode::Usage, message)
                .note("nothing was changed")
                .hint("name its launch path and its mode as well"),
            RegistryError::Edit(error) => error.into(),
        }
    }
}

/// What cannot be read as a registry is malformed, whatever the system calls it.
fn unreadable(error: FileError) -> Problem {
    let (why, code, place) = (error.to_string(), error.code(), Place::file(error.path()));
    let code = if code.exit() == ExitCode::Malformed { code } else { ErrorCode::Malformed };
    Problem::new(code, "the application registry cannot be read")
        .at(place)
        .note(why)
        .hint("nothing was changed; put a readable JSON file there, or move it away")
}
