//! Reading one entry of the registry: what can be understood of it, its group, and every reason for that.
//!
//! Promises: nothing is guessed or repaired; an empty text counts as absent. Leaves to others: who may launch what
//! ([`crate::access`]).

use std::fmt;

use tarsus_home::config::json5::{Kind, Member, Node};
use tarsus_protocol::apps_fault::{AppFault, ValueKind};

use crate::entry::{Entry, LaunchPath, Mode, Policy};

/// The keys of an entry, in the order in which they are written.
pub(crate) mod key {
    pub(crate) const LAUNCH_PATH: &str = "launch_path";
    pub(crate) const RUNTIME_EXE: &str = "runtime_exe";
    pub(crate) const PROCESS_NAME: &str = "process_name";
    pub(crate) const MODE: &str = "mode";
    pub(crate) const ALLOWED_AGENTS: &str = "allowed_agents";
}

/// What an entry says, as far as it can be understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    /// `launch_path`.
    pub launch_path: Option<String>,
    /// `runtime_exe`.
    pub runtime_exe: Option<String>,
    /// `process_name`.
    pub process_name: Option<String>,
    /// `mode`.
    pub mode: Option<Mode>,
    /// The texts in `allowed_agents`.
    pub allowed_agents: Vec<String>,
}

/// How an entry stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The first group that applies.
    pub group: Group,
    /// Every reason, those of later groups too; none when it is valid.
    pub reasons: Vec<Reason>,
}

/// The four groups, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Something has the wrong type, or is a mode that does not exist.
    Malformed,
    /// Something required is not there.
    Incomplete,
    /// Mode and allowed agents contradict each other.
    PolicyMismatch,
    /// Nothing is wrong.
    Valid,
}

impl Group {
    /// Every group, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Valid, Self::Incomplete, Self::Malformed, Self::PolicyMismatch];

    /// The word that scripts see.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::Incomplete => "incomplete",
            Self::PolicyMismatch => "policy_mismatch",
            Self::Valid => "valid",
        }
    }
}

/// What is wrong with an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The entry itself is something else.
    NotAnObject {
        /// What it is.
        found: ValueKind,
    },
    /// A field that holds text holds something else.
    NotText {
        /// Which field.
        field: &'static str,
        /// What it holds.
        found: ValueKind,
    },
    /// A mode that does not exist.
    UnknownMode(String),
    /// `allowed_agents` is something else.
    AgentsNotAList {
        /// What it is.
        found: ValueKind,
    },
    /// A value in `allowed_agents` is not text.
    AgentNotText {
        /// Which one, from 1.
        position: usize,
        /// What it is.
        found: ValueKind,
    },
    /// A required field is not there, or empty.
    Missing {
        /// Which field.
        field: &'static str,
    },
    /// `allowlist` without agents.
    NobodyListed,
    /// `full` or `off` with agents, who have no say there.
    AgentsLeftOver {
        /// Which of the two.
        mode: Mode,
    },
}

impl Reason {
    /// The group that this reason alone would give.
    #[must_use]
    pub const fn group(&self) -> Group {
        match self {
            Self::NotAnObject { .. }
            | Self::NotText { .. }
            | Self::UnknownMode(_)
            | Self::AgentsNotAList { .. }
            | Self::AgentNotText { .. } => Group::Malformed,
            Self::Missing { .. } => Group::Incomplete,
            Self::NobodyListed | Self::AgentsLeftOver { .. } => Group::PolicyMismatch,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject { found } => write!(f, "the entry is {found}, not an object"),
            Self::NotText { field, found } => write!(f, "{field} is {found}, not a string"),
            Self::UnknownMode(mode) => {
                // A name from outside: quoted, with escapes, and short.
                write!(f, "mode is {:?}, not full, allowlist or off", short(mode))
            }
            Self::AgentsNotAList { found } => write!(f, "allowed_agents is {found}, not a list"),
            Self::AgentNotText { position, found } => {
                write!(f, "item {position} of allowed_agents is {found}, not a string")
            }
            Self::Missing { field: key::LAUNCH_PATH } => f.write_str("launch_path is missing or empty"),
            Self::Missing { field } => write!(f, "{field} is missing"),
            Self::NobodyListed => f.write_str("mode is allowlist, but allowed_agents lists nobody"),
            Self::AgentsLeftOver { mode } => write!(f, "mode is {mode}, but allowed_agents lists agents"),
        }
    }
}

/// What is shown of a word that is no mode.
pub(crate) fn short(mode: &str) -> String {
    mode.chars().take(40).collect()
}

impl From<&Reason> for AppFault {
    fn from(reason: &Reason) -> Self {
        match reason {
            Reason::NotAnObject { found } => Self::NotAnObject { found: *found },
            Reason::NotText { field, found } => Self::NotText { field: (*field).to_owned(), found: *found },
            Reason::UnknownMode(mode) => Self::UnknownMode { mode: short(mode) },
            Reason::AgentsNotAList { found } => Self::AgentsNotAList { found: *found },
            Reason::AgentNotText { position, found } => {
                Self::AgentNotText { position: *position as u64, found: *found }
            }
            Reason::Missing { field } => Self::Missing { field: (*field).to_owned() },
            Reason::NobodyListed => Self::NobodyListed,
            Reason::AgentsLeftOver { mode } => Self::AgentsLeftOver { mode: *mode },
        }
    }
}

