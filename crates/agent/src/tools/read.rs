//! `read`: a file of the workspace, of a skill, of the guide or of a folder that the owner named.

use std::io::{self, Cursor, Read as _};
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use tarsus_guard as guard;
use tarsus_protocol::{Block, Problem};
use tarsus_skills::activation::activate;

use super::cap::{self, Lines, MOST_BYTES, MOST_LINES};
use super::check::{Arguments, Field, Kind};
use super::kind;
use super::not_read::ReadError;
use super::outcome::{Origin, Outcome};
use super::roots::Opened;
use super::{LONGEST_PATH, Running, Tool, blocking};
use crate::turn_context::TurnContext;

/// Bytes of a picture: 5 MB as it is sent.
const MOST_PICTURE_BYTES: u64 = 3_750_000;

const FIELDS: &[Field] = &[
    Field::required("path", Kind::Text(LONGEST_PATH), "The file, relative or absolute").also("file_path"),
    Field::optional("offset", Kind::Count, "The line to begin at, from 1"),
    Field::optional("limit", Kind::Count, "The most lines to read"),
];

/// The tool.
pub(super) struct Read;

impl Tool for Read {
    fn id(&self) -> guard::Tool {
        guard::Tool::Read
    }

    fn line(&self) -> &'static str {
        "Read a file"
    }

    fn description(&self) -> &'static str {
        "Reads a text file, or shows a picture (png, jpeg, gif, webp). Relative paths begin in the workspace. At most \
         2,000 lines or 50 KB come at once; the note at the end says which offset goes on."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        true
    }

    fn run(&self, arguments: Arguments, context: Arc<TurnContext>) -> Running {
        blocking(move || read(&arguments, &context))
    }
}

fn read(arguments: &Arguments, context: &TurnContext) -> Result<Outcome, Problem> {
    let path = arguments.text("path").unwrap_or_default();
    let (first, most) = (arguments.count("offset"), arguments.count("limit"));
    let opened = context.roots.open(path, context)?;
    if first.is_none() && most.is_none() && opened.skill.is_some() && opened.size <= MOST_BYTES as u64 {
        return Ok(skill(opened, path, context)?);
    }
    Ok(contents(
        opened,
        path,
        &Wanted { first: first.unwrap_or(1), most: most.unwrap_or(MOST_LINES), by: "offset" },
    )?)
}

/// The part of a file that is wanted.
pub(super) struct Wanted {
    /// The line to begin at, from 1.
    pub(super) first: u64,
    /// At most so many lines.
    pub(super) most: u64,
    /// The parameter that another line is asked for with.
    pub(super) by: &'static str,
}

/// What is in a file.
pub(super) fn contents(mut opened: Opened, path: &str, wanted: &Wanted) -> Result<Outcome, ReadError> {
    let broke = |source| ReadError::Broke { path: path.to_owned(), source };
    let mut head = Vec::new();
    opened.content.by_ref().take(kind::LOOKED_AT as u64).read_to_end(&mut head).map_err(broke)?;
    match kind::of(&head) {
        kind::Kind::Text => {
            let text = cap::part(Cursor::new(head).chain(&mut opened.content), wanted.first, wanted.most);
            text_of(opened, &text.map_err(broke)?, path, wanted)
        }
        kind::Kind::Picture(media) => picture(opened, head, media, path),
        kind::Kind::Binary(what) => Err(ReadError::Binary { path: path.to_owned(), what, size: opened.size }),
    }
}

fn text_of(opened: Opened, part: &cap::Part, path: &str, wanted: &Wanted) -> Result<Outcome, ReadError> {
    if part.shown == 0 && wanted.first > 1 {
        let lines = match part.lines {
            Lines::All(lines) => lines.to_string(),
            Lines::MoreThan(lines) => format!("more than {lines}"),
        };
        return Err(ReadError::PastTheEnd { path: path.to_owned(), first: wanted.first, lines });
    }
    let mut text = part.text.clone();
    if text.is_empty() {
        text.push_str("[the file is empty]");
    }
    if let Some(note) = part.note(wanted.by) {
        text.truncate(text.trim_end_matches('\n').len());
        text.push_str("\n\n");
        text.push_str(&note);
    }
    Ok(outcome(opened, vec![Block::text(text)]))
}

fn picture(mut opened: Opened, mut bytes: Vec<u8>, media: &str, path: &str) -> Result<Outcome, ReadError> {
    let large = |size| ReadError::LargePicture { path: path.to_owned(), size, most: MOST_PICTURE_BYTES };
    if opened.size > MOST_PICTURE_BYTES {
        return Err(large(opened.size));
    }
    let rest = rest(&mut opened, &mut bytes, MOST_PICTURE_BYTES);
    rest.map_err(|source| ReadError::Broke { path: path.to_owned(), source })?;
    // It may have grown meanwhile.
    let size = bytes.len() as u64;
    if size > MOST_PICTURE_BYTES {
        return Err(large(size));
    }
    let told = Block::text(format!("{path} is a picture ({media}, {size} bytes)"));
    let image = tarsus_protocol::message::Image { data: STANDARD.encode(bytes), mime_type: media.to_owned() };
    Ok(outcome(opened, vec![told, Block::Image(image)]))
}

/// Reads on, one byte further than `most` at the furthest.
fn rest(opened: &mut Opened, bytes: &mut Vec<u8>, most: u64) -> io::Result<usize> {
    let left = (most + 1).saturating_sub(bytes.len() as u64);
    opened.content.by_ref().take(left).read_to_end(bytes)
}

/// A skill as it is handed to a model: with its folder, and what the settings keep for it to read.
fn skill(mut opened: Opened, path: &str, context: &TurnContext) -> Result<Outcome, ReadError> {
    let mut bytes = Vec::new();
    rest(&mut opened, &mut bytes, MOST_BYTES as u64)
        .map_err(|source| ReadError::Broke { path: path.to_owned(), source })?;
    let found = opened.skill.clone();
    let config = |key: &str| context.config.skills.entries.get(key).map(|entry| entry.config.clone());
    let text = found.as_ref().and_then(|found| {
        let config = config(&found.key()).unwrap_or_default();
        // One that its owner changed meanwhile is read as it is.
        activate(found.skill()?, found.path(), &bytes, &config).ok()
    });
    match text.filter(|text| text.len() <= MOST_BYTES && text.lines().count() as u64 <= MOST_LINES) {
        Some(text) => Ok(outcome(opened, vec![Block::text(text)])),
        None => {
            opened.size = bytes.len() as u64;
            opened.content = super::roots::Content::FolderScan(Cursor::new(bytes));
            contents(opened, path, &Wanted { first: 1, most: MOST_LINES, by: "offset" })
        }
    }
}

fn outcome(opened: Opened, content: Vec<Block>) -> Outcome {
    let Opened { path, origin, activated, size, .. } = opened;
    let details = json!({ "path": shown(&path), "bytes": size, "from": word(&origin) });
    Outcome { content, activated, origin: Some(origin), ..Outcome::default() }.with_details(details)
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn word(origin: &Origin) -> &'static str {
    match origin {
        Origin::Workspace => "workspace",
        Origin::Skill { .. } => "skill",
        Origin::Docs => "docs",
        Origin::Root => "root",
    }
}
