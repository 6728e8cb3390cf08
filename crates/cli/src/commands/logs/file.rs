//! One file of the log: the current one or a rotated one.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use tarsus_home::files::{self, FileError, FileOperation};

use super::reverse_lines::ReverseLines;

/// The most rotated files that the settings allow.
pub const MAX_ROTATED_FILES: u32 = 100;
/// Bytes that identify a file: every line starts with its timestamp.
const HEAD_BYTES: u64 = 128;

/// An open log file, which may be renamed meanwhile.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: File,
    head: Vec<u8>,
}

impl LogFile {
    /// Opens the current file (0), or the one that was rotated `age` times.
    pub fn open(log: &Path, age: u32) -> Result<Option<Self>, FileError> {
        let path = match age {
            0 => log.to_path_buf(),
            age => {
                let mut name = OsString::from(log);
                name.push(format!(".{age}"));
                name.into()
            }
        };
        let Some(file) = files::open(&path)? else { return Ok(None) };
        let mut opened = Self { path, file, head: Vec::new() };
        opened.read_head()?;
        Ok(Some(opened))
    }

    /// Reads the first bytes, as far as they are written.
    pub fn read_head(&mut self) -> Result<(), FileError> {
        if (self.head.len() as u64) < HEAD_BYTES {
            self.head = self.read_at(0, HEAD_BYTES)?;
        }
        Ok(())
    }

    /// Whether `other`, opened later, is the same file. An empty file never matches.
    pub fn is_same_file(&self, other: &Self) -> bool {
        !self.head.is_empty() && other.head.starts_with(&self.head)
    }

    /// Whether `other` was created later.
    pub fn is_older_than(&self, other: &Self) -> bool {
        !self.is_same_file(other) && self.head < other.head
    }

    /// Iterates over the lines from the end.
    pub fn reverse_lines(&self) -> Result<ReverseLines<'_>, FileError> {
        ReverseLines::new(&self.file).map_err(self.read_error())
    }

    /// Reads at most `most` bytes from offset `at`.
    pub fn read_at(&self, at: u64, most: u64) -> Result<Vec<u8>, FileError> {
        let mut file = &self.file;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.take(most).read_to_end(&mut bytes))
            .map_err(self.read_error())?;
        Ok(bytes)
    }

    /// Converts a read failure of this file.
    pub fn read_error(&self) -> impl Fn(io::Error) -> FileError {
        FileError::system(FileOperation::Read, &self.path)
    }
}
