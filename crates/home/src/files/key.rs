//! Key files: 32 random bytes, created once, private to the account.

use std::path::Path;

use super::error::{FileError, FileOperation};
use super::locked::Locked;
use super::plain::read;

const LENGTH: usize = 32;

/// Reads the key from a file; creates it if missing. Concurrent processes get the same key. A file that is not a key is
/// an error and never overwritten. A new key is durable as soon as the folder is synced by another write.
///
/// # Errors
/// When the file is not a key, or cannot be read or written.
pub fn read_or_create_key(path: &Path) -> Result<[u8; LENGTH], FileError> {
    if let Some(key) = read_key(path)? {
        return Ok(key);
    }
    let locked = Locked::take(path)?;
    if let Some(bytes) = locked.read(LENGTH as u64)? {
        return parse_key(path, &bytes);
    }
    let mut key = [0; LENGTH];
    getrandom::fill(&mut key).map_err(|error| FileError::system(FileOperation::Write, path)(error.into()))?;
    locked.replace_soon(&key)?;
    Ok(key)
}

/// Reads the key from a file; `None` if it is missing.
///
/// # Errors
/// When the file is not a key, or cannot be read.
pub fn read_key(path: &Path) -> Result<Option<[u8; LENGTH]>, FileError> {
    read(path, LENGTH as u64)?.map(|bytes| parse_key(path, &bytes)).transpose()
}

/// Writes a key to a file. Durable on return.
///
/// # Errors
/// When the file cannot be written.
pub fn write_key(path: &Path, key: &[u8; LENGTH]) -> Result<(), FileError> {
    Locked::take(path)?.replace(key)
}

fn parse_key(path: &Path, bytes: &[u8]) -> Result<[u8; LENGTH], FileError> {
    bytes.try_into().map_err(|_| FileError::NotAKey { path: path.to_path_buf(), length: bytes.len() })
}
