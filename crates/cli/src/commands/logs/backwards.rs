//! The lines of a file from its end, without reading more of it than is asked for.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Bytes that are read at a time.
const BLOCK: u64 = 64 * 1024;
/// Bytes of a line that are kept.
pub const LONGEST: usize = 1024 * 1024;

/// What lies between line breaks, the last first. The first one given is what follows the last line break: nothing,
/// or a line that is still being written.
pub struct Backwards<'f> {
    file: &'f File,
    /// Bytes of the file when it was looked at.
    pub length: u64,
    /// Where the part begins that was read.
    begin: u64,
    /// What was read and not given yet.
    block: Vec<u8>,
    done: bool,
}

impl<'f> Backwards<'f> {
    pub fn new(file: &'f File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        Ok(Self { file, length, begin: length, block: Vec::new(), done: false })
    }

    fn piece(&mut self) -> io::Result<Vec<u8>> {
        // What was found of the piece so far, its beginning last.
        let mut found: Vec<u8> = Vec::new();
        loop {
            let from = self.block.iter().rposition(|byte| *byte == b'\n');
            let mut piece = self.block.split_off(from.map_or(0, |at| at + 1));
            piece.append(&mut found);
            piece.truncate(LONGEST);
            if from.is_some() {
                // The line break itself.
                self.block.pop();
                return Ok(piece);
            }
            if self.begin == 0 {
                self.done = true;
                return Ok(piece);
            }
            found = piece;
            let begin = self.begin.saturating_sub(BLOCK);
            let mut file = self.file;
            file.seek(SeekFrom::Start(begin))?;
            file.take(self.begin - begin).read_to_end(&mut self.block)?;
            self.begin = begin;
        }
    }
}

impl Iterator for Backwards<'_> {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done { None } else { Some(self.piece()) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn backwards(text: &[u8]) -> Vec<Vec<u8>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        Backwards::new(&file).unwrap().map(Result::unwrap).collect()
    }

    #[test]
    fn lines_come_from_the_end_however_long_they_are() {
        let long = vec![b'x'; 3 * BLOCK as usize + 17];
        let lines = [b"first".to_vec(), Vec::new(), long, b"last".to_vec(), b"unfinished".to_vec()];
        let text = lines.join(&b'\n');
        let expected: Vec<_> = lines.iter().rev().cloned().collect();
        assert_eq!(backwards(&text), expected);
    }

    #[test]
    fn line_breaks_at_the_edges_of_blocks_are_found() {
        for around in [BLOCK as usize - 1, BLOCK as usize, BLOCK as usize + 1] {
            let lines = [vec![b'a'; 3], vec![b'b'; around - 1], Vec::new()];
            let expected: Vec<_> = lines.iter().rev().cloned().collect();
            assert_eq!(backwards(&lines.join(&b'\n')), expected, "{around}");
        }
    }

    #[test]
    fn nothing_is_one_empty_piece_and_a_line_without_end_is_cut() {
        assert_eq!(backwards(b""), [b""]);
        let endless = backwards(&vec![b'x'; LONGEST + 5 * BLOCK as usize]);
        assert_eq!((endless.len(), endless[0].len()), (1, LONGEST));
    }
}
