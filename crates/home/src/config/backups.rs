//! Earlier versions of the configuration, and the last one known to be good.
//!
//! Backups are numbered, the newest has the highest number. Callers hold the lock of the configuration file.

use std::path::PathBuf;

use super::json5::{Document, JsonDialect, MAX_BYTES};
use crate::files::{self, FileError, Lock, Locked, crash};

const MAX_BACKUPS: usize = 5;

/// Listing fails above this many files.
const MAX_FILES: usize = 1_000;

pub(super) struct Backups {
    folder: PathBuf,
    /// File name of the configuration: the prefix of all backup names.
    name: String,
}

impl Backups {
    pub(super) fn new(folder: PathBuf, name: String) -> Self {
        Self { folder, name }
    }

    /// Stores a version that is about to be replaced.
    pub(super) fn add(&self, bytes: &[u8]) -> Result<(), FileError> {
        let next = self.numbers()?.last().map_or(1, |newest| newest.saturating_add(1));
        self.lock_file(&self.numbered_name(next))?.replace_soon(bytes)?;
        crash::point("config.backup.written");
        Ok(())
    }

    /// True if anything was ever stored.
    pub(super) fn exist(&self) -> bool {
        self.folder.is_dir()
    }

    /// Removes all but the newest `MAX_BACKUPS`.
    pub(super) fn prune(&self) -> Result<(), FileError> {
        let numbers = self.numbers()?;
        for number in numbers.iter().rev().skip(MAX_BACKUPS) {
            files::remove_file(&self.folder.join(self.numbered_name(*number)))?;
        }
        crash::point("config.backups.pruned");
        Ok(())
    }

    /// Stores the last known good version.
    pub(super) fn save_good(&self, bytes: &[u8]) -> Result<(), FileError> {
        let good = self.lock_file(&self.good_name())?;
        if good.read(MAX_BYTES)?.as_deref() != Some(bytes) {
            good.replace_soon(bytes)?;
            crash::point("config.good.written");
        }
        Ok(())
    }

    /// Returns the last known good version, else the newest backup that parses.
    pub(super) fn last_good(&self) -> Result<Option<Document>, FileError> {
        let numbered = self.numbers()?.into_iter().rev().map(|number| self.numbered_name(number));
        for name in std::iter::once(self.good_name()).chain(numbered) {
            let bytes = files::read(&self.folder.join(name), MAX_BYTES)?;
            // Skips a version that does not parse.
            let document = bytes.and_then(|bytes| Document::parse_object(&bytes, JsonDialect::Json5).ok());
            if document.is_some() {
                return Ok(document);
            }
        }
        Ok(None)
    }

    /// Uses one lock for the whole folder.
    fn lock_file(&self, name: &str) -> Result<Locked, FileError> {
        Locked::under(Lock::take(&self.folder.join(".lock"))?, &self.folder.join(name))
    }

    fn numbers(&self) -> Result<Vec<u32>, FileError> {
        let names = files::list_names(&self.folder, MAX_FILES)?;
        let number = |name: &String| name.strip_prefix(&self.name)?.strip_prefix('.')?.parse().ok();
        let mut numbers: Vec<u32> = names.iter().filter_map(number).collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn numbered_name(&self, number: u32) -> String {
        format!("{}.{number}", self.name)
    }

    fn good_name(&self) -> String {
        format!("{}.good", self.name)
    }
}
