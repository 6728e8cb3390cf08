//! Detects the kind of a file from its first bytes; its name is not considered.

/// Bytes that the detection needs at most.
pub(crate) const MAX_SCANNED_BYTES: usize = 8 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// Text, as far as its first bytes tell.
    Text,
    /// A picture that models accept, with its media type.
    Picture(&'static str),
    /// Anything else, with a description.
    Binary(&'static str),
}

/// Signatures of binary files that may not have a zero byte at the start.
const SIGNATURES: [(&[u8], &str); 6] = [
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a zip archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x7fELF", "a program"),
    (b"\xff\xfe", "text in UTF-16"),
    (b"\xfe\xff", "text in UTF-16"),
];

impl FileKind {
    pub(crate) fn detect(head: &[u8]) -> Self {
        match head {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => return Self::Picture("image/png"),
            [0xff, 0xd8, 0xff, ..] => return Self::Picture("image/jpeg"),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => return Self::Picture("image/gif"),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
                return Self::Picture("image/webp");
            }
            _ => {}
        }
        match SIGNATURES.iter().find(|(start, _)| head.starts_with(start)) {
            Some((_, what)) => Self::Binary(what),
            None if head.contains(&0) => Self::Binary("binary data"),
            None => Self::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_kind_is_detected_by_the_first_bytes() {
        let table: [(&[u8], FileKind); 12] = [
            (b"", FileKind::Text),
            ("é\n".as_bytes(), FileKind::Text),
            (b"\xe9 in another encoding", FileKind::Text),
            (b"\x89PNG\r\n\x1a\n...", FileKind::Picture("image/png")),
            (b"\x89PNG", FileKind::Text),
            (b"\xff\xd8\xff\xe0", FileKind::Picture("image/jpeg")),
            (b"GIF89a", FileKind::Picture("image/gif")),
            (b"RIFF\x01\x02\x03\x04WEBPVP8 ", FileKind::Picture("image/webp")),
            (b"RIFF\x01\x02\x03\x04WAVE", FileKind::Text),
            (b"%PDF-1.7\n", FileKind::Binary("a PDF document")),
            (b"a\0b", FileKind::Binary("binary data")),
            (b"\xff\xfeh\0", FileKind::Binary("text in UTF-16")),
        ];
        for (head, kind) in table {
            assert_eq!(FileKind::detect(head), kind, "{head:?}");
        }
    }
}
