//! A response body as text, by its media type.

use tarsus_host::Clock;
use tarsus_host::egress::Url;

use crate::charset::decode;
use crate::error::WebError;
use crate::html::read_html;

/// Bytes in which the kind of an unnamed content shows.
const SNIFFED_BYTES: usize = 1024;

/// The form of a page's text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum TextFormat {
    /// Markdown: headings, lists, links and tables stay.
    #[default]
    Markdown,
    /// Text only.
    Text,
}

/// A body as text.
#[derive(Debug)]
pub(crate) struct Content {
    pub(crate) title: String,
    pub(crate) text: String,
    /// What a reader should know about the text.
    pub(crate) note: Option<&'static str>,
}

/// A body and what its headers say about it.
pub(crate) struct Body<'a> {
    pub(crate) url: &'a Url,
    pub(crate) bytes: &'a [u8],
    pub(crate) content_type: &'a str,
}

enum Kind {
    Html,
    Text,
    Other(String),
}

/// Reads a body. Takes a while for a large page, so it may block.
pub(crate) fn read_body(
    body: &Body<'_>,
    format: TextFormat,
    whole: bool,
    clock: &Clock,
) -> Result<Content, WebError> {
    let (media, charset) = media_type(body.content_type);
    match kind(&media, body.bytes) {
        Kind::Html => {
            let html = decode(body.bytes, charset.as_deref(), true);
            let readable = read_html(&html, body.url, format, whole, clock);
            let note = readable
                .is_plain
                .then_some("the page is too large or too deeply nested to be reduced to its article; this is all of its text");
            Ok(Content { title: readable.title, text: readable.text, note })
        }
        Kind::Text => {
            let text = decode(body.bytes, charset.as_deref(), false);
            Ok(Content { title: String::new(), text, note: None })
        }
        Kind::Other(content_type) => Err(WebError::NotText { url: body.url.to_string(), content_type }),
    }
}

/// The media type in lower case, and the charset.
fn media_type(header: &str) -> (String, Option<String>) {
    let mut parts = header.split(';').map(str::trim);
    let media = parts.next().unwrap_or_default().to_ascii_lowercase();
    let charset = parts.find_map(|part| {
        let (name, value) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then(|| value.to_owned())
    });
    (media, charset)
}

fn kind(media: &str, bytes: &[u8]) -> Kind {
    const TEXTS: [&str; 8] = [
        "application/json",
        "application/javascript",
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/toml",
        "application/x-ndjson",
        "application/x-sh",
    ];
    if bytes.starts_with(b"%PDF-") || media == "application/pdf" {
        return Kind::Other("a PDF".to_owned());
    }
    match media {
        "text/html" | "application/xhtml+xml" => Kind::Html,
        media if media.starts_with("text/") || TEXTS.contains(&media) => Kind::Text,
        media if media.ends_with("+json") || media.ends_with("+xml") || media.ends_with("+yaml") => {
            Kind::Text
        }
        "" | "application/octet-stream" | "application/x-unknown" | "binary/octet-stream" => sniff(bytes),
        media => Kind::Other(media.chars().filter(|letter| !letter.is_control()).take(80).collect()),
    }
}

/// What an unnamed content looks like.
fn sniff(bytes: &[u8]) -> Kind {
    let head = &bytes[..bytes.len().min(SNIFFED_BYTES)];
    if head.contains(&0) {
        return Kind::Other("binary data".to_owned());
    }
    let start = String::from_utf8_lossy(head).trim_start().to_ascii_lowercase();
    if ["<!doctype html", "<html", "<head", "<body"].iter().any(|tag| start.starts_with(tag)) {
        return Kind::Html;
    }
    match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_some() => Kind::Other("binary data".to_owned()),
        _ => Kind::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content_type: &str, bytes: &[u8]) -> String {
        let url = Url::parse("https://example.org/a").unwrap();
        let body = Body { url: &url, bytes, content_type };
        match read_body(&body, TextFormat::Markdown, false, &Clock::fixed(0).0) {
            Ok(content) => format!("{}|{}", content.title, content.text),
            Err(error) => format!("error: {error}"),
        }
    }

    #[test]
    fn content_is_read_by_its_media_type() {
        let html = b"<title>T</title><p>one <b>two</b>";
        let unreadable =
            |what: &str| format!("error: https://example.org/a is {what}, which cannot be read as text");
        for (content_type, bytes, expected) in [
            ("text/html; charset=utf-8", &html[..], "T|one **two**".to_owned()),
            ("Text/HTML", html, "T|one **two**".to_owned()),
            ("application/xhtml+xml", html, "T|one **two**".to_owned()),
            ("text/plain; Charset=\"iso-8859-1\"", b"caf\xe9 <b>", "|café <b>".to_owned()),
            ("application/json", b"{\"a\":1}", "|{\"a\":1}".to_owned()),
            ("application/atom+xml", b"<feed/>", "|<feed/>".to_owned()),
            ("", b"\n <!DOCTYPE html><p>x", "|x".to_owned()),
            ("application/octet-stream", b"plain", "|plain".to_owned()),
            ("", b"a\0b", unreadable("binary data")),
            ("", b"\x89PNG", unreadable("binary data")),
            ("image/png", b"x", unreadable("image/png")),
            ("text/html", b"%PDF-1.7", unreadable("a PDF")),
            ("application/pdf", b"x", unreadable("a PDF")),
            ("font/\u{7}x", b"x", unreadable("font/x")),
            ("text/html", b"", "|".to_owned()),
        ] {
            assert_eq!(read(content_type, bytes), expected, "{content_type}");
        }
    }
}
