//! A file under its lock: read, replace and remove it without interference by other processes.
//!
//! After a crash at any step the file is old or new, never partial; a link stays a link; the next lock holder removes
//! leftovers. `.NAME.lock` and `.NAME.tmp` are siblings of the file, so that a rename is enough.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use super::crash::WriteNeed;
use super::error::{FileError, FileOperation};
use super::lock::Lock;
use super::plain::{self, parent_folder, require_regular, set_private};
use super::retry::retry_while_open;
use super::{crash, sync};

/// Maximum length of a chain of links.
const MAX_LINKS: usize = 16;

/// A file that is locked for this process until the value is dropped.
#[derive(Debug)]
pub struct Locked {
    path: PathBuf,
    temporary: PathBuf,
    _lock: Lock,
}

impl Locked {
    /// Locks `path`, which need not exist. Waits at most 30 seconds; creates the folder if missing.
    ///
    /// # Errors
    /// `Busy` when another process keeps it, or an I/O error.
    pub fn take(path: &Path) -> Result<Self, FileError> {
        let path = resolve_links(path)?;
        let lock = Lock::take(&sibling(&path, ".lock")).map_err(|error| match error {
            FileError::Busy { seconds, .. } => FileError::Busy { path: path.clone(), seconds },
            other => other,
        })?;
        Self::under(lock, &path)
    }

    /// Uses a lock that is already held to protect the file at `path`.
    ///
    /// # Errors
    /// When a leftover of a killed writer cannot be removed.
    pub fn under(lock: Lock, path: &Path) -> Result<Self, FileError> {
        let temporary = sibling(path, ".tmp");
        // Only the lock holder writes it, so this is a leftover of a killed process.
        plain::remove_file(&temporary)?;
        Ok(Self { path: path.to_path_buf(), temporary, _lock: lock })
    }

    /// Path of the file, with links resolved.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file, at most `limit` bytes; `None` if there is none.
    ///
    /// # Errors
    /// When it is larger, is not a regular file, or the system returns an error.
    pub fn read(&self, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        plain::read(&self.path, limit)
    }

    /// Replaces the contents; durable on return. On an error the old file is unchanged.
    ///
    /// # Errors
    /// When something other than a file is at the path, or the system returns an error.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), FileError> {
        self.replace_contents(bytes, SyncContents::Yes)?;
        sync::folder(parent_folder(&self.path))
            .map_err(FileError::system(FileOperation::Write, &self.path))?;
        crash::point("atomic.folder.synced");
        Ok(())
    }

    /// Replaces the contents without syncing the folder: after a power cut the file is complete, but may be the old one.
    /// For data that can be recreated.
    ///
    /// # Errors
    /// As [`Locked::replace`].
    pub fn replace_soon(&self, bytes: &[u8]) -> Result<(), FileError> {
        self.replace_contents(bytes, SyncContents::Yes)
    }

    /// Replaces the contents without any sync: complete after a crash of the process, undefined after a power cut. For
    /// data about a running process.
    ///
    /// # Errors
    /// As [`Locked::replace`].
    pub fn replace_unsynced(&self, bytes: &[u8]) -> Result<(), FileError> {
        self.replace_contents(bytes, SyncContents::No)
    }

    /// Removes the file, if it is there.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn remove(&self) -> Result<(), FileError> {
        if plain::remove_file(&self.path)? {
            crash::point("remove.unlinked");
            sync::folder(parent_folder(&self.path))
                .map_err(FileError::system(FileOperation::Remove, &self.path))?;
        }
        Ok(())
    }

    fn replace_contents(&self, bytes: &[u8], synced: SyncContents) -> Result<(), FileError> {
        let swapped = self.write_temporary(bytes, synced).and_then(|()| {
            let rename = || fs::rename(&self.temporary, &self.path);
            crash::check_write(WriteNeed::Permission)
                .and_then(|()| retry_while_open(rename))
                .map_err(FileError::system(FileOperation::Write, &self.path))
        });
        if let Err(error) = swapped {
            // Report the first error; the next lock holder removes a leftover.
            let _ = plain::remove_file(&self.temporary);
            return Err(error);
        }
        crash::point("atomic.renamed");
        Ok(())
    }

    fn write_temporary(&self, bytes: &[u8], synced: SyncContents) -> Result<(), FileError> {
        let failed = FileError::system(FileOperation::Write, &self.path);
        let old = match fs::symlink_metadata(&self.path) {
            Ok(old) => Some(old),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        if let Some(old) = &old {
            require_regular(old.file_type(), FileOperation::Write, &self.path)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        set_private(&mut options);
        crash::check_write(WriteNeed::Space).map_err(&failed)?;
        let mut file = options.open(&self.temporary).map_err(&failed)?;
        crash::point("atomic.temp.made");
        if let Some(old) = &old {
            copy_owner(old, &file).map_err(&failed)?;
        }
        crash::write_all(&mut file, bytes, "atomic.temp.half").map_err(&failed)?;
        crash::point("atomic.temp.written");
        if synced == SyncContents::Yes {
            sync::file(&file).map_err(&failed)?;
            crash::point("atomic.temp.synced");
        }
        Ok(())
    }
}

/// Whether the new contents are synced before they replace the old file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SyncContents {
    Yes,
    No,
}

/// Keeps the owner when an administrator edits a user's file.
fn copy_owner(old: &fs::Metadata, new: &File) -> std::io::Result<()> {
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

/// Resolves links, also to a target that does not exist yet.
fn resolve_links(path: &Path) -> Result<PathBuf, FileError> {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_symlink() => {
                let target = fs::read_link(&path).map_err(FileError::system(FileOperation::Read, &path))?;
                path = parent_folder(&path).join(target);
            }
            _ => return Ok(path),
        }
    }
    Err(FileError::NotAFile { operation: FileOperation::Read, path, found: "circle of links" })
}

fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(ending);
    path.with_file_name(name)
}
