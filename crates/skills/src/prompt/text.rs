//! Text from skills, made safe to stand in a prompt: nothing that cannot be seen, nothing that closes a tag.

use tarsus_protocol::text::is_invisible;

/// The visible text, line by line as it is written.
#[must_use]
pub fn visible(text: &str) -> String {
    if text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return text.to_owned();
    }
    text.chars().filter(|letter| matches!(letter, '\n' | '\t') || !is_invisible(*letter)).collect()
}

/// The visible text on one line: white space of any kind is one space, none at the ends.
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

/// What shows that something was cut off.
const CUT: &str = "...";

/// The text in at most `most` characters; what is longer ends with three dots. `most` is at least 4.
#[must_use]
pub fn truncate(text: &str, most: usize) -> String {
    let (kept, dots) = cut_at(text, most);
    format!("{kept}{dots}")
}

/// What a cut keeps of the text, and the dots where it is not all.
pub(crate) fn cut_at(text: &str, most: usize) -> (&str, &'static str) {
    // A character has at least one byte.
    if text.len() <= most || text.chars().nth(most).is_none() {
        return (text, "");
    }
    let end = text.char_indices().nth(most - CUT.len()).map_or(text.len(), |(at, _)| at);
    (text[..end].trim_end(), CUT)
}

/// The text with what has a meaning in XML written out.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match written_out(letter) {
            Some(name) => out.push_str(name),
            None => out.push(letter),
        }
    }
    out
}

/// How a character with a meaning in XML is written.
fn written_out(letter: char) -> Option<&'static str> {
    Some(match letter {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&apos;",
        _ => return None,
    })
}

/// [`units`] of the text once it is [`escape`].
pub(crate) fn escaped_units(text: &str) -> usize {
    text.chars().map(|letter| written_out(letter).map_or(letter.len_utf16(), str::len)).sum()
}

/// How long a text is, as the limits count: in UTF-16 units.
pub(crate) fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_goes_and_joined_letters_stay() {
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
    fn a_cut_text_has_at_most_so_many_characters_and_says_that_it_is_cut() {
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
    fn lengths_are_utf_16_units_and_five_characters_are_written_out() {
        assert_eq!([units("a"), units("é"), units("天"), units("😀")], [1, 1, 1, 2]);
        let (text, written) = (r#"<a b="c">'&amp;😀"#, "&lt;a b=&quot;c&quot;&gt;&apos;&amp;amp;😀");
        assert_eq!((escape(text).as_str(), escaped_units(text)), (written, units(written)));
    }
}
