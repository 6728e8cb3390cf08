//! Computes the edits of the settings file for a change of the skill records.
//!
//! Edits only differences: comments, unknown keys and the order of lists are kept.

use serde::Serialize;
use serde_json::{Map, Value};

use super::records::SkillRecords;
use crate::config::json5::{Document, Edit, Node, NodeKind, Path};

/// Returns the edits from `before` to `after`, which differ in the skill `name` only.
pub(super) fn record_edits(
    document: &Document,
    before: &SkillRecords,
    after: &SkillRecords,
    name: &str,
) -> Vec<Edit> {
    let record_path = |kind| Path::key("skills").join("security").join(kind).join(name);
    [
        edit_record(document, record_path("trust"), before.trust.get(name), after.trust.get(name)),
        edit_record(document, record_path("grants"), before.grants.get(name), after.grants.get(name)),
        edit_record(document, record_path("seen"), before.seen.get(name), after.seen.get(name)),
        edit_record(document, record_path("accepted"), before.accepted.get(name), after.accepted.get(name)),
        edit_record(document, record_path("disabled"), before.disabled.get(name), after.disabled.get(name)),
    ]
    .concat()
}

fn edit_record<T: PartialEq + Serialize>(
    document: &Document,
    path: Path,
    before: Option<&T>,
    after: Option<&T>,
) -> Vec<Edit> {
    if before == after {
        return Vec::new();
    }
    // These types contain only strings, lists of strings and booleans, so serialising them cannot fail.
    let value = |record: Option<&T>| record.and_then(|record| serde_json::to_value(record).ok());
    match (document.get(&path), value(before), value(after)) {
        (_, _, None) => vec![Edit::Unset { path }],
        (Some(node), Some(before), Some(after)) => edit_value(node, &path, &before, after),
        (_, _, Some(after)) => vec![Edit::set(path, after)],
    }
}

fn edit_value(node: &Node, path: &Path, before: &Value, after: Value) -> Vec<Edit> {
    match (&node.kind, before, after) {
        (NodeKind::Object(_), Value::Object(before), Value::Object(after)) => {
            edit_members(node, path, before, after)
        }
        (NodeKind::Array(items), _, Value::Array(after)) => edit_items(items, path, after),
        (_, _, after) if node.to_value() == after => Vec::new(),
        (_, _, after) => vec![Edit::set(path.clone(), after)],
    }
}

fn edit_members(
    node: &Node,
    path: &Path,
    before: &Map<String, Value>,
    after: Map<String, Value>,
) -> Vec<Edit> {
    let removed = before.keys().filter(|key| !after.contains_key(*key) && node.member(key).is_some());
    let mut edits: Vec<Edit> = removed.map(|key| Edit::Remove { path: path.join(key) }).collect();
    for (key, value) in after {
        let path = path.join(&key);
        match node.member(&key) {
            Some(child) => {
                edits.extend(edit_value(child, &path, before.get(&key).unwrap_or(&Value::Null), value));
            }
            None => edits.push(Edit::set(path, value)),
        }
    }
    edits
}

/// Removes elements and appends new ones; changes of records need nothing else.
fn edit_items(items: &[Node], path: &Path, after: Vec<Value>) -> Vec<Edit> {
    let current: Vec<Value> = items.iter().map(Node::to_value).collect();
    let is_kept = |value: &Value| after.iter().any(|expected| matches_fields(value, expected));
    let removed = current.iter().enumerate().rev().filter(|(_, value)| !is_kept(value));
    let mut edits: Vec<Edit> = removed.map(|(at, _)| Edit::Remove { path: path.at(at) }).collect();
    let next = current.len() - edits.len();
    let new =
        after.into_iter().filter(|expected| !current.iter().any(|value| matches_fields(value, expected)));
    edits.extend((next..).zip(new).map(|(at, value)| Edit::set(path.at(at), value)));
    edits
}

/// True if an element equals `expected`; objects may have additional members.
fn matches_fields(value: &Value, expected: &Value) -> bool {
    match (value, expected) {
        (Value::Object(members), Value::Object(expected)) => {
            expected.iter().all(|(key, expected)| members.get(key) == Some(expected))
        }
        (value, expected) => value == expected,
    }
}
