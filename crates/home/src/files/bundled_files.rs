//! Writes files that are embedded in the program to disk, where agents and people can read them.
//!
//! Afterwards the folder contains exactly these files. Safe against crashes and concurrent processes; writes nothing if
//! the folder is up to date.

use std::path::{Path, PathBuf};

use super::{Confined, Durability, FileError, FileKind, Lock, make_private_dir, remove_file};

/// Maximum number of names in one folder.
const MAX_NAMES: usize = 1_000;

/// Makes a folder contain exactly these files (relative path and bytes): writes missing or different ones and removes
/// all others, under `lock`.
///
/// # Errors
/// When something has to be written or removed and cannot be.
pub fn bring(folder: &Path, lock: &Path, files: &[(&str, &[u8])]) -> Result<(), FileError> {
    if is_complete(folder, files)? {
        return Ok(());
    }
    // A process that waited here finds the files in place. Every user of the folder calls this function first.
    let _lock = Lock::take(lock)?;
    make_private_dir(folder)?;
    let confined = Confined::open(folder)?;
    for unexpected in unexpected_files(&confined, Path::new(""), files)? {
        remove_file(&folder.join(unexpected))?;
    }
    for (path, bytes) in files {
        if !has_contents(&confined, path, bytes) {
            // No sync needed: damage by a power cut is detected and repaired by the next call.
            confined.write(Path::new(path), bytes, Durability::KillSafe)?;
        }
    }
    Ok(())
}

fn is_complete(folder: &Path, files: &[(&str, &[u8])]) -> Result<bool, FileError> {
    if !folder.is_dir() {
        return Ok(false);
    }
    let confined = Confined::open(folder)?;
    Ok(files.iter().all(|(path, bytes)| has_contents(&confined, path, bytes))
        && unexpected_files(&confined, Path::new(""), files)?.is_empty())
}

/// Treats a file that cannot be read as damaged, so that it is written again.
fn has_contents(folder: &Confined, path: &str, bytes: &[u8]) -> bool {
    let read = folder.read(Path::new(path), bytes.len() as u64);
    read.is_ok_and(|found| found.as_deref() == Some(bytes))
}

/// Returns everything in the folder except folders and these files.
fn unexpected_files(
    folder: &Confined,
    below: &Path,
    files: &[(&str, &[u8])],
) -> Result<Vec<PathBuf>, FileError> {
    let mut unexpected_files = Vec::new();
    for entry in folder.list(below, MAX_NAMES)? {
        let path = below.join(&entry.name);
        let ours = files.iter().any(|(known, _)| path == Path::new(known));
        match entry.kind {
            FileKind::Folder => unexpected_files.extend(self::unexpected_files(folder, &path, files)?),
            FileKind::File if ours => {}
            FileKind::File | FileKind::Link | FileKind::Other => unexpected_files.push(path),
        }
    }
    Ok(unexpected_files)
}
