//! What a call would touch, found out by whoever knows the tool.
//!
//! Promises: nothing; these are values. What is `None` is not known, and what is not known passes no limit. Leaves to
//! others: finding programs on the PATH, following links, taking addresses apart.

use std::path::{Path, PathBuf};

/// What a call would touch. Only what its tool touches has to be said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Every program of the command line, wrappers looked through.
    pub programs: Option<Vec<Program>>,
    /// The hosts that are asked, without port, as an address has them.
    pub hosts: Option<Vec<String>>,
    /// Who searches.
    pub provider: Option<String>,
    /// The files that are written: absolute, with every link followed.
    pub paths: Option<Vec<PathBuf>>,
    /// How deep below the first session the new one is; its child has depth 1.
    pub depth: Option<u32>,
}

/// A program of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// As it is written, such as `git` or `./run`.
    pub written: String,
    /// What is run.
    pub path: PathBuf,
}

/// What paths in a declaration are relative to, with every link followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places<'a> {
    /// The agent's folder.
    pub workspace: &'a Path,
    /// The person's own folder, for `~`.
    pub home: Option<&'a Path>,
}
