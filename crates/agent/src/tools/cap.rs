//! How much of a text a model is shown at once, and the note that says how to get the rest.
//!
//! Promises: at most 2,000 lines and 50 KB, whole lines where one fits; the same part whatever pieces the text is read in;
//! memory does not grow with the file. Leaves to others: what is read.

use std::io::{self, Read};

/// Lines that are shown at once.
pub const MOST_LINES: u64 = 2_000;
/// Bytes that are shown at once.
pub const MOST_BYTES: usize = 50 * 1024;
/// Bytes of a file that are looked at to find a part and to count lines.
const LOOKED_AT: u64 = 64 * 1024 * 1024;
/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its lines.
    pub text: String,
    /// The number of its first line, from 1.
    pub first: u64,
    /// How many lines of it are shown; the last one may be cut.
    pub shown: u64,
    /// How many lines there are.
    pub lines: Lines,
    /// Whether its only line did not fit.
    pub is_cut: bool,
}

/// How many lines there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// So many.
    All(u64),
    /// More than these: nobody has looked further.
    MoreThan(u64),
}

/// Takes the part of a text that begins at a line, numbered from 1, and has at most `most` lines.
///
/// # Errors
/// What reading it said.
pub fn part(mut text: impl Read, first: u64, most: u64) -> io::Result<Part> {
    let mut taking = Taking::new(first, most.min(MOST_LINES));
    let mut piece = vec![0; PIECE];
    let mut left = LOOKED_AT;
    let lines = loop {
        let room = usize::try_from(left).unwrap_or(PIECE).min(PIECE);
        if room == 0 {
            break Lines::MoreThan(taking.line - 1);
        }
        match text.read(&mut piece[..room]) {
            Ok(0) => break Lines::All(taking.line - 1 + u64::from(taking.is_in_line)),
            Ok(read) => {
                taking.piece(&piece[..read]);
                left -= read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    Ok(taking.part(lines))
}

/// The part of a text that a model is shown, with a note when that is not all of it.
#[must_use]
pub fn capped(text: String, rest: &str) -> String {
    let most = usize::try_from(MOST_LINES).unwrap_or(usize::MAX);
    if text.len() <= MOST_BYTES && text.lines().nth(most).is_none() {
        return text;
    }
    // A text in memory can always be read.
    match part(text.as_bytes(), 1, MOST_LINES) {
        Ok(part) => {
            let shown = part.shown;
            format!("{}\n[only the first {shown} lines are shown; {rest}]", part.text.trim_end_matches('\n'))
        }
        Err(_) => String::new(),
    }
}

/// What is being taken.
struct Taking {
    first: u64,
    /// The first line that is not wanted any more.
    end: u64,
    bytes: Vec<u8>,
    /// The number of the line that is read.
    line: u64,
    /// Whether something of it was read.
    is_in_line: bool,
    /// Where it begins in what was taken.
    begins: usize,
    /// The line that did not fit any more, and all after it.
    full: Option<u64>,
    is_cut: bool,
}

impl Taking {
    fn new(first: u64, most: u64) -> Self {
        Self {
            first,
            end: first.saturating_add(most),
            bytes: Vec::new(),
            line: 1,
            is_in_line: false,
            begins: 0,
            full: None,
            is_cut: false,
        }
    }

    fn piece(&mut self, piece: &[u8]) {
        for some in piece.split_inclusive(|byte| *byte == b'\n') {
            if self.line >= self.first && self.line < self.end && self.full.is_none() {
                self.take(some);
            }
            self.is_in_line = some.last() != Some(&b'\n');
            if !self.is_in_line {
                self.line += 1;
                self.begins = self.bytes.len();
            }
        }
    }

    fn take(&mut self, some: &[u8]) {
        let room = MOST_BYTES - self.bytes.len();
        if some.len() <= room {
            self.bytes.extend_from_slice(some);
        } else if self.begins == 0 {
            self.bytes.extend_from_slice(&some[..room]);
            (self.is_cut, self.full) = (true, Some(self.line + 1));
        } else {
            self.bytes.truncate(self.begins);
            self.full = Some(self.line);
        }
    }

    fn part(self, lines: Lines) -> Part {
        let seen = self.line - u64::from(!self.is_in_line);
        let end = self.full.unwrap_or(self.end).min(seen + 1);
        let mut bytes = self.bytes;
        if self.is_cut {
            // Not in the middle of a character.
            let end = bytes.utf8_chunks().last().map_or(0, |chunk| chunk.invalid().len());
            bytes.truncate(bytes.len() - end.min(3));
        }
        Part {
            text: String::from_utf8_lossy(&bytes).into_owned(),
            first: self.first,
            shown: end.saturating_sub(self.first),
            lines,
            is_cut: self.is_cut,
        }
    }
}

impl Part {
    /// What to say when this is not everything; `parameter` is what a next line is asked for with.
    #[must_use]
    pub fn note(&self, parameter: &str) -> Option<String> {
        let Self { first, shown, is_cut, .. } = self;
        let next = first + shown;
        let (all, more) = match self.lines {
            Lines::All(lines) => (lines.to_string(), next <= lines),
            Lines::MoreThan(lines) => (format!("more than {lines}"), true),
        };
        let goes_on = if more { format!("; {parameter}={next} goes on") } else { String::new() };
        if *is_cut {
            let cut = format!("line {first} of {all} is cut after {MOST_BYTES} bytes");
            return Some(format!("[{cut}, and this tool cannot show the rest of it{goes_on}]"));
        }
        let last = next.saturating_sub(1);
        more.then(|| format!("[lines {first} to {last} of {all}{goes_on}]"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads at most so many bytes at once.
    struct Slowly<'t>(&'t [u8], usize);

    impl Read for Slowly<'_> {
        fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
            let most = room.len().min(self.1);
            self.0.read(&mut room[..most])
        }
    }

    fn take(text: &str, first: u64, most: u64) -> (String, Option<String>) {
        let part = part(text.as_bytes(), first, most).unwrap();
        let note = part.note("offset");
        (part.text, note)
    }

    #[test]
    fn a_part_has_whole_lines_and_says_how_to_go_on() {
        let note = |text: &str| Some(text.to_owned());
        let table = [
            ("", 1, 9, "", None),
            ("a", 1, 9, "a", None),
            ("a\n", 1, 9, "a\n", None),
            ("a\nb\nc", 1, 9, "a\nb\nc", None),
            ("a\nb\nc", 1, 2, "a\nb\n", note("[lines 1 to 2 of 3; offset=3 goes on]")),
            ("a\nb\nc", 2, 1, "b\n", note("[lines 2 to 2 of 3; offset=3 goes on]")),
            ("a\nb\nc", 3, 1, "c", None),
            ("a\nb\nc\n", 3, 9, "c\n", None),
            ("\n\n\n", 2, 1, "\n", note("[lines 2 to 2 of 3; offset=3 goes on]")),
        ];
        for (text, first, most, shown, note) in table {
            assert_eq!(take(text, first, most), (shown.to_owned(), note), "{text:?} {first} {most}");
        }
        assert_eq!(part(&b"a\nb"[..], 3, 9).unwrap().shown, 0);
    }

    #[test]
    fn what_is_shown_is_bounded_in_lines_and_in_bytes() {
        let many = "x\n".repeat(3_000);
        let (text, note) = take(&many, 1, u64::MAX);
        assert_eq!(text.lines().count(), 2_000);
        assert_eq!(note.unwrap(), "[lines 1 to 2000 of 3000; offset=2001 goes on]");

        let wide = format!("{}\n", "y".repeat(999)).repeat(60);
        let (text, note) = take(&wide, 1, u64::MAX);
        assert_eq!(text.len(), 51_000);
        assert_eq!(note.unwrap(), "[lines 1 to 51 of 60; offset=52 goes on]");

        let one = format!("a\n{}\nb\n", "é".repeat(40_000));
        let (text, note) = take(&one, 2, u64::MAX);
        assert_eq!(text, "é".repeat(MOST_BYTES / 2));
        let cut = "line 2 of 3 is cut after 51200 bytes, and this tool cannot show the rest of it; offset=3 goes on";
        assert_eq!(note.unwrap(), format!("[{cut}]"));
        let (text, note) = take(&one, 1, u64::MAX);
        assert_eq!((text.as_str(), note.unwrap().as_str()), ("a\n", "[lines 1 to 1 of 3; offset=2 goes on]"));
        // A character that the cut would go through is left out.
        let (text, _) = take(&format!("x{}", "é".repeat(40_000)), 1, 1);
        assert_eq!(text, format!("x{}", "é".repeat(MOST_BYTES / 2 - 1)));
    }

    #[test]
    fn no_more_than_a_bound_is_looked_at() {
        let endless = io::repeat(b'\n');
        let part = part(endless, 1, 1).unwrap();
        assert_eq!((part.text.as_str(), part.shown, part.lines), ("\n", 1, Lines::MoreThan(LOOKED_AT)));
        assert_eq!(
            part.note("from").unwrap(),
            format!("[lines 1 to 1 of more than {LOOKED_AT}; from=2 goes on]")
        );
    }

    #[test]
    fn a_text_that_fits_is_as_it_was() {
        assert_eq!(capped("a\nb".to_owned(), "ask"), "a\nb");
        let cut = capped("a\n".repeat(2_001), "ask for one");
        assert!(cut.ends_with("a\n[only the first 2000 lines are shown; ask for one]"), "{}", &cut[3_990..]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Parts that follow each other's notes are the whole text, and do not depend on how it is read.
        #[test]
        fn the_parts_of_a_text_are_the_text(text in "[a\n]{0,60}", most in 1u64..5, at_once in 1usize..9) {
            let mut whole = String::new();
            let mut first = 1;
            loop {
                let part = part(Slowly(text.as_bytes(), at_once), first, most).unwrap();
                prop_assert_eq!(&part, &super::part(text.as_bytes(), first, most).unwrap());
                whole.push_str(&part.text);
                first += part.shown;
                if part.note("offset").is_none() {
                    break;
                }
            }
            prop_assert_eq!(whole, text);
        }
    }
}
