//! `read`: reads a file of the workspace, a skill, the guide or a configured folder.

use std::io::{self, Cursor, Read as _};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use tarsus_guard as guard;
use tarsus_protocol::{Block, Problem};
use tarsus_skills::activation::activate;

use super::check::{Arguments, Field, Kind};
use super::excerpt::{LineCount, MAX_BYTES, MAX_LINES, TextExcerpt, read_excerpt};
use super::file_kind::{self, FileKind};
use super::outcome::{FileOrigin, ToolOutcome};
use super::read_error::ReadError;
use super::roots::{FileContent, OpenFile};
use super::{MAX_PATH_CHARS, PermittedCall, Tool, ToolFuture, blocking};
use crate::turn_context::TurnContext;

/// Maximum bytes of a picture: 5 MB in base64.
const MAX_PICTURE_BYTES: u64 = 3_750_000;

const FIELDS: &[Field] = &[
    Field::required("path", Kind::Text(MAX_PATH_CHARS), "Path of the file, relative or absolute")
        .with_alias("file_path"),
    Field::optional("offset", Kind::Count, "First line to read, from 1"),
    Field::optional("limit", Kind::Count, "Maximum number of lines"),
];

pub(super) struct Read;

impl Tool for Read {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::Read
    }

    fn line(&self) -> &'static str {
        "Read a file"
    }

    fn description(&self) -> &'static str {
        "Reads a text file, or shows a picture (png, jpeg, gif, webp). Relative paths start in the workspace. Returns at most \
         2,000 lines or 50 KB; a note at the end says which offset to continue with."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        true
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        blocking(move || read(&call.arguments, &context))
    }
}

fn read(arguments: &Arguments, context: &TurnContext) -> Result<ToolOutcome, Problem> {
    let path = arguments.text("path").unwrap_or_default();
    let (first, max) = (arguments.count("offset"), arguments.count("limit"));
    let opened = context.roots.open(path, context)?;
    if first.is_none() && max.is_none() && opened.skill.is_some() && opened.size <= MAX_BYTES as u64 {
        return Ok(read_skill(opened, path, context)?);
    }
    let range = LineRange { first: first.unwrap_or(1), max: max.unwrap_or(MAX_LINES), parameter: "offset" };
    Ok(read_content(opened, path, &range)?)
}

/// The requested lines of a file.
pub(super) struct LineRange {
    /// First line, from 1.
    pub(super) first: u64,
    /// Maximum number of lines.
    pub(super) max: u64,
    /// The parameter that selects the first line.
    pub(super) parameter: &'static str,
}

/// Reads lines of a text file, or a whole picture.
pub(super) fn read_content(
    mut opened: OpenFile,
    path: &str,
    range: &LineRange,
) -> Result<ToolOutcome, ReadError> {
    let interrupted = |source| ReadError::Interrupted { path: path.to_owned(), source };
    let mut head = Vec::new();
    let limit = file_kind::MAX_SCANNED_BYTES as u64;
    opened.content.by_ref().take(limit).read_to_end(&mut head).map_err(interrupted)?;
    match FileKind::detect(&head) {
        FileKind::Text => {
            let content = Cursor::new(head).chain(&mut opened.content);
            let excerpt = read_excerpt(content, range.first, range.max).map_err(interrupted)?;
            text_outcome(opened, excerpt, path, range)
        }
        FileKind::Picture(media) => picture_outcome(opened, head, media, path),
        FileKind::Binary(what) => Err(ReadError::Binary { path: path.to_owned(), what, size: opened.size }),
    }
}

fn text_outcome(
    opened: OpenFile,
    excerpt: TextExcerpt,
    path: &str,
    range: &LineRange,
) -> Result<ToolOutcome, ReadError> {
    if excerpt.count == 0 && range.first > 1 {
        let lines = match excerpt.lines {
            LineCount::Exact(lines) => lines.to_string(),
            LineCount::MoreThan(lines) => format!("more than {lines}"),
        };
        return Err(ReadError::PastTheEnd { path: path.to_owned(), first: range.first, lines });
    }
    let note = excerpt.note(range.parameter);
    let mut text = excerpt.text;
    if text.is_empty() {
        text.push_str("[the file is empty]");
    }
    if let Some(note) = note {
        text.truncate(text.trim_end_matches('\n').len());
        text.push_str("\n\n");
        text.push_str(&note);
    }
    Ok(outcome(opened, vec![Block::text(text)]))
}

fn picture_outcome(
    mut opened: OpenFile,
    mut bytes: Vec<u8>,
    media: &str,
    path: &str,
) -> Result<ToolOutcome, ReadError> {
    let large = |size| ReadError::LargePicture { path: path.to_owned(), size, max: MAX_PICTURE_BYTES };
    if opened.size > MAX_PICTURE_BYTES {
        return Err(large(opened.size));
    }
    let read = read_rest(&mut opened, &mut bytes, MAX_PICTURE_BYTES);
    read.map_err(|source| ReadError::Interrupted { path: path.to_owned(), source })?;
    // The file may have grown meanwhile.
    let size = bytes.len() as u64;
    if size > MAX_PICTURE_BYTES {
        return Err(large(size));
    }
    let description = Block::text(format!("{path} is a picture ({media}, {size} bytes)"));
    let image = tarsus_protocol::message::Image { data: STANDARD.encode(bytes), mime_type: media.to_owned() };
    Ok(outcome(opened, vec![description, Block::Image(image)]))
}

/// Reads the rest of a file, up to one byte more than `max`.
fn read_rest(opened: &mut OpenFile, bytes: &mut Vec<u8>, max: u64) -> io::Result<usize> {
    let left = (max + 1).saturating_sub(bytes.len() as u64);
    opened.content.by_ref().take(left).read_to_end(bytes)
}

/// Reads a SKILL.md, with the folder of the skill and its settings filled in.
fn read_skill(mut opened: OpenFile, path: &str, context: &TurnContext) -> Result<ToolOutcome, ReadError> {
    let mut bytes = Vec::new();
    read_rest(&mut opened, &mut bytes, MAX_BYTES as u64)
        .map_err(|source| ReadError::Interrupted { path: path.to_owned(), source })?;
    let found = opened.skill.clone();
    let config = |key: &str| context.config.skills.entries.get(key).map(|entry| entry.config.clone());
    let text = found.as_ref().and_then(|found| {
        let config = config(&found.key()).unwrap_or_default();
        // A file that its owner changed meanwhile is read unchanged.
        activate(found.skill()?, found.path(), &bytes, &config).ok()
    });
    match text.filter(|text| text.len() <= MAX_BYTES && text.lines().count() as u64 <= MAX_LINES) {
        Some(text) => Ok(outcome(opened, vec![Block::text(text)])),
        None => {
            opened.size = bytes.len() as u64;
            opened.content = FileContent::Scanned(Cursor::new(bytes));
            read_content(opened, path, &LineRange { first: 1, max: MAX_LINES, parameter: "offset" })
        }
    }
}

fn outcome(opened: OpenFile, content: Vec<Block>) -> ToolOutcome {
    let OpenFile { path, origin, activated, size, .. } = opened;
    let details = json!({ "path": path.to_string_lossy(), "bytes": size, "from": origin_word(&origin) });
    ToolOutcome { content, activated, origin: Some(origin), ..ToolOutcome::default() }.with_details(details)
}

fn origin_word(origin: &FileOrigin) -> &'static str {
    match origin {
        FileOrigin::Workspace => "workspace",
        FileOrigin::Skill { .. } => "skill",
        FileOrigin::Docs => "docs",
        FileOrigin::Root => "root",
    }
}
