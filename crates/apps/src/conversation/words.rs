//! Reading a short answer: the words that lead around the menu, yes and no, numbers, one line of text.
//!
//! Promises: takes any text and reads into it nothing that was not written.

use crate::fold::{fold, is_cjk, words};

/// The words of a text as they are compared, without punctuation around them.
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

/// A word that leads around the menu, whatever is on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Back,
    Quit,
}

pub(super) fn way(text: &str) -> Option<Way> {
    match plain(text).as_str() {
        "back" | "返回" => Some(Way::Back),
        "quit" | "exit" | "退出" => Some(Way::Quit),
        _ => None,
    }
}

/// An explicit yes or no; anything else is neither.
pub(super) fn consent(text: &str) -> Option<bool> {
    match plain(text).as_str() {
        "yes" | "y" | "是" | "是的" | "好" | "好的" | "确认" | "确定" => Some(true),
        "no" | "n" | "cancel" | "否" | "不" | "不要" | "不用" | "取消" => Some(false),
        _ => None,
    }
}

/// A number from a list: `2`, `2.`, `#2`, `２`.
pub(super) fn number(text: &str) -> Option<usize> {
    let folded = fold(text);
    let digits = folded.strip_prefix('#').unwrap_or(&folded);
    let digits = digits.strip_suffix(['.', '。']).unwrap_or(digits);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // More digits than fit are a number that no list has.
    is_number.then(|| digits.parse().unwrap_or(usize::MAX))
}

/// One answer of one line: without the space around it, and without the pair of quotes that copying a path may put there.
/// None when it holds control characters, so that nothing hidden gets into the registry.
pub(super) fn answer(text: &str) -> Option<&str> {
    let text = text.trim();
    let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).map_or(text, str::trim);
    (!text.chars().any(char::is_control)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_explicit_yes_is_a_yes() {
        for text in ["yes", "Y", " YES! ", "是", "是的。", "好的", "确认", "ｙｅｓ"] {
            assert_eq!(consent(text), Some(true), "{text}");
        }
        for text in ["no", "N", "cancel", "否", "不要", "取消"] {
            assert_eq!(consent(text), Some(false), "{text}");
        }
        for text in ["", "yes but", "y es", "no, yes", "maybe", "sure", "yess", "1", "不是", "save"] {
            assert_eq!(consent(text), None, "{text}");
        }
    }

    #[test]
    fn a_number_is_digits_and_nothing_else() {
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
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn an_answer_is_one_clean_line() {
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
            assert_eq!(answer(text), expected, "{text:?}");
        }
    }
}
