//! How an agent thinks and runs programs: settings of the configuration, of a session and of the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Programs that run without approval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Security {
    /// No program may run.
    Deny,
    /// Those on the allowlist.
    #[default]
    Allowlist,
    /// Every program may run.
    Full,
}

/// When approval is requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ask {
    /// Never ask.
    Off,
    /// When a program is not on the allowlist.
    #[default]
    OnMiss,
    /// Every time.
    Always,
}

/// Place where programs run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExecHost {
    /// In a sandbox.
    Sandbox,
    /// On the machine of the gateway.
    Gateway,
    /// On another machine.
    Node,
}

/// Visibility of a model's reasoning.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reasoning {
    /// It is hidden.
    #[default]
    Off,
    /// It is shown after the reply.
    On,
    /// It is shown while it is streamed.
    Stream,
}

impl Reasoning {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Stream => "stream",
        }
    }
}

/// What front ends show of tool calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verbose {
    /// Neither calls nor results.
    Off,
    /// The calls, without their results.
    On,
    /// Calls and results.
    Full,
}

impl Verbose {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::On => "on",
            Self::Full => "full",
        }
    }
}

/// Reasoning effort of a model.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum ThinkingLevel {
    /// No reasoning.
    #[default]
    Off,
    /// The least possible.
    Minimal,
    /// Short reasoning.
    Low,
    /// Normal reasoning.
    Medium,
    /// Long reasoning.
    High,
}

impl ThinkingLevel {
    /// The name in JSON.
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
