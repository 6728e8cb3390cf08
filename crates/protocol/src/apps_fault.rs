//! What is wrong with an entry of the registry, in words and values that a page makes its own sentence of.
//!
//! Leaves to others: the sentence of the command line, which stands beside it as a reason.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::apps::AppMode;

/// One fault of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum AppFault {
    /// The entry itself is something else.
    NotAnObject {
        /// What it is.
        found: ValueKind,
    },
    /// A field that holds text holds something else.
    NotText {
        /// Which field.
        field: String,
        /// What it holds.
        found: ValueKind,
    },
    /// A mode that does not exist.
    UnknownMode {
        /// The word, cut to what can be shown.
        mode: String,
    },
    /// `allowed_agents` is something else.
    AgentsNotAList {
        /// What it is.
        found: ValueKind,
    },
    /// A value in `allowed_agents` is not text.
    AgentNotText {
        /// Which one, from 1.
        position: u64,
        /// What it is.
        found: ValueKind,
    },
    /// A required field is not there, or empty.
    Missing {
        /// Which field.
        field: String,
    },
    /// `allowlist` without agents.
    NobodyListed,
    /// `full` or `off` with agents, who have no say there.
    AgentsLeftOver {
        /// Which of the two.
        mode: AppMode,
    },
}

/// What a value of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ValueKind {
    /// An object.
    Object,
    /// A list.
    List,
    /// A text.
    String,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// Nothing.
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
