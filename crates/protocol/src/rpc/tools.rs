//! Methods of tools, and of the file of approved commands.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{NoParams, methods};
use crate::capability::Capability;

methods! {
    #[doc = "Lists the tools and whether an agent may use each."]
    Catalog = "tools.catalog", CatalogParams => ToolsCatalog, Read;
    #[doc = "Reads the file of approved commands, without its secrets, and the hash that a change requires."]
    ApprovalsGet = "exec.approvals.get", NoParams => ApprovalsFile, Admin;
    #[doc = "Replaces the file of approved commands."]
    ApprovalsSet = "exec.approvals.set", ApprovalsParams => ApprovalsFile, Admin;
}

/// Parameters of `tools.catalog`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CatalogParams {
    /// Id of the agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}

/// Result of `tools.catalog`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolsCatalog {
    /// Id of the agent.
    pub agent_id: String,
    /// Profiles that the configuration can name.
    pub profiles: Vec<String>,
    /// Tools by purpose.
    pub groups: Vec<ToolGroup>,
}

/// Tools with one purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ToolGroup {
    /// Name in the configuration, without `group:`.
    pub id: String,
    /// The id again; front ends translate it.
    pub label: String,
    /// Origin of the tools.
    pub source: ToolSource,
    /// The tools.
    pub tools: Vec<CatalogTool>,
}

/// Origin of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolSource {
    /// Built into Tarsus.
    Core,
}

/// A tool, and whether an agent may use it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CatalogTool {
    /// Name that models use.
    pub id: String,
    /// The id again; shown to people in a chat.
    pub label: String,
    /// Description for models.
    pub description: String,
    /// The origin of the tool.
    pub source: ToolSource,
    /// Profiles that contain it.
    pub default_profiles: Vec<String>,
    /// Whether the agent may use it.
    pub allowed: bool,
    /// Reason for `allowed`.
    pub reason: String,
    /// Configuration key that denies it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied_by: Option<String>,
    /// Capability that active community skills need for it; `null` for a tool that only reads.
    pub needs: Option<Capability>,
}

/// The file of approved commands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalsFile {
    /// Path of the file.
    pub path: String,
    /// Whether the file exists.
    pub exists: bool,
    /// Hash for `baseHash` of a change.
    pub hash: String,
    /// The content.
    pub file: Approvals,
}

/// Content of the file of approved commands. The checks of commands interpret it; here it is kept as it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Approvals {
    /// Version of the format.
    #[schemars(range(min = 1, max = 1))]
    pub version: u32,
    /// Settings of the approval socket.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub socket: Option<Map<String, Value>>,
    /// Defaults for all agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defaults: Option<Map<String, Value>>,
    /// Settings by agent id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<Map<String, Value>>,
    /// Unknown keys.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

/// Parameters of `exec.approvals.set`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalsParams {
    /// The new content.
    pub file: Approvals,
    /// Hash of the version that was read; required if the file exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<String>,
}
