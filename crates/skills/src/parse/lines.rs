//! Parses frontmatter line by line, for values that YAML does not provide.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::text::{field, trimmed, unquoted};

/// Returns the fields of a block, each once, with its last value.
pub(super) fn fields(block: &str) -> Vec<(&str, Cow<'_, str>)> {
    let mut fields: Vec<(&str, Cow<'_, str>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    let is_indented = |line: &str| line.starts_with([' ', '\t']);
    let mut lines = block.split('\n').peekable();
    while let Some(line) = lines.next() {
        let Some((key, value)) = field(line) else { continue };
        let value = trimmed(value);
        let value = if value.is_empty() && lines.peek().is_some_and(|next| is_indented(next)) {
            let mut below = Vec::new();
            while let Some(line) = lines.next_if(|line| line.is_empty() || is_indented(line)) {
                below.push(line);
            }
            Cow::Owned(trimmed(&below.join("\n")).to_owned())
        } else {
            Cow::Borrowed(unquoted(value))
        };
        // A JavaScript object cannot store a string under this name.
        if value.is_empty() || key == "__proto__" {
            continue;
        }
        match places.entry(key) {
            Entry::Occupied(place) => fields[*place.get()].1 = value,
            Entry::Vacant(place) => {
                place.insert(fields.len());
                fields.push((key, value));
            }
        }
    }
    fields
}
