//! Frontmatter in the strict YAML of the reference library: every scalar is a text, and flow collections are refused.

use super::StrictError;
use crate::parse::plain_texts;

/// A value: texts, lists and maps, nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variants say it")]
pub enum Value {
    Text(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

impl Value {
    /// The value as text.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::List(items) => {
                let items: Vec<String> = items.iter().map(Self::quoted).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Map(pairs) => {
                let pairs: Vec<String> =
                    pairs.iter().map(|(key, value)| format!("'{key}': {}", value.quoted())).collect();
                format!("{{{}}}", pairs.join(", "))
            }
        }
    }

    fn quoted(&self) -> String {
        match self {
            Self::Text(text) => format!("'{text}'"),
            other => other.shown(),
        }
    }
}

/// The fields of a frontmatter, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields(pub Vec<(String, Value)>);

impl Fields {
    /// A field.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The names of the fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// Splits a file at its first two `---`, wherever they stand, and reads what is between.
///
/// # Errors
/// When one of them is missing, or what is between is not a map of strict YAML.
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
