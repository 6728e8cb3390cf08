//! Faults of a registry entry, as data that each surface puts into its own language. `Display` is the English sentence.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::apps::{AppGroup, AppMode};

/// One fault of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum AppFault {
    /// The entry is not an object.
    NotAnObject {
        /// Type of the entry.
        found: ValueKind,
    },
    /// A text field has another type.
    NotText {
        /// Key of the field.
        field: String,
        /// Type of its value.
        found: ValueKind,
    },
    /// An unknown mode.
    UnknownMode {
        /// The value, cut to a short length.
        mode: String,
    },
    /// `allowed_agents` is not a list.
    AgentsNotAList {
        /// Type of the value.
        found: ValueKind,
    },
    /// An item of `allowed_agents` is not a string.
    AgentNotText {
        /// Position of the item, from 1.
        position: u64,
        /// Type of the item.
        found: ValueKind,
    },
    /// A required field is missing or empty.
    Missing {
        /// Key of the field.
        field: String,
    },
    /// `allowlist` without agents.
    NobodyListed,
    /// `full` or `off` with agents on the list.
    AgentsLeftOver {
        /// The mode.
        mode: AppMode,
    },
}

impl AppFault {
    /// The group that this fault alone would put an entry in.
    #[must_use]
    pub const fn group(&self) -> AppGroup {
        match self {
            Self::NotAnObject { .. }
            | Self::NotText { .. }
            | Self::UnknownMode { .. }
            | Self::AgentsNotAList { .. }
            | Self::AgentNotText { .. } => AppGroup::Malformed,
            Self::Missing { .. } => AppGroup::Incomplete,
            Self::NobodyListed | Self::AgentsLeftOver { .. } => AppGroup::PolicyMismatch,
        }
    }
}

impl fmt::Display for AppFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAnObject { found } => write!(f, "the entry is {found}, not an object"),
            Self::NotText { field, found } => write!(f, "{field} is {found}, not a string"),
            // Text from outside: quoted, with escapes.
            Self::UnknownMode { mode } => write!(f, "mode is {mode:?}, not full, allowlist or off"),
            Self::AgentsNotAList { found } => write!(f, "allowed_agents is {found}, not a list"),
            Self::AgentNotText { position, found } => {
                write!(f, "item {position} of allowed_agents is {found}, not a string")
            }
            Self::Missing { field } if field == "launch_path" => {
                f.write_str("launch_path is missing or empty")
            }
            Self::Missing { field } => write!(f, "{field} is missing"),
            Self::NobodyListed => f.write_str("mode is allowlist, but allowed_agents lists nobody"),
            Self::AgentsLeftOver { mode } => write!(f, "mode is {mode}, but allowed_agents lists agents"),
        }
    }
}

/// Type of a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValueKind {
    /// An object.
    Object,
    /// A list.
    List,
    /// A string.
    String,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// `null`.
    Null,
}

impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Object => "an object",
            Self::List => "a list",
            Self::String => "a string",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::Null => "null",
        })
    }
}
