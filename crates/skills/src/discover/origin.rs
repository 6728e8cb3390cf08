//! Reads the origin files that installers leave in a skill's folder: they mark it as third-party, and
//! `.openclaw/source-origin.json` holds the installed slug.

use std::io::Read;
use std::path::Path;

use serde::Deserialize;

use super::folder::{Folder, Opened, canonical};
use crate::SkillSource;

/// Parent folder of the origin file.
const FOLDER: &str = ".openclaw";
/// Origin files of the public skill registry, current and former.
const REGISTRY: [&str; 2] = [".clawhub/origin.json", ".clawdhub/origin.json"];
/// Path of the origin file in a skill's folder.
pub const ORIGIN_FILE: &str = ".openclaw/source-origin.json";
/// Largest origin file that is accepted.
const MAX_BYTES: u64 = 64 * 1024;

/// The origin of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// Whether an installer left an origin file, valid or not. Registry files are ignored for managed skills.
    pub third_party: bool,
    /// Slug that it was installed under.
    pub slug: Option<String>,
}

/// Reads the origin files of a skill folder, and returns why `source-origin.json` is ignored, if it is.
pub fn read_origin(folder: &Folder, below: &Path, source: SkillSource) -> (Origin, Option<String>) {
    let (slug, ignored) = match read_slug(folder, below) {
        Ok(slug) => (slug, None),
        Err(why) => (None, Some(why)),
    };
    let has_registry_file = || REGISTRY.iter().any(|note| folder.has(&below.join(note)));
    let third_party =
        slug.is_some() || ignored.is_some() || (source != SkillSource::Managed && has_registry_file());
    (Origin { third_party, slug }, ignored)
}

/// Reads the slug from the origin file, if there is one; the error says why the file is invalid.
fn read_slug(folder: &Folder, below: &Path) -> Result<Option<String>, String> {
    #[derive(Deserialize)]
    struct OriginFile {
        slug: String,
    }
    // Few skills have one, and checking for its folder is cheaper than opening it.
    if !folder.has(&below.join(FOLDER)) {
        return Ok(None);
    }
    let (file, metadata) = match folder.file(&below.join(ORIGIN_FILE)) {
        Opened::File(file, metadata) => (file, metadata),
        Opened::Missing => return Ok(None),
        Opened::Link => return Err("it is a link".to_owned()),
        Opened::Failed(error) => return Err(error.to_string()),
    };
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(format!("it has more than {MAX_BYTES} bytes"));
    }
    let OriginFile { slug } = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    if slug.is_empty() { Err("its slug is empty".to_owned()) } else { Ok(Some(slug)) }
}

/// Whether a skill folder that was not loaded is not the owner's.
pub fn is_third_party(folder: &Path, source: SkillSource) -> bool {
    let opened = canonical(folder).and_then(Folder::open);
    source == SkillSource::Managed
        || opened.is_ok_and(|folder| read_origin(&folder, Path::new(""), source).0.third_party)
}
