//! Validated source text, positions in it, and the syntax error that points at one.

use std::fmt;
use std::ops::Deref;
use std::str::Utf8Error;

use tarsus_protocol::{ErrorCode, Excerpt, Problem, SourceLocation};

use super::syntax_error_kind::SyntaxErrorKind;

/// Maximum size of a text in bytes.
pub const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Maximum width of an excerpt, in characters.
const EXCERPT_WIDTH: usize = 100;

/// A syntax error with its position.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {}", .excerpt.label)]
pub struct SyntaxError {
    /// `Malformed`, or `TooLarge` for a limit.
    pub code: ErrorCode,
    /// Byte offset of the error.
    pub offset: usize,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The line, with the message as its label.
    pub excerpt: Excerpt,
    /// What is wrong.
    pub kind: Box<SyntaxErrorKind>,
}

impl SyntaxError {
    pub(super) fn new(text: &[u8], offset: usize, kind: SyntaxErrorKind) -> Self {
        let (line, column) = position(text, offset);
        let excerpt = excerpt(text, offset, kind.to_string());
        let code = match kind {
            SyntaxErrorKind::TooManyBytes { .. }
            | SyntaxErrorKind::TooManyValues
            | SyntaxErrorKind::TooDeep => ErrorCode::TooLarge,
            _ => ErrorCode::Malformed,
        };
        Self { code, offset, line, column, excerpt, kind: Box::new(kind) }
    }

    /// The message, without the position.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.excerpt.label
    }

    /// Rebuilds the excerpt from the line masked by `mask`, which must keep the number of characters.
    #[must_use]
    pub fn with_masked_line(mut self, bytes: &[u8], mask: impl FnOnce(&str) -> String) -> Self {
        let start = line_start(bytes, self.offset.min(bytes.len()));
        let rest = &bytes[start..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let line = mask(&String::from_utf8_lossy(&rest[..length]));
        let column = self.column.saturating_sub(1) as usize;
        let offset = line.char_indices().nth(column).map_or(line.len(), |(at, _)| at);
        self.excerpt = excerpt(line.as_bytes(), offset, self.excerpt.label);
        self
    }

    /// Converts to a [`Problem`]: `message` says which file is invalid, the excerpt says why.
    #[must_use]
    pub fn problem(self, file: &std::path::Path, message: impl Into<String>) -> Problem {
        Problem::new(self.code, message).at(SourceLocation {
            path: file.to_path_buf(),
            line: Some(self.line),
            column: Some(self.column),
            excerpt: Some(self.excerpt),
        })
    }
}

/// Validated text: UTF-8 without NUL, at most [`MAX_BYTES`].
#[derive(Clone, PartialEq, Eq)]
pub struct SourceText(String);

impl SourceText {
    /// Validates bytes.
    ///
    /// # Errors
    /// When the text is too large, not UTF-8, or contains a NUL.
    pub fn new(bytes: Vec<u8>) -> Result<Self, SyntaxError> {
        check_bytes(&bytes)?;
        String::from_utf8(bytes).map(Self).map_err(|error| not_utf8(error.as_bytes(), error.utf8_error()))
    }
}

impl Deref for SourceText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

/// Prints only the length: the text may hold secrets.
impl fmt::Debug for SourceText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.len())
    }
}

fn check_bytes(bytes: &[u8]) -> Result<(), SyntaxError> {
    if bytes.len() as u64 > MAX_BYTES {
        return Err(SyntaxError::new(b"", 0, SyntaxErrorKind::TooManyBytes { bytes: bytes.len() }));
    }
    // `contains` is vectorised: search for the position only if there is a NUL.
    if bytes.contains(&0) {
        let offset = bytes.iter().take_while(|byte| **byte != 0).count();
        return Err(SyntaxError::new(bytes, offset, SyntaxErrorKind::Nul { byte: offset + 1 }));
    }
    Ok(())
}

fn not_utf8(bytes: &[u8], error: Utf8Error) -> SyntaxError {
    let offset = error.valid_up_to();
    let byte = bytes.get(offset).copied().unwrap_or_default();
    SyntaxError::new(bytes, offset, SyntaxErrorKind::NotUtf8 { byte: offset + 1, value: byte })
}

