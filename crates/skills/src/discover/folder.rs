//! An open folder that files below are looked up in, and never through a link.
//!
//! Promises: what is opened lies below the folder even when someone moves things meanwhile (on Linux the system sees
//! to that in one call). Opening never waits. Leaves to others: where links may lead.

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

/// More names than this in one folder are not read.
pub const MOST_NAMES: usize = 200_000;

/// An open folder, by its real path.
#[derive(Debug)]
pub struct Folder {
    system: system::Folder,
    real: PathBuf,
}

/// What trying to open a file gave.
#[derive(Debug)]
pub enum Opened {
    /// An open file, or something else that is no link.
    File(File, Metadata),
    /// There is none.
    Missing,
    /// It, or a folder on the way, is a link.
    Link,
    /// What the system said.
    Failed(io::Error),
}

/// What a name in a folder stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A folder.
    Folder,
    /// A link, wherever it leads.
    Link,
    /// A file or anything else.
    Other,
}

impl Kind {
    /// Whether it is a folder, or a link that may lead to one.
    pub fn may_be_a_folder(self) -> bool {
        self != Self::Other
    }
}

/// The names in a folder, sorted.
#[derive(Debug, Default)]
pub struct Listed {
    /// Those that were read.
    pub names: Vec<(OsString, Kind)>,
    /// How many were not, at least.
    pub left: usize,
}

impl Folder {
    /// Opens a folder. `real` is a path without links.
    pub fn open(real: PathBuf) -> io::Result<Self> {
        Ok(Self { system: system::Folder::open(&real)?, real })
    }

    /// Its path, without links.
    pub fn real(&self) -> &Path {
        &self.real
    }

    /// Opens a file below.
    pub fn file(&self, below: &Path) -> Opened {
        let opened = self.system.file(&self.real, below);
        opened.unwrap_or_else(|error| match error.kind() {
            // What is on the way is a file: then there is none below it.
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Opened::Missing,
            _ => Opened::Failed(error),
        })
    }

    /// Whether something may be below: false when there is surely nothing.
    pub fn has(&self, below: &Path) -> bool {
        self.system.has(&self.real, below)
    }

    /// What tells the version of a file below, when it can be told without opening it.
    pub fn stat(&self, below: &Path) -> Option<Stat> {
        self.system.stat(&self.real, below)
    }

    /// The names in a folder below; none that are hidden, and no `node_modules`.
    pub fn list(&self, below: &Path) -> io::Result<Listed> {
        let mut listed = Listed::default();
        self.system.each_name(&self.real, below, |name, kind| {
            if is_passed_over(&name) {
                return;
            }
            if listed.names.len() == MOST_NAMES {
                listed.left += 1;
            } else {
                listed.names.push((name, kind));
            }
        })?;
        listed.names.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(listed)
    }
}

/// Whether no skill is looked for in a folder of this name.
pub fn is_passed_over(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".") || name == "node_modules"
}

/// A path without links, written as people write paths.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize().map(system::plain)
}

/// The version of a file, and how many names it has.
pub fn stat_of(metadata: &Metadata) -> (Stat, u64) {
    system::stat_of(metadata)
}
