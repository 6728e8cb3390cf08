//! A piece of a hostile text that is safe to show: one line, short, without what cannot be seen, without secrets.

use tarsus_protocol::text::is_invisible;

/// The longest excerpt, in characters.
pub(crate) const LONGEST: usize = 160;
/// From this length on a run of letters and digits may be a key.
const KEY: usize = 20;
/// From this length on a run with strokes in it may be one.
const BASE64: usize = 40;
/// How much of a key is shown.
const SHOWN: usize = 6;

/// The text as it may be printed.
pub(crate) fn excerpt(text: &str) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut run = 0;
    // More than this is never shown, however long the text is.
    let beginning = text.trim_start().chars().take(LONGEST * 8);
    let runs: Vec<char> = beginning.collect();
    let mut at = 0;
    while at < runs.len() && length < LONGEST - 1 {
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
    if at < runs.len() || length > LONGEST {
        out = out.chars().take(LONGEST - 1).collect();
        out.push('…');
    }
    out.trim_end().to_owned()
}

/// How long a key is that a text begins with.
fn key(text: &[char]) -> Option<usize> {
    let has = |length: usize, kind: fn(&char) -> bool| text[..length].iter().any(kind);
    let length = word(text);
    if length >= KEY && has(length, char::is_ascii_digit) && has(length, char::is_ascii_alphabetic) {
        return Some(length);
    }
    // Base64 has strokes, as paths have; but no path is written like that.
    let length = text.iter().take_while(|character| in_word(**character) || **character == '/').count();
    let kinds = [char::is_ascii_digit, char::is_ascii_lowercase, char::is_ascii_uppercase];
    (length >= BASE64 && kinds.into_iter().all(|kind| has(length, kind))).then_some(length)
}

/// How many letters, digits and signs of keys a text begins with.
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
    fn keys_are_masked_and_words_are_not() {
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
    fn a_key_at_the_end_does_not_make_it_longer() {
        for length in 0..2 * LONGEST {
            let text = format!("{} {}", "x".repeat(length), "k0".repeat(KEY));
            assert!(excerpt(&text).chars().count() <= LONGEST, "{length}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn an_excerpt_is_short_and_printable(text in "\\PC{0,400}|[a-z0-9]{0,400}|(?s).{0,200}") {
            let shown = excerpt(&text);
            prop_assert!(shown.chars().count() <= LONGEST);
            prop_assert!(!shown.chars().any(is_invisible));
        }
    }
}
