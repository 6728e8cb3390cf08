//! A rotating log file of bounded size: `NAME`, then `NAME.1` (newest) to `NAME.N` (oldest). One process writes it.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::{FileError, FileOperation};
use super::plain::{make_private_dir, parent_folder, require_regular, set_nonblocking, set_private};
use super::retry::retry_while_open;

/// A writer that starts a new file when the current one would exceed its size. One `write` never spans two files.
#[derive(Debug)]
pub struct Rotating {
    path: PathBuf,
    most_bytes: u64,
    keep: u32,
    /// `None` while files are being renamed, and after a failure.
    file: Option<File>,
    length: u64,
}

impl Rotating {
    /// Opens the file for appending; creates it (0600) and its folder if missing. Keeps `keep` older files.
    ///
    /// # Errors
    /// When something other than a file is at the path, or the system returns an error.
    pub fn open(path: &Path, most_bytes: u64, keep: u32) -> Result<Self, FileError> {
        make_private_dir(parent_folder(path))?;
        let failed = FileError::system(FileOperation::Write, path);
        let file = open_for_append(path).map_err(&failed)?;
        let found = file.metadata().map_err(&failed)?;
        require_regular(found.file_type(), FileOperation::Write, path)?;
        Ok(Self { path: path.to_path_buf(), most_bytes, keep, file: Some(file), length: found.len() })
    }

    fn older(&self, age: u32) -> PathBuf {
        let mut name = OsString::from(&self.path);
        name.push(format!(".{age}"));
        PathBuf::from(name)
    }

    fn rotate(&mut self) -> io::Result<()> {
        // Windows cannot rename an open file.
        self.file = None;
        for age in (1..self.keep).rev() {
            ignore_missing(retry_while_open(|| fs::rename(self.older(age), self.older(age + 1))))?;
        }
        if self.keep == 0 {
            ignore_missing(retry_while_open(|| fs::remove_file(&self.path)))
        } else {
            ignore_missing(retry_while_open(|| fs::rename(&self.path, self.older(1))))
        }
    }

    fn current(&mut self) -> io::Result<File> {
        if let Some(file) = self.file.take() {
            return Ok(file);
        }
        let file = open_for_append(&self.path)?;
        self.length = file.metadata()?.len();
        Ok(file)
    }
}

impl Write for Rotating {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.length > 0 && self.length.saturating_add(bytes.len() as u64) > self.most_bytes {
            self.rotate()?;
        }
        let mut file = self.current()?;
        // After a failure the next write reopens the file and reads its length.
        file.write_all(bytes)?;
        self.file = Some(file);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_mut().map_or(Ok(()), File::flush)
    }
}

fn open_for_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    set_private(&mut options);
    set_nonblocking(&mut options);
    options.open(path)
}

fn ignore_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
