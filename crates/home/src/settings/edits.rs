//! The edits of the settings file that a change of the records is.
//!
//! Promises: only what differs is touched; comments, keys that are not ours and the order of lists stay. Leaves to
//! others: reading and writing the file.

use serde::Serialize;
use serde_json::{Map, Value};

use super::records::SkillRecords;
use crate::config::json5::{Document, Edit, Kind, Node, Path};

/// The edits that lead from records to others which differ in one skill.
pub(super) fn edits(
    document: &Document,
    before: &SkillRecords,
    after: &SkillRecords,
    name: &str,
) -> Vec<Edit> {
    let of = |kind| Path::key("skills").join("security").join(kind).join(name);
    [
        of_record(document, of("trust"), before.trust.get(name), after.trust.get(name)),
        of_record(document, of("grants"), before.grants.get(name), after.grants.get(name)),
        of_record(document, of("seen"), before.seen.get(name), after.seen.get(name)),
        of_record(document, of("accepted"), before.accepted.get(name), after.accepted.get(name)),
    ]
    .concat()
}

fn of_record<T: PartialEq + Serialize>(
    document: &Document,
    path: Path,
    before: Option<&T>,
    after: Option<&T>,
) -> Vec<Edit> {
    if before == after {
        return Vec::new();
    }
    // These types hold texts and lists of texts: they always have a value in JSON.
    let value = |record: Option<&T>| record.and_then(|record| serde_json::to_value(record).ok());
    match (document.get(&path), value(before), value(after)) {
        (_, _, None) => vec![Edit::Unset { path }],
        (Some(node), Some(before), Some(after)) => of_value(node, &path, &before, after),
        (_, _, Some(after)) => vec![Edit::set(path, after)],
    }
}

fn of_value(node: &Node, path: &Path, before: &Value, after: Value) -> Vec<Edit> {
    match (&node.kind, before, after) {
        (Kind::Object(_), Value::Object(before), Value::Object(after)) => {
            of_members(node, path, before, after)
        }
        (Kind::Array(items), _, Value::Array(after)) => of_items(items, path, after),
        (_, _, after) if node.to_value() == after => Vec::new(),
        (_, _, after) => vec![Edit::set(path.clone(), after)],
    }
}

fn of_members(node: &Node, path: &Path, before: &Map<String, Value>, after: Map<String, Value>) -> Vec<Edit> {
    let gone = before.keys().filter(|key| !after.contains_key(*key) && node.member(key).is_some());
    let mut edits: Vec<Edit> = gone.map(|key| Edit::Remove { path: path.join(key) }).collect();
    for (key, value) in after {
        let path = path.join(&key);
        match node.member(&key) {
            Some(child) => {
                edits.extend(of_value(child, &path, before.get(&key).unwrap_or(&Value::Null), value));
            }
            None => edits.push(Edit::set(path, value)),
        }
    }
    edits
}

/// Takes elements out and puts new ones at the end: that is all that changes of the records do.
fn of_items(items: &[Node], path: &Path, after: Vec<Value>) -> Vec<Edit> {
    let held: Vec<Value> = items.iter().map(Node::to_value).collect();
    let stays = |value: &Value| after.iter().any(|wanted| says(value, wanted));
    let gone = held.iter().enumerate().rev().filter(|(_, value)| !stays(value));
    let mut edits: Vec<Edit> = gone.map(|(at, _)| Edit::Remove { path: path.at(at) }).collect();
    let next = held.len() - edits.len();
    let new = after.into_iter().filter(|wanted| !held.iter().any(|value| says(value, wanted)));
    edits.extend((next..).zip(new).map(|(at, value)| Edit::set(path.at(at), value)));
    edits
}

/// Whether an element says what is wanted, whatever else stands in it.
fn says(value: &Value, wanted: &Value) -> bool {
    match (value, wanted) {
        (Value::Object(members), Value::Object(wanted)) => {
            wanted.iter().all(|(key, wanted)| members.get(key) == Some(wanted))
        }
        (value, wanted) => value == wanted,
    }
}
