//! Restores a deleted entry: the same bytes, at the same position if its neighbour is still there.

use std::str::FromStr;

use serde_json::Value;
use tarsus_home::config::json5::{Document, EditError, JsonDialect, Member, NodeKind, SyntaxError};

use super::error::RegistryError;

/// Line break and indentation of the first entry of a file.
const OWN_LINE: &str = "\n  ";

/// The text of one entry: exactly one JSON value, valid as an entry or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawEntry(String);

impl RawEntry {
    /// The JSON text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RawEntry {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Document::parse(text.as_bytes(), JsonDialect::Json)?;
        Ok(Self(text.trim().to_owned()))
    }
}

/// The document with the entry before `next`, or last if there is no such app. The name must be free.
pub(super) fn restore(
    before: &Document,
    name: &str,
    entry: &RawEntry,
    next: Option<&str>,
) -> Result<Document, RegistryError> {
    let (text, root) = (before.text(), before.root());
    let members: &[Member] = if let NodeKind::Object(members) = &root.kind { members } else { &[] };
    let member = format!("{}: {}", Value::from(name), entry.as_str());
    let gap_before = |member: &Member| {
        let start = member.key.span.start;
        &text[text[..start].trim_end().len()..start]
    };
    let next = members.iter().find(|member| Some(member.key.name.as_str()) == next);
    let (at, new) = match (next, members.last()) {
        (Some(next), _) => (next.key.span.start, format!("{member},{}", gap_before(next))),
        (None, Some(last)) => (last.value.span.end, format!(",{}{member}", gap_before(last))),
        (None, None) => (root.span.end - 1, format!("{OWN_LINE}{member}\n")),
    };
    let text = format!("{}{new}{}", &text[..at], &text[at..]);
    Document::parse_object(text.as_bytes(), JsonDialect::Json)
        .map_err(|error| RegistryError::Edit(EditError::Beyond(error)))
}
