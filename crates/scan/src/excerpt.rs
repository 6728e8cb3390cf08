//! Excerpts of hostile text that are safe to print: one short line, without invisible characters and secrets.

use tarsus_text::is_invisible;

pub(crate) const MAX_CHARS: usize = 160;
/// A run of this many letters and digits may be a key.
const KEY: usize = 20;
/// The same for a run with slashes.
const BASE64: usize = 40;
/// Characters of a key that are shown.
const SHOWN: usize = 6;

pub(crate) fn excerpt(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut run = 0;
    // Bounds the work for long texts.
    let beginning = text.trim_start().chars().take(MAX_CHARS * 8);
    let runs: Vec<char> = beginning.collect();
    let mut at = 0;
    while at < runs.len() && length < MAX_CHARS - 1 {
        let character = runs[at];
        if run == 0 {
            if let Some(key) = key(&runs[at..]) {
                out.extend(&runs[at..at + SHOWN]);
                out.push('…');
                length += SHOWN + 1;
                at += key;
                continue;
            }
            run = word(&runs[at..]);
        }
        run = run.saturating_sub(1);
        at += 1;
        let shown = match character {
            character if character.is_whitespace() => ' ',
            character if is_invisible(character) => '\u{FFFD}',
            character => character,
        };
        if shown == ' ' && out.ends_with(' ') {
            continue;
        }
        out.push(shown);
        length += 1;
    }
    if at < runs.len() || length > MAX_CHARS {
        out = out.chars().take(MAX_CHARS - 1).collect();
        out.push('…');
    }
    out.trim_end().to_owned()
}

/// The length of the key at the start of the text.
fn key(text: &[char]) -> Option<usize> {
    let has = |length: usize, kind: fn(&char) -> bool| text[..length].iter().any(kind);
    let length = word(text);
    if length >= KEY && has(length, char::is_ascii_digit) && has(length, char::is_ascii_alphabetic) {
        return Some(length);
    }
    // Base64 contains slashes like a path, but no path mixes all three kinds of characters.
    let length = text.iter().take_while(|character| in_word(**character) || **character == '/').count();
    let kinds = [char::is_ascii_digit, char::is_ascii_lowercase, char::is_ascii_uppercase];
    (length >= BASE64 && kinds.into_iter().all(|kind| has(length, kind))).then_some(length)
}

fn word(text: &[char]) -> usize {
    text.iter().take_while(|character| in_word(**character)).count()
}

fn in_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '+' | '=')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn excerpt_masks_keys_but_not_words() {
        let cases = [
            ("token ghp_0123456789abcdefghijABCDEFGHIJ end", "token ghp_01… end"),
            ("k = wJq7/K2dENG/bPxRfi+YzR1q/9aBcDeFgHiJkLmNo end", "k = wJq7/K… end"),
            (
                "see /usr/local/lib/python3/site-packages/requests/api",
                "see /usr/local/lib/python3/site-packages/requests/api",
            ),
            ("an-extraordinarily-long-word-of-letters", "an-extraordinarily-long-word-of-letters"),
            ("a\n\n  b\u{202E}c\u{1b}[1m", "a b\u{FFFD}c\u{FFFD}[1m"),
        ];
        for (text, shown) in cases {
            assert_eq!(excerpt(text), shown);
        }
    }

    #[test]
    fn key_at_the_end_does_not_exceed_the_limit() {
        for length in 0..2 * MAX_CHARS {
            let text = format!("{} {}", "x".repeat(length), "k0".repeat(KEY));
            assert!(excerpt(&text).chars().count() <= MAX_CHARS, "{length}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn excerpt_is_short_and_printable(text in "\\PC{0,400}|[a-z0-9]{0,400}|(?s).{0,200}") {
            let shown = excerpt(&text);
            prop_assert!(shown.chars().count() <= MAX_CHARS);
            prop_assert!(!shown.chars().any(is_invisible));
        }
    }
}
