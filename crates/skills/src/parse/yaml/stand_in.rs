//! Rewrites text that OpenClaw's loader accepts and the YAML parser rejects: control characters get stand-ins while the text
//! is parsed, and a colon directly before a bracket, as in `{a:{b: c}}`, gets a space.

use std::borrow::Cow;

use tarsus_protocol::DiagnosticCode as Code;

use super::Fault;

/// Distance from a character to its stand-in, in a private use area of Unicode.
const SHIFT: u32 = 0x10_0000;

/// Whether YAML rejects a character that the loader accepts.
fn is_rejected(character: char) -> bool {
    match character {
        '\t' | '\n' | '\u{85}' => false,
        _ => character.is_control() || matches!(character, '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}'),
    }
}

fn original(character: char) -> Option<char> {
    let code = u32::from(character).checked_sub(SHIFT)?;
    char::from_u32(code).filter(|&character| is_rejected(character))
}

/// Replaces rejected characters by stand-ins. A text that already holds stand-ins is not changed, and does not parse.
pub(in crate::parse) fn with_stand_ins(text: &str) -> Cow<'_, str> {
    if !text.contains(is_rejected) || has_stand_ins(text) {
        return Cow::Borrowed(text);
    }
    let stand_in = |character: char| {
        let shifted = is_rejected(character).then(|| char::from_u32(u32::from(character) + SHIFT)).flatten();
        shifted.unwrap_or(character)
    };
    Cow::Owned(text.chars().map(stand_in).collect())
}

/// Whether a text holds stand-ins.
pub(super) fn has_stand_ins(text: &str) -> bool {
    text.contains(|character| original(character).is_some())
}

/// Replaces stand-ins by the original characters.
pub(super) fn without_stand_ins(text: &str) -> String {
    text.chars().map(|character| original(character).unwrap_or(character)).collect()
}

/// Inserts a space between colons and brackets, from the offset of the fault to the end of its line; `None` if that is not
/// the fault.
pub(in crate::parse) fn with_colon_spaces(text: &str, fault: &Fault) -> Option<String> {
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
