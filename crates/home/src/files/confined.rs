//! A folder that paths cannot leave: not by `..`, not by an absolute path, not by a link.
//!
//! cap-std resolves every step of a path below the open folder, so replacing a step by a link between check and use
//! does not help either.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, OpenOptions, Permissions};

use super::error::{FileError, FileOperation};
use super::plain::{read_at_most, require_file};
use super::retry::retry_while_open;
use super::sync::{self, Durability};

/// An open folder that gives access to everything below it, and nothing else.
#[derive(Debug)]
pub struct Confined {
    pub(super) folder: Dir,
    pub(super) path: PathBuf,
}

/// What an entry of a confined folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    File,
    Folder,
    /// A link, not followed.
    Link,
    /// A pipe, socket or device.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    /// File name; invalid Unicode is replaced.
    pub name: String,
    /// What it is.
    pub kind: FileKind,
}

impl Confined {
    /// Opens an existing folder.
    ///
    /// # Errors
    /// When it is not a folder or the system returns an error.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        let folder = Dir::open_ambient_dir(path, ambient_authority())
            .map_err(FileError::system(FileOperation::Read, path))?;
        Ok(Self { folder, path: path.to_path_buf() })
    }

    /// Reads a regular file below the folder, at most `limit` bytes; `None` if there is none.
    ///
    /// # Errors
    /// `Outside` when the path leads out, or when it is larger, not a file, or the system returns an error.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        require_inside(path)?;
        let failed = |error| self.failed(FileOperation::Read, path, error);
        let mut options = OpenOptions::new();
        options.read(true);
        set_nonblocking(&mut options);
        match self.folder.metadata(path) {
            Ok(found) => self.require_regular(found.file_type(), FileOperation::Read, path)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        }
        let file = self.folder.open_with(path, &options).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        self.require_regular(found.file_type(), FileOperation::Read, path)?;
        read_at_most(limit, file, found.len(), &self.path.join(path)).map(Some)
    }

    /// Writes a file below the folder atomically; creates missing folders. Replaces a link instead of following it, and
    /// keeps the permissions of an existing file.
    ///
    /// # Errors
    /// `Outside` when the path leads out, or when a folder is in its place or the system returns an error.
    pub fn write(&self, path: &Path, bytes: &[u8], durability: Durability) -> Result<(), FileError> {
        require_inside(path)?;
        let failed = |error| self.failed(FileOperation::Write, path, error);
        let outside = || FileError::Outside { path: path.to_path_buf() };
        let name = path.file_name().ok_or_else(outside)?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let below;
        let folder = match parent {
            Some(parent) => {
                below = self.make_folder(parent).map_err(failed)?;
                &below
            }
            None => &self.folder,
        };
        let permissions = match folder.symlink_metadata(name) {
            Ok(old) if old.is_symlink() => None,
            Ok(old) => {
                self.require_regular(old.file_type(), FileOperation::Write, path)?;
                Some(old.permissions())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let temporary = temporary_name().map_err(failed)?;
        let written = write_new(folder, &temporary, bytes, permissions)
            .and_then(|file| match durability {
                Durability::KillSafe => Ok(()),
                Durability::PowerSafe => sync::file(&file),
            })
            .and_then(|()| retry_while_open(|| folder.rename(&temporary, folder, name)))
            .and_then(|()| match durability {
                Durability::KillSafe => Ok(()),
                Durability::PowerSafe => sync_dir(folder),
            });
        written.map_err(|error| {
            // Report the first error.
            let _ = folder.remove_file(&temporary);
            failed(error)
        })
    }

    /// Lists a folder below, sorted by name, at most `limit` entries.
    ///
    /// # Errors
    /// `Outside` when the path leads out, or when there are more entries or the system returns an error.
    pub fn list(&self, path: &Path, limit: usize) -> Result<Vec<FolderEntry>, FileError> {
        require_inside(path)?;
        let failed = |error| self.failed(FileOperation::List, path, error);
        let path_or_self = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let mut listed = Vec::new();
        for entry in self.folder.read_dir(path_or_self).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if listed.len() == limit {
                return Err(FileError::TooMany { path: self.path.join(path), limit });
            }
            let kind = match entry.file_type().map_err(failed)? {
                found if found.is_file() => FileKind::File,
                found if found.is_dir() => FileKind::Folder,
                found if found.is_symlink() => FileKind::Link,
                _ => FileKind::Other,
            };
            listed.push(FolderEntry { name: entry.file_name().to_string_lossy().into_owned(), kind });
        }
        listed.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }

    fn make_folder(&self, path: &Path) -> io::Result<Dir> {
        // Opened first: creating it behind a link that leads out would fail with "exists" only.
        match self.folder.open_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.folder.create_dir_all(path)?;
                self.folder.open_dir(path)
            }
            opened => opened,
        }
    }

    pub(super) fn require_regular(
        &self,
        found: FileType,
        operation: FileOperation,
        path: &Path,
    ) -> Result<(), FileError> {
        require_file(found.is_file(), found.is_dir(), operation, &self.path.join(path))
    }

    /// cap-std reports a link that leads out as "permission denied" without a system error code.
    pub(super) fn failed(&self, operation: FileOperation, path: &Path, error: io::Error) -> FileError {
        if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() {
            return FileError::Outside { path: path.to_path_buf() };
        }
        FileError::System { operation, path: self.path.join(path), source: error }
    }
}

/// Rejects paths such as `a/../../b` by their components, before any lookup.
fn require_inside(path: &Path) -> Result<(), FileError> {
    let inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if inside { Ok(()) } else { Err(FileError::Outside { path: path.to_path_buf() }) }
}

fn temporary_name() -> io::Result<String> {
    Ok(format!(".{:016x}.tmp", getrandom::u64().map_err(io::Error::from)?))
}

pub(super) fn write_new(
    folder: &Dir,
    name: &str,
    bytes: &[u8],
    permissions: Option<Permissions>,
) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if permissions.is_some() {
        // Private until it has the permissions of the file that it replaces.
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    let mut file = folder.open_with(name, &options)?;
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    Ok(file.into_std())
}

/// Not needed on Windows, where renames are written through.
pub(super) fn sync_dir(folder: &Dir) -> io::Result<()> {
    if cfg!(unix) { sync::file(&folder.open(".")?.into_std()) } else { Ok(()) }
}

pub(super) fn set_nonblocking(options: &mut OpenOptions) {
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    #[cfg(not(unix))]
    let _ = options;
}
