//! An exclusive lock between processes, on a lock file.
//!
//! The system releases the lock of a killed process; waiting is bounded. The lock file is never removed: otherwise two
//! processes could lock two different files of the same name.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::crash::{self, WriteNeed};
use super::error::{FileError, FileOperation};
use super::plain::{make_private_dir, parent_folder, require_regular, set_nonblocking, set_private};

const MAX_WAIT: Duration = Duration::from_secs(30);
const FIRST_STEP: Duration = Duration::from_micros(200);
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// A held lock, released on drop. Child processes do not inherit it.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Acquires the lock on `path`, waiting at most 30 seconds. Creates file and folder if missing.
    ///
    /// # Errors
    /// `Busy` when another process keeps it, or an I/O error.
    pub fn take(path: &Path) -> Result<Self, FileError> {
        let file = open(path)?;
        // Sums up the pauses instead of reading a clock, so that the bound holds when the clock is set.
        let (mut waited, mut step) = (Duration::ZERO, FIRST_STEP);
        while waited < MAX_WAIT {
            if try_lock(&file, path)? {
                crash::point("lock.taken");
                return Ok(Self { file });
            }
            sleep(step);
            waited += step;
            step = (step * 2).min(MAX_PAUSE);
        }
        Err(FileError::Busy { path: path.to_path_buf(), seconds: MAX_WAIT.as_secs() })
    }

    /// Acquires the lock on `path` if it is free; `None` if another process holds it.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn try_take(path: &Path) -> Result<Option<Self>, FileError> {
        let file = open(path)?;
        Ok(try_lock(&file, path)?.then(|| Self { file }))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing releases the lock too, but not while a child between fork and exec shares the file.
        // If unlocking fails, the close that follows releases it.
        let _ = self.file.unlock();
    }
}

fn open(path: &Path) -> Result<File, FileError> {
    make_private_dir(parent_folder(path))?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    set_private(&mut options);
    set_nonblocking(&mut options);
    let failed = FileError::system(FileOperation::Lock, path);
    crash::check_write(WriteNeed::Permission).map_err(&failed)?;
    let file = options.open(path).map_err(failed)?;
    let found = file.metadata().map_err(FileError::system(FileOperation::Lock, path))?;
    require_regular(found.file_type(), FileOperation::Lock, path)?;
    crash::point("lock.opened");
    Ok(file)
}

fn try_lock(file: &File, path: &Path) -> Result<bool, FileError> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(FileError::system(FileOperation::Lock, path)(error)),
    }
}
