//! The two ways to write the agents: `agents.list`, a list with ids, and `agents.entries`, an object by id.
//! Wherever a configuration is shown or read, there is only the list.

use serde_json::{Map, Value, json};

use super::json5::{Document, Kind, Node};
use super::shown::merge;

/// How a document writes its agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    List,
    Entries,
}

/// How a document writes its agents; the list where it says nothing or both.
pub(super) fn way(document: &Document) -> Way {
    let agents = document.root().member("agents");
    let has = |name: &str| agents.and_then(|agents| agents.member(name));
    match (has("list"), has("entries").map(|entries| &entries.kind)) {
        (None, Some(Kind::Object(_))) => Way::Entries,
        _ => Way::List,
    }
}

/// The entries that do not count, because the list is there too.
pub(super) fn ignored_entries(document: &Document) -> Option<&Node> {
    let agents = document.root().member("agents")?;
    agents.member("list").and(agents.member("entries"))
}

/// Turns `agents.entries` into `agents.list`, where there are entries and no list.
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

/// Moves a patch of `agents.entries` over to the agents of those ids in the list of a view.
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
        let place = list.iter().position(|agent| agent.get("id").and_then(Value::as_str) == Some(&id));
        match (place, entry) {
            (Some(place), Value::Null) => {
                list.remove(place);
            }
            (None, Value::Null) => {}
            (Some(place), entry) => merge(&mut list[place], entry),
            (None, entry) => {
                let mut agent = json!({ "id": id });
                merge(&mut agent, entry);
                list.push(agent);
            }
        }
    }
}
