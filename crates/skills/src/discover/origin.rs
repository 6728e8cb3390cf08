//! The notes that installers leave in a skill's folder: that it came from elsewhere, and the slug that it was installed
//! under (`.openclaw/source-origin.json`).

use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use super::folder::{Folder, Opened};
use crate::Source;

/// The folder of the note in a skill's folder.
const FOLDER: &str = ".openclaw";
/// The notes of the public registry of skills, today's and the one before.
const REGISTRY: [&str; 2] = [".clawhub/origin.json", ".clawdhub/origin.json"];
/// Where the note lies in a skill's folder.
pub const PLACE: &str = ".openclaw/source-origin.json";
/// More bytes than this are not a note of an installer.
const MOST_BYTES: u64 = 64 * 1024;

/// Where the skill in a folder below came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Whether some installer left a note, of use or not, as far as that makes a difference.
    pub noted: bool,
    /// The slug that it was installed under.
    pub slug: Option<String>,
}

/// Reads the notes in a folder below; also why ours is of no use, where that is so. Notes of others say nothing where
/// all skills come from elsewhere.
pub fn origin(folder: &Folder, below: &Path, source: Source) -> (Origin, Option<String>) {
    let (slug, ignored) = match slug(folder, below) {
        Ok(slug) => (slug, None),
        Err(why) => (None, Some(why)),
    };
    let by_others = || REGISTRY.iter().any(|note| folder.has(&below.join(note)));
    let noted = slug.is_some() || ignored.is_some() || (source != Source::Managed && by_others());
    (Origin { noted, slug }, ignored)
}

/// The slug of the skill in a folder below, where there is a note; else why the note is of no use.
fn slug(folder: &Folder, below: &Path) -> Result<Option<String>, String> {
    #[derive(Deserialize)]
    struct Note {
        slug: String,
    }
    // Hardly any skill has one: whether there is its folder costs less than trying to open it.
    if !folder.has(&below.join(FOLDER)) {
        return Ok(None);
    }
    let (file, metadata) = match folder.file(&below.join(PLACE)) {
        Opened::File(file, metadata) => (file, metadata),
        Opened::Missing => return Ok(None),
        Opened::Link => return Err("it is a link".to_owned()),
        Opened::Failed(error) => return Err(error.to_string()),
    };
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("it has more than {MOST_BYTES} bytes"));
    }
    let Note { slug } = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    if slug.is_empty() { Err("its slug is empty".to_owned()) } else { Ok(Some(slug)) }
}
