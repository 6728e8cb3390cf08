//! What the bytes of a file are, by their beginning alone: names may lie.

/// Bytes that are looked at.
pub(crate) const LOOKED_AT: usize = 8 * 1024;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text, as far as its beginning tells.
    Text,
    /// A picture that models can look at, with its media type.
    Picture(&'static str),
    /// Anything else.
    Binary(&'static str),
}

/// Beginnings of files that are no text although there may be no zero byte in them soon.
const KNOWN: [(&[u8], &str); 6] = [
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

/// What a file is that begins with these bytes.
pub(crate) fn of(head: &[u8]) -> Kind {
    match head {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => return Kind::Picture("image/png"),
        [0xff, 0xd8, 0xff, ..] => return Kind::Picture("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => return Kind::Picture("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            return Kind::Picture("image/webp");
        }
        _ => {}
    }
    match KNOWN.iter().find(|(start, _)| head.starts_with(start)) {
        Some((_, what)) => Kind::Binary(what),
        None if head.contains(&0) => Kind::Binary("binary data"),
        None => Kind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_it_begins_with() {
        let table: [(&[u8], Kind); 12] = [
            (b"", Kind::Text),
            ("é\n".as_bytes(), Kind::Text),
            (b"\xe9 in another encoding", Kind::Text),
            (b"\x89PNG\r\n\x1a\n...", Kind::Picture("image/png")),
            (b"\x89PNG", Kind::Text),
            (b"\xff\xd8\xff\xe0", Kind::Picture("image/jpeg")),
            (b"GIF89a", Kind::Picture("image/gif")),
            (b"RIFF\x01\x02\x03\x04WEBPVP8 ", Kind::Picture("image/webp")),
            (b"RIFF\x01\x02\x03\x04WAVE", Kind::Text),
            (b"%PDF-1.7\n", Kind::Binary("a PDF document")),
            (b"a\0b", Kind::Binary("binary data")),
            (b"\xff\xfeh\0", Kind::Binary("text in UTF-16")),
        ];
        for (head, kind) in table {
            assert_eq!(of(head), kind, "{head:?}");
        }
    }
}
