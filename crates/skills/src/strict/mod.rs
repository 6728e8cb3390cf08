//! The rules of the AgentSkills reference library, with its words: what `tarsus skills validate --strict` says.
//!
//! Promises: pure functions over a folder's name and its files; one thin function looks at a real folder. Loading does
//! not go by these rules: most public skills break them.

mod frontmatter;
mod rules;

use std::path::Path;

use tarsus_home::files::{self, FileError};
use tarsus_protocol::{ErrorCode, Problem};

pub use frontmatter::{Fields, Value, parse_frontmatter};
pub use rules::validate_fields;

/// The largest SKILL.md that is read.
const MAX_BYTES: u64 = 256_000;

/// Why a skill does not follow the rules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StrictError {
    /// The file cannot be read as a skill.
    #[error("{0}")]
    Parse(String),
    /// A field is missing or wrong.
    #[error("{0}")]
    Validation(String),
}

impl From<StrictError> for Problem {
    fn from(error: StrictError) -> Self {
        Self::new(ErrorCode::Malformed, error.to_string())
    }
}

/// What the reference library reads of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Properties {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The fields beside these two, each when it is there: license, compatibility, allowed-tools.
    pub texts: Vec<(&'static str, String)>,
    /// The metadata, each value as text.
    pub metadata: Vec<(String, String)>,
}

/// The file of a skill among the names of a folder: `SKILL.md`, else `skill.md`.
pub fn find_skill_md<'a>(names: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'static str> {
    ["SKILL.md", "skill.md"].into_iter().find(|wanted| names.clone().into_iter().any(|name| name == *wanted))
}

/// The properties of a skill from the text of its file; `None` when the folder has none. `folder` is how the folder is
/// shown.
///
/// # Errors
/// When there is no file, it cannot be read as a skill, or it has no name or description.
pub fn read_properties(folder: &str, content: Option<&str>) -> Result<Properties, StrictError> {
    let content = content.ok_or_else(|| StrictError::Parse(format!("SKILL.md not found in {folder}")))?;
    let (fields, _) = parse_frontmatter(content)?;
    let required = |key: &str| {
        let wrong = |message: String| Err(StrictError::Validation(message));
        match fields.get(key) {
            None => wrong(format!("Missing required field in frontmatter: {key}")),
            Some(Value::Text(text)) if !text.trim().is_empty() => Ok(text.trim().to_owned()),
            Some(_) => wrong(format!("Field '{key}' must be a non-empty string")),
        }
    };
    let metadata = match fields.get("metadata") {
        Some(Value::Map(pairs)) => pairs.iter().map(|(key, value)| (key.clone(), value.shown())).collect(),
        _ => Vec::new(),
    };
    let text = |key: &'static str| fields.get(key).map(|value| (key, value.shown()));
    Ok(Properties {
        name: required("name")?,
        description: required("description")?,
        texts: ["license", "compatibility", "allowed-tools"].into_iter().filter_map(text).collect(),
        metadata,
    })
}

/// Everything that is wrong with a skill, from the name of its folder and the text of its file.
#[must_use]
pub fn validate(dir_name: &str, content: Option<&str>) -> Vec<String> {
    match content.map(parse_frontmatter) {
        None => vec!["Missing required file: SKILL.md".to_owned()],
        Some(Err(error)) => vec![error.to_string()],
        Some(Ok((fields, _))) => validate_fields(&fields, dir_name),
    }
}

/// Everything that is wrong with the skill in a real folder. A path to the file itself stands for its folder.
///
/// # Errors
/// When the file is there and cannot be read.
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

/// The block that the reference library writes for a model, from each skill and where its file lies.
#[must_use]
pub fn to_prompt<'a>(skills: impl IntoIterator<Item = (&'a Properties, &'a str)>) -> String {
    let mut lines = vec!["<available_skills>".to_owned()];
    for (skill, location) in skills {
        let open = ["<skill>", "<name>"].map(str::to_owned);
        lines.extend(open);
        lines.push(escaped(&skill.name));
        lines.extend(["</name>", "<description>"].map(str::to_owned));
        lines.push(escaped(&skill.description));
        lines.extend(["</description>", "<location>"].map(str::to_owned));
        lines.push(location.to_owned());
        lines.extend(["</location>", "</skill>"].map(str::to_owned));
    }
    lines.push("</available_skills>".to_owned());
    lines.join("\n")
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#x27;"),
            other => escaped.push(other),
        }
    }
    escaped
}
