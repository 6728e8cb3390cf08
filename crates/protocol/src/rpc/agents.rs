//! The agents, and the eight files that shape each of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoParams, methods};

methods! {
    #[doc = "Every agent."]
    List = "agents.list", NoParams => AgentsList, Read;
    #[doc = "Adds an agent to the configuration and makes its workspace; with `dryRun` only says what it would be."]
    Create = "agents.create", AgentCreateParams => AgentCreated, Admin;
    #[doc = "Gives an agent another name, workspace or model."]
    Update = "agents.update", AgentUpdateParams => AgentChanged, Admin;
    #[doc = "Takes an agent out of the configuration; its workspace stays."]
    Delete = "agents.delete", AgentParams => AgentDeleted, Admin;
    #[doc = "The eight files of an agent's workspace, and which are there."]
    FilesList = "agents.files.list", AgentParams => AgentFiles, Read;
    #[doc = "One of these files."]
    FilesGet = "agents.files.get", AgentFileParams => AgentFileAnswer, Read;
    #[doc = "Writes one of these files; with `baseHash` only while it is the one that was seen."]
    FilesSet = "agents.files.set", AgentFileSetParams => AgentFileWritten, Admin;
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentParams {
    /// Its id.
    pub agent_id: String,
}

/// A new agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentCreateParams {
    /// Its name, of which its id is made.
    #[schemars(length(min = 1, max = 200))]
    pub name: String,
    /// The folder it works in.
    pub workspace: Option<String>,
    /// Its language model.
    pub model: Option<String>,
    /// Whether nothing is made: what it would be is answered, or why it cannot be.
    pub dry_run: Option<bool>,
}

/// New values for an agent; what is not named stays.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentUpdateParams {
    /// The agent.
    pub agent_id: String,
    /// Its name.
    #[schemars(length(min = 1, max = 200))]
    pub name: Option<String>,
    /// The folder it works in.
    pub workspace: Option<String>,
    /// Its language model.
    pub model: Option<String>,
}

/// A file of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentFileParams {
    /// The agent.
    pub agent_id: String,
    /// The file.
    pub name: String,
}

/// A file of an agent, and what it is to say.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AgentFileSetParams {
    /// The agent.
    pub agent_id: String,
    /// The file.
    pub name: String,
    /// The new text.
    pub content: String,
    /// The hash of the file that was seen; without one the file is written whatever it says.
    pub base_hash: Option<String>,
}

/// Every agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentsList {
    /// The agent that is meant when none is named.
    pub default_id: String,
    /// The last part of the key of a main session: `agent:<id>:<mainKey>`.
    pub main_key: String,
    /// Who shares a session.
    pub scope: String,
    /// The agents, in the order of the configuration.
    pub agents: Vec<AgentEntry>,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentEntry {
    /// Its id.
    pub id: String,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How it presents itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identity: Option<AgentIdentity>,
    /// The folder it works in.
    pub workspace: String,
    /// Its language model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<AgentModel>,
}

/// How an agent presents itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentIdentity {
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its theme, in a few words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// One emoji.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// A picture in the workspace, or a `data:` address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar: Option<String>,
    /// The address of a picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
}

/// The language model of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentModel {
    /// `provider/model`.
    pub primary: String,
}

/// An agent that is new, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentCreated {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// Its id.
    pub agent_id: String,
    /// Its name.
    pub name: String,
    /// The folder it works in.
    pub workspace: String,
}

/// An agent that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentChanged {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// The agent.
    pub agent_id: String,
}

/// An agent that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentDeleted {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// The agent.
    pub agent_id: String,
    /// Bindings to it that were taken out as well.
    pub removed_bindings: usize,
}

/// The files of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFiles {
    /// The agent.
    pub agent_id: String,
    /// The folder they are in.
    pub workspace: String,
    /// All eight.
    pub files: Vec<AgentFile>,
}

/// One file of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentFile {
    /// Its name.
    pub name: String,
    /// Where it is, or would be.
    pub path: String,
    /// Whether it is not there.
    pub missing: bool,
    /// Its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<usize>,
    /// What it says; only where one file was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// Why it cannot be read; only in a list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// One file of an agent, as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentFileAnswer {
    /// The agent.
    pub agent_id: String,
    /// The folder it is in.
    pub workspace: String,
    /// What a change of the file names as what was seen; of one that is not there, that of an empty one.
    pub hash: String,
    /// The file.
    pub file: AgentFile,
}

/// One file of an agent, after it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentFileWritten {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// The file.
    #[serde(flatten)]
    pub answer: AgentFileAnswer,
}
