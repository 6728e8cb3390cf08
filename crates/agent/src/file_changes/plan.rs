//! A change of one file that was prepared and not made yet.

use std::path::PathBuf;

use tarsus_home::files::{FileError, FileMode, WriteTarget, crash};

/// A change of one file.
#[derive(Debug)]
pub struct PlannedChange {
    pub target: WriteTarget,
    /// Real path of the writable folder around it.
    pub root: PathBuf,
    /// The path as people see it.
    pub shown: String,
    /// The file that is there now.
    pub prior: Option<PriorFile>,
    /// The new content; `None` deletes the file.
    pub after: Option<Vec<u8>>,
    /// The path that it is moved from, and the permissions that it brings along.
    pub moved_from: Option<String>,
    pub moved_mode: Option<FileMode>,
    /// Whether it steers the agent or other programs, or is the agent's memory.
    pub is_control: bool,
}

/// A file before its change.
#[derive(Debug)]
pub struct PriorFile {
    pub content: PriorContent,
    pub mode: Option<FileMode>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum PriorContent {
    Known(Vec<u8>),
    /// Too large to be read and kept.
    TooLarge,
}

impl PriorContent {
    /// Stands for the hash of a content that was not read.
    pub const UNKNOWN_HASH: &str = "unknown";
}

impl PlannedChange {
    /// The content that is there now, if it is known.
    pub fn prior_bytes(&self) -> Option<&[u8]> {
        match &self.prior.as_ref()?.content {
            PriorContent::Known(bytes) => Some(bytes),
            PriorContent::TooLarge => None,
        }
    }

    /// The bytes that it holds.
    pub fn bytes(&self) -> usize {
        self.prior_bytes().map_or(0, <[u8]>::len) + self.after.as_ref().map_or(0, Vec::len)
    }

    /// Makes the change, power-safe. The file is old or new, never half written.
    ///
    /// # Errors
    /// When somebody else changed the file since it was looked at, or the system returns an error.
    pub fn apply(&self) -> Result<(), FileError> {
        match &self.after {
            Some(content) => self.target.write(content, self.moved_mode)?,
            None => self.target.remove()?,
        }
        crash::point("files.changed");
        Ok(())
    }
}
