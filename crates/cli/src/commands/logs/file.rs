//! One file of the log: the one that is written, or one that was turned over.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use tarsus_home::files::{self, Doing, FileError};

use super::backwards::Backwards;

/// The most older files that the settings let stay.
pub const MOST_FILES: u32 = 100;
/// Bytes at the beginning that tell files apart: every line begins with its own time.
const HEAD: u64 = 128;

/// A file of the log that is open, whatever its name is by now.
#[derive(Debug)]
pub struct LogFile {
    path: PathBuf,
    file: File,
    head: Vec<u8>,
}

impl LogFile {
    /// Opens the file that is written (0), or the one that was turned over so many times.
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
        opened.learn()?;
        Ok(Some(opened))
    }

    /// Reads its beginning, as far as it is written.
    pub fn learn(&mut self) -> Result<(), FileError> {
        if (self.head.len() as u64) < HEAD {
            self.head = self.read_at(0, HEAD)?;
        }
        Ok(())
    }

    /// Whether `other`, opened later, is the same file. An empty one cannot be told from others, and is none of them.
    pub fn is(&self, other: &Self) -> bool {
        !self.head.is_empty() && other.head.starts_with(&self.head)
    }

    /// Whether `other` was begun after it.
    pub fn is_older_than(&self, other: &Self) -> bool {
        !self.is(other) && self.head < other.head
    }

    /// Its lines from the end.
    pub fn backwards(&self) -> Result<Backwards<'_>, FileError> {
        Backwards::new(&self.file).map_err(self.failed())
    }

    /// At most `most` bytes from `at` on.
    pub fn read_at(&self, at: u64, most: u64) -> Result<Vec<u8>, FileError> {
        let mut file = &self.file;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(at))
            .and_then(|_| file.take(most).read_to_end(&mut bytes))
            .map_err(self.failed())?;
        Ok(bytes)
    }

    /// How a failure to read it is told.
    pub fn failed(&self) -> impl Fn(io::Error) -> FileError {
        FileError::system(Doing::Read, &self.path)
    }
}
