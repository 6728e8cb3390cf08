//! Sizes of the parts of a system prompt: the report of `tarsus prompt show` and of `/context`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The sizes of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptReport {
    /// Id of the agent.
    pub agent_id: String,
    /// `full`, `minimal` or `none`.
    pub mode: String,
    /// Context window in tokens.
    pub window: u32,
    /// Length of the whole prompt in characters.
    pub chars: usize,
    /// Estimated tokens of the whole prompt.
    pub tokens: u64,
    /// Parts, in order.
    pub parts: Vec<PromptPart>,
}

/// A part of a prompt: a section, or a file of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptPart {
    /// Title of the section, or name of the file.
    pub name: String,
    /// Length in characters.
    pub chars: usize,
    /// Estimated tokens.
    pub tokens: u64,
    /// Number of characters of the file that were left out.
    pub left_out: usize,
}
