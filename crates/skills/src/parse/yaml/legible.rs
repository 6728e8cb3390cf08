//! What the loader takes and the parser does not, in a form that both take: control characters have a stand-in while the
//! text is read, and a colon glued to a bracket, as in `{a:{b: c}}`, gets a space.

use std::borrow::Cow;

use tarsus_protocol::DiagnosticCode as Code;

use super::Fault;

/// The stand-ins are so far above the characters that they stand for, in a private area of Unicode.
const SHIFT: u32 = 0x10_0000;

/// Whether YAML refuses a character that the loader takes.
fn is_refused(character: char) -> bool {
    match character {
        '\t' | '\n' | '\u{85}' => false,
        _ => character.is_control() || matches!(character, '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'),
    }
}

fn behind(character: char) -> Option<char> {
    let code = u32::from(character).checked_sub(SHIFT)?;
    char::from_u32(code).filter(|&character| is_refused(character))
}

/// A text with stand-ins, when it needs some. One that holds a stand-in already is left as it is, and does not parse.
pub(in crate::parse) fn legible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_refused) || holds_stand_in(text) {
        return Cow::Borrowed(text);
    }
    let stand_in = |character: char| {
        let shifted = is_refused(character).then(|| char::from_u32(u32::from(character) + SHIFT)).flatten();
        shifted.unwrap_or(character)
    };
    Cow::Owned(text.chars().map(stand_in).collect())
}

/// Whether a text holds stand-ins.
pub(super) fn holds_stand_in(text: &str) -> bool {
    text.contains(|character| behind(character).is_some())
}

/// A text with the characters themselves.
pub(super) fn restored(text: &str) -> String {
    text.chars().map(|character| behind(character).unwrap_or(character)).collect()
}

/// A text with a space after the colons that are glued to a bracket, from the one that a fault is about to the end of
/// its line; `None` when the fault is about something else.
pub(in crate::parse) fn spaced(text: &str, fault: &Fault) -> Option<String> {
    let (before, rest) = text.split_at_checked(fault.at)?;
    if fault.code != Code::BlockInFlow || !(rest.starts_with(":{") || rest.starts_with(":[")) {
        return None;
    }
    let end = rest.find('\n').unwrap_or(rest.len());
    let mut spaced = String::with_capacity(text.len() + 16);
    spaced.push_str(before);
    let mut quote = None;
    let mut characters = rest[..end].chars().peekable();
    while let Some(character) = characters.next() {
        spaced.push(character);
        match (quote, character) {
            (None, ':') if matches!(characters.peek(), Some('{' | '[')) => spaced.push(' '),
            (None, '"' | '\'') => quote = Some(character),
            (Some('"'), '\\') => spaced.extend(characters.next()),
            (Some(open), _) if open == character => quote = None,
            _ => {}
        }
    }
    spaced.push_str(&rest[end..]);
    Some(spaced)
}
