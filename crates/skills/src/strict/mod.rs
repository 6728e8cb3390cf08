//! The rules of the AgentSkills reference library with its messages, for `tarsus skills validate --strict`.
//!
//! Loading does not use these rules: most public skills break them.

mod frontmatter;
mod rules;

use std::path::Path;

use tarsus_home::files::{self, FileError};

pub use frontmatter::{Fields, Value, parse_frontmatter};
pub use rules::validate_fields;

/// Largest SKILL.md that is read.
const MAX_BYTES: u64 = 256_000;

/// Why frontmatter cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrictError {
    /// The message of the reference library.
    #[error("{0}")]
    Parse(String),
}

/// Returns the skill file among the names of a folder: `SKILL.md`, else `skill.md`.
pub fn find_skill_md<'a>(names: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'static str> {
    ["SKILL.md", "skill.md"].into_iter().find(|wanted| names.clone().into_iter().any(|name| name == *wanted))
}

/// Returns the violations of a skill, from the name of its folder and the text of its file.
#[must_use]
pub fn validate(dir_name: &str, content: Option<&str>) -> Vec<String> {
    match content.map(parse_frontmatter) {
        None => vec!["Missing required file: SKILL.md".to_owned()],
        Some(Err(error)) => vec![error.to_string()],
        Some(Ok((fields, _))) => validate_fields(&fields, dir_name),
    }
}

/// Returns the violations of the skill in a folder, or in the folder of a given SKILL.md.
///
/// # Errors
/// If the file exists and cannot be read.
pub fn validate_folder(path: &Path) -> Result<Vec<String>, FileError> {
    let is_skill_file = |name: &str| name.eq_ignore_ascii_case("skill.md");
    let names_file =
        path.is_file() && path.file_name().and_then(|name| name.to_str()).is_some_and(is_skill_file);
    let folder = if names_file { path.parent().unwrap_or(path) } else { path };
    if !folder.exists() {
        return Ok(vec![format!("Path does not exist: {}", folder.display())]);
    }
    if !folder.is_dir() {
        return Ok(vec![format!("Not a directory: {}", folder.display())]);
    }
    let names = ["SKILL.md", "skill.md"].into_iter().filter(|name| folder.join(name).is_file());
    let content = match find_skill_md(names.collect::<Vec<_>>()) {
        Some(name) => files::read(&folder.join(name), MAX_BYTES)?,
        None => None,
    };
    let content = content.as_deref().map(String::from_utf8_lossy);
    let dir_name = folder.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    Ok(validate(&dir_name, content.as_deref()))
}
