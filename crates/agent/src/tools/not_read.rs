//! Why a file is not read.

use std::path::PathBuf;

use tarsus_home::files::FileError;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::{ErrorCode, Place, Problem};

use super::path::PathError;

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReadError {
    /// What was written is no path.
    #[error("{0}")]
    Path(PathError),
    /// It lies in no folder that may be read.
    #[error("{path} lies outside of the folders that may be read")]
    Outside {
        /// As it was written.
        path: String,
        /// The folders.
        roots: Vec<String>,
    },
    /// There is none.
    #[error("there is no file {path}")]
    Missing {
        /// As it was written.
        path: String,
    },
    /// It is one of our own keys and records.
    #[error("this file is read by no tool")]
    Protected {
        /// Where it is.
        path: PathBuf,
    },
    /// It has another name somewhere.
    #[error("this file has another name elsewhere (a hard link), and what it is decides what the agent does")]
    HardLinked {
        /// Where it is.
        path: PathBuf,
    },
    /// It is the agent's long-term memory.
    #[error("MEMORY.md is read in the main session with its owner alone, and this is another one")]
    Memory,
    /// It is not a note of the agent.
    #[error("{path} is not a note of the agent")]
    NotANote {
        /// As it was written.
        path: String,
    },
    /// A skill is not as it was when it was looked into.
    #[error("the skill {name:?} changed since this turn began")]
    SkillChanged {
        /// The skill.
        name: String,
        /// How far it is trusted.
        tier: TrustTier,
    },
    /// It is no text and no picture.
    #[error("{path} is {what} ({size} bytes), not text")]
    Binary {
        /// As it was written.
        path: String,
        /// What it is.
        what: &'static str,
        /// Its length in bytes.
        size: u64,
    },
    /// It is a picture that is too large.
    #[error("{path} is a picture of {size} bytes; the largest that is shown has {most}")]
    LargePicture {
        /// As it was written.
        path: String,
        /// Its length in bytes.
        size: u64,
        /// The limit.
        most: u64,
    },
    /// The wanted line is not there.
    #[error("{path} has {lines} lines, so none at {first}")]
    PastTheEnd {
        /// As it was written.
        path: String,
        /// The line that was asked for.
        first: u64,
        /// How many there are.
        lines: String,
    },
    /// The system says no, or a link leads out.
    #[error(transparent)]
    File(#[from] FileError),
    /// It could not be read to the end.
    #[error("{path} could not be read to its end: {source}")]
    Broke {
        /// As it was written.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
}

impl From<ReadError> for Problem {
    fn from(error: ReadError) -> Self {
        let message = error.to_string();
        let problem = |code| Self::new(code, message.clone());
        match error {
            ReadError::Path(_) => problem(ErrorCode::Usage).hint("name a file of the workspace by its path"),
            ReadError::Outside { roots, .. } => problem(ErrorCode::Denied)
                .note(format!("what may be read: {}, and the folders of the listed skills", roots.join(", ")))
                .hint("the owner adds a folder to tools.fs.roots if it should be readable"),
            ReadError::Missing { .. } => {
                problem(ErrorCode::NotFound).hint("check the path; relative ones begin in the workspace")
            }
            ReadError::Protected { path } => problem(ErrorCode::Denied)
                .at(Place::file(path))
                .hint("it holds keys or records of the program; do without it"),
            ReadError::HardLinked { path } => {
                problem(ErrorCode::Denied).at(Place::file(path)).hint("the owner can replace it by a copy")
            }
            ReadError::Memory => problem(ErrorCode::Denied).hint("memory/*.md can be read here"),
            ReadError::NotANote { .. } => problem(ErrorCode::Denied)
                .hint("notes are MEMORY.md and memory/*.md; `read` reads other files"),
            ReadError::SkillChanged { name, .. } => problem(ErrorCode::Stale)
                .note("what it says now has not been looked at, so it is not read")
                .hint("it counts as it is now from the next turn on; `tarsus skills refresh` looks at once")
                .about_skill(&name),
            ReadError::Binary { .. } => problem(ErrorCode::Malformed)
                .hint("only text and png, jpeg, gif and webp pictures can be read"),
            ReadError::LargePicture { .. } => problem(ErrorCode::TooLarge).hint("make it smaller first"),
            ReadError::PastTheEnd { .. } => problem(ErrorCode::Usage).hint("begin at an earlier line"),
            ReadError::Broke { .. } => problem(ErrorCode::Io).hint("try again"),
            ReadError::File(FileError::Outside { .. }) => {
                problem(ErrorCode::Denied).hint("a link there leads out of the folders that may be read")
            }
            ReadError::File(FileError::NotAFile { .. }) => {
                problem(ErrorCode::Usage).hint("name a file; this tool lists no folders")
            }
            ReadError::File(error) => error.into(),
        }
    }
}
