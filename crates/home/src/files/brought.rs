//! Files that the program brings along, put on disk where agents and people can read them.
//!
//! Promises: afterwards the folder holds exactly these files, whatever happened to it before; a crash or a second process
//! at any moment does no harm; where everything is in its place nothing is written. Leaves to others: what to do without
//! the folder.

use std::path::{Path, PathBuf};

use super::{Confined, Durability, FileError, Kind, Lock, make_private_dir, remove_file};

/// More names than this in one folder are not ours.
const MOST_NAMES: usize = 1_000;

/// Makes a folder hold exactly these files, each a path below it with its bytes. What is missing or different is written,
/// what does not belong there is removed; one process at a time does that, whoever holds `lock`.
///
/// # Errors
/// When something has to be written or removed and cannot be.
pub fn bring(folder: &Path, lock: &Path, files: &[(&str, &[u8])]) -> Result<(), FileError> {
    if is_whole(folder, files)? {
        return Ok(());
    }
    // Whoever waits here finds the work done. Others use the folder only after they came through here.
    let _lock = Lock::take(lock)?;
    make_private_dir(folder)?;
    let confined = Confined::open(folder)?;
    for stranger in strangers(&confined, Path::new(""), files)? {
        remove_file(&folder.join(stranger))?;
    }
    for (path, bytes) in files {
        if !holds(&confined, path, bytes) {
            // Damage by a power cut is noticed above, and mended.
            confined.write(Path::new(path), bytes, Durability::KillSafe)?;
        }
    }
    Ok(())
}

/// Whether the folder holds exactly these files.
fn is_whole(folder: &Path, files: &[(&str, &[u8])]) -> Result<bool, FileError> {
    if !folder.is_dir() {
        return Ok(false);
    }
    let confined = Confined::open(folder)?;
    Ok(files.iter().all(|(path, bytes)| holds(&confined, path, bytes))
        && strangers(&confined, Path::new(""), files)?.is_empty())
}

/// A file that cannot be read is as good as a damaged one: it is written again.
fn holds(folder: &Confined, path: &str, bytes: &[u8]) -> bool {
    let read = folder.read(Path::new(path), bytes.len() as u64);
    read.is_ok_and(|found| found.as_deref() == Some(bytes))
}

/// Everything in a folder that is neither a folder nor one of these files.
fn strangers(folder: &Confined, below: &Path, files: &[(&str, &[u8])]) -> Result<Vec<PathBuf>, FileError> {
    let mut strangers = Vec::new();
    for entry in folder.list(below, MOST_NAMES)? {
        let path = below.join(&entry.name);
        let ours = files.iter().any(|(known, _)| path == Path::new(known));
        match entry.kind {
            Kind::Folder => strangers.extend(self::strangers(folder, &path, files)?),
            Kind::File if ours => {}
            Kind::File | Kind::Link | Kind::Other => strangers.push(path),
        }
    }
    Ok(strangers)
}
