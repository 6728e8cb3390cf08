//! Attachments of a message: pictures and text files.
//!
//! The bytes decide the kind of a file, never its name. Sizes are bounded, and secrets are removed from text. If an
//! attachment cannot be used, the whole message is refused.

use std::borrow::Cow;

use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use base64::engine::{DecodePaddingMode, Engine as _};
use tarsus_protocol::message::{Image, TextFile};
use tarsus_protocol::rpc::chat::ChatAttachment;
use tarsus_protocol::{Block, ErrorCode, Problem};
use tarsus_skills::prompt::text::{one_line, truncate};

use crate::reply::SecretMatcher;
use crate::tools::file_kind::{self, FileKind};

/// Maximum bytes of all attachments of a message.
pub const MAX_BYTES: usize = 19_464_192;
/// Maximum bytes of a picture.
pub const MAX_PICTURE_BYTES: usize = 6_291_456;
/// Maximum bytes of a text file.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;
/// Maximum characters of a name.
const MAX_NAME_CHARS: usize = 120;

/// Some clients omit the padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Why an attachment cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AttachmentError {
    #[error("the attachment {name:?} is empty")]
    Empty { name: String },
    #[error("the attachment {name:?} is not valid base64")]
    NotBase64 { name: String },
    #[error("the attachment {name:?} is {what}, which is not supported")]
    Unsupported { name: String, what: &'static str },
    #[error("the attachment {name:?} has {size} bytes; the limit for {what} is {max}")]
    TooLarge { name: String, what: &'static str, size: usize, max: usize },
    #[error("the attachments have more than {MAX_BYTES} bytes in total")]
    TotalTooLarge,
}

impl From<AttachmentError> for Problem {
    fn from(error: AttachmentError) -> Self {
        let code = match error {
            AttachmentError::TooLarge { .. } | AttachmentError::TotalTooLarge => ErrorCode::TooLarge,
            _ => ErrorCode::Usage,
        };
        let message = format!(
            "{error}; pictures (png, jpeg, gif, webp; up to {MAX_PICTURE_BYTES} bytes) and text files (UTF-8; up to \
             {MAX_TEXT_BYTES} bytes) can be attached"
        );
        Self::new(code, message).hint(
            "the message was not accepted; send it without the file, or put the file into the workspace",
        )
    }
}

/// Converts attachments to message blocks.
///
/// # Errors
/// The first attachment that cannot be used.
pub fn read(attachments: &[ChatAttachment], secrets: &SecretMatcher) -> Result<Vec<Block>, AttachmentError> {
    let mut left = MAX_BYTES;
    let mut blocks = Vec::with_capacity(attachments.len());
    for (at, attachment) in attachments.iter().enumerate() {
        let name = name(attachment, at + 1);
        let bytes = bytes(&attachment.content, &name)?;
        left = left.checked_sub(bytes.len()).ok_or(AttachmentError::TotalTooLarge)?;
        blocks.push(block(name, bytes, secrets)?);
    }
    Ok(blocks)
}

/// The display name, in one line.
fn name(attachment: &ChatAttachment, number: usize) -> String {
    let named = attachment.file_name.as_deref().map(one_line).filter(|name| !name.is_empty());
    named.map_or_else(|| format!("attachment {number}"), |name| truncate(&name, MAX_NAME_CHARS))
}

fn bytes(content: &str, name: &str) -> Result<Vec<u8>, AttachmentError> {
    let not_base64 = || AttachmentError::NotBase64 { name: name.to_owned() };
    let content = match content.trim().strip_prefix("data:") {
        Some(url) => {
            let (head, data) = url.split_once(',').ok_or_else(not_base64)?;
            if !head.ends_with(";base64") {
                return Err(not_base64());
            }
            data
        }
        None => content.trim(),
    };
    // Some clients wrap base64 into lines.
    let content = match content.bytes().any(|byte| byte.is_ascii_whitespace()) {
        true => {
            Cow::Owned(content.chars().filter(|letter| !letter.is_ascii_whitespace()).collect::<String>())
        }
        false => Cow::Borrowed(content),
    };
    let bytes = BASE64.decode(content.as_bytes()).map_err(|_| not_base64())?;
    if bytes.is_empty() { Err(AttachmentError::Empty { name: name.to_owned() }) } else { Ok(bytes) }
}

fn block(name: String, bytes: Vec<u8>, secrets: &SecretMatcher) -> Result<Block, AttachmentError> {
    let check_size = |what, max| match bytes.len() {
        size if size > max => Err(AttachmentError::TooLarge { name: name.clone(), what, size, max }),
        _ => Ok(()),
    };
    match FileKind::detect(&bytes[..bytes.len().min(file_kind::MAX_SCANNED_BYTES)]) {
        FileKind::Picture(media) => {
            check_size("a picture", MAX_PICTURE_BYTES)?;
            Ok(Block::Image(Image { data: STANDARD.encode(bytes), mime_type: media.to_owned() }))
        }
        FileKind::Text => {
            check_size("a text file", MAX_TEXT_BYTES)?;
            let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
            let Some(text) = text else {
                return Err(AttachmentError::Unsupported {
                    name,
                    what: "neither UTF-8 text nor a known picture",
                });
            };
            let text = secrets.hide(text.trim_start_matches('\u{feff}'));
            Ok(Block::File(TextFile { file_name: secrets.hide(&name), text }))
        }
        FileKind::Binary(what) => Err(AttachmentError::Unsupported { name, what }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

    fn attached(name: &str, content: &str) -> ChatAttachment {
        let file_name = Some(name.to_owned()).filter(|name| !name.is_empty());
        ChatAttachment { kind: None, mime_type: None, file_name, content: content.to_owned() }
    }

    fn encoded(bytes: &[u8]) -> String {
        STANDARD.encode(bytes)
    }

    fn one(name: &str, content: &str) -> Result<Block, String> {
        let secrets = SecretMatcher::new(["sk-0123456789"]);
        let read = read(&[attached(name, content)], &secrets);
        read.map(|mut blocks| blocks.remove(0)).map_err(|error| error.to_string())
    }

    #[test]
    fn unusable_attachment_is_refused_by_name() {
        let large = |size| encoded(&[&PNG[..8], &vec![1; size - 8]].concat());
        let table = [
            ("a.txt", String::new(), "the attachment \"a.txt\" is empty"),
            ("a.txt", "not base64!".to_owned(), "the attachment \"a.txt\" is not valid base64"),
            ("", "data:image/png,%89PNG".to_owned(), "the attachment \"attachment 1\" is not valid base64"),
            (
                "scan.pdf",
                encoded(b"%PDF-1.7"),
                "the attachment \"scan.pdf\" is a PDF document, which is not supported",
            ),
            ("x.png", encoded(b"a\0b"), "the attachment \"x.png\" is binary data, which is not supported"),
            (
                "old.txt",
                encoded(b"caf\xe9"),
                "the attachment \"old.txt\" is neither UTF-8 text nor a known picture, which is not supported",
            ),
            (
                "big.png",
                large(MAX_PICTURE_BYTES + 1),
                "the attachment \"big.png\" has 6291457 bytes; the limit for a picture is 6291456",
            ),
            (
                "big.txt",
                encoded(&vec![b'a'; MAX_TEXT_BYTES + 1]),
                "the attachment \"big.txt\" has 262145 bytes; the limit for a text file is 262144",
            ),
        ];
        for (name, content, expected) in table {
            assert_eq!(one(name, &content), Err(expected.to_owned()), "{name}");
        }
        let pictures: Vec<_> = (0..4).map(|_| attached("p.png", &large(MAX_PICTURE_BYTES))).collect();
        let secrets = SecretMatcher::new([]);
        assert_eq!(read(&pictures, &secrets), Err(AttachmentError::TotalTooLarge));
        assert_eq!(read(&pictures[..3], &secrets).map(|blocks| blocks.len()), Ok(3));
        let problem = Problem::from(AttachmentError::TotalTooLarge);
        assert!(problem.message.ends_with("can be attached"), "{problem}");
    }

    #[test]
    fn picture_is_detected_by_its_bytes() {
        let png = Block::Image(Image { data: encoded(PNG), mime_type: "image/png".to_owned() });
        let plain = encoded(PNG);
        let (first, rest) = plain.split_at(5);
        for content in [
            plain.clone(),
            plain.trim_end_matches('=').to_owned(),
            format!("{first}\r\n{rest}\n"),
            format!("data:image/jpeg;base64,{plain}"),
        ] {
            assert_eq!(one("photo.jpg", &content).as_ref(), Ok(&png), "{content}");
        }
    }

    #[test]
    fn attached_text_keeps_its_name_and_hides_secrets() {
        let file = |name: &str, text: &str| {
            Ok(Block::File(TextFile { file_name: name.to_owned(), text: text.to_owned() }))
        };
        assert_eq!(one("notes.md", &encoded("\u{feff}# é\n".as_bytes())), file("notes.md", "# é\n"));
        assert_eq!(one(" a\nb ", &encoded(b"key sk-0123456789")), file("a b", "key [hidden]"));
        assert_eq!(one("", &encoded(b"{}")), file("attachment 1", "{}"));
    }
}
