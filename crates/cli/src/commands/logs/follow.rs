//! Follows the log across rotations.

use std::path::PathBuf;

use tarsus_home::files::FileError;

use super::file::{LogFile, MAX_ROTATED_FILES};
use super::reverse_lines::MAX_LINE_BYTES;

/// Bytes read at a time.
const BLOCK: u64 = 64 * 1024;

/// A position in the log.
#[derive(Debug)]
pub struct LogFollower {
    path: PathBuf,
    /// The current file; `None` before the first exists.
    file: Option<LogFile>,
    at: u64,
    /// A line whose end is not written yet.
    unfinished: Vec<u8>,
}

/// The result of one poll: at most one block, to bound memory.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct LogBatch {
    /// Lines completed since the last poll.
    pub lines: Vec<Vec<u8>>,
    /// Whether files may have been deleted before they were read.
    pub gap: bool,
    /// Whether there may be more to read immediately.
    pub more: bool,
}

impl LogFollower {
    /// Starts at offset `at` of a file, or at the beginning of the first file.
    pub fn new(path: PathBuf, file: Option<LogFile>, at: u64) -> Self {
        Self { path, file, at, unfinished: Vec::new() }
    }

    pub fn is_open(&self) -> bool {
        self.file.is_some()
    }

    /// Reads what was written since the last poll.
    pub fn poll(&mut self) -> Result<LogBatch, FileError> {
        let mut found = LogBatch::default();
        if self.read(&mut found.lines)? {
            found.more = true;
        } else if let Some((next, gap)) = self.next_file()? {
            found.more = true;
            // Lines written between the last read and the rotation come before those of the next file.
            if !self.read(&mut found.lines)? {
                if !self.unfinished.is_empty() {
                    // Its writer has ended, so the line stays incomplete.
                    found.lines.push(std::mem::take(&mut self.unfinished));
                }
                (self.file, self.at) = (Some(next), 0);
                found.gap = gap;
            }
        }
        Ok(found)
    }

    /// Reads a block. Returns whether there was anything.
    fn read(&mut self, lines: &mut Vec<Vec<u8>>) -> Result<bool, FileError> {
        let Some(file) = &mut self.file else { return Ok(false) };
        let block = file.read_at(self.at, BLOCK)?;
        file.read_head()?;
        self.at += block.len() as u64;
        for piece in block.split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_LINE_BYTES.saturating_sub(self.unfinished.len());
            self.unfinished.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let mut line = std::mem::take(&mut self.unfinished);
                line.pop_if(|byte| *byte == b'\n');
                lines.push(line);
            }
        }
        Ok(!block.is_empty())
    }

    /// Finds the file after the current one, and whether others between them may be lost.
    ///
    /// Rotation moves a file to a higher number, so counting upwards may see it twice but never misses it.
    fn next_file(&self) -> Result<Option<(LogFile, bool)>, FileError> {
        let Some(current) = &self.file else {
            return Ok(LogFile::open(&self.path, 0)?.map(|first| (first, false)));
        };
        let mut next = None;
        for age in 0..=MAX_ROTATED_FILES {
            match LogFile::open(&self.path, age)? {
                Some(file) if current.is_older_than(&file) => next = Some(file),
                Some(file) => return Ok(next.map(|next| (next, !current.is_same_file(&file)))),
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
