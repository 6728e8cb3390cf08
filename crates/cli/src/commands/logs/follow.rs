//! What is written into the log from some place on, over every turn of its files.

use std::path::PathBuf;

use tarsus_home::files::FileError;

use super::backwards::LONGEST;
use super::file::{LogFile, MOST_FILES};

/// Bytes that are read at a time.
const BLOCK: u64 = 64 * 1024;

/// A place in the log.
#[derive(Debug)]
pub struct Following {
    path: PathBuf,
    /// The file that the place is in; none before the first.
    file: Option<LogFile>,
    at: u64,
    /// The beginning of a line whose end is not written yet.
    unfinished: Vec<u8>,
}

/// What one look finds: no more than a block of the file, so that a long log needs little room.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The lines that were finished since.
    pub lines: Vec<Vec<u8>>,
    /// Whether files may have gone before they could be read.
    pub gap: bool,
    /// Whether there may be more at once.
    pub more: bool,
}

impl Following {
    /// From `at` in a file on; from the beginning of the first file where there is none.
    pub fn new(path: PathBuf, file: Option<LogFile>, at: u64) -> Self {
        Self { path, file, at, unfinished: Vec::new() }
    }

    /// Whether there is a log.
    pub fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// What was written since the last look.
    pub fn look(&mut self) -> Result<Found, FileError> {
        let mut found = Found::default();
        if self.read(&mut found.lines)? {
            found.more = true;
        } else if let Some((next, gap)) = self.turned_over()? {
            found.more = true;
            // What was written between the last read and the turn comes before the next file.
            if !self.read(&mut found.lines)? {
                if !self.unfinished.is_empty() {
                    // Whoever began it has ended, and nobody finishes it.
                    found.lines.push(std::mem::take(&mut self.unfinished));
                }
                (self.file, self.at) = (Some(next), 0);
                found.gap = gap;
            }
        }
        Ok(found)
    }

    /// Reads a block; whether there was anything.
    fn read(&mut self, lines: &mut Vec<Vec<u8>>) -> Result<bool, FileError> {
        let Some(file) = &mut self.file else { return Ok(false) };
        let block = file.read_at(self.at, BLOCK)?;
        file.learn()?;
        self.at += block.len() as u64;
        for piece in block.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST.saturating_sub(self.unfinished.len());
            self.unfinished.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let mut line = std::mem::take(&mut self.unfinished);
                line.pop_if(|byte| *byte == b'\n');
                lines.push(line);
            }
        }
        Ok(!block.is_empty())
    }

    /// The file that follows the one that was read, and whether there may have been another between them.
    ///
    /// A turn moves a file to a higher number, so that counting upwards may meet it twice and never misses it.
    fn turned_over(&self) -> Result<Option<(LogFile, bool)>, FileError> {
        let Some(current) = &self.file else {
            return Ok(LogFile::open(&self.path, 0)?.map(|first| (first, false)));
        };
        let mut next = None;
        for age in 0..=MOST_FILES {
            match LogFile::open(&self.path, age)? {
                Some(file) if current.is_older_than(&file) => next = Some(file),
                Some(file) => return Ok(next.map(|next| (next, !current.is(&file)))),
                None if age == 0 => {}
                None => break,
            }
        }
        Ok(next.map(|next| (next, true)))
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "a test removes a file")]
mod tests;
