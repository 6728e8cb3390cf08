//! Validation of one registry entry: its readable fields, its group and every fault. Nothing is guessed or repaired; an
//! empty text counts as absent.

use tarsus_home::config::AgentId;
use tarsus_home::config::json5::{Member, Node, NodeKind};
use tarsus_protocol::apps::{AppGroup, AppMode};
use tarsus_protocol::apps_fault::{AppFault, ValueKind};

/// The keys of an entry.
pub(crate) mod key {
    pub(crate) const LAUNCH_PATH: &str = "launch_path";
    pub(crate) const RUNTIME_EXE: &str = "runtime_exe";
    pub(crate) const PROCESS_NAME: &str = "process_name";
    pub(crate) const MODE: &str = "mode";
    pub(crate) const ALLOWED_AGENTS: &str = "allowed_agents";
}

/// Longest part of an unknown mode that is shown, in characters.
const MAX_SHOWN_MODE: usize = 40;

/// The readable fields of a stored entry, and its faults.
#[derive(Debug, Default)]
pub(crate) struct ValidatedFields {
    pub(crate) launch_path: Option<String>,
    pub(crate) runtime_exe: Option<String>,
    pub(crate) process_name: Option<String>,
    pub(crate) mode: Option<AppMode>,
    pub(crate) allowed_agents: Vec<String>,
    pub(crate) faults: Vec<AppFault>,
}

/// Agent ids on an allowlist that no agent can have: an id has small letters, digits, `-` and `_`.
pub fn impossible_agent_ids(agents: &[String]) -> impl Iterator<Item = &str> {
    let is_id = |id: &str| id.parse::<AgentId>().is_ok_and(|parsed| parsed.as_str() == id);
    agents.iter().map(String::as_str).filter(move |id| !is_id(id))
}

/// The first group that applies to an entry with these faults.
pub(crate) fn group_of(faults: &[AppFault]) -> AppGroup {
    let has = |group| faults.iter().any(|fault| fault.group() == group);
    let by_severity = [AppGroup::Malformed, AppGroup::Incomplete, AppGroup::PolicyMismatch];
    by_severity.into_iter().find(|group| has(*group)).unwrap_or(AppGroup::Valid)
}

const fn kind_of(node: &Node) -> ValueKind {
    match node.kind {
        NodeKind::Null => ValueKind::Null,
        NodeKind::Bool(_) => ValueKind::Boolean,
        NodeKind::Number(_) => ValueKind::Number,
        NodeKind::String(_) => ValueKind::String,
        NodeKind::Array(_) => ValueKind::List,
        NodeKind::Object(_) => ValueKind::Object,
    }
}

/// Validates one entry.
pub(crate) fn validate(node: Node) -> ValidatedFields {
    let found = kind_of(&node);
    match node.kind {
        NodeKind::Object(members) => validate_fields(members),
        _ => ValidatedFields { faults: vec![AppFault::NotAnObject { found }], ..ValidatedFields::default() },
    }
}

fn validate_fields(mut members: Vec<Member>) -> ValidatedFields {
    // A field with a wrong value is not missing.
    let is_there =
        |field: &str| members.iter().any(|member| member.key.name == field && !is_blank(&member.value));
    let missing = [key::LAUNCH_PATH, key::MODE, key::ALLOWED_AGENTS]
        .map(|field| (!is_there(field)).then(|| AppFault::Missing { field: field.to_owned() }));

    let mut faults = Vec::new();
    let mut text = |field| read_text(take_value(&mut members, field)?, field, &mut faults);
    let launch_path = text(key::LAUNCH_PATH);
    let runtime_exe = text(key::RUNTIME_EXE);
    let process_name = text(key::PROCESS_NAME);
    let mode_word = text(key::MODE);
    let agents =
        take_value(&mut members, key::ALLOWED_AGENTS).and_then(|list| read_agents(list, &mut faults));

    let mode = mode_word.as_deref().and_then(|word| word.parse().ok());
    if let (Some(word), None) = (mode_word, mode) {
        faults.push(AppFault::UnknownMode { mode: word.chars().take(MAX_SHOWN_MODE).collect() });
    }
    let has_list = agents.is_some();
    let allowed_agents = agents.unwrap_or_default();
    let mismatch = match mode {
        Some(AppMode::Allowlist) if has_list && allowed_agents.is_empty() => Some(AppFault::NobodyListed),
        Some(mode @ (AppMode::Full | AppMode::Off)) if !allowed_agents.is_empty() => {
            Some(AppFault::AgentsLeftOver { mode })
        }
        _ => None,
    };
    faults.extend(missing.into_iter().flatten().chain(mismatch));
    ValidatedFields { launch_path, runtime_exe, process_name, mode, allowed_agents, faults }
}

fn take_value(members: &mut Vec<Member>, field: &str) -> Option<Node> {
    let at = members.iter().position(|member| member.key.name == field)?;
    Some(members.swap_remove(at).value)
}

fn read_text(value: Node, field: &str, faults: &mut Vec<AppFault>) -> Option<String> {
    let found = kind_of(&value);
    match value.kind {
        NodeKind::String(text) => (!text.trim().is_empty()).then_some(text),
        _ => {
            faults.push(AppFault::NotText { field: field.to_owned(), found });
            None
        }
    }
}

/// Whether a value is an empty text, which counts as absent.
pub(crate) fn is_blank(value: &Node) -> bool {
    matches!(&value.kind, NodeKind::String(text) if text.trim().is_empty())
}

/// The agents on the list; `None` if the value is not a list.
fn read_agents(list: Node, faults: &mut Vec<AppFault>) -> Option<Vec<String>> {
    let found = kind_of(&list);
    let NodeKind::Array(items) = list.kind else {
        faults.push(AppFault::AgentsNotAList { found });
        return None;
    };
    let mut agents = Vec::with_capacity(items.len());
    for (position, item) in (1..).zip(items) {
        let found = kind_of(&item);
        match item.kind {
            NodeKind::String(agent) if agent.is_empty() => {}
            NodeKind::String(agent) => agents.push(agent),
            _ => faults.push(AppFault::AgentNotText { position, found }),
        }
    }
    Some(agents)
}
