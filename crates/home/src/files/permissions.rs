//! Checks that private files are private.

use std::fs;
use std::io;
use std::path::Path;

use super::error::{FileError, FileOperation};

/// Returns the permission bits of a file or folder that other accounts can access; `None` if it is private or missing,
/// and always on Windows, where the access list of the profile folder protects it.
///
/// # Errors
/// When the metadata cannot be read.
pub fn open_to_others(path: &Path) -> Result<Option<u32>, FileError> {
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(FileError::system(FileOperation::Read, path)(error)),
    };
    Ok(shared_mode(&found))
}

#[cfg(unix)]
fn shared_mode(found: &fs::Metadata) -> Option<u32> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

#[cfg(not(unix))]
fn shared_mode(_: &fs::Metadata) -> Option<u32> {
    None
}
