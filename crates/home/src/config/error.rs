//! Errors of the configuration file.

use std::path::{Path, PathBuf};

use tarsus_protocol::report::ConfigIssue;
use tarsus_protocol::{ErrorCode, Problem};

use super::config_file::MAX_EDITS;
use super::json5::{EditError, SyntaxError};
use crate::files::FileError;

/// The configuration could not be read or changed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// Access to the file, its lock, its key or a backup failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not JSON5, or not an object.
    #[error("{} is not valid: {error}", path.display())]
    Syntax {
        /// Path of the file.
        path: PathBuf,
        error: SyntaxError,
    },
    /// The file changed since the caller read it.
    // Front ends match on this text.
    #[error("config changed since last load; re-run config.get and retry")]
    Stale,
    /// An edit cannot be applied.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The change would add an invalid value.
    #[error("invalid config: {}: {}", issue.path, issue.message)]
    Invalid {
        /// The new issue.
        issue: ConfigIssue,
    },
    /// The change would add an unknown section.
    #[error("invalid config: <root>: Unrecognized key: \"{name}\"")]
    UnknownSection {
        /// Name of the section.
        name: String,
        /// A known section with a similar name.
        nearest: Option<String>,
    },
    /// The `agree` callback rejected the change.
    #[error("{0}")]
    NotAgreed(Box<Problem>),
    /// The change has too many edits.
    #[error("one change has at most {MAX_EDITS} edits, this one has {0}")]
    TooManyEdits(usize),
}

impl From<ConfigError> for Problem {
    fn from(error: ConfigError) -> Self {
        let message = error.to_string();
        match error {
            ConfigError::File(error) => error.into(),
            ConfigError::Syntax { path, error } => {
                let message = format!("{} is not valid", name_of(&path));
                error.problem(&path, message).hint("fix the file; `tarsus config validate` checks it again")
            }
            ConfigError::Stale => Self::new(ErrorCode::Stale, message),
            ConfigError::Edit(error) => error.into(),
            ConfigError::Invalid { .. } => Self::new(ErrorCode::Usage, message)
                .note("nothing was changed")
                .hint("`tarsus config schema` shows the type of each key"),
            ConfigError::UnknownSection { nearest, .. } => {
                let problem = Self::new(ErrorCode::Usage, message).note("nothing was changed");
                match nearest {
                    Some(nearest) => problem.hint(format!("did you mean \"{nearest}\"?")),
                    None => problem.hint("`tarsus config schema` lists all keys"),
                }
            }
            ConfigError::NotAgreed(problem) => *problem,
            ConfigError::TooManyEdits(_) => Self::new(ErrorCode::TooLarge, message)
                .note("nothing was changed")
                .hint("make the change in parts, or edit the file"),
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}
