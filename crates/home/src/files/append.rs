//! A file that only grows: whole lines at the end, and back to a known length when one is torn.
//!
//! Promises: a failed append leaves the length as it was. Leaves to others: the lock that keeps two writers
//! apart, and when to sync.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::error::{Doing, FileError};
use super::plain::{folder_of, make_private_dir, private, regular, without_waiting};
use super::{crash, sync};

/// An open append-only file.
#[derive(Debug)]
pub struct Append {
    file: File,
    path: PathBuf,
}

impl Append {
    /// Opens the file; makes it (0600) and its folder when missing.
    ///
    /// # Errors
    /// When something other than a file is in its place, or the system says no.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        make_private_dir(folder_of(path))?;
        let failed = FileError::system(Doing::Write, path);
        let existed = path.try_exists().map_err(&failed)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        without_waiting(&mut options);
        let file = options.open(path).map_err(&failed)?;
        let found = file.metadata().map_err(&failed)?;
        regular(found.file_type(), Doing::Write, path)?;
        if !existed {
            crash::point("append.made");
            sync::folder(folder_of(path)).map_err(&failed)?;
        }
        Ok(Self { file, path: path.to_path_buf() })
    }

    /// Its length in bytes.
    ///
    /// # Errors
    /// When the system says no.
    pub fn length(&self) -> Result<u64, FileError> {
        let found = self.file.metadata().map_err(FileError::system(Doing::Read, &self.path))?;
        Ok(found.len())
    }

    /// Writes whole lines at the end and returns where they begin. [`Append::sync`] makes them permanent.
    ///
    /// # Errors
    /// When the system says no; what was written of them is taken back.
    pub fn append(&mut self, lines: &[u8]) -> Result<u64, FileError> {
        let failed = FileError::system(Doing::Write, &self.path);
        let start = self.file.seek(SeekFrom::End(0)).map_err(&failed)?;
        if let Err(error) = crash::write_all(&mut self.file, lines, "append.half") {
            // Cutting needs no space. If it fails as well, the torn end is found by whoever reads next.
            let _ = self.file.set_len(start);
            return Err(failed(error));
        }
        crash::point("append.written");
        Ok(start)
    }

    /// Makes everything so far permanent.
    ///
    /// # Errors
    /// When the system says no.
    pub fn sync(&self) -> Result<(), FileError> {
        sync::file(&self.file).map_err(FileError::system(Doing::Write, &self.path))?;
        crash::point("append.synced");
        Ok(())
    }

    /// Cuts the file back to `length`, permanently.
    ///
    /// # Errors
    /// When the system says no.
    pub fn cut(&mut self, length: u64) -> Result<(), FileError> {
        let failed = FileError::system(Doing::Write, &self.path);
        self.file.set_len(length).map_err(&failed)?;
        crash::point("append.cut");
        sync::file(&self.file).map_err(&failed)
    }
}
