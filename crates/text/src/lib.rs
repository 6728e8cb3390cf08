//! Text from outside, made safe to show, to paste and to log. A text that needs no change is not copied.
#![forbid(unsafe_code)]

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

/// Whether an invisible character has an effect: it moves the cursor, colours the terminal, ends the line or changes the
/// reading direction.
#[must_use]
pub const fn is_hidden(letter: char) -> bool {
    matches!(letter, '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character is invisible, so that it could hide text from a person or disguise visible text. Joiners and emoji
/// presentation selectors do not count: names and descriptions contain them.
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

/// Makes untrusted text safe to print: removes control characters, bidirectional overrides and everything else
/// invisible.
#[must_use]
pub fn printable(text: &str) -> String {
    text.chars().filter(|letter| !is_invisible(*letter)).collect()
}

/// Formats a number with thousands separators: `18,204`.
#[must_use]
pub fn number(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 problem`, `2 problems`.
#[must_use]
pub fn count(amount: usize, thing: &str) -> String {
    let plural = if amount == 1 { "" } else { "s" };
    format!("{} {thing}{plural}", number(amount as u64))
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

/// A text as one word of a POSIX shell's command line, safe to paste: nothing in it is expanded or split. The caller has
/// to remove invisible characters first, and to put `--` before a word that begins with a dash.
///
/// ```
/// use tarsus_text::shell_quoted;
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

/// A fast check of all bytes that is enough for nearly every text: control characters beyond ASCII all begin with C2.
fn may_be_harmful(text: &str) -> bool {
    text.bytes().fold(false, |may, byte| {
        may | (matches!(byte, ..b' ' | 0x7f | 0xc2) & !matches!(byte, b'\t' | b'\n' | b'\r'))
    })
}

fn is_harmful(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\t' | '\n' | '\r')
}

/// The text after the control character at its beginning and the sequence that it opens, if any.
fn after_sequence(text: &str) -> &str {
    let mut letters = text.chars();
    let opener = match letters.next() {
        Some('\x1b') => letters.next(),
        // The opener in one character.
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
        // A string for the terminal, up to its terminator. Without one the line is kept: it may be the whole text.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn printable_removes_control_characters() {
        assert_eq!(printable("a\u{1b}[31mb\u{202e}c\n天\u{7}气"), "a[31mbc天气");
    }

    #[test]
    fn numbers_and_counts_are_formatted() {
        let table = [(0, "0"), (999, "999"), (1_000, "1,000"), (18_204, "18,204"), (1_234_567, "1,234,567")];
        for (value, text) in table {
            assert_eq!(number(value), text);
        }
        assert_eq!((count(1, "record"), count(2, "record")), ("1 record".to_owned(), "2 records".to_owned()));
    }

    #[test]
    fn control_and_direction_characters_are_hidden() {
        for letter in ('\0'..='\u{2100}').filter(|letter| letter.is_control()) {
            assert!(is_hidden(letter), "{letter:?}");
        }
        assert!(['\u{61c}', '\u{200f}', '\u{2029}', '\u{202e}', '\u{2068}'].into_iter().all(is_hidden));
        assert!(!['a', ' ', '\u{a0}', '天', '🌐', '\u{200d}'].into_iter().any(is_hidden));
    }

    #[test]
    fn joiners_and_emoji_selectors_are_not_invisible() {
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
    fn hex_has_two_digits_per_byte() {
        assert_eq!(hex(&[0x00, 0x0f, 0xa5, 0xff]), "000fa5ff");
        assert_eq!(hex(&[]), "");
    }

    #[test]
    fn shell_quoted_text_is_one_word_without_expansion() {
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
    fn without_controls_removes_sequences_and_keeps_words() {
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

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn without_controls_is_complete_and_idempotent(
            text in "(\\PC|[\\x00-\\x20]|\u{1b}[\\[\\]P]?|\u{9b}|\u{9c}|\u{7}){0,40}"
        ) {
            let clean = without_controls(&text).into_owned();
            prop_assert!(!clean.contains(is_harmful));
            prop_assert_eq!(without_controls(&clean).into_owned(), clean);
        }
    }
}
