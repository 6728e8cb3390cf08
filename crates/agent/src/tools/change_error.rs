//! Errors of changing a file.

use std::path::PathBuf;

use tarsus_home::files::FileError;
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

use super::patch::PatchError;
use super::path::ToolPathError;
use super::read_error::ReadError;
use crate::file_changes::{FileChangesError, MAX_FILE_BYTES};

#[derive(Debug, thiserror::Error)]
pub(super) enum ChangeError {
    #[error("{0}")]
    Path(ToolPathError),
    #[error("{path} is outside the folders that may be written")]
    Outside { path: String, roots: Vec<String> },
    #[error("{path} may be read, but not written")]
    ReadOnly { path: String },
    /// Keys, records, settings, skills and other agents' files.
    #[error("no tool may write this file")]
    Protected { path: PathBuf },
    #[error("MEMORY.md can be written only in the main session")]
    Memory,
    /// The existing file may not be touched.
    #[error(transparent)]
    Existing(#[from] ReadError),
    #[error("there is no file {path}")]
    Missing { path: String },
    #[error("{path} exists already")]
    Exists { path: String },
    #[error("{path} has {size} bytes; at most {MAX_FILE_BYTES} can be changed")]
    TooLarge { path: String, size: u64 },
    #[error("{path} is not UTF-8 text")]
    NotText { path: String },
    /// A link on the way was replaced after the call was judged.
    #[error("{path} leads to another file than when the call was permitted")]
    Moved { path: PathBuf },
    #[error("\"oldText\" is empty")]
    EmptySearch,
    #[error("\"oldText\" and \"newText\" are equal")]
    NoChange,
    #[error("\"oldText\" was not found in {path}")]
    NotFound { path: String, similar: Option<usize> },
    #[error("\"oldText\" occurs {times} times in {path}")]
    Ambiguous { path: String, times: usize, lines: Vec<usize> },
    #[error(transparent)]
    Patch(#[from] PatchError),
    #[error(transparent)]
    Record(#[from] FileChangesError),
    /// Some files of a call were changed before one failed.
    #[error("{path} could not be changed: {error}")]
    Partly { path: String, error: FileError, changed: Vec<String> },
}

impl From<FileError> for ChangeError {
    fn from(error: FileError) -> Self {
        Self::Existing(ReadError::File(error))
    }
}

impl From<ChangeError> for Problem {
    fn from(error: ChangeError) -> Self {
        let message = error.to_string();
        let problem = |code| Self::new(code, message.clone());
        match error {
            ChangeError::Path(_) => {
                problem(ErrorCode::Usage).hint("give the path of a file in the workspace")
            }
            ChangeError::Outside { roots, .. } => problem(ErrorCode::Denied)
                .note(format!("writable folders: {}", roots.join(", ")))
                .hint("write in the workspace; the owner can add a folder to tools.fs.roots"),
            ChangeError::ReadOnly { .. } => {
                problem(ErrorCode::Denied).hint("nothing was changed; write in the workspace")
            }
            ChangeError::Protected { path } => problem(ErrorCode::Denied)
                .at(SourceLocation::file(path))
                .hint("it belongs to the state of Tarsus; nothing was changed"),
            ChangeError::Memory => {
                problem(ErrorCode::Denied).hint("nothing was changed; memory/*.md can be written here")
            }
            ChangeError::Existing(error) => error.into(),
            ChangeError::Missing { .. } => {
                problem(ErrorCode::NotFound).hint("nothing was changed; use write to create a file")
            }
            ChangeError::Exists { .. } => {
                problem(ErrorCode::Usage).hint("nothing was changed; read it, then update it")
            }
            ChangeError::TooLarge { .. } => problem(ErrorCode::TooLarge).hint("nothing was changed"),
            ChangeError::NotText { .. } => {
                problem(ErrorCode::Malformed).hint("nothing was changed; write can replace the whole file")
            }
            ChangeError::Moved { .. } => {
                problem(ErrorCode::Denied).hint("nothing was changed; make the call again")
            }
            ChangeError::EmptySearch => {
                problem(ErrorCode::Usage).hint("nothing was changed; use write to replace a whole file")
            }
            ChangeError::NoChange => problem(ErrorCode::Usage).hint("nothing was changed"),
            ChangeError::NotFound { similar, .. } => {
                let problem = match similar {
                    Some(line) => problem(ErrorCode::NotFound)
                        .note(format!("line {line} is the same except for white space at its ends")),
                    None => problem(ErrorCode::NotFound),
                };
                problem.hint(
                    "nothing was changed; read the file, and copy the text exactly, with all white space",
                )
            }
            ChangeError::Ambiguous { lines, .. } => {
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                problem(ErrorCode::Usage)
                    .note(format!("it begins in the lines {}", lines.join(", ")))
                    .hint("nothing was changed; include more of the text around it, so that it occurs once")
            }
            ChangeError::Patch(error) => {
                let code = error.code();
                problem(code).hint("nothing was changed; correct the patch and send it again")
            }
            ChangeError::Record(error) => {
                let problem: Self = error.into();
                problem.note("nothing was changed")
            }
            ChangeError::Partly { changed, .. } if changed.is_empty() => {
                problem(ErrorCode::Io).hint("nothing was changed; read the file, then try again")
            }
            ChangeError::Partly { changed, .. } => problem(ErrorCode::Io)
                .note(format!("changed before: {}", changed.join(", ")))
                .hint("the other files are as they were; read them, then make the rest of the change"),
        }
    }
}
