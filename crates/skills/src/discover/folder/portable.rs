//! Systems without open folder handles: paths are checked before they are opened.
//!
//! Inode numbers and hard links are unknown, so changes are detected by size and times only.

use std::ffi::OsString;
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{EntryKind, Opened, Stat};

/// Bytes of a path that can be opened without the prefix `\\?\`.
const MAX_PLAIN_BYTES: usize = 240;

#[derive(Debug)]
pub struct Folder;

impl Folder {
    pub fn open(real: &Path) -> io::Result<Self> {
        if fs::symlink_metadata(real)?.is_dir() { Ok(Self) } else { Err(io::ErrorKind::NotADirectory.into()) }
    }

    pub fn file(&self, real: &Path, below: &Path) -> io::Result<Opened> {
        let path = real.join(below);
        let metadata = fs::symlink_metadata(&path)?;
        if metadata.is_symlink() {
            return Ok(Opened::Link);
        }
        if !metadata.is_file() {
            // Not opened, because opening might block.
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        Ok(Opened::File(file, metadata))
    }

    pub fn has(&self, real: &Path, below: &Path) -> bool {
        let found = fs::symlink_metadata(real.join(below));
        !found.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    }

    pub fn stat(&self, real: &Path, below: &Path) -> Option<Stat> {
        fs::symlink_metadata(real.join(below)).ok().map(|metadata| stat_of(&metadata).0)
    }

    pub fn each_name(
        &self,
        real: &Path,
        below: &Path,
        mut each: impl FnMut(OsString, EntryKind),
    ) -> io::Result<()> {
        for entry in fs::read_dir(real.join(below))? {
            let entry = entry?;
            each(entry.file_name(), kind(entry.file_type()?));
        }
        Ok(())
    }
}

fn kind(found: FileType) -> EntryKind {
    if found.is_symlink() {
        EntryKind::Link
    } else if found.is_dir() {
        EntryKind::Folder
    } else {
        EntryKind::Other
    }
}

/// Removes the prefix `\\?\`, which Windows adds to resolved paths and few programs accept. Long paths need it.
pub fn plain(path: PathBuf) -> PathBuf {
    let Some(text) = path.to_str() else { return path };
    match (text.strip_prefix(r"\\?\UNC\"), text.strip_prefix(r"\\?\")) {
        (Some(share), _) if share.len() < MAX_PLAIN_BYTES => PathBuf::from(format!(r"\\{share}")),
        (None, Some(local)) if local.len() < MAX_PLAIN_BYTES => PathBuf::from(local),
        _ => path,
    }
}

pub fn stat_of(metadata: &Metadata) -> (Stat, u64) {
    let nanoseconds = |time: io::Result<SystemTime>| {
        let since = time.ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        since.and_then(|since| i128::try_from(since.as_nanos()).ok()).unwrap_or_default()
    };
    let stat = Stat {
        device: 0,
        inode: 0,
        size: metadata.len(),
        modified_ns: nanoseconds(metadata.modified()),
        changed_ns: nanoseconds(metadata.created()),
    };
    (stat, 1)
}
