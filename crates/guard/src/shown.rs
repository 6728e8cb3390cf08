//! Texts that others wrote (names, keys, values), made fit for sentences, records and commands.

use tarsus_protocol::text::{is_invisible, without_controls};

/// At most so many characters of a name or a value are shown.
const LONGEST: usize = 80;

/// A text of a skill, cut and without anything that acts on a terminal or is not seen.
pub(crate) fn shown(text: &str) -> String {
    cut(text, LONGEST)
}

/// At most so many characters of a text, without the same.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let mut letters = printable(text);
    let mut short: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

/// The characters of a text without those that act on a terminal or are not seen.
pub(crate) fn printable(text: &str) -> impl Iterator<Item = char> {
    let clean: Vec<char> = without_controls(text).chars().filter(|letter| !is_invisible(*letter)).collect();
    clean.into_iter()
}
