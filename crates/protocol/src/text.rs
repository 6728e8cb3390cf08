//! Text from outside, made fit to be passed on; bytes as text; and how far apart two words are.
//!
//! Promises: what needs no change is not copied. Leaves to others: how wide a text is, and where it is cut.

use std::borrow::Cow;

/// The text without terminal sequences and control characters; tabs and line ends stay.
#[must_use]
pub fn without_controls(text: &str) -> Cow<'_, str> {
    if !may_be_harmful(text) || !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(is_harmful) {
        clean.push_str(&rest[..at]);
        rest = after_sequence(&rest[at..]);
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}

/// Whether a character is not seen but acts: it moves the cursor, colours the terminal, ends the line or turns the
/// reading direction.
#[must_use]
pub const fn is_hidden(letter: char) -> bool {
    matches!(letter, '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character shows nothing, and so could carry words that a person does not see or turn those that he does.
/// Joiners and emoji presentation are not among them: names and descriptions are written with them.
#[must_use]
pub const fn is_invisible(letter: char) -> bool {
    is_hidden(letter)
        || matches!(
            letter as u32,
            0xad | 0x115f..=0x1160
                | 0x17b4..=0x17b5
                | 0x180b..=0x180f
                | 0x200b
                | 0x2060..=0x206f
                | 0x3164
                | 0xfe00..=0xfe0d
                | 0xfeff
                | 0xffa0
                | 0xfff0..=0xfffb
                | 0x1bca0..=0x1bca3
                | 0x1d173..=0x1d17a
                | 0xe0000..=0xe0fff
        )
}

/// Bytes in hexadecimal, in lower case.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)]);
        text.push(DIGITS[usize::from(byte & 0xf)]);
    }
    text
}

