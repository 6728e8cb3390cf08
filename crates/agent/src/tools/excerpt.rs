//! Excerpts of texts for models: at most 2,000 lines and 50 KB, with a note on how to read on.
//!
//! An excerpt has whole lines, unless its first line does not fit. Memory does not grow with the file.

use std::io::{self, Read};

/// Maximum lines of an excerpt.
pub const MAX_LINES: u64 = 2_000;
/// Maximum bytes of an excerpt.
pub const MAX_BYTES: usize = 50 * 1024;
/// Maximum bytes that are read to find an excerpt and to count lines.
const MAX_SCANNED_BYTES: u64 = 64 * 1024 * 1024;
/// Bytes of one read.
const CHUNK: usize = 64 * 1024;

/// Consecutive lines of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextExcerpt {
    pub text: String,
    /// Number of the first line, from 1.
    pub first: u64,
    /// Number of lines in `text`.
    pub count: u64,
    /// Number of lines in the whole text.
    pub lines: LineCount,
    /// Whether the only line was cut because it did not fit.
    pub is_cut: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineCount {
    Exact(u64),
    /// At least one line more than this; the rest was not read.
    MoreThan(u64),
}

/// Reads an excerpt of at most `max` lines that starts at a line, counted from 1.
///
/// # Errors
/// When the text cannot be read.
pub fn read_excerpt(mut text: impl Read, first: u64, max: u64) -> io::Result<TextExcerpt> {
    let mut reader = ExcerptReader::new(first, max.min(MAX_LINES));
    let mut chunk = vec![0; CHUNK];
    let mut left = MAX_SCANNED_BYTES;
    let lines = loop {
        let size = usize::try_from(left).unwrap_or(CHUNK).min(CHUNK);
        if size == 0 {
            break LineCount::MoreThan(reader.line - 1);
        }
        match text.read(&mut chunk[..size]) {
            Ok(0) => break LineCount::Exact(reader.line - 1 + u64::from(reader.is_in_line)),
            Ok(read) => {
                reader.push(&chunk[..read]);
                left -= read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    Ok(reader.finish(lines))
}

/// Truncates a text to the size of an excerpt, with a note if something is cut.
#[must_use]
pub fn truncate_lines(text: String, rest: &str) -> String {
    let max = usize::try_from(MAX_LINES).unwrap_or(usize::MAX);
    if text.len() <= MAX_BYTES && text.lines().nth(max).is_none() {
        return text;
    }
    // Reading from memory does not fail.
    match read_excerpt(text.as_bytes(), 1, MAX_LINES) {
        Ok(TextExcerpt { text, count, .. }) => {
            format!("{}\n[only the first {count} lines are shown; {rest}]", text.trim_end_matches('\n'))
        }
        Err(_) => String::new(),
    }
}

struct ExcerptReader {
    first: u64,
    /// The line after the last requested one.
    end: u64,
    bytes: Vec<u8>,
    /// Number of the current line.
    line: u64,
    /// Whether part of the current line was read.
    is_in_line: bool,
    /// Start of the current line in `bytes`.
    line_start: usize,
    /// The first line that does not fit.
    full_at: Option<u64>,
    is_cut: bool,
}

impl ExcerptReader {
    fn new(first: u64, max: u64) -> Self {
        Self {
            first,
            end: first.saturating_add(max),
            bytes: Vec::new(),
            line: 1,
            is_in_line: false,
            line_start: 0,
            full_at: None,
            is_cut: false,
        }
    }

    fn push(&mut self, chunk: &[u8]) {
        for piece in chunk.split_inclusive(|byte| *byte == b'\n') {
            if self.line >= self.first && self.line < self.end && self.full_at.is_none() {
                self.append(piece);
            }
            self.is_in_line = piece.last() != Some(&b'\n');
            if !self.is_in_line {
                self.line += 1;
                self.line_start = self.bytes.len();
            }
        }
    }

    fn append(&mut self, piece: &[u8]) {
        let free = MAX_BYTES - self.bytes.len();
        if piece.len() <= free {
            self.bytes.extend_from_slice(piece);
        } else if self.line_start == 0 {
            self.bytes.extend_from_slice(&piece[..free]);
            (self.is_cut, self.full_at) = (true, Some(self.line + 1));
        } else {
            self.bytes.truncate(self.line_start);
            self.full_at = Some(self.line);
        }
    }

    fn finish(self, lines: LineCount) -> TextExcerpt {
        let last = self.line - u64::from(!self.is_in_line);
        let end = self.full_at.unwrap_or(self.end).min(last + 1);
        let mut bytes = self.bytes;
        if self.is_cut {
            // Drop an incomplete character.
            let end = bytes.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
            bytes.truncate(bytes.len() - end.min(3));
        }
        TextExcerpt {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            first: self.first,
            count: end.saturating_sub(self.first),
            lines,
            is_cut: self.is_cut,
        }
    }
}

impl TextExcerpt {
    /// A note on what is missing, if anything; `parameter` is the one that selects the next line.
    #[must_use]
    pub fn note(&self, parameter: &str) -> Option<String> {
        let Self { first, count, is_cut, .. } = self;
        let next = first + count;
        let (all, has_more) = match self.lines {
            LineCount::Exact(lines) => (lines.to_string(), next <= lines),
            LineCount::MoreThan(lines) => (format!("more than {lines}"), true),
        };
        let resume = if has_more { format!("; continue with {parameter}={next}") } else { String::new() };
        if *is_cut {
            let cut = format!("line {first} of {all} is cut after {MAX_BYTES} bytes");
            return Some(format!("[{cut}, and this tool cannot show the rest of it{resume}]"));
        }
        let last = next.saturating_sub(1);
        has_more.then(|| format!("[lines {first} to {last} of {all}{resume}]"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads at max a number of bytes at once.
    struct ShortReads<'t>(&'t [u8], usize);

    impl Read for ShortReads<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let max = buffer.len().min(self.1);
            self.0.read(&mut buffer[..max])
        }
    }

    fn take(text: &str, first: u64, max: u64) -> (String, Option<String>) {
        let excerpt = read_excerpt(text.as_bytes(), first, max).unwrap();
        let note = excerpt.note("offset");
        (excerpt.text, note)
    }

    #[test]
    fn excerpt_has_whole_lines_and_a_note() {
        let note = |text: &str| Some(text.to_owned());
        let table = [
            ("", 1, 9, "", None),
            ("a", 1, 9, "a", None),
            ("a\n", 1, 9, "a\n", None),
            ("a\nb\nc", 1, 9, "a\nb\nc", None),
            ("a\nb\nc", 1, 2, "a\nb\n", note("[lines 1 to 2 of 3; continue with offset=3]")),
            ("a\nb\nc", 2, 1, "b\n", note("[lines 2 to 2 of 3; continue with offset=3]")),
            ("a\nb\nc", 3, 1, "c", None),
            ("a\nb\nc\n", 3, 9, "c\n", None),
            ("\n\n\n", 2, 1, "\n", note("[lines 2 to 2 of 3; continue with offset=3]")),
        ];
        for (text, first, max, expected, note) in table {
            assert_eq!(take(text, first, max), (expected.to_owned(), note), "{text:?} {first} {max}");
        }
        assert_eq!(read_excerpt(&b"a\nb"[..], 3, 9).unwrap().count, 0);
    }

    #[test]
    fn excerpt_is_bounded_in_lines_and_bytes() {
        let many = "x\n".repeat(3_000);
        let (text, note) = take(&many, 1, u64::MAX);
        assert_eq!(text.lines().count(), 2_000);
        assert_eq!(note.unwrap(), "[lines 1 to 2000 of 3000; continue with offset=2001]");

        let wide = format!("{}\n", "y".repeat(999)).repeat(60);
        let (text, note) = take(&wide, 1, u64::MAX);
        assert_eq!(text.len(), 51_000);
        assert_eq!(note.unwrap(), "[lines 1 to 51 of 60; continue with offset=52]");

        let one = format!("a\n{}\nb\n", "é".repeat(40_000));
        let (text, note) = take(&one, 2, u64::MAX);
        assert_eq!(text, "é".repeat(MAX_BYTES / 2));
        let cut = "line 2 of 3 is cut after 51200 bytes, and this tool cannot show the rest of it; continue with offset=3";
        assert_eq!(note.unwrap(), format!("[{cut}]"));
        let (text, note) = take(&one, 1, u64::MAX);
        assert_eq!(
            (text.as_str(), note.unwrap().as_str()),
            ("a\n", "[lines 1 to 1 of 3; continue with offset=2]")
        );
        // A character that the cut would go through is left out.
        let (text, _) = take(&format!("x{}", "é".repeat(40_000)), 1, 1);
        assert_eq!(text, format!("x{}", "é".repeat(MAX_BYTES / 2 - 1)));
    }

    #[test]
    fn scanned_bytes_are_bounded() {
        let endless = io::repeat(b'\n');
        let excerpt = read_excerpt(endless, 1, 1).unwrap();
        assert_eq!(
            (excerpt.text.as_str(), excerpt.count, excerpt.lines),
            ("\n", 1, LineCount::MoreThan(MAX_SCANNED_BYTES))
        );
        assert_eq!(
            excerpt.note("from").unwrap(),
            format!("[lines 1 to 1 of more than {MAX_SCANNED_BYTES}; continue with from=2]")
        );
    }

    #[test]
    fn short_text_stays_unchanged() {
        assert_eq!(truncate_lines("a\nb".to_owned(), "ask"), "a\nb");
        let cut = truncate_lines("a\n".repeat(2_001), "ask for one");
        assert!(cut.ends_with("a\n[only the first 2000 lines are shown; ask for one]"), "{}", &cut[3_990..]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Following the notes yields the whole text, however it is read.
        #[test]
        fn consecutive_excerpts_make_up_the_text(text in "[a\n]{0,60}", max in 1u64..5, chunk in 1usize..9) {
            let mut whole = String::new();
            let mut first = 1;
            loop {
                let excerpt = read_excerpt(ShortReads(text.as_bytes(), chunk), first, max).unwrap();
                prop_assert_eq!(&excerpt, &read_excerpt(text.as_bytes(), first, max).unwrap());
                whole.push_str(&excerpt.text);
                first += excerpt.count;
                if excerpt.note("offset").is_none() {
                    break;
                }
            }
            prop_assert_eq!(whole, text);
        }
    }
}
