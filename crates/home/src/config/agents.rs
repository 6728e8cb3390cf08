//! The two forms of agents in the file: `agents.list`, a list with ids, and `agents.entries`, an object by id.
//! Views and typed configurations contain only the list.

use serde_json::{Map, Value, json};

use super::client_view::merge;
use super::json5::{Document, Node, NodeKind};

/// The form in which a document lists its agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentsForm {
    List,
    Entries,
}

/// Detects the form; `List` if the document has neither or both.
pub(super) fn detect_form(document: &Document) -> AgentsForm {
    let agents = document.root().member("agents");
    let has = |name: &str| agents.and_then(|agents| agents.member(name));
    match (has("list"), has("entries").map(|entries| &entries.kind)) {
        (None, Some(NodeKind::Object(_))) => AgentsForm::Entries,
        _ => AgentsForm::List,
    }
}

/// Returns `agents.entries` if it is ignored because `agents.list` exists too.
pub(super) fn ignored_entries(document: &Document) -> Option<&Node> {
    let agents = document.root().member("agents")?;
    agents.member("list").and(agents.member("entries"))
}

/// Converts `agents.entries` to `agents.list`, if there are entries and no list.
pub(super) fn list_entries(config: &mut Value) {
    let Some(Value::Object(agents)) = config.get_mut("agents") else { return };
    if agents.contains_key("list") || !matches!(agents.get("entries"), Some(Value::Object(_))) {
        return;
    }
    let Some(Value::Object(entries)) = agents.shift_remove("entries") else { return };
    let list = entries.into_iter().map(|(id, entry)| with_id(id, entry)).collect();
    agents.insert("list".to_owned(), Value::Array(list));
}

fn with_id(id: String, entry: Value) -> Value {
    let mut agent = Map::from_iter([("id".to_owned(), json!(id))]);
    if let Value::Object(entry) = entry {
        agent.extend(entry.into_iter().filter(|(name, _)| name != "id"));
    }
    Value::Object(agent)
}

/// Removes `agents.entries` from a patch and applies it to the agents with those ids in the list of a view.
pub(super) fn patch_entries(view: &mut Value, patch: &mut Value) {
    let entries = match patch.get_mut("agents") {
        Some(Value::Object(agents)) if matches!(agents.get("entries"), Some(Value::Object(_))) => {
            agents.shift_remove("entries")
        }
        _ => None,
    };
    let Some(Value::Array(list)) = view.pointer_mut("/agents/list") else { return };
    let Some(Value::Object(entries)) = entries else { return };
    for (id, entry) in entries {
        let index = list.iter().position(|agent| agent.get("id").and_then(Value::as_str) == Some(&id));
        match (index, entry) {
            (Some(index), Value::Null) => {
                list.remove(index);
            }
            (None, Value::Null) => {}
            (Some(index), entry) => merge(&mut list[index], entry),
            (None, entry) => {
                let mut agent = json!({ "id": id });
                merge(&mut agent, entry);
                list.push(agent);
            }
        }
    }
}
