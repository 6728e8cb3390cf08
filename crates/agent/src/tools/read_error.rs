//! Errors of reading a file.

use std::path::PathBuf;

use tarsus_home::files::FileError;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

use super::path::ToolPathError;

#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    #[error("{0}")]
    Path(ToolPathError),
    #[error("{path} is outside the folders that may be read")]
    Outside { path: String, roots: Vec<String> },
    #[error("there is no file {path}")]
    Missing { path: String },
    /// A key or an audit record.
    #[error("no tool may read this file")]
    Protected { path: PathBuf },
    /// A control file with several hard links, any of which may be changed elsewhere.
    #[error("this file controls the agent and has a hard link elsewhere")]
    HardLinked { path: PathBuf },
    #[error("the skill {name:?} is blocked, so no tool reads its files")]
    BlockedSkill { name: String, reason: String },
    #[error("MEMORY.md can be read only in the main session")]
    Memory,
    #[error("{path} is not a note of the agent")]
    NotANote { path: String },
    #[error("the skill {name:?} changed since this turn began")]
    SkillChanged { name: String, tier: TrustTier },
    #[error("{path} is {what} ({size} bytes), not text")]
    Binary { path: String, what: &'static str, size: u64 },
    #[error("{path} is a picture of {size} bytes; the limit is {max}")]
    LargePicture { path: String, size: u64, max: u64 },
    #[error("{path} has {lines} lines; line {first} does not exist")]
    PastTheEnd { path: String, first: u64, lines: String },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("{path} could not be read completely: {source}")]
    Interrupted { path: String, source: std::io::Error },
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        let message = error.to_string();
        let problem = |code| Self::new(code, message.clone());
        match error {
            ReadError::Path(_) => problem(ErrorCode::Usage).hint("give the path of a file in the workspace"),
            ReadError::Outside { roots, .. } => problem(ErrorCode::Denied)
                .note(format!("readable folders: {}, and those of the listed skills", roots.join(", ")))
                .hint("the owner can add a folder to tools.fs.roots"),
            ReadError::Missing { .. } => {
                problem(ErrorCode::NotFound).hint("check the path; relative paths start in the workspace")
            }
            ReadError::Protected { path } => problem(ErrorCode::Denied)
                .at(SourceLocation::file(path))
                .hint("it holds keys or records of Tarsus; do without it"),
            ReadError::HardLinked { path } => {
                problem(ErrorCode::Denied).at(SourceLocation::file(path)).hint("the owner can replace it with a copy")
            }
            ReadError::BlockedSkill { name, reason } => problem(ErrorCode::Denied)
                .note(reason)
                .hint("do without it; `tarsus skills info` shows the owner why it is blocked")
                .about_skill(&name),
            ReadError::Memory => problem(ErrorCode::Denied).hint("memory/*.md can be read here"),
            ReadError::NotANote { .. } => problem(ErrorCode::Denied)
                .hint("notes are MEMORY.md and memory/*.md; use `read` for other files"),
            ReadError::SkillChanged { name, .. } => problem(ErrorCode::Stale)
                .note("its current files have not been scanned")
                .hint("the changed skill is available from the next turn on; `tarsus skills refresh` scans it now")
                .about_skill(&name),
            ReadError::Binary { .. } => problem(ErrorCode::Malformed)
                .hint("only text and png, jpeg, gif and webp pictures can be read"),
            ReadError::LargePicture { .. } => problem(ErrorCode::TooLarge).hint("make it smaller first"),
            ReadError::PastTheEnd { .. } => problem(ErrorCode::Usage).hint("start at an earlier line"),
            ReadError::Interrupted { .. } => problem(ErrorCode::Io).hint("try again"),
            ReadError::File(FileError::Outside { .. }) => {
                problem(ErrorCode::Denied).hint("a link leads out of the folders that may be read")
            }
            ReadError::File(FileError::NotAFile { .. }) => {
                problem(ErrorCode::Usage).hint("name a file; this tool does not list folders")
            }
            ReadError::File(error) => error.into(),
        }
    }
}
