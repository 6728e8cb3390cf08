//! `tools`: what they may do.

use schemars::JsonSchema;
use serde::Deserialize;
use tarsus_protocol::exec::{Ask, Security};

use super::Ignored;

/// What tools may do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    byProvider codeMode experimental links loopDetection media message sandbox sessions \
    sessions_spawn subagents toolsBySender web"))]
pub struct Tools {
    /// Which tools agents have.
    #[serde(flatten)]
    pub offer: ToolOffer,
    /// Programs.
    pub exec: Exec,
    /// Files.
    pub fs: Fs,
    /// Programs with more rights.
    pub elevated: Elevated,
    /// Talk between agents.
    pub agent_to_agent: AgentToAgent,
}

/// Which tools are there: those of a profile, with more or fewer by name. A name is that of a tool, of a group such as
/// `group:fs`, or has `*` for any letters. What cannot be read gives no tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ToolOffer {
    /// The set to begin with; all of them when not set.
    #[schemars(extend("x-when-wrong" = "minimal"))]
    pub profile: Option<ToolProfile>,
    /// Only these; all of them when empty.
    #[schemars(extend("x-when-wrong" = ["none"]))]
    pub allow: Vec<String>,
    /// These too, beside those of the profile.
    #[schemars(extend("x-when-wrong" = []))]
    pub also_allow: Vec<String>,
    /// Never these, whatever else is said.
    #[schemars(extend("x-when-wrong" = ["*"]))]
    pub deny: Vec<String>,
}

/// A set of tools, in OpenClaw's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolProfile {
    /// How the session stands, and nothing else.
    Minimal,
    /// Files, programs, sessions, memory and apps.
    Coding,
    /// Messages, sessions and apps.
    Messaging,
    /// All of them.
    Full,
}

impl ToolProfile {
    /// All of them, the smallest first.
    pub const ALL: [Self; 4] = [Self::Minimal, Self::Coding, Self::Messaging, Self::Full];

    /// The word for it.
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

/// The tools of one agent. Everything else that may be said of them there is kept as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    byProvider codeMode elevated exec experimental fs loopDetection message sandbox sessions subagents \
    toolsBySender web"))]
pub struct AgentTools {
    /// Which tools it has.
    #[serde(flatten)]
    pub offer: ToolOffer,
}

/// Which programs may run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
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
#[schemars(transform = Ignored("workspaceOnly"))]
pub struct Fs {
    /// Folders beside the workspace.
    pub roots: Vec<String>,
}

/// Programs with more rights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("allowFrom"))]
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