/// A text as one word of a shell's command line, fit to be pasted: nothing in it is run, opened or split. What is not
/// seen has to be taken out before, and a word that begins with a dash needs `--` before it.
///
/// ```
/// use tarsus_protocol::text::shell_quoted;
///
/// assert_eq!(shell_quoted("git-helper"), "git-helper");
/// assert_eq!(shell_quoted("a$(reboot)'s"), r"'a$(reboot)'\''s'");
/// ```
#[must_use]
pub fn shell_quoted(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A look at all bytes, many in one step, which settles nearly every text: the control characters beyond ASCII all
/// begin with C2.
fn may_be_harmful(text: &str) -> bool {
    text.bytes().fold(false, |may, byte| {
        may | (matches!(byte, ..b' ' | 0x7f | 0xc2) & !matches!(byte, b'\t' | b'\n' | b'\r'))
    })
}

fn is_harmful(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\t' | '\n' | '\r')
}

/// What follows the control character at the beginning and the sequence that it opens, if it opens one.
fn after_sequence(text: &str) -> &str {
    let mut letters = text.chars();
    let opener = match letters.next() {
        Some('\x1b') => letters.next(),
        // The same in one character.
        Some('\u{9b}') => Some('['),
        Some('\u{9d}') => Some(']'),
        _ => return letters.as_str(),
    };
    match opener {
        Some('[') => {
            let inside = letters.as_str();
            let end = inside.find(|letter| !matches!(letter, ' '..='?')).unwrap_or(inside.len());
            let is_final = inside[end..].starts_with(|letter| matches!(letter, '@'..='~'));
            &inside[end + usize::from(is_final)..]
        }
        // A text for the terminal, up to its end mark. Without one the line is kept: it may be all there is.
        Some(']' | 'P' | 'X' | '^' | '_') => {
            let inside = letters.as_str();
            let end = inside.find(char::is_control);
            match end.map(|end| &inside[end..]) {
                Some(end) if end.starts_with("\x1b\\") => &end[2..],
                Some(end) if end.starts_with(['\x07', '\u{9c}']) => {
                    let mut end = end.chars();
                    end.next();
                    end.as_str()
                }
                _ => inside,
            }
        }
        Some(' '..='~') => letters.as_str(),
        // Not a sequence: only the escape character goes.
        _ => &text['\x1b'.len_utf8()..],
    }
}

/// How many letters were left out, added, changed or swapped with their neighbour; none when more than `most`.
///
/// Only places that can still be reached with `most` errors are looked at, and it ends as soon as there are none.
#[must_use]
pub fn typing_errors(typed: &[char], name: &[char], most: usize) -> Option<usize> {
    if typed.len().abs_diff(name.len()) > most {
        return None;
    }
    let too_many = most + 1;
    let width = name.len() + 1;
    let mut before_last = vec![too_many; width];
    let mut last: Vec<usize> = (0..width).map(|column| column.min(too_many)).collect();
    let mut now = vec![too_many; width];
    for (row, letter) in typed.iter().enumerate() {
        let band = row.saturating_sub(most)..name.len().min(row + most + 1);
        now.fill(too_many);
        now[0] = (row + 1).min(too_many);
        for column in band {
            let changed = last[column] + usize::from(*letter != name[column]);
            let mut least = changed.min(last[column + 1] + 1).min(now[column] + 1);
            let swapped =
                row > 0 && column > 0 && *letter == name[column - 1] && typed[row - 1] == name[column];
            if swapped {
                least = least.min(before_last[column - 1] + 1);
            }
            now[column + 1] = least.min(too_many);
        }
        // A swap may still lead on from the row before.
        if now.iter().chain(&last).all(|errors| *errors > most) {
            return None;
        }
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut now);
    }
    last.last().copied().filter(|errors| *errors <= most)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_control_character_is_hidden_and_so_is_what_turns_the_direction() {
        for letter in ('\0'..='\u{2100}').filter(|letter| letter.is_control()) {
            assert!(is_hidden(letter), "{letter:?}");
        }
        assert!(['\u{61c}', '\u{200f}', '\u{2029}', '\u{202e}', '\u{2068}'].into_iter().all(is_hidden));
        assert!(!['a', ' ', '\u{a0}', '天', '🌐', '\u{200d}'].into_iter().any(is_hidden));
    }

    #[test]
    fn what_is_not_seen_is_invisible_and_what_names_are_written_with_is_not() {
        let unseen = [
            '\u{1b}',
            '\u{ad}',
            '\u{200b}',
            '\u{202e}',
            '\u{2060}',
            '\u{fe00}',
            '\u{feff}',
            '\u{e0041}',
            '\u{e0100}',
        ];
        assert!(unseen.into_iter().all(is_invisible));
        assert!(
            !['a', ' ', '天', '🌐', '\u{200c}', '\u{200d}', '\u{fe0e}', '\u{fe0f}']
                .into_iter()
                .any(is_invisible)
        );
    }

    #[test]
    fn bytes_are_two_digits_each() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
        assert_eq!(hex(&[]), "");
    }

    #[test]
    fn a_word_for_the_shell_stays_one_word_and_runs_nothing() {
        let table = [
            ("weather", "weather"),
            ("a/b.c_d-e", "a/b.c_d-e"),
            ("", "''"),
            ("two words", "'two words'"),
            ("$(x) `y` \"z\" \\ ; # *", "'$(x) `y` \"z\" \\ ; # *'"),
            ("it's", r"'it'\''s'"),
            ("天气", "'天气'"),
            ("~", "'~'"),
            ("a=b", "'a=b'"),
        ];
        for (text, quoted) in table {
            assert_eq!(shell_quoted(text), quoted);
        }
    }

    #[test]
    fn terminal_sequences_and_control_characters_go_and_the_words_stay() {
        let table = [
            ("plain 天气 🌐\t\r\n", "plain 天气 🌐\t\r\n"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("\u{9b}1;31mred", "red"),
            ("a\x1b]0;title\x07b", "ab"),
            ("a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\b", "alinkb"),
            ("a\x1b]no end", "ano end"),
            ("a\x1b]no end\nb", "ano end\nb"),
            ("\x1bcreset", "reset"),
            ("a\0b\x07c\x7fd\u{85}e", "abcde"),
            ("\x1b", ""),
            ("\x1b[", ""),
            ("\x1b[12", ""),
            ("\x1b[天", "天"),
            ("\x1b天", "天"),
            ("\x1b\x1b[1mx", "x"),
        ];
        for (text, clean) in table {
            assert_eq!(without_controls(text), clean, "{text:?}");
        }
        assert!(matches!(without_controls("as it is"), Cow::Borrowed(_)));
    }

    #[test]
    fn typing_errors_are_counted_up_to_the_most() {
        let table = [
            ("weather", "weather", 2, Some(0)),
            ("waether", "weather", 2, Some(1)),
            ("wether", "weather", 1, Some(1)),
            ("weahter", "weather", 0, None),
            ("abc", "xyz", 2, None),
            ("", "ab", 2, Some(2)),
        ];
        for (typed, name, most, errors) in table {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            assert_eq!(typing_errors(&letters(typed), &letters(name), most), errors, "{typed} {name}");
        }
    }

    /// The same by the book: every cell, no bound.
    fn by_the_book(typed: &[char], name: &[char]) -> usize {
        let mut table = vec![vec![0; name.len() + 1]; typed.len() + 1];
        for row in 0..=typed.len() {
            for column in 0..=name.len() {
                table[row][column] = match (row, column) {
                    (0, only) | (only, 0) => only,
                    _ => {
                        let changed =
                            table[row - 1][column - 1] + usize::from(typed[row - 1] != name[column - 1]);
                        let least = changed.min(table[row - 1][column] + 1).min(table[row][column - 1] + 1);
                        let swapped = row > 1
                            && column > 1
                            && typed[row - 1] == name[column - 2]
                            && typed[row - 2] == name[column - 1];
                        if swapped { least.min(table[row - 2][column - 2] + 1) } else { least }
                    }
                };
            }
        }
        table[typed.len()][name.len()]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_harmful_is_left_and_a_second_pass_changes_nothing(
            text in "(\\PC|[\\x00-\\x20]|\u{1b}[\\[\\]P]?|\u{9b}|\u{9c}|\u{7}){0,40}"
        ) {
            let clean = without_controls(&text).into_owned();
            prop_assert!(!clean.contains(is_harmful));
            prop_assert_eq!(without_controls(&clean).into_owned(), clean);
        }

        #[test]
        fn looking_only_where_it_matters_counts_the_same(typed in "[abc]{0,9}", name in "[abc]{0,9}", most in 0usize..3) {
            let (typed, name): (Vec<char>, Vec<char>) = (typed.chars().collect(), name.chars().collect());
            let expected = Some(by_the_book(&typed, &name)).filter(|errors| *errors <= most);
            prop_assert_eq!(typing_errors(&typed, &name, most), expected);
        }
    }
}
