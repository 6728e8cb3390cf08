//! Decodes a file as the loader does and splits it into frontmatter and body. White space is JavaScript's.

use std::borrow::Cow;

/// Whether JavaScript's `\s` and `trim` treat a character as white space.
pub(super) fn is_space(character: char) -> bool {
    match character {
        '\t'..='\r' | ' ' => true,
        _ if character.is_ascii() => false,
        '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}' => true,
        '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}' | '\u{FEFF}' => true,
        _ => false,
    }
}

pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(is_space)
}

/// Whether a character other than the newline ends a line for `.`, `^` and `$` in JavaScript.
pub(super) fn is_separator(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}')
}

/// Decodes bytes: replaces invalid UTF-8 by U+FFFD, removes one byte order mark, and normalizes line endings. Copies only
/// if something changes.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    // Nearly every file is valid UTF-8, and checking is faster than the lossy conversion.
    let text = str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed);
    let text = match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix('\u{FEFF}').unwrap_or(text)),
        Cow::Owned(text) if text.starts_with('\u{FEFF}') => {
            Cow::Owned(text['\u{FEFF}'.len_utf8()..].to_owned())
        }
        owned => owned,
    };
    // No early exit, so that the loop is vectorized.
    let has_returns = text.bytes().fold(false, |found, byte| found | (byte == b'\r'));
    if has_returns { Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")) } else { text }
}

/// A file, split at its two `---` lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split<'a> {
    /// No `---` at the start.
    NoFrontmatter,
    /// No second `---`.
    Unterminated,
    Parts {
        block: &'a str,
        /// Offset of the block.
        offset: usize,
        body: &'a str,
    },
}

/// Splits a text at its two `---` lines.
pub(super) fn split(text: &str) -> Split<'_> {
    let Some(opened) = text.strip_prefix("---").and_then(after_line) else { return Split::NoFrontmatter };
    let offset = text.len() - opened.len();
    let mut from = 0;
    loop {
        let rest = &opened[from..];
        if let Some(after) = rest.strip_prefix("---") {
            let body = if after.chars().all(is_space) && !after.contains('\n') {
                Some("")
            } else {
                after_line(after)
            };
            if let Some(body) = body {
                // The newline before the line belongs to it.
                let block = &opened[..from.saturating_sub(1)];
                return Split::Parts { block, offset, body };
            }
        }
        match rest.find('\n') {
            Some(newline) => from += newline + 1,
            None => return Split::Unterminated,
        }
    }
}

/// Returns the text after the line, if the line holds only white space.
fn after_line(text: &str) -> Option<&str> {
    text.trim_start_matches(|character| character != '\n' && is_space(character)).strip_prefix('\n')
}

/// Returns the line of an offset, from 1.
pub(super) fn line_of(text: &str, at: usize) -> u32 {
    let before = text.as_bytes().get(..at.min(text.len())).unwrap_or_default();
    let newlines = before.iter().filter(|&&byte| byte == b'\n').count();
    u32::try_from(newlines).unwrap_or(u32::MAX).saturating_add(1)
}

/// Splits a line `key: value` whose key consists of word characters and dashes. The value keeps trailing white space.
pub(super) fn field(line: &str) -> Option<(&str, &str)> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let end = line.bytes().position(|byte| !is_word(&byte))?;
    let value = line[end..].strip_prefix(':').filter(|_| end > 0)?;
    let value = value.trim_start_matches(is_space);
    (value.is_ascii() || !value.contains(is_separator)).then_some((&line[..end], value))
}

/// Removes one pair of quotes.
pub(super) fn unquoted(value: &str) -> &str {
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
    match quote {
        Some(quote) if value.ends_with(quote) => value.get(1..value.len() - 1).unwrap_or(""),
        _ => value,
    }
}
