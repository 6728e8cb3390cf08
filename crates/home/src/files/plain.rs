//! Files and folders without a lock: a bounded read, a private folder, a removal, a listing.
//!
//! Promises: only regular files are opened, so a pipe or a device can neither block nor feed without end.

use std::fs::{self, DirBuilder, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use super::error::{Doing, FileError};
use super::patience::patiently;
use super::{crash, sync};

/// Opens a regular file for reading; `None` when there is no such file.
///
/// # Errors
/// When it is not a regular file or the system says no.
pub fn open(path: &Path) -> Result<Option<File>, FileError> {
    // Asked before opening, because opening a device may already do something.
    match fs::metadata(path) {
        Ok(found) => regular(found.file_type(), Doing::Read, path)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::system(Doing::Read, path)(error)),
    }
    let mut options = OpenOptions::new();
    options.read(true);
    without_waiting(&mut options);
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::system(Doing::Read, path)(error)),
    };
    // Asked again: something else may have taken its place.
    let found = file.metadata().map_err(FileError::system(Doing::Read, path))?;
    regular(found.file_type(), Doing::Read, path)?;
    Ok(Some(file))
}

/// The whole of a regular file, at most `limit` bytes; `None` when there is no such file.
///
/// # Errors
/// When it is larger, is not a regular file, or the system says no.
pub fn read(path: &Path, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
    let Some(file) = open(path)? else {
        return Ok(None);
    };
    let size = file.metadata().map_err(FileError::system(Doing::Read, path))?.len();
    read_at_most(limit, file, size, path).map(Some)
}

/// Everything that is left to read, at most `limit` bytes; `size` is what to expect, `path` is for the error.
pub(super) fn read_at_most(
    limit: u64,
    from: impl Read,
    size: u64,
    path: &Path,
) -> Result<Vec<u8>, FileError> {
    // Room for all of it, and for seeing that there is no more: the system is asked twice, whatever the size.
    let room = usize::try_from(size.min(limit).saturating_add(1)).unwrap_or_default();
    let mut bytes = Vec::with_capacity(room);
    from.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(FileError::system(Doing::Read, path))?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge { path: path.to_path_buf(), limit });
    }
    Ok(bytes)
}

/// Makes a folder, and the folders above it, for this account alone (0700). True when it was made.
///
/// # Errors
/// When a file is in its place or the system says no.
pub fn make_private_dir(path: &Path) -> Result<bool, FileError> {
    let mut missing = Vec::new();
    for folder in path.ancestors() {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        match fs::metadata(folder) {
            Ok(found) if found.is_dir() => break,
            Ok(_) => return Err(FileError::NotAFolder { path: folder.to_path_buf() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => missing.push(folder),
            Err(error) => return Err(FileError::system(Doing::MakeFolder, folder)(error)),
        }
    }
    let mut made = false;
    for folder in missing.iter().rev() {
        made = match private_folder().create(folder) {
            Ok(()) => true,
            // Another process was faster.
            Err(_) if folder.is_dir() => false,
            Err(error) => return Err(FileError::system(Doing::MakeFolder, folder)(error)),
        };
        crash::point("folder.made");
    }
    // Each is permanent once the folder above it is synced; in a row, the first sync does most of the work.
    for folder in missing {
        sync::folder(folder_of(folder)).map_err(FileError::system(Doing::MakeFolder, folder))?;
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

/// Removes a file. True when there was one.
///
/// # Errors
/// When the system says no.
pub fn remove_file(path: &Path) -> Result<bool, FileError> {
    match patiently(|| fs::remove_file(path)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(FileError::system(Doing::Remove, path)(error)),
    }
}

/// The names in a folder, sorted, at most `limit`; none when there is no such folder. Names that are not
/// Unicode are not ours and are left out.
///
/// # Errors
/// When there are more names, or the system says no.
pub fn list_names(path: &Path, limit: usize) -> Result<Vec<String>, FileError> {
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FileError::system(Doing::List, path)(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(FileError::system(Doing::List, path))?;
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

/// The folder that a path lies in.
pub(super) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Refuses everything but a regular file.
pub(super) fn regular(found: FileType, doing: Doing, path: &Path) -> Result<(), FileError> {
    only_files(found.is_file(), found.is_dir(), doing, path)
}

/// The same for any kind of file type.
pub(super) fn only_files(is_file: bool, is_folder: bool, doing: Doing, path: &Path) -> Result<(), FileError> {
    let found = match (is_file, is_folder) {
        (true, _) => return Ok(()),
        (_, true) => "folder",
        _ => "link, pipe, socket or device",
    };
    Err(FileError::NotAFile { doing, path: path.to_path_buf(), found })
}

/// A pipe that takes a file's place must not make an open wait for its other end.
pub(super) fn without_waiting(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    #[cfg(not(unix))]
    let _ = options;
}

/// A file that we make is private from its first moment.
pub(super) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    #[cfg(not(unix))]
    let _ = options;
}
