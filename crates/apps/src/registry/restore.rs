//! Putting an entry back that was taken out: the same bytes, in the same place where that is still there.

use std::str::FromStr;

use serde_json::Value;
use tarsus_home::config::json5::{Dialect, Document, EditError, Kind, Member, SyntaxError};

use super::error::RegistryError;

/// Where the first entry of a file goes.
const OWN_LINE: &str = "\n  ";

/// The text of one entry: a JSON value and nothing beside it, whether it makes an app that can be used or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenEntry(String);

impl WrittenEntry {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for WrittenEntry {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Document::parse(text.as_bytes(), Dialect::Json)?;
        Ok(Self(text.trim().to_owned()))
    }
}

/// The document with the entry in front of `next`, or last when there is no such app. The name must be free.
pub(super) fn restored(
    before: &Document,
    name: &str,
    written: &WrittenEntry,
    next: Option<&str>,
) -> Result<Document, RegistryError> {
    let (text, root) = (before.text(), before.root());
    let members: &[Member] = if let Kind::Object(members) = &root.kind { members } else { &[] };
    let entry = format!("{}: {}", Value::from(name), written.as_str());
    let gap_before = |member: &Member| {
        let start = member.key.span.start;
        &text[text[..start].trim_end().len()..start]
    };
    let next = members.iter().find(|member| Some(member.key.name.as_str()) == next);
    let (at, new) = match (next, members.last()) {
        (Some(next), _) => (next.key.span.start, format!("{entry},{}", gap_before(next))),
        (None, Some(last)) => (last.value.span.end, format!(",{}{entry}", gap_before(last))),
        (None, None) => (root.span.end - 1, format!("{OWN_LINE}{entry}\n")),
    };
    let text = format!("{}{new}{}", &text[..at], &text[at..]);
    Document::parse_object(text.as_bytes(), Dialect::Json)
        .map_err(|error| RegistryError::Edit(EditError::Beyond(error)))
}
