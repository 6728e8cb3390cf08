//! How an agent thinks and runs programs, in the words of the configuration, of a session and of the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which programs run without asking.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Security {
    /// None.
    Deny,
    /// Those on the list.
    #[default]
    Allowlist,
    /// All.
    Full,
}

/// When a person is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// Never.
    Off,
    /// When a program is not on the list.
    #[default]
    OnMiss,
    /// Every time.
    Always,
}

/// Where programs run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExecHost {
    /// In a sandbox.
    Sandbox,
    /// Where the gateway runs.
    Gateway,
    /// On another machine.
    Node,
}

/// Whether people see what a model thinks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reasoning {
    /// No.
    #[default]
    Off,
    /// Once it is done.
    On,
    /// As it comes.
    Stream,
}

impl Reasoning {
    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Stream => "stream",
        }
    }
}

/// How long a model thinks before it answers.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    /// Not at all.
    #[default]
    Off,
    /// As little as it can.
    Minimal,
    /// A little.
    Low,
    /// As usual.
    Medium,
    /// Long.
    High,
}

impl ThinkingLevel {
    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}
