//! What can go wrong with the configuration file.

use std::path::{Path, PathBuf};

use tarsus_protocol::report::ConfigIssue;
use tarsus_protocol::{ErrorCode, Problem};

use super::json5::{EditError, SyntaxError};
use super::store::MOST_EDITS;
use crate::files::FileError;

/// The configuration could not be read or changed. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file, its lock, its key or a backup.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not JSON5, or not an object.
    #[error("{} is not valid: {error}", path.display())]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Where and why.
        error: SyntaxError,
    },
    /// The file is not the one that the caller has seen.
    // Front ends look for this text.
    #[error("config changed since last load; re-run config.get and retry")]
    Stale,
    /// An edit that cannot be made.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A value that the file may not have there.
    #[error("invalid config: {}: {}", issue.path, issue.message)]
    Invalid {
        /// What is wrong.
        issue: ConfigIssue,
    },
    /// A section that nobody knows.
    #[error("invalid config: <root>: Unrecognized key: \"{name}\"")]
    UnknownSection {
        /// The name.
        name: String,
        /// What may have been meant.
        nearest: Option<String>,
    },
    /// Whoever has to agree to a change did not.
    #[error("{0}")]
    NotAgreed(Box<Problem>),
    /// More edits than one change may have.
    #[error("one change has at most {MOST_EDITS} edits, this one has {0}")]
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
                .hint("`tarsus config schema` shows what each key takes"),
            ConfigError::UnknownSection { nearest, .. } => {
                let problem = Self::new(ErrorCode::Usage, message).note("nothing was changed");
                match nearest {
                    Some(nearest) => problem.hint(format!("did you mean \"{nearest}\"?")),
                    None => problem.hint("`tarsus config schema` shows what there is"),
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
