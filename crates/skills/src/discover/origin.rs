//! `.openclaw/source-origin.json` in a skill's folder: the slug that the skill was installed under.

use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use super::folder::{Folder, Opened};

/// The folder of the note in a skill's folder.
const FOLDER: &str = ".openclaw";
/// Where the note lies in a skill's folder.
pub const PLACE: &str = ".openclaw/source-origin.json";
/// More bytes than this are not a note of an installer.
const MOST_BYTES: u64 = 64 * 1024;

/// The slug of the skill in a folder below, where there is a note; else why the note is of no use.
pub fn slug(folder: &Folder, below: &Path) -> Result<Option<String>, String> {
    #[derive(Deserialize)]
    struct Origin {
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
    let Origin { slug } = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    if slug.is_empty() { Err("its slug is empty".to_owned()) } else { Ok(Some(slug)) }
}
