//! Parses short answers: plain words, numbers, one line of text.

use crate::fold::{fold, is_cjk, words};

/// The normalised words of a text, without punctuation around them.
pub(super) fn plain(text: &str) -> String {
    let folded = fold(text);
    let mut plain = String::with_capacity(folded.len());
    for word in words(&folded) {
        // Chinese is written without spaces.
        if !plain.is_empty() && !word.text.starts_with(is_cjk) {
            plain.push(' ');
        }
        plain.push_str(word.text);
    }
    plain
}

/// Parses a number from a list: `2`, `2.`, `#2`, `２`.
pub(super) fn parse_number(text: &str) -> Option<usize> {
    let folded = fold(text);
    let digits = folded.strip_prefix('#').unwrap_or(&folded);
    let digits = digits.strip_suffix(['.', '。']).unwrap_or(digits);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // A number that overflows is in no list.
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// An answer without surrounding space and the quotes around a copied path. `None` if it has control characters, so that
/// nothing hidden gets into the registry.
pub(super) fn parse_answer(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).map_or(text, str::trim);
    (!text.chars().any(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_has_digits_only() {
        let table = [
            ("1", Some(1)),
            (" 12. ", Some(12)),
            ("#3", Some(3)),
            ("２", Some(2)),
            ("99999999999999999999999", Some(usize::MAX)),
            ("0", Some(0)),
            ("1 2", None),
            ("-1", None),
            ("+1", None),
            ("one", None),
            ("", None),
            ("1a", None),
        ];
        for (text, expected) in table {
            assert_eq!(parse_number(text), expected, "{text}");
        }
    }

    #[test]
    fn answer_is_one_clean_line() {
        let table = [
            ("  a b ", Some("a b")),
            (r#""C:\Program Files\a.exe""#, Some(r"C:\Program Files\a.exe")),
            ("\"", Some("\"")),
            ("", Some("")),
            ("a\nb", None),
            ("a\u{1b}[31m", None),
            ("a\0", None),
        ];
        for (text, expected) in table {
            assert_eq!(parse_answer(text), expected, "{text:?}");
        }
    }
}
