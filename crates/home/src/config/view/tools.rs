//! `tools`: the tools of agents and their limits.

use schemars::JsonSchema;
use serde::Deserialize;
use tarsus_protocol::exec::{Ask, Security};

use super::{Ignored, Web};

/// The tools of agents and their limits.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    byProvider codeMode experimental links loopDetection media message sandbox sessions \
    sessions_spawn subagents toolsBySender"))]
pub struct Tools {
    /// The tools that agents have.
    #[serde(flatten)]
    pub offer: ToolOffer,
    /// Running programs.
    pub exec: Exec,
    /// File access.
    pub fs: Fs,
    /// Programs with elevated rights.
    pub elevated: Elevated,
    /// Messages between agents.
    pub agent_to_agent: AgentToAgent,
    /// Fetching pages and searching the web.
    pub web: Web,
}

/// A selection of tools: a profile, with tools added or removed by name. A name is that of a tool or of a group such as
/// `group:fs`, and may contain `*`. An invalid value selects no tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolOffer {
    /// The profile to start from; all tools if not set.
    #[schemars(extend("x-when-wrong" = "minimal"))]
    pub profile: Option<ToolProfile>,
    /// Only these; all if empty.
    #[schemars(extend("x-when-wrong" = ["none"]))]
    pub allow: Vec<String>,
    /// Additional tools beside those of the profile.
    #[schemars(extend("x-when-wrong" = []))]
    pub also_allow: Vec<String>,
    /// Never these; takes precedence.
    #[schemars(extend("x-when-wrong" = ["*"]))]
    pub deny: Vec<String>,
}

/// A set of tools, with OpenClaw's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolProfile {
    /// The session status only.
    Minimal,
    /// Files, programs, sessions, memory and apps.
    Coding,
    /// Messages, sessions and apps.
    Messaging,
    /// All tools.
    Full,
}

impl ToolProfile {
    /// All profiles, smallest first.
    pub const ALL: [Self; 4] = [Self::Minimal, Self::Coding, Self::Messaging, Self::Full];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Coding => "coding",
            Self::Messaging => "messaging",
            Self::Full => "full",
        }
    }
}

/// The tools of one agent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    byProvider codeMode elevated exec experimental fs loopDetection message sandbox sessions subagents \
    toolsBySender web"))]
pub struct AgentTools {
    /// The selection of tools.
    #[serde(flatten)]
    pub offer: ToolOffer,
}

/// Rules for running programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    allowBackground applyPatch approvalRunningNoticeMs backgroundMs cleanupMs \
    commandHighlighting host mode node notifyOnExit notifyOnExitEmptySuccess pathPrepend \
    reviewer safeBinProfiles safeBinTrustedDirs safeBins strictInlineEval timeoutSec \
    timeoutSeconds"))]
pub struct Exec {
    /// The programs that run without approval.
    pub security: Security,
    /// When approval is requested.
    pub ask: Ask,
}

/// Files that tools can access.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Fs {
    /// Folders in addition to the workspace, for reading and writing.
    pub roots: Vec<String>,
    /// Whether the workspace is the only folder, whatever `roots` says.
    #[schemars(extend("x-when-wrong" = true))]
    pub workspace_only: bool,
}

/// Programs with elevated rights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("allowFrom"))]
pub struct Elevated {
    /// Whether they can be requested.
    pub enabled: bool,
}

/// Messages between agents.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct AgentToAgent {
    /// Whether agents may send messages to each other's sessions.
    pub enabled: bool,
    /// The agents that may receive messages.
    pub allow: Vec<String>,
}
