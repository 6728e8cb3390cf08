//! Reads the lines of a file from its end, block by block.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes read at a time.
const BLOCK: u64 = 64 * 1024;
/// Bytes kept of a line.
pub const MAX_LINE_BYTES: usize = 1024 * 1024;

/// Iterates over the lines, last first. The first item is the text after the last line break: empty, or an
/// unfinished line.
pub struct ReverseLines<'f> {
    file: &'f File,
    /// Length of the file when it was opened.
    pub length: u64,
    /// Offset of the first byte that was read.
    begin: u64,
    /// Bytes that were read but not returned yet.
    block: Vec<u8>,
    done: bool,
}

impl<'f> ReverseLines<'f> {
    pub fn new(file: &'f File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file, length, begin: length, block: Vec::new(), done: false })
    }

    fn read_line(&mut self) -> io::Result<Vec<u8>> {
        // The part of the line from later blocks.
        let mut found: Vec<u8> = Vec::new();
        loop {
            let from = self.block.iter().rposition(|byte| *byte == b'\n');
            let mut line = self.block.split_off(from.map_or(0, |at| at + 1));
            line.append(&mut found);
            line.truncate(MAX_LINE_BYTES);
            if from.is_some() {
                // Drop the line break.
                self.block.pop();
                return Ok(line);
            }
            if self.begin == 0 {
                self.done = true;
                return Ok(line);
            }
            found = line;
            let begin = self.begin.saturating_sub(BLOCK);
            let mut file = self.file;
            file.seek(SeekFrom::Start(begin))?;
            file.take(self.begin - begin).read_to_end(&mut self.block)?;
            self.begin = begin;
        }
    }
}

impl Iterator for ReverseLines<'_> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done { None } else { Some(self.read_line()) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn reverse_lines(text: &[u8]) -> Vec<Vec<u8>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        ReverseLines::new(&file).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn lines_of_any_length_are_read_from_the_end() {
        let long = vec![b'x'; 3 * BLOCK as usize + 17];
        let lines = [b"first".to_vec(), Vec::new(), long, b"last".to_vec(), b"unfinished".to_vec()];
        let text = lines.join(&b'\n');
        let expected: Vec<_> = lines.iter().rev().cloned().collect();
        assert_eq!(reverse_lines(&text), expected);
    }

    #[test]
    fn line_breaks_at_block_boundaries_are_found() {
        for around in [BLOCK as usize - 1, BLOCK as usize, BLOCK as usize + 1] {
            let lines = [vec![b'a'; 3], vec![b'b'; around - 1], Vec::new()];
            let expected: Vec<_> = lines.iter().rev().cloned().collect();
            assert_eq!(reverse_lines(&lines.join(&b'\n')), expected, "{around}");
        }
    }

    #[test]
    fn empty_file_is_one_empty_line_and_long_lines_are_cut() {
        assert_eq!(reverse_lines(b""), [b""]);
        let endless = reverse_lines(&vec![b'x'; MAX_LINE_BYTES + 5 * BLOCK as usize]);
        assert_eq!((endless.len(), endless[0].len()), (1, MAX_LINE_BYTES));
    }
}
