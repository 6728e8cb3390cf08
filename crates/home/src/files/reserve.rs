//! Space kept back for what must work on a full disk: deny, stop, revoke.
//!
//! Promises: best effort. The space is given back to the whole machine, so another process may take it
//! before us. Whatever must work through it fits into it: keep such writes well below its size.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::error::{Doing, FileError};
use super::plain::{folder_of, make_private_dir, private, remove_file};
use super::{crash, sync};

const SIZE: usize = 64 * 1024;

/// A file of 64 KiB with real blocks that can be given up for a write.
#[derive(Debug, Clone)]
pub struct Reserve {
    path: PathBuf,
}

impl Reserve {
    /// The reserve at `path`; [`Reserve::ensure`] makes it.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Makes the reserve when it is missing or not whole. True when it was made.
    ///
    /// # Errors
    /// When there is no space for it, or the system says no.
    pub fn ensure(&self) -> Result<bool, FileError> {
        if self.path.metadata().is_ok_and(|found| found.len() == SIZE as u64) {
            return Ok(false);
        }
        make_private_dir(folder_of(&self.path))?;
        if let Err(error) = self.fill() {
            // Half a reserve is space taken for nothing; the error that led here is the one to tell.
            let _ = remove_file(&self.path);
            return Err(error);
        }
        Ok(true)
    }

    /// Runs `write`; when it meets a full disk, gives the reserve back and runs it once more.
    ///
    /// # Errors
    /// What the last run of `write` says.
    pub fn spend_on<T, E>(
        &self,
        is_full: impl Fn(&E) -> bool,
        mut write: impl FnMut() -> Result<T, E>,
    ) -> Result<T, E> {
        // The next chance to have it again after it was spent; where that fails, the write may not.
        let _ = self.ensure();
        match write() {
            Err(error) if is_full(&error) => match self.give_back() {
                Ok(true) => write(),
                // Nothing was there to give, or it could not be given: the full disk is the answer.
                Ok(false) | Err(_) => Err(error),
            },
            done => done,
        }
    }

    /// Gives the space back. True when there was any.
    ///
    /// # Errors
    /// When the system says no.
    pub fn give_back(&self) -> Result<bool, FileError> {
        let given = remove_file(&self.path)?;
        crash::point("reserve.given");
        Ok(given)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn fill(&self) -> Result<(), FileError> {
        let failed = FileError::system(Doing::Write, &self.path);
        // Random bytes: a file system that compresses or leaves holes would keep nothing back for zeros.
        let mut bytes = vec![0; SIZE];
        getrandom::fill(&mut bytes).map_err(|error| failed(error.into()))?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        private(&mut options);
        let mut file = options.open(&self.path).map_err(&failed)?;
        file.write_all(&bytes).map_err(&failed)?;
        crash::point("reserve.filled");
        sync::file(&file).map_err(&failed)
    }
}
