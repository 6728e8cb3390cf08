//! A lock between processes: whoever holds the file's lock is alone.
//!
//! Promises: a killed holder frees it (the system does); waiting ends. The lock file itself stays: removing
//! it would let two processes hold two files of one name.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use super::crash;
use super::error::{Doing, FileError};
use super::plain::{folder_of, make_private_dir, private, regular, without_waiting};

const LONGEST_WAIT: Duration = Duration::from_secs(30);
const FIRST_STEP: Duration = Duration::from_micros(200);
const LONGEST_STEP: Duration = Duration::from_millis(20);

/// A held lock. Children do not inherit it; dropping it frees it.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock on `path`, waiting at most 30 seconds. Makes file and folder when missing.
    ///
    /// # Errors
    /// `Busy` when another process keeps it, or what the system says.
    pub fn take(path: &Path) -> Result<Self, FileError> {
        let file = open(path)?;
        // The naps are added up instead of asking a clock: the bound holds when the clock is set.
        let (mut waited, mut step) = (Duration::ZERO, FIRST_STEP);
        while waited < LONGEST_WAIT {
            if held(&file, path)? {
                crash::point("lock.taken");
                return Ok(Self { file });
            }
            sleep(step);
            waited += step;
            step = (step * 2).min(LONGEST_STEP);
        }
        Err(FileError::Busy { path: path.to_path_buf(), seconds: LONGEST_WAIT.as_secs() })
    }

    /// Takes the lock on `path` when it is free; `None` when another process has it.
    ///
    /// # Errors
    /// What the system says.
    pub fn try_take(path: &Path) -> Result<Option<Self>, FileError> {
        let file = open(path)?;
        Ok(held(&file, path)?.then(|| Self { file }))
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing frees the lock too, but not while a child between fork and exec still shares the file.
        // A failure here leaves just that: the close that follows.
        let _ = self.file.unlock();
    }
}

fn open(path: &Path) -> Result<File, FileError> {
    make_private_dir(folder_of(path))?;
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    private(&mut options);
    without_waiting(&mut options);
    let file = options.open(path).map_err(FileError::system(Doing::Lock, path))?;
    let found = file.metadata().map_err(FileError::system(Doing::Lock, path))?;
    regular(found.file_type(), Doing::Lock, path)?;
    crash::point("lock.opened");
    Ok(file)
}

fn held(file: &File, path: &Path) -> Result<bool, FileError> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(FileError::system(Doing::Lock, path)(error)),
    }
}
