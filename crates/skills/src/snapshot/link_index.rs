//! The identities of all files in some folders, to recognize a hard link to one of them.
//!
//! The index is out of date as soon as a file is added, removed or replaced: each of these changes the metadata of the
//! folder that contains it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tarsus_home::files::FileId;

use crate::discover::{Stat, stat_of};

/// Maximum entries of one folder, with everything below it.
const MAX_ENTRIES: usize = 20_000;

/// The files in some folders, by identity.
#[derive(Debug, Default)]
pub struct LinkIndex {
    /// The folder's number, and the path below it.
    files: HashMap<FileId, (usize, PathBuf)>,
    folders: Vec<(PathBuf, Option<Stat>)>,
    /// A folder that was not listed completely: any file may be in it.
    unlisted: Option<usize>,
}

impl LinkIndex {
    /// Lists the folders. A file in several of them belongs to the first one.
    pub fn new<'a>(folders: impl Iterator<Item = &'a Path>) -> Self {
        let mut index = Self::default();
        for (at, folder) in folders.enumerate() {
            if index.add(at, folder).is_err() {
                index.unlisted.get_or_insert(at);
            }
        }
        index
    }

    /// Whether no folder has changed since.
    pub fn is_current(&self) -> bool {
        self.folders.iter().all(|(folder, stat)| folder_stat(folder) == *stat)
    }

    /// Finds a file.
    pub fn find(&self, id: FileId) -> Option<(usize, &Path)> {
        let known = self.files.get(&id).map(|(at, below)| (*at, below.as_path()));
        known.or_else(|| Some((self.unlisted?, Path::new(""))))
    }

    fn add(&mut self, at: usize, root: &Path) -> io::Result<()> {
        let mut left = MAX_ENTRIES;
        let mut pending = vec![root.to_path_buf()];
        while let Some(folder) = pending.pop() {
            // Before it is listed, so that a change meanwhile is noticed.
            self.folders.push((folder.clone(), folder_stat(&folder)));
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries?,
            };
            for entry in entries {
                left = left.checked_sub(1).ok_or(io::ErrorKind::QuotaExceeded)?;
                let entry = entry?;
                let metadata = entry.metadata()?;
                if metadata.is_dir() {
                    pending.push(entry.path());
                } else if metadata.is_file() {
                    let (Stat { device, inode, .. }, _) = stat_of(&metadata);
                    let below = entry.path().strip_prefix(root).unwrap_or(Path::new("")).to_path_buf();
                    self.files.entry(FileId { device, inode }).or_insert((at, below));
                }
            }
        }
        Ok(())
    }
}

fn folder_stat(folder: &Path) -> Option<Stat> {
    fs::symlink_metadata(folder).ok().map(|metadata| stat_of(&metadata).0)
}
