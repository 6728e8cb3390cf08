//! One file under its lock: read it, replace it, remove it, with no other process in between.
//!
//! Promises: after a crash at any step the file is old or new, whole; a link stays a link; the next taker
//! clears what a killed writer left. The lock file `.NAME.lock` and the temporary file `.NAME.tmp` are
//! siblings of the file itself, so that a rename is enough.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use super::error::{Doing, FileError};
use super::lock::Lock;
use super::patience::patiently;
use super::plain::{self, folder_of, private, regular};
use super::{crash, sync};

/// More links than this in a row are a circle.
const MOST_LINKS: usize = 16;

/// A file that this process alone may change until the value is dropped.
#[derive(Debug)]
pub struct Locked {
    path: PathBuf,
    temporary: PathBuf,
    _lock: Lock,
}

impl Locked {
    /// Locks `path`, which need not exist. Waits at most 30 seconds; makes the folder when missing.
    ///
    /// # Errors
    /// `Busy` when another process keeps it, or what the system says.
    pub fn take(path: &Path) -> Result<Self, FileError> {
        let path = follow_links(path)?;
        let lock = Lock::take(&sibling(&path, ".lock")).map_err(|error| match error {
            FileError::Busy { seconds, .. } => FileError::Busy { path: path.clone(), seconds },
            other => other,
        })?;
        Self::under(lock, &path)
    }

    /// The file at `path` under a lock that is already held and protects it.
    ///
    /// # Errors
    /// When a leftover of a killed writer cannot be removed.
    pub fn under(lock: Lock, path: &Path) -> Result<Self, FileError> {
        let temporary = sibling(path, ".tmp");
        // Only the holder of the lock writes it: what is there now was left by a killed one.
        plain::remove_file(&temporary)?;
        Ok(Self { path: path.to_path_buf(), temporary, _lock: lock })
    }

    /// The file, after following links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The whole file, at most `limit` bytes; `None` when there is none.
    ///
    /// # Errors
    /// When it is larger, is not a regular file, or the system says no.
    pub fn read(&self, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        plain::read(&self.path, limit)
    }

    /// Replaces the contents; permanent when this returns. On an error the old file is untouched.
    ///
    /// # Errors
    /// When something other than a file is in its place, or the system says no.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), FileError> {
        self.swap(bytes, Synced::Yes)?;
        sync::folder(folder_of(&self.path)).map_err(FileError::system(Doing::Write, &self.path))?;
        crash::point("atomic.folder.synced");
        Ok(())
    }

    /// Replaces the contents without waiting for the folder: after a power cut the file is whole, but may
    /// be the old one. For what can be made again from elsewhere.
    ///
    /// # Errors
    /// As [`Locked::replace`].
    pub fn replace_soon(&self, bytes: &[u8]) -> Result<(), FileError> {
        self.swap(bytes, Synced::Yes)
    }

    /// Replaces the contents without waiting for the disk at all: whole after a crash of the process, anything after
    /// a power cut. For what says something about a running process only.
    ///
    /// # Errors
    /// As [`Locked::replace`].
    pub fn replace_for_now(&self, bytes: &[u8]) -> Result<(), FileError> {
        self.swap(bytes, Synced::No)
    }

    /// Removes the file, if it is there.
    ///
    /// # Errors
    /// When the system says no.
    pub fn remove(&self) -> Result<(), FileError> {
        if plain::remove_file(&self.path)? {
            crash::point("remove.unlinked");
            sync::folder(folder_of(&self.path)).map_err(FileError::system(Doing::Remove, &self.path))?;
        }
        Ok(())
    }

    fn swap(&self, bytes: &[u8], synced: Synced) -> Result<(), FileError> {
        let swapped = self.write_temporary(bytes, synced).and_then(|()| {
            patiently(|| fs::rename(&self.temporary, &self.path))
                .map_err(FileError::system(Doing::Write, &self.path))
        });
        if let Err(error) = swapped {
            // The first error is the one to tell; a leftover is cleared by the next taker.
            let _ = plain::remove_file(&self.temporary);
            return Err(error);
        }
        crash::point("atomic.renamed");
        Ok(())
    }

    fn write_temporary(&self, bytes: &[u8], synced: Synced) -> Result<(), FileError> {
        let failed = FileError::system(Doing::Write, &self.path);
        let old = match fs::symlink_metadata(&self.path) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        if let Some(old) = &old {
            regular(old.file_type(), Doing::Write, &self.path)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        private(&mut options);
        let mut file = options.open(&self.temporary).map_err(&failed)?;
        crash::point("atomic.temp.made");
        if let Some(old) = &old {
            keep_owner(old, &file).map_err(&failed)?;
        }
        crash::write_all(&mut file, bytes, "atomic.temp.half").map_err(&failed)?;
        crash::point("atomic.temp.written");
        if synced == Synced::Yes {
            sync::file(&file).map_err(&failed)?;
            crash::point("atomic.temp.synced");
        }
        Ok(())
    }
}

/// Whether the disk is waited for before a new version takes the place of the old one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Synced {
    Yes,
    No,
}

/// An administrator who edits a user's file must not take it away from them.
fn keep_owner(old: &fs::Metadata, new: &File) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let made = new.metadata()?;
        if made.uid() != old.uid() {
            std::os::unix::fs::fchown(new, Some(old.uid()), Some(old.gid()))?;
        }
    }
    #[cfg(not(unix))]
    let _ = (old, new);
    Ok(())
}

/// Where a path leads when it is a link, even to nowhere yet.
fn follow_links(path: &Path) -> Result<PathBuf, FileError> {
    let mut path = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => {
                let target = fs::read_link(&path).map_err(FileError::system(Doing::Read, &path))?;
                path = folder_of(&path).join(target);
            }
            _ => return Ok(path),
        }
    }
    Err(FileError::NotAFile { doing: Doing::Read, path, found: "circle of links" })
}

fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(ending);
    path.with_file_name(name)
}
