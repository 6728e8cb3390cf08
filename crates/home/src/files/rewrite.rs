//! Replaces, creates and removes files of a confined folder that were looked at before.
//!
//! A change happens only if the file is still the one that was looked at. It is old or new, never half written; links on the
//! way are kept, and nothing outside the folder is reached, whatever other processes do meanwhile.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, Metadata, Permissions};
use sha2::{Digest, Sha256};

use super::confined::{Confined, sync_dir, write_new};
use super::crash::{self, WriteNeed};
use super::error::{FileError, FileOperation};
use super::reach::{Reached, WalkEnd, ensure_same_file};
use super::retry::retry_while_open;
use super::sync;

/// A place for a file, with the file that is there now.
#[derive(Debug)]
pub struct WriteTarget {
    folder: Dir,
    /// Folders that have to be created first.
    missing: Vec<OsString>,
    name: OsString,
    path: PathBuf,
    /// What was seen of the existing file.
    seen: Option<Metadata>,
}

/// The permissions of a file, where the system has them as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileMode(pub u32);

impl Confined {
    /// Looks at the place of a file below the folder. Returns it with the existing file, open for reading. Follows links
    /// that stay below the folder.
    ///
    /// # Errors
    /// `Outside` when the path or a link leads out, `NotAFile` when a folder or a device is there, `NotAFolder` when a file
    /// is where a folder should be, or when the system returns an error.
    pub fn write_target(&self, path: &Path) -> Result<(WriteTarget, Option<Reached>), FileError> {
        let failed = |error| self.failed(FileOperation::Write, path, error);
        let walk = self.walk(path)?;
        let folder = walk.folder(self).try_clone().map_err(failed)?;
        match &walk.end {
            WalkEnd::Entry { name, found } => {
                self.require_regular(found.file_type(), FileOperation::Write, path)?;
                let reached = self.open_entry(path, &walk, name, found)?;
                let target = WriteTarget {
                    folder,
                    missing: Vec::new(),
                    name: name.clone(),
                    path: reached.path.clone(),
                    seen: Some(found.clone()),
                };
                Ok((target, Some(reached)))
            }
            WalkEnd::Missing(names) => {
                let Some((name, missing)) = names.split_last() else {
                    return Err(self.is_folder(FileOperation::Write, path));
                };
                let below = names.first().map(|first| walk.below(first)).unwrap_or_default();
                let below: PathBuf =
                    std::iter::once(below).chain(names.iter().skip(1).map(PathBuf::from)).collect();
                let target = WriteTarget {
                    folder,
                    missing: missing.to_vec(),
                    name: name.clone(),
                    path: self.path.join(below),
                    seen: None,
                };
                Ok((target, None))
            }
            WalkEnd::BelowFile => Err(FileError::NotAFolder { path: self.path.join(path) }),
            WalkEnd::Folder => Err(self.is_folder(FileOperation::Write, path)),
        }
    }

    /// Removes an empty folder below the folder. Returns whether it was removed; one that is not empty stays.
    ///
    /// # Errors
    /// `Outside` when the path leads out, or when the system returns an error.
    pub fn remove_empty_folder(&self, path: &Path) -> Result<bool, FileError> {
        let removed = crash::check_write(WriteNeed::Permission).and_then(|()| self.folder.remove_dir(path));
        match removed {
            Ok(()) => Ok(true),
            Err(error) => match error.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotADirectory => {
                    Ok(false)
                }
                _ => Err(self.failed(FileOperation::Remove, path, error)),
            },
        }
    }
}

impl WriteTarget {
    /// The real path, without links.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of folders that writing will create.
    #[must_use]
    pub fn missing_folders(&self) -> usize {
        self.missing.len()
    }

    /// The permissions of the existing file.
    #[must_use]
    pub fn mode(&self) -> Option<FileMode> {
        self.seen.as_ref().and_then(|seen| system::mode(&seen.permissions()))
    }

    /// Writes the file, power-safe. It keeps the permissions of the existing file. A new one gets `mode`; without it, the
    /// permissions of any new file.
    ///
    /// # Errors
    /// When the existing file was replaced since it was looked at, or the system returns an error; nothing is changed then,
    /// except that missing folders may have been created.
    pub fn write(&self, bytes: &[u8], mode: Option<FileMode>) -> Result<(), FileError> {
        let failed = |error| FileError::System {
            operation: FileOperation::Write,
            path: self.path.clone(),
            source: error,
        };
        let created;
        let folder = match self.create_missing().map_err(failed)? {
            Some(folder) => {
                created = folder;
                &created
            }
            None => &self.folder,
        };
        let permissions = match &self.seen {
            Some(seen) => Some(seen.permissions()),
            None => mode.and_then(system::permissions),
        };
        let temporary = temporary_name(&self.name);
        self.write_and_rename(folder, &temporary, bytes, permissions).map_err(|error| {
            // Report the first error.
            let _ = folder.remove_file(&temporary);
            failed(error)
        })
    }

