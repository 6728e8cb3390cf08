//! Encoded tokens: Base64, hexadecimal, escapes, percent-encoding, entities.

use std::ops::Range;

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use tarsus_protocol::scan::Layer;

use super::{DecodedTexts, decode_text};

const MIN_LENGTH: usize = 16;
/// Shorter runs of hexadecimal digits are numbers and colours.
const SHORTEST_HEX: usize = 24;
/// Encoders wrap lines at 60 characters or more.
const WRAPPED: usize = 60;
/// Fewer escapes are there for single characters.
const ESCAPES: usize = 4;

pub(super) fn read(text: &str, found: &mut DecodedTexts) {
    for run in runs(text) {
        token(text, run, found);
    }
    wrapped(text, found);
}

/// Long enough runs without white space and quotes.
fn runs(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            while at < bytes.len() && !ends_run(bytes, at) {
                at += 1;
            }
            let end = at;
            at += 1;
            if end - start >= MIN_LENGTH {
                return Some(start..end);
            }
        }
        None
    })
}

fn ends_run(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    match bytes[at] {
        // `\u{41}` is one escape.
        b'{' => !before.ends_with(b"\\u"),
        b'}' => {
            let digits = before.iter().rev().take(6).take_while(|byte| byte.is_ascii_hexdigit()).count();
            !before[..at - digits].ends_with(b"\\u{")
        }
        b'"' | b'\'' | b'`' | b'<' | b'>' | b'(' | b')' | b'[' | b']' | b',' => true,
        other => other.is_ascii_whitespace(),
    }
}

fn token(text: &str, run: Range<usize>, found: &mut DecodedTexts) {
    let bytes = &text.as_bytes()[run.clone()];
    for (mark, layer) in [(b'\\', Layer::Escapes), (b'%', Layer::Percent), (b'&', Layer::Entities)] {
        if bytes.iter().filter(|byte| **byte == mark).count() < ESCAPES {
            continue;
        }
        let content = match layer {
            Layer::Escapes => escapes(bytes),
            Layer::Percent => percent(bytes),
            _ => entities(bytes),
        };
        if let Some(content) = content {
            found.add(layer, run.clone(), content);
        }
    }
    let place = |inner: &Range<usize>| run.start + inner.start..run.start + inner.end;
    alphabet_runs(bytes, u8::is_ascii_hexdigit, SHORTEST_HEX, |inner| {
        let content: Option<Vec<u8>> = bytes[inner.clone()].chunks_exact(2).map(byte_of_hex).collect();
        found.add_bytes(Layer::Hex, place(&inner), &content.unwrap_or_default());
    });
    alphabet_runs(bytes, in_base64, MIN_LENGTH, |inner| {
        let clear = &bytes[inner.clone()];
        if !clear.iter().all(u8::is_ascii_hexdigit)
            && let Some(content) = base64(clear)
        {
            found.add_bytes(Layer::Base64, place(&inner), &content);
        }
    });
}

/// Base64 wrapped into lines.
fn wrapped(text: &str, found: &mut DecodedTexts) {
    let mut clear = Vec::new();
    let (mut start, mut at, mut lines) = (0, 0, 0);
    for line in text.split_inclusive('\n') {
        let bare = line.trim_ascii().trim_end_matches('=').as_bytes();
        let goes_on = !bare.is_empty() && bare.iter().all(in_base64);
        if lines > 0 && goes_on {
            clear.extend_from_slice(bare);
            lines += 1;
        }
        let full = goes_on && bare.len() >= WRAPPED;
        if !full {
            if lines > 1
                && let Some(content) = base64(&clear)
            {
                found.add_bytes(Layer::Base64, start..at + line.trim_ascii_end().len(), &content);
            }
            clear.clear();
            lines = 0;
        } else if lines == 0 {
            clear.extend_from_slice(bare);
            (start, lines) = (at, 1);
        }
        at += line.len();
    }
    if lines > 1
        && let Some(content) = base64(&clear)
    {
        found.add_bytes(Layer::Base64, start..text.trim_ascii_end().len(), &content);
    }
}

fn in_base64(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_')
}

fn base64(clear: &[u8]) -> Option<Vec<u8>> {
    const FORGIVING: GeneralPurposeConfig = GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true);
    const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, FORGIVING);
    const WEB: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, FORGIVING);
    let web = clear.iter().any(|byte| matches!(byte, b'-' | b'_'));
    // Tolerates an excess character at the end.
    let whole = if clear.len() % 4 == 1 { &clear[..clear.len() - 1] } else { clear };
    if web { WEB.decode(whole).ok() } else { STANDARD.decode(whole).ok() }
}

fn alphabet_runs(
    bytes: &[u8],
    belongs: impl Fn(&u8) -> bool,
    shortest: usize,
    mut found: impl FnMut(Range<usize>),
) {
    let mut start = 0;
    for at in 0..=bytes.len() {
        if bytes.get(at).is_some_and(&belongs) {
            continue;
        }
        if at - start >= shortest {
            found(start..at);
        }
        start = at + 1;
    }
}

fn byte_of_hex(pair: &[u8]) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(*pair.first()?)? * 16 + digit(*pair.get(1)?)?).ok()
}

/// Replaces every byte that `read` decodes at the start of the rest, and keeps everything else.
fn replaced(bytes: &[u8], read: impl Fn(&[u8]) -> Option<(u8, usize)>) -> Option<String> {
    let mut out = Vec::with_capacity(bytes.len());
    let (mut at, mut seen) = (0, 0);
    while let Some(first) = bytes.get(at) {
        let (byte, length) = read(&bytes[at..]).inspect(|_| seen += 1).unwrap_or((*first, 1));
        out.push(byte);
        at += length;
    }
    if seen >= ESCAPES { decode_text(&out) } else { None }
}

/// `\x41`, `\u0041`, `\u{41}`, `\101`.
fn escapes(bytes: &[u8]) -> Option<String> {
    replaced(bytes, |rest| match rest {
        [b'\\', b'u', b'{', high, low, b'}', ..] => Some((byte_of_hex(&[*high, *low])?, 6)),
        [b'\\', b'x', high, low, ..] => Some((byte_of_hex(&[*high, *low])?, 4)),
        [b'\\', b'u', b'0', b'0', high, low, ..] => Some((byte_of_hex(&[*high, *low])?, 6)),
        [b'\\', a @ b'0'..=b'1', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
            Some(((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'), 4))
        }
        _ => None,
    })
}

/// `%41`.
fn percent(bytes: &[u8]) -> Option<String> {
    replaced(bytes, |rest| match rest {
        [b'%', high, low, ..] => Some((byte_of_hex(&[*high, *low])?, 3)),
        _ => None,
    })
}

/// `&#65;` and `&#x41;`.
fn entities(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut out = String::new();
    let mut seen = 0;
    for part in text.split_inclusive(';') {
        let (before, number) = part.rsplit_once("&#").unwrap_or((part, ""));
        let digits = number.trim_end_matches(';');
        let code = match digits.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok(),
            None => digits.parse().ok(),
        };
        match code.and_then(char::from_u32) {
            Some(character) => {
                seen += 1;
                out.push_str(before);
                out.push(character);
            }
            None => out.push_str(part),
        }
    }
    (seen >= ESCAPES).then_some(out)
}
