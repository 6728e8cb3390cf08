//! Escapes text from outside for display and for pasting into a shell. The result never controls a terminal.

use tarsus_text::{is_hidden, shell_quoted};

/// Text from outside on one line: hidden characters become a mark, and the text is cut at `limit` characters.
pub(crate) fn display_line(text: &str, limit: usize) -> String {
    let mark = |letter: char| if is_hidden(letter) { '\u{fffd}' } else { letter };
    let mut shown: String = text.chars().take(limit).map(mark).collect();
    if text.chars().nth(limit).is_some() {
        shown.push('…');
    }
    shown
}

/// Quotes a word for a shell: with double quotes, unless they would change it.
///
/// ```
/// use tarsus_apps::quoted;
///
/// assert_eq!(quoted("Editor"), "Editor");
/// assert_eq!(quoted("Last Z"), "\"Last Z\"");
/// ```
#[must_use]
pub fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.' | '/');
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else if word.contains(is_hidden) {
        let escaped: String = word.chars().map(escape).collect();
        format!("$'{escaped}'")
    } else if word.contains(['"', '$', '`', '\\', '!']) {
        shell_quoted(word)
    } else {
        format!("\"{word}\"")
    }
}

/// A character inside `$'…'`.
fn escape(letter: char) -> String {
    match letter {
        '\'' | '\\' => format!("\\{letter}"),
        letter if is_hidden(letter) => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_quoted_for_a_shell() {
        let table = [
            ("Editor", "Editor"),
            ("Last Z", "\"Last Z\""),
            ("it's", "\"it's\""),
            ("a\"b", "'a\"b'"),
            ("$HOME's", r"'$HOME'\''s'"),
            ("微信", "微信"),
            ("", "\"\""),
            ("a\u{1b}[31m\n'b\\", r"$'a\u001b[31m\u000a\'b\\'"),
            ("\u{202e}txt", r"$'\u202etxt'"),
        ];
        for (name, expected) in table {
            assert_eq!(quoted(name), expected);
        }
    }
}
