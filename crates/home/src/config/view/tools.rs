//! `tools`: what they may do.

use schemars::JsonSchema;
use serde::Deserialize;
use tarsus_protocol::exec::{Ask, Security};

use super::Kept;

/// What tools may do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Kept("\
    allow alsoAllow byProvider codeMode deny experimental links loopDetection media message \
    profile sandbox sessions sessions_spawn subagents toolsBySender web"))]
pub struct Tools {
    /// Programs.
    pub exec: Exec,
    /// Files.
    pub fs: Fs,
    /// Programs with more rights.
    pub elevated: Elevated,
    /// Talk between agents.
    pub agent_to_agent: AgentToAgent,
}

/// Which programs may run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Kept("\
    allowBackground applyPatch approvalRunningNoticeMs backgroundMs cleanupMs \
    commandHighlighting host mode node notifyOnExit notifyOnExitEmptySuccess pathPrepend \
    reviewer safeBinProfiles safeBinTrustedDirs safeBins strictInlineEval timeoutSec \
    timeoutSeconds"))]
pub struct Exec {
    /// Which programs run without asking.
    pub security: Security,
    /// When a person is asked.
    pub ask: Ask,
}

/// Which files may be reached.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Kept("workspaceOnly"))]
pub struct Fs {
    /// Folders beside the workspace.
    pub roots: Vec<String>,
}

/// Programs with more rights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Kept("allowFrom"))]
pub struct Elevated {
    /// Whether they may be asked for at all.
    pub enabled: bool,
}

/// Talk between agents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AgentToAgent {
    /// Whether agents may send to each other's sessions.
    pub enabled: bool,
    /// The agents that may be reached.
    pub allow: Vec<String>,
}