const fn kind_of(node: &Node) -> ValueKind {
    match node.kind {
        Kind::Null => ValueKind::Null,
        Kind::Bool(_) => ValueKind::Boolean,
        Kind::Number(_) => ValueKind::Number,
        Kind::String(_) => ValueKind::String,
        Kind::Array(_) => ValueKind::List,
        Kind::Object(_) => ValueKind::Object,
    }
}

/// Reads one entry.
pub(crate) fn read(node: Node) -> (Fields, Verdict) {
    let mut reasons = Vec::new();
    let found = kind_of(&node);
    let fields = if let Kind::Object(members) = node.kind {
        read_fields(members, &mut reasons)
    } else {
        reasons.push(Reason::NotAnObject { found });
        Fields::default()
    };
    let group = reasons.iter().map(Reason::group).min().unwrap_or(Group::Valid);
    (fields, Verdict { group, reasons })
}

fn read_fields(mut members: Vec<Member>, reasons: &mut Vec<Reason>) -> Fields {
    // A field with the wrong content is there: only one that is not is missing.
    let is_there =
        |field: &&str| members.iter().any(|member| member.key.name == **field && !is_blank(&member.value));
    let required = [key::LAUNCH_PATH, key::MODE, key::ALLOWED_AGENTS];
    let missing = required.map(|field| (!is_there(&field)).then_some(Reason::Missing { field }));

    let mut text = |field| text_of(value_of(&mut members, field)?, field, reasons);
    let launch_path = text(key::LAUNCH_PATH);
    let runtime_exe = text(key::RUNTIME_EXE);
    let process_name = text(key::PROCESS_NAME);
    let mode_word = text(key::MODE);
    let agents = value_of(&mut members, key::ALLOWED_AGENTS).and_then(|list| agents_of(list, reasons));

    let mode = mode_word.as_deref().and_then(|word| word.parse().ok());
    if let (Some(word), None) = (mode_word, mode) {
        reasons.push(Reason::UnknownMode(word));
    }
    let agents_are_clear = agents.is_some();
    let allowed_agents = agents.unwrap_or_default();
    let mismatch = match mode {
        Some(Mode::Allowlist) if agents_are_clear && allowed_agents.is_empty() => Some(Reason::NobodyListed),
        Some(mode @ (Mode::Full | Mode::Off)) if !allowed_agents.is_empty() => {
            Some(Reason::AgentsLeftOver { mode })
        }
        _ => None,
    };
    reasons.extend(missing.into_iter().flatten().chain(mismatch));
    Fields { launch_path, runtime_exe, process_name, mode, allowed_agents }
}

fn value_of(members: &mut Vec<Member>, field: &str) -> Option<Node> {
    let at = members.iter().position(|member| member.key.name == field)?;
    Some(members.swap_remove(at).value)
}

fn text_of(value: Node, field: &'static str, wrong: &mut Vec<Reason>) -> Option<String> {
    let found = kind_of(&value);
    match value.kind {
        Kind::String(text) => (!text.trim().is_empty()).then_some(text),
        _ => {
            wrong.push(Reason::NotText { field, found });
            None
        }
    }
}

/// Whether a value is a text without anything in it, which counts as absent.
pub(crate) fn is_blank(value: &Node) -> bool {
    matches!(&value.kind, Kind::String(text) if text.trim().is_empty())
}

/// The agents listed; none when there is no list to be understood.
fn agents_of(list: Node, wrong: &mut Vec<Reason>) -> Option<Vec<String>> {
    let found = kind_of(&list);
    let Kind::Array(items) = list.kind else {
        wrong.push(Reason::AgentsNotAList { found });
        return None;
    };
    let mut agents = Vec::with_capacity(items.len());
    for (at, item) in items.into_iter().enumerate() {
        let found = kind_of(&item);
        match item.kind {
            Kind::String(agent) if agent.is_empty() => {}
            Kind::String(agent) => agents.push(agent),
            _ => wrong.push(Reason::AgentNotText { position: at + 1, found }),
        }
    }
    Some(agents)
}

/// The entry, where the policy is clear. Agents left over under `full` and `off` do not make it unclear.
pub(crate) fn understood(fields: &Fields, verdict: &Verdict) -> Option<Entry> {
    if verdict.group < Group::PolicyMismatch {
        return None;
    }
    Some(Entry {
        launch_path: LaunchPath::new(fields.launch_path.as_deref()?)?,
        runtime_exe: fields.runtime_exe.clone(),
        process_name: fields.process_name.clone(),
        policy: Policy::new(fields.mode?, fields.allowed_agents.iter().map(String::as_str))?,
    })
}
