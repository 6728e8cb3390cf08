//! A space reserve for writes that must succeed on a full disk: deny, stop, revoke.
//!
//! Best effort: the released space is available to the whole machine, so another process may take it first. Keep such
//! writes well below the size of the reserve.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::crash::WriteNeed;
use super::error::{FileError, FileOperation};
use super::plain::{make_private_dir, parent_folder, remove_file, set_private};
use super::{crash, sync};

const SIZE: usize = 64 * 1024;

/// A file of 64 KiB with allocated blocks that is removed to make space for a write.
#[derive(Debug, Clone)]
pub struct Reserve {
    path: PathBuf,
}

impl Reserve {
    /// Returns the reserve at `path`; [`Reserve::ensure`] creates the file.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Creates the reserve if it is missing or incomplete. Returns true if it was created.
    ///
    /// # Errors
    /// When there is no space for it, or the system returns an error.
    pub fn ensure(&self) -> Result<bool, FileError> {
        if self.path.metadata().is_ok_and(|found| found.len() == SIZE as u64) {
            return Ok(false);
        }
        make_private_dir(parent_folder(&self.path))?;
        if let Err(error) = self.fill() {
            // A partial reserve is useless; report the first error.
            let _ = remove_file(&self.path);
            return Err(error);
        }
        Ok(true)
    }

    /// Runs `write`; if the disk is full, releases the reserve and runs it once more.
    ///
    /// # Errors
    /// The error of the last run of `write`.
    pub fn spend_on<T, E>(
        &self,
        is_full: impl Fn(&E) -> bool,
        mut write: impl FnMut() -> Result<T, E>,
    ) -> Result<T, E> {
        // Restores a reserve that was spent before; a failure here does not prevent the write.
        let _ = self.ensure();
        match write() {
            Err(error) if is_full(&error) => match self.give_back() {
                Ok(true) => write(),
                // There was no reserve to release: the disk stays full.
                Ok(false) | Err(_) => Err(error),
            },
            done => done,
        }
    }

    /// Releases the space. Returns true if there was a reserve.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn give_back(&self) -> Result<bool, FileError> {
        let given = remove_file(&self.path)?;
        crash::point("reserve.given");
        Ok(given)
    }

    /// Path of the reserve file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn fill(&self) -> Result<(), FileError> {
        let failed = FileError::system(FileOperation::Write, &self.path);
        // Random bytes: a compressing or sparse file system would allocate nothing for zeros.
        let mut bytes = vec![0; SIZE];
        getrandom::fill(&mut bytes).map_err(|error| failed(error.into()))?;
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        set_private(&mut options);
        crash::check_write(WriteNeed::Space).map_err(&failed)?;
        let mut file = options.open(&self.path).map_err(&failed)?;
        file.write_all(&bytes).map_err(&failed)?;
        crash::point("reserve.filled");
        sync::file(&file).map_err(&failed)
    }
}
