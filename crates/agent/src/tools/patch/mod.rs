//! Patches of several files, in the format that models know: files that are added, deleted, updated and moved.
//!
//! Pure: parsing and applying work on text. Every change of a patch is found before any file is changed.

mod apply;
mod parse;

use tarsus_protocol::ErrorCode;

pub(super) use apply::update;
pub(super) use parse::parse;

/// Maximum files of one patch.
const MAX_FILES: usize = 200;

/// What a patch does with one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FilePatch {
    Add { path: String, content: String },
    Delete { path: String },
    Update { path: String, moved_to: Option<String>, hunks: Vec<Hunk> },
}

impl FilePatch {
    pub(super) fn path(&self) -> &str {
        match self {
            Self::Add { path, .. } | Self::Delete { path } | Self::Update { path, .. } => path,
        }
    }

    /// The files that it writes or removes.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        let moved_to = match self {
            Self::Update { moved_to, .. } => moved_to.as_deref(),
            Self::Add { .. } | Self::Delete { .. } => None,
        };
        [self.path()].into_iter().chain(moved_to)
    }
}

/// A place of an updated file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Hunk {
    /// Line of the patch where it begins, from 1.
    line: usize,
    /// Lines of the file that come somewhere before, each after the one before it.
    anchors: Vec<String>,
    lines: Vec<HunkLine>,
    /// Whether it is at the end of the file.
    at_end: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HunkLine {
    Context(String),
    Removed(String),
    Added(String),
}

/// Why a patch cannot be applied. Lines are those of the patch, from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum PatchError {
    #[error("the patch has to begin with `*** Begin Patch`")]
    NoBegin,
    #[error("the patch has to end with `*** End Patch`")]
    NoEnd,
    #[error("the patch changes no file")]
    Empty,
    #[error("the patch changes more than {MAX_FILES} files")]
    TooManyFiles,
    #[error("line {line} of the patch: {problem}")]
    Syntax { line: usize, problem: &'static str },
    #[error("the patch changes {path} twice")]
    Twice { path: String },
    #[error("line {line} of the patch: {path} has no such line: {text:?}")]
    NoAnchor { line: usize, path: String, text: String },
    #[error("line {line} of the patch: {path} does not contain these lines, beginning with {text:?}")]
    NoMatch { line: usize, path: String, text: String },
    #[error("the files of the patch have more than 64 MB together; split it")]
    TooManyBytes,
    #[error("{path} and the patch are too large to be compared")]
    TooLarge { path: String },
}

impl PatchError {
    pub(super) fn code(&self) -> ErrorCode {
        match self {
            Self::NoAnchor { .. } | Self::NoMatch { .. } => ErrorCode::NotFound,
            Self::TooLarge { .. } | Self::TooManyFiles | Self::TooManyBytes => ErrorCode::TooLarge,
            _ => ErrorCode::Usage,
        }
    }
}
