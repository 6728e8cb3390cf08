//! The tools of an agent, and which commands may run without asking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{NoParams, methods};
use crate::capability::Capability;

methods! {
    #[doc = "The tools that an agent has."]
    Catalog = "tools.catalog", CatalogParams => ToolsCatalog, Read;
    #[doc = "The file of approved commands, without its secrets, and the hash that a change has to name."]
    ApprovalsGet = "exec.approvals.get", NoParams => ApprovalsFile, Admin;
    #[doc = "Replaces the file of approved commands."]
    ApprovalsSet = "exec.approvals.set", ApprovalsParams => ApprovalsFile, Admin;
}

/// Whose tools.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CatalogParams {
    /// The agent; the default one when not set.
    pub agent_id: Option<String>,
}

/// The tools that there are, and which of them an agent has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsCatalog {
    /// The agent.
    pub agent_id: String,
    /// Sets of tools that a configuration may name.
    pub profiles: Vec<String>,
    /// The tools, by what they are for.
    pub groups: Vec<ToolGroup>,
}

/// Tools for one purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ToolGroup {
    /// What a configuration calls it by, without `group:`.
    pub id: String,
    /// The same; a page has its own words for it.
    pub label: String,
    /// Where they come from.
    pub source: ToolSource,
    /// The tools.
    pub tools: Vec<CatalogTool>,
}

/// Where a tool comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolSource {
    /// Tarsus brings it along.
    Core,
}

/// A tool, and whether an agent has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogTool {
    /// The name that models call it by.
    pub id: String,
    /// The same; it is what people read in a chat.
    pub label: String,
    /// What it is for.
    pub description: String,
    /// Where it comes from.
    pub source: ToolSource,
    /// The sets that it is in.
    pub default_profiles: Vec<String>,
    /// Whether the agent has it.
    pub allowed: bool,
    /// Why it has or has not.
    pub reason: String,
    /// The key of the configuration that takes it away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied_by: Option<String>,
    /// What a community skill that has a say needs before this tool may be called; nothing for one that only looks.
    pub needs: Option<Capability>,
}

/// The file of approved commands.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ApprovalsFile {
    /// Where it is.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// The hash that a change has to name.
    pub hash: String,
    /// What it says.
    pub file: Approvals,
}

/// What the file of approved commands says. Its parts belong to whoever checks commands; here they are kept as they
/// are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Approvals {
    /// The version of the file.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Where questions are answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<Map<String, Value>>,
    /// What holds for every agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Map<String, Value>>,
    /// What holds for one, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Map<String, Value>>,
    /// Everything else.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// A new version of the file.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalsParams {
    /// What it is to say.
    pub file: Approvals,
    /// The hash of the file that was seen; needed when there is a file.
    pub base_hash: Option<String>,
}
