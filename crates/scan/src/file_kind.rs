//! Classifies files by first bytes and name.
//!
//! Everything that is not known media, a document, an archive or a program is text or an anomaly.

use tarsus_text::is_invisible;

use crate::inventory::FileAnomaly;

/// Hidden files and folders that projects usually have.
const USUAL: &[&str] = &[
    ".gitignore",
    ".gitattributes",
    ".gitkeep",
    ".github",
    ".editorconfig",
    ".npmignore",
    ".clawhub",
    ".clawhubignore",
    ".openclaw",
    ".prettierrc",
    ".eslintrc",
    ".eslintrc.json",
    ".nvmrc",
    ".python-version",
    ".env.example",
];
/// Extensions of media.
const MEDIA: &[&str] = &[
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tif", ".tiff", ".heic", ".avif", ".mp3",
    ".ogg", ".opus", ".flac", ".wav", ".m4a", ".aac", ".mp4", ".mov", ".avi", ".mkv", ".webm", ".pdf",
    ".woff", ".woff2", ".ttf", ".otf",
];
/// Extensions of documents that are archives inside.
const DOCUMENTS: &[&str] =
    &[".docx", ".xlsx", ".pptx", ".dotx", ".xltx", ".potx", ".odt", ".ods", ".odp", ".epub"];
const BYTE_CODE: &[&str] = &[".pyc", ".pyo", ".class", ".luac", ".dex", ".beam"];
const PAGES: &[&str] = &[".html", ".htm", ".xhtml"];

enum Kind {
    Text,
    Media,
    Executable,
    ByteCode,
    Archive,
    Unknown,
}

pub(crate) fn anomalies(path: &str, bytes: &[u8]) -> Vec<FileAnomaly> {
    let kind = kind(path, bytes);
    let of_kind = match kind {
        Kind::Text if !bytes.is_empty() && ends(path, MEDIA) && !starts_as_media(bytes) => {
            Some(FileAnomaly::Mismatch)
        }
        Kind::Text if ends(path, PAGES) && is_active(bytes) => Some(FileAnomaly::ActivePage),
        Kind::Text if ends(path, &[".svg"]) && is_active(bytes) => Some(FileAnomaly::ActivePicture),
        Kind::Text => None,
        Kind::Media if is_shown_as_media(path) => None,
        Kind::Media => Some(FileAnomaly::Mismatch),
        Kind::Executable => Some(FileAnomaly::Executable),
        Kind::ByteCode => Some(FileAnomaly::ByteCode),
        Kind::Archive if ends(path, DOCUMENTS) => None,
        Kind::Archive if ends(path, &[".md", ".txt", ".json", ".yaml", ".yml", ".py", ".sh", ".js"]) => {
            Some(FileAnomaly::Mismatch)
        }
        Kind::Archive => Some(FileAnomaly::Archive),
        Kind::Unknown => Some(FileAnomaly::NotText),
    };
    let name = file_name(path);
    let hidden = is_hidden(name).then_some(FileAnomaly::HiddenFile);
    let odd_name = name.chars().any(is_invisible);
    of_kind.into_iter().chain(hidden).chain(odd_name.then_some(FileAnomaly::OddName)).collect()
}

/// Whether the file is scanned as text: everything except known binary formats. SKILL.md always is.
pub(crate) fn is_scanned(path: &str, bytes: &[u8]) -> bool {
    match kind(path, bytes) {
        _ if is_skill(file_name(path)) => true,
        Kind::Text | Kind::Unknown => true,
        Kind::Media => !is_shown_as_media(path),
        Kind::Executable | Kind::ByteCode | Kind::Archive => false,
    }
}

/// Compares without case.
pub(crate) fn is_skill(name: &str) -> bool {
    name.eq_ignore_ascii_case("SKILL.md")
}

pub(crate) fn is_hidden(name: &str) -> bool {
    name.starts_with('.') && !USUAL.contains(&name)
}

fn is_shown_as_media(path: &str) -> bool {
    ends(path, MEDIA)
}

fn kind(path: &str, bytes: &[u8]) -> Kind {
    if is_text(bytes) {
        return Kind::Text;
    }
    let number =
        |at: usize| bytes.get(at..at + 4).map(|run| u32::from_be_bytes([run[0], run[1], run[2], run[3]]));
    match bytes {
        [0x7F, b'E', b'L', b'F', ..] | [b'M', b'Z', ..] => Kind::Executable,
        [0xFE, 0xED, 0xFA, 0xCE | 0xCF, ..] | [0xCE | 0xCF, 0xFA, 0xED, 0xFE, ..] => Kind::Executable,
        [0xD0, 0xCF, 0x11, 0xE0, ..] if ends(path, &[".msi"]) => Kind::Executable,
        // Java classes start like universal binaries, but with a version where those have a small count.
        [0xCA, 0xFE, 0xBA, 0xBE, ..] if number(4).is_some_and(|machines| machines < 40) => Kind::Executable,
        [0xCA, 0xFE, 0xBA, 0xBE, ..] | [0, b'a', b's', b'm', ..] | [b'd', b'e', b'x', b'\n', ..] => {
            Kind::ByteCode
        }
        [0x1B, b'L', b'u', b'a', ..] => Kind::ByteCode,
        _ if ends(path, BYTE_CODE) => Kind::ByteCode,
        [b'P', b'K', 3 | 5, 4 | 6, ..]
        | [0x1F, 0x8B, ..]
        | [b'R', b'a', b'r', b'!', ..]
        | [b'7', b'z', 0xBC, 0xAF, ..]
        | [0xFD, b'7', b'z', b'X', ..]
        | [0x28, 0xB5, 0x2F, 0xFD, ..]
        | [b'B', b'Z', b'h', ..]
        | [b'!', b'<', b'a', b'r', b'c', b'h', b'>', ..] => Kind::Archive,
        _ if bytes.get(257..262) == Some(b"ustar") => Kind::Archive,
        _ if starts_as_media(bytes) => Kind::Media,
        _ => Kind::Unknown,
    }
}

/// UTF-8, or UTF-16 with a byte order mark.
fn is_text(bytes: &[u8]) -> bool {
    match bytes {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => true,
        _ => !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok(),
    }
}

fn starts_as_media(bytes: &[u8]) -> bool {
    let starts: &[&[u8]] = &[
        b"\x89PNG",
        b"\xFF\xD8\xFF",
        b"GIF8",
        b"RIFF",
        b"OggS",
        b"ID3",
        b"\xFF\xF1",
        b"\xFF\xFB",
        b"fLaC",
        b"%PDF",
        b"BM",
        b"wOFF",
        b"wOF2",
        b"\0\x01\0\0",
        b"OTTO",
        b"II*\0",
        b"MM\0*",
        b"\x1AE\xDF\xA3",
        b"\0\0\x01\0",
    ];
    starts.iter().any(|start| bytes.starts_with(start)) || bytes.get(4..8) == Some(b"ftyp")
}

/// Whether HTML or SVG runs scripts when it is opened.
fn is_active(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    ["<script", "javascript:", "onload=", "onerror=", "onclick=", "onmouseover=", "onbegin=", "onfocus="]
        .iter()
        .any(|program| text.contains(program))
}

pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn ends(path: &str, endings: &[&str]) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    endings.iter().any(|ending| name.ends_with(ending))
}
