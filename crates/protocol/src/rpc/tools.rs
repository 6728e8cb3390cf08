//! The tools of an agent, and which commands may run without asking.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{NoParams, methods};

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

/// The tools of an agent. There are none yet.
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
    /// A name that scripts may rely on.
    pub id: String,
    /// A name for people.
    pub label: String,
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