/// Line and column of a byte, both from 1. Lines end with LF, CR LF or CR, as editors count them.
pub(super) fn position(text: &[u8], offset: usize) -> (u32, u32) {
    let before = &text[..offset.min(text.len())];
    let breaks = before.iter().enumerate().filter(|(at, byte)| match byte {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    });
    let line = breaks.count() + 1;
    let column = count_chars(&before[line_start(text, before.len())..]) + 1;
    (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(column).unwrap_or(u32::MAX))
}

fn line_start(text: &[u8], offset: usize) -> usize {
    text[..offset].iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |at| {
        // An offset between CR and LF still belongs to the line before.
        let inside = text[at] == b'\r' && at + 1 == offset && text.get(offset) == Some(&b'\n');
        if inside { line_start(text, at) } else { at + 1 }
    })
}

fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

/// Cuts the line around `offset` and replaces every character that is unsafe in a terminal, one to one.
fn excerpt(text: &[u8], offset: usize, label: String) -> Excerpt {
    // A character has at most four bytes, so a window of this size is enough for a line of any length.
    let reach = EXCERPT_WIDTH * 4;
    let offset = offset.min(text.len());
    let start = line_start(text, offset);
    let window_start = start.max(offset.saturating_sub(reach));
    let rest = &text[offset..text.len().min(offset + reach)];
    let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
    let cut_after = length == reach;

    let before: Vec<char> = visible(&text[window_start..offset]);
    let after: Vec<char> = visible(&rest[..length]);
    let keep_before = before.len().min(EXCERPT_WIDTH / 2);
    let keep_after = after.len().min(EXCERPT_WIDTH - 2 - keep_before);

    let mut shown = String::new();
    let skipped = before.len() - keep_before;
    let mut column = keep_before;
    if skipped > 0 || window_start > start {
        shown.push('…');
        column += 1;
    }
    shown.extend(&before[skipped..]);
    shown.extend(&after[..keep_after]);
    if cut_after || keep_after < after.len() {
        shown.push('…');
    }
    Excerpt { text: shown, offset: column, label }
}

fn visible(bytes: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(bytes).chars().map(visible_char).collect()
}

fn visible_char(char: char) -> char {
    match char {
        '\t' => ' ',
        '\0'..='\u{1F}' => char::from_u32(0x2400 + char as u32).unwrap_or('\u{FFFD}'),
        '\u{7F}'..='\u{9F}'
        | '\u{AD}'
        | '\u{61C}'
        | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{E0000}'..='\u{E007F}' => '\u{FFFD}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters() {
        let text = "a\r\nbé\rc\n\u{2028}d".as_bytes();
        let table = [
            (0, (1, 1)),
            (1, (1, 2)),
            (2, (1, 3)),
            (3, (2, 1)),
            (6, (2, 3)),
            (7, (3, 1)),
            (9, (4, 1)),
            (12, (4, 2)),
            (999, (4, 3)),
        ];
        for (offset, expected) in table {
            assert_eq!(position(text, offset), expected, "byte {offset}");
        }
    }

    #[test]
    fn excerpts_are_short_and_safe_to_print() {
        let long = format!("{}X{}", "é".repeat(300), "b".repeat(300));
        let shown = excerpt(long.as_bytes(), 600, "here".to_owned());
        assert_eq!(shown.text.chars().count(), EXCERPT_WIDTH);
        assert_eq!(shown.text.chars().nth(shown.offset), Some('X'));
        assert!(shown.text.starts_with('…') && shown.text.ends_with('…'));

        let hostile = excerpt("\u{1b}[31m\u{202e}\t\u{7}x\n".as_bytes(), 0, String::new());
        assert_eq!(hostile.text, "␛[31m\u{FFFD} ␇x");
    }

    #[test]
    fn invalid_bytes_are_rejected_with_position() {
        let error = SourceText::new(b"{\n  \xff}".to_vec()).unwrap_err();
        assert_eq!((error.line, error.column), (2, 3));
        assert_eq!(error.label(), "byte 5 is 0xff, which is not valid UTF-8");
        let error = SourceText::new(b"{\n\0}".to_vec()).unwrap_err();
        assert_eq!((error.line, error.column, error.label()), (2, 1, "a NUL byte (byte 3)"));
        let error = SourceText::new(vec![b' '; usize::try_from(MAX_BYTES).unwrap() + 1]).unwrap_err();
        assert_eq!(error.code, ErrorCode::TooLarge);
    }
}