    /// Removes the existing file, power-safe. Nothing happens if there is none.
    ///
    /// # Errors
    /// When the file was replaced since it was looked at, or the system returns an error.
    pub fn remove(&self) -> Result<(), FileError> {
        if self.seen.is_none() {
            return Ok(());
        }
        let removed = self
            .ensure_unchanged(&self.folder)
            .and_then(|()| crash::check_write(WriteNeed::Permission))
            .and_then(|()| retry_while_open(|| self.folder.remove_file(&self.name)))
            .and_then(|()| {
                crash::point("rewrite.removed");
                sync_dir(&self.folder)
            });
        removed.map_err(FileError::system(FileOperation::Remove, &self.path))
    }

    /// Removes what a write left behind that was cut off.
    ///
    /// # Errors
    /// When the system returns an error.
    pub fn remove_leftover(&self) -> Result<(), FileError> {
        if !self.missing.is_empty() {
            return Ok(());
        }
        match self.folder.remove_file(temporary_name(&self.name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(FileError::system(FileOperation::Remove, &self.path)(error))
            }
            _ => Ok(()),
        }
    }

    fn create_missing(&self) -> io::Result<Option<Dir>> {
        let mut innermost: Option<Dir> = None;
        for name in &self.missing {
            crash::check_write(WriteNeed::Space)?;
            let folder = innermost.as_ref().unwrap_or(&self.folder);
            match folder.create_dir(name) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            let found = folder.symlink_metadata(name)?;
            let next = folder.open_dir(name)?;
            // Not a link that somebody put there.
            ensure_same_file(&found, &next.dir_metadata()?)?;
            sync_dir(folder)?;
            crash::point("rewrite.folder.made");
            innermost = Some(next);
        }
        Ok(innermost)
    }

    fn write_and_rename(
        &self,
        folder: &Dir,
        temporary: &str,
        bytes: &[u8],
        permissions: Option<Permissions>,
    ) -> io::Result<()> {
        crash::check_write(WriteNeed::Space)?;
        // Of a write that was cut off; writes to one file never overlap.
        let _ = folder.remove_file(temporary);
        let file = write_new(folder, temporary, bytes, permissions)?;
        crash::point("rewrite.temp.written");
        sync::file(&file)?;
        self.ensure_unchanged(folder)?;
        crash::check_write(WriteNeed::Permission)?;
        match self.seen {
            Some(_) => retry_while_open(|| folder.rename(temporary, folder, &self.name))?,
            None => system::rename_new(folder, temporary, &self.name)?,
        }
        crash::point("rewrite.renamed");
        sync_dir(folder)
    }

    /// Checks that the file is still the one that was looked at, or is still missing.
    fn ensure_unchanged(&self, folder: &Dir) -> io::Result<()> {
        let now = match folder.symlink_metadata(&self.name) {
            Ok(now) => Some(now),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let is_same = match (&self.seen, &now) {
            (None, None) => true,
            (Some(seen), Some(now)) => {
                system::id(seen) == system::id(now)
                    && seen.len() == now.len()
                    && seen.modified().ok() == now.modified().ok()
            }
            _ => false,
        };
        if is_same {
            Ok(())
        } else {
            Err(io::Error::other("it was changed by another program at the same time"))
        }
    }
}

/// The name of the temporary file for a file: always the same, so that one that was left behind is found.
fn temporary_name(name: &OsStr) -> String {
    let hash = Sha256::digest(name.as_encoded_bytes());
    let hex: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!(".tarsus-{hex}.tmp")
}

#[cfg(unix)]
mod system {
    use std::ffi::OsStr;
    use std::io;

    use cap_std::fs::{Dir, Permissions, PermissionsExt};

    use super::FileMode;
    pub(super) use crate::files::reach::system::id;

    pub fn mode(permissions: &Permissions) -> Option<FileMode> {
        Some(FileMode(permissions.mode() & 0o7777))
    }

    pub fn permissions(mode: FileMode) -> Option<Permissions> {
        Some(Permissions::from_mode(mode.0))
    }

    /// Renames a file to a name that must not exist.
    #[cfg(target_os = "linux")]
    pub fn rename_new(folder: &Dir, from: &str, to: &OsStr) -> io::Result<()> {
        use rustix::fs::{RenameFlags, renameat_with};
        match renameat_with(folder, from, folder, to, RenameFlags::NOREPLACE) {
            // Not supported by this file system; it was checked just now that the name is free.
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => folder.rename(from, folder, to),
            done => Ok(done?),
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn rename_new(folder: &Dir, from: &str, to: &OsStr) -> io::Result<()> {
        folder.rename(from, folder, to)
    }
}

#[cfg(not(unix))]
mod system {
    use std::ffi::OsStr;
    use std::io;

    use cap_std::fs::{Dir, Permissions};

    use super::FileMode;
    pub(super) use crate::files::reach::system::id;
    use crate::files::retry::retry_while_open;

    pub fn mode(_: &Permissions) -> Option<FileMode> {
        None
    }

    pub fn permissions(_: FileMode) -> Option<Permissions> {
        None
    }

    /// Renames a file to a name that was free just now.
    pub fn rename_new(folder: &Dir, from: &str, to: &OsStr) -> io::Result<()> {
        retry_while_open(|| folder.rename(from, folder, to))
    }
}
