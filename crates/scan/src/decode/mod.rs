//! Decodes hidden text: encoded tokens, character codes, assembled or reversed literals, and compressed bytes inside them.
//!
//! Linear and bounded; truncated results say so, and only results that are text are returned.

mod codes;
mod literals;
mod tokens;

use std::io::Read;
use std::ops::Range;

use flate2::read::{GzDecoder, ZlibDecoder};
use tarsus_protocol::scan::Layer;

/// Nested encodings that are followed.
pub(crate) const MAX_DEPTH: usize = 3;
/// Bytes decompressed of one token.
const MAX_BYTES: usize = 256 * 1024;
const MIN_LENGTH: usize = 8;

/// A text that was encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DecodedText {
    /// The encodings, outermost first.
    pub layers: Vec<Layer>,
    /// In the enclosing text.
    pub range: Range<usize>,
    pub content: String,
    /// Whether the text was truncated.
    pub cut: bool,
}

/// Decodes all encoded texts inside a text, one level deep.
pub(crate) fn decode(text: &str) -> Vec<DecodedText> {
    let mut found = DecodedTexts::default();
    tokens::read(text, &mut found);
    literals::read(text, &mut found);
    codes::read(text, &mut found);
    found.0
}

#[derive(Default)]
struct DecodedTexts(Vec<DecodedText>);

impl DecodedTexts {
    fn add(&mut self, layer: Layer, range: Range<usize>, content: String) {
        if content.len() >= MIN_LENGTH {
            self.0.push(DecodedText { layers: vec![layer], range, content, cut: false });
        }
    }

    /// Adds bytes that are text or compressed text.
    fn add_bytes(&mut self, layer: Layer, range: Range<usize>, bytes: &[u8]) {
        let clear = match bytes {
            [0x1F, 0x8B, ..] => decompress(GzDecoder::new(bytes)),
            [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..] => decompress(ZlibDecoder::new(bytes)),
            _ => Vec::new(),
        };
        if let Some(content) =
            Some(&clear).filter(|clear| !clear.is_empty()).and_then(|clear| decode_text(clear))
        {
            let cut = clear.len() >= MAX_BYTES;
            self.0.push(DecodedText { layers: vec![layer, Layer::Gzip], range, content, cut });
        } else if let Some(content) = decode_text(bytes).or_else(|| decode_utf16(bytes)) {
            self.add(layer, range, content);
        }
    }
}

/// Keeps everything up to an error: a program would get as much.
fn decompress(packed: impl Read) -> Vec<u8> {
    let mut clear = Vec::new();
    let mut packed = packed.take(MAX_BYTES as u64);
    let mut room = [0; 4096];
    while let Ok(length @ 1..) = packed.read(&mut room) {
        clear.extend_from_slice(&room[..length]);
    }
    clear
}

/// Text has almost no control characters.
fn decode_text(bytes: &[u8]) -> Option<String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // The limit may have split the last character.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let odd = text.chars().filter(|character| character.is_control() && !character.is_whitespace()).count();
    (odd * 20 <= text.len()).then(|| text.to_owned())
}

/// UTF-16, as in PowerShell's encoded commands.
fn decode_utf16(bytes: &[u8]) -> Option<String> {
    let zeros = bytes.iter().skip(1).step_by(2).filter(|byte| **byte == 0).count();
    if zeros * 4 < bytes.len() {
        return None;
    }
    let units: Vec<_> = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
    decode_text(String::from_utf16(&units).ok()?.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine;
    use flate2::Compression;
    use flate2::read::GzEncoder;

    fn content(text: &str) -> Vec<(Vec<Layer>, String)> {
        decode(text).into_iter().map(|piece| (piece.layers, piece.content)).collect()
    }

    #[test]
    fn every_encoding_is_decoded() {
        let cases = [
            ("echo aGVsbG8gd29ybGQgYWdhaW4= |", Layer::Base64, "hello world again"),
            ("68656c6c6f20776f726c6420616761696e", Layer::Hex, "hello world again"),
            (r"\x68\x65\x6c\x6c\x6f\x20\u0077orld", Layer::Escapes, "hello world"),
            (r"\u{68}\u{65}\u{6c}\u{6c}\u{6f}_world", Layer::Escapes, "hello_world"),
            ("%68%65%6c%6c%6f%20world", Layer::Percent, "hello world"),
            ("[0x68, 0x65, 0x6C, 0x6c, 0x6f, 0x20, 0x77, 0x21]", Layer::CharacterCodes, "hello w!"),
            ("&#104;&#101;&#x6c;&#108;&#111;&#32;world", Layer::Entities, "hello world"),
            (
                "chr(104)+chr(101)+chr(108)+chr(108)+chr(111)+chr(97)+chr(97)+chr(97)",
                Layer::CharacterCodes,
                "helloaaa",
            ),
            ("x = 'hell' + 'o wor' + 'ld'", Layer::JoinedText, "hello world"),
            ("x = 'hell' +\n    'o world'", Layer::JoinedText, "hello world"),
            ("''.join(['hell', 'o ', 'world'])", Layer::JoinedText, "hello world"),
            ("echo 'dlrow olleh' | rev", Layer::Reversed, "hello world"),
            ("s = 'dlrow olleh'\nprint(s[::-1])", Layer::Reversed, "hello world"),
            ("codecs.decode('uryyb jbeyq', 'rot13')", Layer::Rot13, "hello world"),
        ];
        for (text, layer, clear) in cases {
            let found = content(text);
            assert!(found.contains(&(vec![layer], clear.to_owned())), "{text}: {found:?}");
        }
    }

    #[test]
    fn wrapped_base64_is_decoded() {
        let clear = "the first half of a long sentence and the second half of the same long sentence";
        let encoded = base64::engine::general_purpose::STANDARD.encode(clear);
        let (first, second) = encoded.split_at(70);
        assert!(
            content(&format!("x\n{first}\n{second}\ny")).contains(&(vec![Layer::Base64], clear.to_owned()))
        );
    }

    fn packed(text: &str) -> Vec<u8> {
        let mut packed = Vec::new();
        GzEncoder::new(text.as_bytes(), Compression::best()).read_to_end(&mut packed).unwrap();
        packed
    }

    #[test]
    fn compressed_text_is_two_layers() {
        let whole = packed("hello world again");
        for bytes in [&whole[..], &whole[..whole.len() - 8]] {
            let text = base64::engine::general_purpose::STANDARD.encode(bytes);
            assert_eq!(content(&text), [(vec![Layer::Base64, Layer::Gzip], "hello world again".to_owned())]);
        }
    }

    #[test]
    fn words_and_urls_are_not_decoded() {
        for text in [
            "https://example.org/some/long/path/of/words",
            "internationalisation_of_names",
            "1, 2, 3, 4, 5, 6, 7, 8, 9",
            "it's one's own 'word' here",
        ] {
            assert_eq!(content(text), [], "{text}");
        }
    }
}
