//! The configuration as clients see it: secrets as placeholders, the agents always as a list; and a merge
//! patch applied to that.

use serde_json::{Map, Value, json};

use super::agents;
use super::json5::{Document, Path, Step};
use super::redact::Hidden;

/// The view that clients get. `agents.list` is always there.
#[must_use]
pub fn shown(document: &Document) -> Value {
    let mut view = shown_as_written(document);
    if let Value::Object(members) = &mut view {
        let agents = members.entry("agents").or_insert_with(|| json!({}));
        if let Value::Object(agents) = agents {
            agents.entry("list").or_insert_with(|| json!([]));
        }
    }
    view
}

/// The view without anything that the file does not say.
pub(super) fn shown_as_written(document: &Document) -> Value {
    let mut view = Hidden::in_document(document).value();
    agents::list_entries(&mut view);
    view
}

/// The text of the file, secrets as placeholders, layout and comments as they are.
#[must_use]
pub fn shown_text(document: &Document) -> String {
    Hidden::in_document(document).text()
}

/// A view that a patch was applied to.
#[derive(Debug, Clone, PartialEq)]
pub struct Patched {
    /// The view as it should become.
    pub view: Value,
    /// The places that differ.
    pub changed: Vec<String>,
}

/// The view after a merge patch (RFC 7396): objects are merged, `null` removes, everything else replaces. A patch
/// of `agents.entries` is one of the agents of those ids.
#[must_use]
pub fn merge_patch(document: &Document, patch: &Value) -> Patched {
    let before = shown(document);
    let mut view = before.clone();
    let mut patch = patch.clone();
    if before.pointer("/agents/entries").is_none() {
        agents::patch_entries(&mut view, &mut patch);
    }
    merge(&mut view, patch);
    let mut changed = Vec::new();
    differences(&before, &view, &mut Vec::new(), &mut changed);
    Patched { view, changed }
}

/// RFC 7396, as it stands there.
pub(super) fn merge(target: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *target = patch;
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Value::Object(target) = target else { return };
    for (name, value) in patch {
        if value.is_null() {
            target.shift_remove(&name);
        } else {
            merge(target.entry(name).or_insert(Value::Null), value);
        }
    }
}

fn differences(before: &Value, after: &Value, at: &mut Vec<Step>, changed: &mut Vec<String>) {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        if before != after {
            changed.extend(Path::from_steps(at.clone()).map(|path| path.to_string()));
        }
        return;
    };
    let removed = old.keys().filter(|name| !new.contains_key(*name));
    for name in new.keys().chain(removed) {
        at.push(Step::Key(name.clone()));
        let (old, new) = (old.get(name), new.get(name));
        match (old, new) {
            (Some(old), Some(new)) => differences(old, new, at, changed),
            _ => changed.extend(Path::from_steps(at.clone()).map(|path| path.to_string())),
        }
        at.pop();
    }
}
