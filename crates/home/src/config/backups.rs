//! Earlier versions of the configuration, and the last one known to be good.
//!
//! Numbered, the newest last. Who calls holds the lock of the configuration, so that one process at a time is here.

use std::path::PathBuf;

use super::json5::{Dialect, Document, MAX_BYTES};
use crate::files::{self, FileError, Lock, Locked, crash};

/// How many earlier versions are kept.
const KEPT: usize = 5;

/// More files than this in the folder are not ours.
const MOST_FILES: usize = 1_000;

pub(super) struct Backups {
    folder: PathBuf,
    /// The name of the configuration file, which the names of its backups begin with.
    name: String,
}

impl Backups {
    pub(super) fn new(folder: PathBuf, name: String) -> Self {
        Self { folder, name }
    }

    /// Keeps a version that is about to be replaced.
    pub(super) fn add(&self, bytes: &[u8]) -> Result<(), FileError> {
        let next = self.numbers()?.last().map_or(1, |newest| newest.saturating_add(1));
        self.locked(&self.numbered(next))?.replace_soon(bytes)?;
        crash::point("config.backup.written");
        Ok(())
    }

    /// Whether anything was ever kept.
    pub(super) fn begun(&self) -> bool {
        self.folder.is_dir()
    }

    /// Removes all but the newest.
    pub(super) fn prune(&self) -> Result<(), FileError> {
        let numbers = self.numbers()?;
        for number in numbers.iter().rev().skip(KEPT) {
            files::remove_file(&self.folder.join(self.numbered(*number)))?;
        }
        crash::point("config.backups.pruned");
        Ok(())
    }

    /// Remembers a version that works.
    pub(super) fn remember(&self, bytes: &[u8]) -> Result<(), FileError> {
        let good = self.locked(&self.good())?;
        if good.read(MAX_BYTES)?.as_deref() != Some(bytes) {
            good.replace_soon(bytes)?;
            crash::point("config.good.written");
        }
        Ok(())
    }

    /// The newest version that can be read: the one remembered, else a backup.
    pub(super) fn last_good(&self) -> Result<Option<Document>, FileError> {
        let numbered = self.numbers()?.into_iter().rev().map(|number| self.numbered(number));
        for name in std::iter::once(self.good()).chain(numbered) {
            let bytes = files::read(&self.folder.join(name), MAX_BYTES)?;
            // A version that cannot be read is none to go back to; the next one may be.
            let document = bytes.and_then(|bytes| Document::parse_object(&bytes, Dialect::Json5).ok());
            if document.is_some() {
                return Ok(document);
            }
        }
        Ok(None)
    }

    /// One lock for the whole folder instead of one beside every file in it.
    fn locked(&self, name: &str) -> Result<Locked, FileError> {
        Locked::under(Lock::take(&self.folder.join(".lock"))?, &self.folder.join(name))
    }

    fn numbers(&self) -> Result<Vec<u32>, FileError> {
        let names = files::list_names(&self.folder, MOST_FILES)?;
        let number = |name: &String| name.strip_prefix(&self.name)?.strip_prefix('.')?.parse().ok();
        let mut numbers: Vec<u32> = names.iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn numbered(&self, number: u32) -> String {
        format!("{}.{number}", self.name)
    }

    fn good(&self) -> String {
        format!("{}.good", self.name)
    }
}
