//! Parses frontmatter as the reference library does: every scalar is a string, and flow collections are rejected.

use super::StrictError;
use crate::parse::plain_texts;

/// A YAML value of strings, lists and maps.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants say it")]
pub enum Value {
    Text(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

/// The fields of a frontmatter, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(pub Vec<(String, Value)>);

impl Fields {
    /// Returns a field.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Iterates over the names of the fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// Parses the text between the first two `---` of a file, wherever they are, and returns the body too.
///
/// # Errors
/// If a `---` is missing, or the text between them is not a strict YAML mapping.
pub fn parse_frontmatter(content: &str) -> Result<(Fields, String), StrictError> {
    let wrong = |message: &str| Err(StrictError::Parse(message.to_owned()));
    let Some(rest) = content.strip_prefix("---") else {
        return wrong("SKILL.md must start with YAML frontmatter (---)");
    };
    let Some((block, body)) = rest.split_once("---") else {
        return wrong("SKILL.md frontmatter not properly closed with ---");
    };
    let block = block.replace("\r\n", "\n").replace('\r', "\n");
    match plain_texts(&block) {
        Ok(Some(Value::Map(fields))) => Ok((Fields(fields), body.trim().to_owned())),
        Ok(_) => wrong("SKILL.md frontmatter must be a YAML mapping"),
        Err(reason) => wrong(&format!("Invalid YAML in frontmatter: {reason}")),
    }
}
