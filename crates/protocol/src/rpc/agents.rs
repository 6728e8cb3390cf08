//! Methods of agents and of the eight files that shape each of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoParams, methods};

methods! {
    #[doc = "Lists all agents."]
    List = "agents.list", NoParams => AgentsList, Read;
    #[doc = "Adds an agent to the configuration and creates its workspace; with `dryRun` it only validates."]
    Create = "agents.create", AgentCreateParams => AgentCreated, Admin;
    #[doc = "Changes the name, workspace or model of an agent."]
    Update = "agents.update", AgentUpdateParams => AgentChanged, Admin;
    #[doc = "Removes an agent from the configuration; its workspace is kept."]
    Delete = "agents.delete", AgentParams => AgentDeleted, Admin;
    #[doc = "Lists the eight files of an agent's workspace and whether each exists."]
    FilesList = "agents.files.list", AgentParams => AgentFiles, Read;
    #[doc = "Reads one of these files."]
    FilesGet = "agents.files.get", AgentFileParams => AgentFileAnswer, Read;
    #[doc = "Writes one of these files; with `baseHash` only if it is unchanged."]
    FilesSet = "agents.files.set", AgentFileSetParams => AgentFileWritten, Admin;
}

/// The agent of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentParams {
    /// Id of the agent.
    pub agent_id: String,
}

/// Parameters of `agents.create`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentCreateParams {
    /// Display name; the id is derived from it.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// The workspace folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The language model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Validates and returns the result without creating anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// Parameters of `agents.update`; absent fields are kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentUpdateParams {
    /// The agent.
    pub agent_id: String,
    /// The name.
    #[schemars(length(min = 1, max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The workspace folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
    /// The language model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A file of an agent's workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentFileParams {
    /// The agent.
    pub agent_id: String,
    /// Name of the file.
    pub name: String,
}

/// Parameters of `agents.files.set`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentFileSetParams {
    /// The agent.
    pub agent_id: String,
    /// Name of the file.
    pub name: String,
    /// The new content.
    pub content: String,
    /// Hash of the version that was read; without one the file is overwritten unconditionally.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_hash: Option<String>,
}

/// All agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsList {
    /// Id of the default agent.
    pub default_id: String,
    /// Last part of a main session's key: `agent:<id>:<mainKey>`.
    pub main_key: String,
    /// How sessions are divided, such as `per-sender`.
    pub scope: String,
    /// The agents, in the order of the configuration.
    pub agents: Vec<AgentEntry>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEntry {
    /// Id of the agent.
    pub id: String,
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its presentation to people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<AgentIdentity>,
    /// The workspace folder.
    pub workspace: String,
    /// The language model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<AgentModel>,
}

/// An agent's presentation to people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentIdentity {
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Theme, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// One emoji.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// Path of a picture in the workspace, or a `data:` URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar: Option<String>,
    /// URL of a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
}

/// The language model of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentModel {
    /// `provider/model`.
    pub primary: String,
}

/// Result of `agents.create`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentCreated {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Id of the agent.
    pub agent_id: String,
    /// The name.
    pub name: String,
    /// The workspace folder.
    pub workspace: String,
}

/// Result of `agents.update`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentChanged {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// The agent.
    pub agent_id: String,
}

/// Result of `agents.delete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentDeleted {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// The agent.
    pub agent_id: String,
    /// Number of bindings to the agent that were removed.
    pub removed_bindings: usize,
}

/// Result of `agents.files.list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFiles {
    /// The agent.
    pub agent_id: String,
    /// The workspace folder.
    pub workspace: String,
    /// All eight files.
    pub files: Vec<AgentFile>,
}

/// One file of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentFile {
    /// The name.
    pub name: String,
    /// Absolute path, whether or not the file exists.
    pub path: String,
    /// Whether the file does not exist.
    pub missing: bool,
    /// Size in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// The content; only in `agents.files.get` and `agents.files.set`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Reason why it cannot be read; only in `agents.files.list`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// Result of `agents.files.get`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFileAnswer {
    /// The agent.
    pub agent_id: String,
    /// The workspace folder.
    pub workspace: String,
    /// Hash for `baseHash` of a change; that of an empty file if it does not exist.
    pub hash: String,
    /// Name of the file.
    pub file: AgentFile,
}

/// Result of `agents.files.set`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentFileWritten {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Name of the file.
    #[serde(flatten)]
    pub answer: AgentFileAnswer,
}
