//! An append-only file of lines that can be truncated to a known length after a torn write.
//!
//! A failed append restores the length. The caller holds a lock against concurrent writers and decides when to sync.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::crash::WriteNeed;
use super::error::{FileError, FileOperation};
use super::plain::{make_private_dir, parent_folder, require_regular, set_nonblocking, set_private};
use super::{crash, sync};

/// An open append-only file.
#[derive(Debug)]
pub struct Append {
    file: File,
    path: PathBuf,
}

impl Append {
    /// Opens the file; creates it (0600) and its folder if missing.
    ///
    /// # Errors
    /// When something other than a file is at the path, or the system returns an error.
    pub fn open(path: &Path) -> Result<Self, FileError> {
        make_private_dir(parent_folder(path))?;
        let failed = FileError::system(FileOperation::Write, path);
        let existed = path.try_exists().map_err(&failed)?;
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        set_private(&mut options);
        set_nonblocking(&mut options);
        crash::check_write(if existed { WriteNeed::Permission } else { WriteNeed::Space })
            .map_err(&failed)?;
        let file = options.open(path).map_err(&failed)?;
        let found = file.metadata().map_err(&failed)?;
        require_regular(found.file_type(), FileOperation::Write, path)?;
        if !existed {
            crash::point("append.made");
            sync::folder(parent_folder(path)).map_err(&failed)?;
        }
        Ok(Self { file, path: path.to_path_buf() })
    }

    /// Returns the length in bytes.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn length(&self) -> Result<u64, FileError> {
        let found = self.file.metadata().map_err(FileError::system(FileOperation::Read, &self.path))?;
        Ok(found.len())
    }

    /// Appends whole lines and returns their offset. [`Append::sync`] makes them durable.
    ///
    /// # Errors
    /// On an I/O error; a partial write is undone.
    pub fn append(&mut self, lines: &[u8]) -> Result<u64, FileError> {
        let failed = FileError::system(FileOperation::Write, &self.path);
        let start = self.file.seek(SeekFrom::End(0)).map_err(&failed)?;
        if let Err(error) = crash::write_all(&mut self.file, lines, "append.half") {
            // Truncating needs no space. If it fails as well, the next reader detects the torn line.
            let _ = self.file.set_len(start);
            return Err(failed(error));
        }
        crash::point("append.written");
        Ok(start)
    }

    /// Makes all appended lines durable.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn sync(&self) -> Result<(), FileError> {
        sync::file(&self.file).map_err(FileError::system(FileOperation::Write, &self.path))?;
        crash::point("append.synced");
        Ok(())
    }

    /// Truncates the file to `length`, durably.
    ///
    /// # Errors
    /// On an I/O error.
    pub fn cut(&mut self, length: u64) -> Result<(), FileError> {
        let failed = FileError::system(FileOperation::Write, &self.path);
        crash::check_write(WriteNeed::Permission).map_err(&failed)?;
        self.file.set_len(length).map_err(&failed)?;
        crash::point("append.cut");
        sync::file(&self.file).map_err(&failed)
    }
}
