//! Makes text from skills safe for a prompt: no invisible characters, no tags.

use tarsus_text::is_invisible;

/// Removes invisible characters; keeps line breaks and tabs.
#[must_use]
pub fn visible(text: &str) -> String {
    if text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return text.to_owned();
    }
    text.chars().filter(|letter| matches!(letter, '\n' | '\t') || !is_invisible(*letter)).collect()
}

/// Removes invisible characters and collapses white space, so that the text is one line.
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_whitespace() {
            if !line.ends_with(' ') && !line.is_empty() {
                line.push(' ');
            }
        } else if !is_invisible(letter) {
            line.push(letter);
        }
    }
    line.truncate(line.trim_end().len());
    line
}

const ELLIPSIS: &str = "...";

/// Truncates to `max` characters, with an ellipsis if something was cut. `max` is at least 4.
#[must_use]
pub fn truncate(text: &str, max: usize) -> String {
    let (kept, dots) = cut_at(text, max);
    format!("{kept}{dots}")
}

/// Returns the kept part of a cut text, and the ellipsis if something was cut.
pub(crate) fn cut_at(text: &str, max: usize) -> (&str, &'static str) {
    // A character has at least one byte.
    if text.len() <= max || text.chars().nth(max).is_none() {
        return (text, "");
    }
    let end = text.char_indices().nth(max - ELLIPSIS.len()).map_or(text.len(), |(at, _)| at);
    (text[..end].trim_end(), ELLIPSIS)
}

/// Escapes the characters with a meaning in XML.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match entity(letter) {
            Some(name) => out.push_str(name),
            None => out.push(letter),
        }
    }
    out
}

/// Returns the XML entity of a character, if it needs one.
fn entity(letter: char) -> Option<&'static str> {
    Some(match letter {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&apos;",
        _ => return None,
    })
}

/// Returns the [`units`] of the escaped text.
pub(crate) fn escaped_units(text: &str) -> usize {
    text.chars().map(|letter| entity(letter).map_or(letter.len_utf16(), str::len)).sum()
}

/// Returns the length in UTF-16 units, as the limits count.
pub(crate) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_removed_and_joiners_kept() {
        let table = [
            ("a\u{200b}b\u{202e}c\u{2066}d\u{feff}", "abcd"),
            ("x\u{e0041}\u{e0042}\u{e0100}y", "xy"),
            ("nul\0bell\x07esc\x1b[1m", "nulbellesc[1m"),
            ("👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}", "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f}"),
            ("می\u{200c}خواهم", "می\u{200c}خواهم"),
            ("two\nlines\tand a tab\r\n", "two\nlines\tand a tab\n"),
        ];
        for (text, seen) in table {
            assert_eq!(visible(text), seen, "{text:?}");
        }
        assert_eq!(one_line("  two\n\n lines\t\u{200b} here \u{2029}"), "two lines here");
        assert_eq!(one_line(" \u{200b} \n"), "");
    }

    #[test]
    fn truncated_text_ends_with_an_ellipsis() {
        let table = [
            ("four", 4, "four"),
            ("fives", 4, "f..."),
            ("fives", 5, "fives"),
            ("a bcd", 4, "a..."),
            ("one two three", 7, "one..."),
            ("天气预报和更多", 6, "天气预..."),
            ("", 4, ""),
        ];
        for (text, most, expected) in table {
            assert_eq!(truncate(text, most), expected, "{text} {most}");
        }
        assert_eq!(cut_at("fives", 4), ("f", "..."));
    }

    #[test]
    fn lengths_are_utf_16_units_of_the_escaped_text() {
        assert_eq!([units("a"), units("é"), units("天"), units("😀")], [1, 1, 1, 2]);
        let (text, written) = (r#"<a b="c">'&amp;😀"#, "&lt;a b=&quot;c&quot;&gt;&apos;&amp;amp;😀");
        assert_eq!((escape(text).as_str(), escaped_units(text)), (written, units(written)));
    }
}
