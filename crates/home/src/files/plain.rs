//! Unlocked access to files and folders: bounded reads, private folders, removal, listing.
//!
//! Only regular files are opened, so a pipe or device can neither block nor yield endless data.

use std::fs::{self, DirBuilder, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use super::crash::WriteNeed;
use super::error::{FileError, FileOperation};
use super::retry::retry_while_open;
use super::{crash, sync};

/// Opens a regular file for reading; `None` when there is no such file.
///
/// # Errors
/// When it is not a regular file or the system returns an error.
pub fn open(path: &Path) -> Result<Option<File>, FileError> {
    // Checked before opening, because opening a device may have side effects.
    match fs::metadata(path) {
        Ok(found) => require_regular(found.file_type(), FileOperation::Read, path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::system(FileOperation::Read, path)(error)),
    }
    let mut options = OpenOptions::new();
    options.read(true);
    set_nonblocking(&mut options);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::system(FileOperation::Read, path)(error)),
    };
    // Checked again: the file may have been replaced in between.
    let found = file.metadata().map_err(FileError::system(FileOperation::Read, path))?;
    require_regular(found.file_type(), FileOperation::Read, path)?;
    Ok(Some(file))
}

/// Reads a regular file of at most `limit` bytes; `None` if there is no such file.
///
/// # Errors
/// When it is larger, is not a regular file, or the system returns an error.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    let Some(file) = open(path)? else {
        return Ok(None);
    };
    let size = file.metadata().map_err(FileError::system(FileOperation::Read, path))?.len();
    read_at_most(limit, file, size, path).map(Some)
}

/// Reads to the end, at most `limit` bytes. `size` is the expected size, `path` is for the error.
pub(super) fn read_at_most(
    limit: u64,
    from: impl Read,
    size: u64,
    path: &Path,
) -> Result<Vec<u8>, FileError> {
    // One byte more than expected, so that `read_to_end` detects the end without growing the buffer.
    let room = usize::try_from(size.min(limit).saturating_add(1)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(room);
    from.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(FileError::system(FileOperation::Read, path))?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { path: path.to_path_buf(), limit });
    }
    Ok(bytes)
}

/// Creates a folder and its missing ancestors, private to the account (0700). Returns true if it was created.
///
/// # Errors
/// When a file is in its place or the system returns an error.
pub fn make_private_dir(path: &Path) -> Result<bool, FileError> {
    let mut missing = Vec::new();
    for folder in path.ancestors() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        match fs::metadata(folder) {
            Ok(found) if found.is_dir() => break,
            Ok(_) => return Err(FileError::NotAFolder { path: folder.to_path_buf() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(folder),
            Err(error) => return Err(FileError::system(FileOperation::MakeFolder, folder)(error)),
        }
    }
    let mut made = false;
    for folder in missing.iter().rev() {
        made = match crash::check_write(WriteNeed::Space).and_then(|()| private_folder().create(folder)) {
            Ok(()) => true,
            // Another process created it.
            Err(_) if folder.is_dir() => false,
            Err(error) => return Err(FileError::system(FileOperation::MakeFolder, folder)(error)),
        };
        crash::point("folder.made");
    }
    // Each is durable once its parent is synced; in a row, the first sync does most of the work.
    for folder in missing {
        sync::folder(parent_folder(folder)).map_err(FileError::system(FileOperation::MakeFolder, folder))?;
    }
    Ok(made)
}

#[cfg(unix)]
fn private_folder() -> DirBuilder {
    let mut builder = DirBuilder::new();
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

#[cfg(not(unix))]
fn private_folder() -> DirBuilder {
    DirBuilder::new()
}

/// Removes a file. Returns true if there was one.
///
/// # Errors
/// On an I/O error.
pub fn remove_file(path: &Path) -> Result<bool, FileError> {
    let remove = || crash::check_removal(path).and_then(|()| fs::remove_file(path));
    match retry_while_open(remove) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(FileError::system(FileOperation::Remove, path)(error)),
    }
}

/// Lists the names in a folder, sorted; empty if there is no such folder. Skips names that are not Unicode.
///
/// # Errors
/// When there are more names, or the system returns an error.
pub fn list_names(path: &Path, limit: usize) -> Result<Vec<String>, FileError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FileError::system(FileOperation::List, path)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(FileError::system(FileOperation::List, path))?;
        if let Ok(name) = entry.file_name().into_string() {
            if names.len() == limit {
                return Err(FileError::TooMany { path: path.to_path_buf(), limit });
            }
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

pub(super) fn parent_folder(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Fails for everything but a regular file.
pub(super) fn require_regular(
    found: FileType,
    operation: FileOperation,
    path: &Path,
) -> Result<(), FileError> {
    require_file(found.is_file(), found.is_dir(), operation, path)
}

/// Like [`require_regular`], for file types of other crates.
pub(super) fn require_file(
    is_file: bool,
    is_folder: bool,
    operation: FileOperation,
    path: &Path,
) -> Result<(), FileError> {
    let found = match (is_file, is_folder) {
        (true, _) => return Ok(()),
        (_, true) => "folder",
        _ => "link, pipe, socket or device",
    };
    Err(FileError::NotAFile { operation, path: path.to_path_buf(), found })
}

/// Prevents that opening a pipe blocks until its other end is opened.
pub(super) fn set_nonblocking(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    #[cfg(not(unix))]
    let _ = options;
}

/// Creates the file with mode 0600.
pub(super) fn set_private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}
