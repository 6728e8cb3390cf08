//! Lists of character codes: `[99, 117, 114, 108]`, `[0x63, 0x75]`, `chr(99)+chr(117)`.

use std::ops::Range;

use tarsus_protocol::scan::Layer;

use super::DecodedTexts;

/// The maximum distance between two codes of a list.
const APART: usize = 24;

pub(super) fn read(text: &str, found: &mut DecodedTexts) {
    let bytes = text.as_bytes();
    let mut list = String::new();
    let (mut start, mut end, mut at) = (0, 0, 0);
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let from = at;
        let hex = matches!(bytes[at..], [b'0', b'x' | b'X', ..]);
        at += if hex { 2 } else { 0 };
        let digits = at;
        while at < bytes.len() && (bytes[at].is_ascii_digit() || hex && bytes[at].is_ascii_hexdigit()) {
            at += 1;
        }
        let code = u32::from_str_radix(&text[digits..at], if hex { 16 } else { 10 }).ok();
        let code = code.filter(|code| matches!(code, 9 | 10 | 32..=126));
        let between = bytes.get(end..from).unwrap_or_default();
        let continues = !list.is_empty() && between.len() <= APART && separates(between);
        if !(continues && code.is_some()) {
            finish(&mut list, start..end, found);
            start = from;
        }
        if let Some(character) = code.and_then(char::from_u32) {
            list.push(character);
        }
        end = at;
    }
    finish(&mut list, start..end, found);
}

fn separates(between: &[u8]) -> bool {
    let comma = between.contains(&b',') && !between.iter().any(u8::is_ascii_alphabetic);
    let text = between.to_ascii_lowercase();
    comma || text.windows(4).any(|run| run == b"chr(" || run == b"har]" || run == b"ode(")
}

fn finish(list: &mut String, range: Range<usize>, found: &mut DecodedTexts) {
    let content = std::mem::take(list);
    // A command is half punctuation and digits; a list of measurements has hardly a letter.
    if content.chars().filter(char::is_ascii_alphabetic).count() * 3 > content.len() {
        found.add(Layer::CharacterCodes, range, content);
    }
}
