//! Decodes the bytes of a text: by its byte order mark, the header, the page's own word, or what fits.

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252, X_USER_DEFINED};

/// A page names its encoding in its first bytes.
const META_BYTES: usize = 4 * 1024;

/// Decodes a text. What the encoding does not allow becomes U+FFFD.
pub(crate) fn decode(bytes: &[u8], header: Option<&str>, is_html: bool) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[mark..]).0.into_owned();
    }
    let declared = header.and_then(named).or_else(|| meta_encoding(bytes).filter(|_| is_html));
    let encoding = declared.unwrap_or_else(|| if is_mostly_utf8(bytes) { UTF_8 } else { WINDOWS_1252 });
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}

/// A stray byte does not make a text another encoding.
fn is_mostly_utf8(bytes: &[u8]) -> bool {
    let (mut letters, mut errors) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        letters += chunk.valid().bytes().filter(|byte| *byte >= 0xc0).count();
        errors += usize::from(!chunk.invalid().is_empty());
    }
    errors == 0 || letters > 4 * errors
}

fn named(label: &str) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label.trim().trim_matches(['"', '\'']).as_bytes())
}

/// The `charset` of a `<meta>` tag, also inside its `content`.
fn meta_encoding(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(META_BYTES)]).to_ascii_lowercase();
    let tags = head.match_indices("<meta").map(|(at, _)| &head[at..]);
    let mut labels = tags.filter_map(|tag| {
        let tag = &tag[..tag.find('>').unwrap_or(tag.len())];
        let (_, value) = tag.split_once("charset")?;
        let value = value.trim_start().strip_prefix('=')?.trim_start().trim_start_matches(['"', '\'']);
        let end = value.find(['"', '\'', ';', '/', ' ', '\t', '\n']).unwrap_or(value.len());
        named(&value[..end])
    });
    labels.next().map(|encoding| {
        // A page whose tag could be read is not in UTF-16.
        if matches!(encoding.name(), "UTF-16LE" | "UTF-16BE") {
            UTF_8
        } else if encoding == X_USER_DEFINED {
            WINDOWS_1252
        } else {
            encoding
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_is_found_in_order_of_trust() {
        let meta = |tag: &str, rest: &[u8]| [tag.as_bytes(), rest].concat();
        let table: Vec<(Vec<u8>, Option<&str>, bool, &str)> = vec![
            ("plain é".into(), None, false, "plain é"),
            (b"caf\xe9".to_vec(), None, false, "café"),
            (b"caf\xe9".to_vec(), Some("ISO-8859-1"), false, "café"),
            (b"\xef\xbb\xbfcaf\xc3\xa9".to_vec(), Some("iso-8859-1"), false, "café"),
            (b"\xff\xfea\x00".to_vec(), Some("utf-8"), false, "a"),
            (b"\xfe\xff\x00a".to_vec(), None, false, "a"),
            (b"\x82\xa0".to_vec(), Some("\"Shift_JIS\""), false, "あ"),
            (b"\xc4\xe3".to_vec(), Some("gb2312"), false, "你"),
            (b"caf\xc3\xa9".to_vec(), Some("no-such-charset"), false, "café"),
            (b"caf\xc3\xa9".to_vec(), Some("utf-7"), false, "café"),
            (b"x\xc3".to_vec(), None, false, "xÃ"),
            (
                "日本語の道\u{1}".bytes().map(|byte| if byte == 1 { 0xff } else { byte }).collect(),
                None,
                false,
                "日本語の道\u{fffd}",
            ),
            (b"a\x00b".to_vec(), Some("iso-2022-kr"), false, "a\0b"),
            (meta("<meta charset=shift_jis>", b"\x82\xa0"), None, true, "<meta charset=shift_jis>あ"),
            (meta("<meta charset=utf-16>", "é".as_bytes()), None, true, "<meta charset=utf-16>é"),
            (
                meta("<meta charset=shift_jis>", "é".as_bytes()),
                Some("utf-8"),
                true,
                "<meta charset=shift_jis>é",
            ),
            (meta("<meta charset=x>", "é".as_bytes()), None, true, "<meta charset=x>é"),
            (meta("<meta charset=shift_jis>", "é".as_bytes()), None, false, "<meta charset=shift_jis>é"),
        ];
        for (bytes, header, is_html, expected) in table {
            assert_eq!(decode(&bytes, header, is_html), expected, "{header:?} {is_html}");
        }
        let tag = "<META http-equiv='Content-Type' content='text/html; CHARSET = windows-1251'>";
        assert!(decode(&meta(tag, b"\xcf"), None, true).ends_with('П'));
        assert!(decode(&vec![0xff; 100_000], Some("utf-8"), true).starts_with('\u{fffd}'));
    }
}
