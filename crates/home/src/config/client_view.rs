//! The configuration as clients see it (secrets as placeholders, agents always as a list), and merge patches of it.

use serde_json::{Map, Value, json};

use super::agents;
use super::json5::{Document, Path, PathStep};
use super::redact::Redaction;

/// Returns the view for clients. `agents.list` is always present.
#[must_use]
pub fn shown(document: &Document) -> Value {
    let mut view = redacted_view(document);
    if let Value::Object(members) = &mut view {
        let agents = members.entry("agents").or_insert_with(|| json!({}));
        if let Value::Object(agents) = agents {
            agents.entry("list").or_insert_with(|| json!([]));
        }
    }
    view
}

/// Returns the redacted view without defaults that the file does not contain.
pub(super) fn redacted_view(document: &Document) -> Value {
    let mut view = Redaction::in_document(document).value();
    agents::list_entries(&mut view);
    view
}

/// Returns the text of the file with secrets as placeholders; layout and comments are kept.
#[must_use]
pub fn shown_text(document: &Document) -> String {
    Redaction::in_document(document).text()
}

/// A view after a patch.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchedView {
    /// The patched view.
    pub view: Value,
    /// Paths of the values that differ.
    pub changed: Vec<String>,
}

/// Applies a merge patch (RFC 7396) to the view: objects are merged, `null` removes, everything else replaces. A patch
/// of `agents.entries` applies to the agents with those ids.
#[must_use]
pub fn merge_patch(document: &Document, patch: &Value) -> PatchedView {
    let before = shown(document);
    let mut view = before.clone();
    let mut patch = patch.clone();
    if before.pointer("/agents/entries").is_none() {
        agents::patch_entries(&mut view, &mut patch);
    }
    merge(&mut view, patch);
    let mut changed = Vec::new();
    collect_changed_paths(&before, &view, &mut Vec::new(), &mut changed);
    PatchedView { view, changed }
}

/// Merges in place, as specified in RFC 7396.
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

fn collect_changed_paths(before: &Value, after: &Value, path: &mut Vec<PathStep>, changed: &mut Vec<String>) {
    let (Value::Object(old), Value::Object(new)) = (before, after) else {
        if before != after {
            changed.extend(Path::from_steps(path.clone()).map(|path| path.to_string()));
        }
        return;
    };
    let removed = old.keys().filter(|name| !new.contains_key(*name));
    for name in new.keys().chain(removed) {
        path.push(PathStep::Key(name.clone()));
        let (old, new) = (old.get(name), new.get(name));
        match (old, new) {
            (Some(old), Some(new)) => collect_changed_paths(old, new, path, changed),
            _ => changed.extend(Path::from_steps(path.clone()).map(|path| path.to_string())),
        }
        path.pop();
    }
}
