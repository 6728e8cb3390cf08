//! What a system prompt is made of, part by part: the report of `tarsus prompt show` and of `/context`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The sizes of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptReport {
    /// The agent.
    pub agent_id: String,
    /// `full`, `minimal` or `none`.
    pub mode: String,
    /// How many tokens the model can look at.
    pub window: u32,
    /// Characters of the whole prompt.
    pub chars: usize,
    /// Tokens of the whole prompt, estimated.
    pub tokens: u64,
    /// Its parts, in order.
    pub parts: Vec<PromptPart>,
}

/// One part of a prompt: a section, or a file of the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptPart {
    /// The title of the section, or the name of the file.
    pub name: String,
    /// Its characters.
    pub chars: usize,
    /// Its tokens, estimated.
    pub tokens: u64,
    /// Characters of the file that did not fit and are left out.
    pub left_out: usize,
}
