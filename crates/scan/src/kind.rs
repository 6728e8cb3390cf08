//! What a file is by its first bytes and its name, and what is odd about that.
//!
//! Promises: what is not a picture, sound, document, archive or program by its bytes is looked into as text, whatever
//! its name says. Leaves to others: reading files (`inventory`), and what texts say.

use tarsus_protocol::text::is_invisible;

use crate::inventory::Oddity;

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
/// Endings of files whose bytes show nothing to a reader of text.
const MEDIA: &[&str] = &[
    ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tif", ".tiff", ".heic", ".avif", ".mp3",
    ".ogg", ".opus", ".flac", ".wav", ".m4a", ".aac", ".mp4", ".mov", ".avi", ".mkv", ".webm", ".pdf",
    ".woff", ".woff2", ".ttf", ".otf",
];
/// Endings of documents that are archives inside.
const DOCUMENTS: &[&str] =
    &[".docx", ".xlsx", ".pptx", ".dotx", ".xltx", ".potx", ".odt", ".ods", ".odp", ".epub"];
const BYTE_CODE: &[&str] = &[".pyc", ".pyo", ".class", ".luac", ".dex", ".beam"];
const PAGES: &[&str] = &[".html", ".htm", ".xhtml"];

/// The kinds of bytes that are told apart.
enum Kind {
    Text,
    Media,
    Executable,
    ByteCode,
    Archive,
    Unknown,
}

/// What is odd about a file.
pub(crate) fn oddities(path: &str, bytes: &[u8]) -> Vec<Oddity> {
    let kind = kind(path, bytes);
    let of_kind = match kind {
        Kind::Text if !bytes.is_empty() && ends(path, MEDIA) && !starts_as_media(bytes) => {
            Some(Oddity::Mismatch)
        }
        Kind::Text if ends(path, PAGES) && is_active(bytes) => Some(Oddity::ActivePage),
        Kind::Text if ends(path, &[".svg"]) && is_active(bytes) => Some(Oddity::ActivePicture),
        Kind::Text => None,
        Kind::Media if is_shown_as_media(path) => None,
        Kind::Media => Some(Oddity::Mismatch),
        Kind::Executable => Some(Oddity::Executable),
        Kind::ByteCode => Some(Oddity::ByteCode),
        Kind::Archive if ends(path, DOCUMENTS) => None,
        Kind::Archive if ends(path, &[".md", ".txt", ".json", ".yaml", ".yml", ".py", ".sh", ".js"]) => {
            Some(Oddity::Mismatch)
        }
        Kind::Archive => Some(Oddity::Archive),
        Kind::Unknown => Some(Oddity::NotText),
    };
    let name = file_name(path);
    let hidden = is_hidden(name).then_some(Oddity::HiddenFile);
    let odd_name = name.chars().any(is_invisible);
    of_kind.into_iter().chain(hidden).chain(odd_name.then_some(Oddity::OddName)).collect()
}

/// Whether the text of a file is worth reading: everything but what is known not to be text. A SKILL.md is read as text
/// whatever its bytes look like, and so is looked into.
pub(crate) fn is_looked_into(path: &str, bytes: &[u8]) -> bool {
    match kind(path, bytes) {
        _ if is_skill(file_name(path)) => true,
        Kind::Text | Kind::Unknown => true,
        Kind::Media => !is_shown_as_media(path),
        Kind::Executable | Kind::ByteCode | Kind::Archive => false,
    }
}

/// Whether a name is that of the file that makes a folder a skill, in whatever case.
pub(crate) fn is_skill(name: &str) -> bool {
    name.eq_ignore_ascii_case("SKILL.md")
}

/// Whether a name hides what it stands for from most lists.
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
        // Java's classes begin like programs for several machines, but with a version where those have a small number.
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

/// Whether bytes are UTF-8, or UTF-16 that says so.
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

/// Whether a page or drawing runs a program when it is opened.
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
