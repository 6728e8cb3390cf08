//! Normalises texts for comparison, and splits them into words.

use unicode_normalization::UnicodeNormalization;

/// NFKC, lower case, trimmed, white space folded to single spaces.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        let mut folded = single_spaced(text);
        folded.make_ascii_lowercase();
        return folded;
    }
    // The lower-case form of some capitals is not in NFKC itself.
    let small: String = text.nfkc().flat_map(char::to_lowercase).nfkc().collect();
    single_spaced(&small)
}

fn single_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(word);
    }
    spaced
}

/// One word of a folded text, without punctuation around it. Each Chinese or Japanese character is a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    /// Byte offset of its start in the folded text.
    pub(crate) start: usize,
    /// Byte offset of its end in the folded text, with the punctuation after it.
    pub(crate) end: usize,
}

/// The words of a folded text, separated by white space, hyphens and the like.
pub(crate) fn words(folded: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut start = 0;
    for (at, char) in folded.char_indices() {
        if is_cjk(char) {
            push(&mut words, folded, start, at);
            start = at + char.len_utf8();
            words.push(Word { text: &folded[at..start], start: at, end: start });
        } else if is_separator(char) {
            push(&mut words, folded, start, at);
            start = at + char.len_utf8();
        }
    }
    push(&mut words, folded, start, folded.len());
    words
}

fn push<'t>(words: &mut Vec<Word<'t>>, folded: &'t str, start: usize, end: usize) {
    let text = folded[start..end].trim_start_matches(is_punctuation);
    let start = end - text.len();
    let text = text.trim_end_matches(is_punctuation);
    if !text.is_empty() {
        words.push(Word { text, start, end });
    }
}

fn is_separator(char: char) -> bool {
    char.is_whitespace() || matches!(char, '-' | '_' | '/' | '\\' | ',' | '‐'..='―' | '、' | '·')
}

/// Sentence marks, quotes and brackets; not those that are part of names, as in `c++` and `c#`.
fn is_punctuation(char: char) -> bool {
    matches!(
        char,
        '.' | ',' | '!' | '?' | ';' | ':' | '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '~'
            | '…' | '‘'..='‟' | '。' | '〈'..='】' | '〔'..='〟' | '«' | '»' | '¡' | '¿' | '®' | '™' | '©'
    )
}

/// Whether a character is a word of its own.
pub(crate) fn is_cjk(char: char) -> bool {
    matches!(
        char,
        '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{30FF}'
            | '\u{3400}'..='\u{4DBF}'
            | '\u{4E00}'..='\u{9FFF}'
            | '\u{F900}'..='\u{FAFF}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equivalent_texts_fold_alike() {
        let table = [
            ("  Last\u{3000} \tZ ", "last z"),
            ("ＬＡＳＴ　Ｚ", "last z"),
            ("ﬁrefox", "firefox"),
            ("Cafe\u{301}", "café"),
            ("ΣΑΣ", "σασ"),
            ("İ", "i\u{307}"),
            (" \n", ""),
        ];
        for (text, folded) in table {
            assert_eq!(fold(text), folded, "{text:?}");
            assert_eq!(fold(&fold(text)), folded, "again {text:?}");
        }
    }

    #[test]
    fn words_split_at_separators_and_chinese_characters() {
        let table: &[(&str, &[&str])] = &[
            ("last z", &["last", "z"]),
            ("\"last z\", please!", &["last", "z", "please"]),
            ("visual-studio_code", &["visual", "studio", "code"]),
            ("notes.txt", &["notes.txt"]),
            ("c++ c# .net", &["c++", "c#", "net"]),
            ("qq音乐2", &["qq", "音", "乐", "2"]),
            ("微信。", &["微", "信"]),
            ("...", &[]),
        ];
        for (text, expected) in table {
            let words: Vec<&str> = words(text).into_iter().map(|word| word.text).collect();
            assert_eq!(words, *expected, "{text:?}");
        }
    }
}
