//! Sanitizes untrusted text (names, keys, values) for messages, audit records and commands.

use tarsus_text::{is_invisible, without_controls};

const MAX_CHARS: usize = 80;

/// Truncates text to a displayable length and removes control and invisible characters.
pub(crate) fn sanitize(text: &str) -> String {
    truncate(text, MAX_CHARS)
}

/// Removes control and invisible characters and truncates to `max` characters, with an ellipsis.
pub(crate) fn truncate(text: &str, max: usize) -> String {
    let mut letters = printable(text);
    let mut short: String = letters.by_ref().take(max).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// Iterates over the characters that are neither control sequences nor invisible.
pub(crate) fn printable(text: &str) -> impl Iterator<Item = char> {
    let clean: Vec<char> = without_controls(text).chars().filter(|letter| !is_invisible(*letter)).collect();
    clean.into_iter()
}
