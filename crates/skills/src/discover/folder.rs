//! Opens files below an open folder, never through a link.
//!
//! An opened file lies below the folder even if files are moved meanwhile; on Linux one system call ensures that. Opening
//! never blocks.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

#[cfg(not(unix))]
use self::portable as system;
#[cfg(unix)]
use self::unix as system;
use super::skill_file::Stat;

#[cfg(not(unix))]
mod portable;
#[cfg(unix)]
mod unix;

/// Names that are read of one folder.
pub const MAX_NAMES: usize = 200_000;

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    system: system::Folder,
    real: PathBuf,
}

/// The result of opening a file.
#[derive(Debug)]
pub enum Opened {
    /// An open file, or anything else that is not a link.
    File(File, Metadata),
    /// It does not exist.
    Missing,
    /// It, or a folder above it, is a link.
    Link,
    /// The I/O error.
    Failed(io::Error),
}

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A link to anything.
    Link,
    /// A file, or anything else.
    Other,
}

impl EntryKind {
    /// Whether it is a folder, or a link that may lead to one.
    pub fn may_be_a_folder(self) -> bool {
        self != Self::Other
    }
}

/// The entries of a folder, sorted by name.
#[derive(Debug, Default)]
pub struct Listing {
    /// The entries that were read.
    pub names: Vec<(OsString, EntryKind)>,
    /// Number that was not read, at least.
    pub left: usize,
}

impl Folder {
    /// Opens a folder. `real` is a path without links.
    pub fn open(real: PathBuf) -> io::Result<Self> {
        Ok(Self { system: system::Folder::open(&real)?, real })
    }

    /// Returns its path without links.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// Opens a file below.
    pub fn file(&self, below: &Path) -> Opened {
        let opened = self.system.file(&self.real, below);
        opened.unwrap_or_else(|error| match error.kind() {
            // A parent is a file.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Opened::Missing,
            _ => Opened::Failed(error),
        })
    }

    /// False only if nothing exists at the path.
    pub fn has(&self, below: &Path) -> bool {
        self.system.has(&self.real, below)
    }

    /// Returns the metadata that detects changes of a file, if it can be read without opening the file.
    pub fn stat(&self, below: &Path) -> Option<Stat> {
        self.system.stat(&self.real, below)
    }

    /// Lists a folder below, without the names that [`is_ignored_name`] matches.
    pub fn list(&self, below: &Path) -> io::Result<Listing> {
        let mut listed = Listing::default();
        self.system.each_name(&self.real, below, |name, kind| {
            if is_ignored_name(&name) {
                return;
            }
            if listed.names.len() == MAX_NAMES {
                listed.left += 1;
            } else {
                listed.names.push((name, kind));
            }
        })?;
        listed.names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(listed)
    }
}

/// Whether folders with this name are not searched: hidden ones and `node_modules`.
pub fn is_ignored_name(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "node_modules"
}

/// Resolves links. The result has no `\\?\` prefix on Windows.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map(system::plain)
}

/// Returns the metadata that detects changes, and the number of hard links.
pub fn stat_of(metadata: &Metadata) -> (Stat, u64) {
    system::stat_of(metadata)
}
