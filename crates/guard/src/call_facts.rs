//! The resources that a call would touch, as its tool determines them. `None` means unknown, and violates every limit.

use std::path::{Path, PathBuf};

/// The resources that a call would touch. A tool fills in only those that it can touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallFacts {
    /// Every program of the command line, including those behind wrappers.
    pub programs: Option<Vec<Program>>,
    /// The hosts that are contacted, without port.
    pub hosts: Option<Vec<String>>,
    /// The search provider.
    pub provider: Option<String>,
    /// The files that are written: absolute, with links resolved.
    pub paths: Option<Vec<PathBuf>>,
    /// Those of them that steer the agent or other programs, and the agent's memory.
    pub control_files: Vec<PathBuf>,
    /// Depth of the new session below the first one; a direct child has depth 1.
    pub depth: Option<u32>,
    /// Whether settings of a session are changed.
    pub changes_settings: bool,
}

/// A program of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// As written, such as `git` or `./run`.
    pub written: String,
    /// The executable that runs.
    pub path: PathBuf,
}

/// The folders that paths in a declaration are relative to, with links resolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathBases<'a> {
    /// The agent's workspace.
    pub workspace: &'a Path,
    /// The user's home folder, for `~`.
    pub home: Option<&'a Path>,
}
