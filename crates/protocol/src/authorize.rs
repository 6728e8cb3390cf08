//! Whether a tool call may happen, in the words that the audit chain, `tarsus explain` and the gateway share.
//!
//! Promises: verdicts are ordered, the greatest is the strictest. Leaves to others: coming to a verdict (`guard`).

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::Capability;

/// What is decided about a call; the greatest is the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It may happen.
    Allow,
    /// It needs the owner's approval.
    #[serde(rename = "needs-approval")]
    Ask,
    /// It may not happen.
    Deny,
}

impl Verdict {
    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "needs-approval",
            Self::Deny => "deny",
        }
    }
}

/// Who looked at a call, in the order in which they are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Inspector {
    /// Which tools the agent has.
    ToolPolicy,
    /// What the sandbox lets through.
    Sandbox,
    /// What community skills may lead to.
    Capabilities,
    /// Which commands run without asking.
    ExecPolicy,
    /// Who may launch and stop an app.
    AppPolicy,
    /// What may be spent.
    Budget,
    /// Whether the same is tried again and again.
    LoopDetector,
    /// Whether a yes of the owner is for this call.
    Approval,
    /// Whether the decision can be written down.
    Record,
}

/// One reason for a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// Whose it is.
    pub inspector: Inspector,
    /// What it comes to.
    pub verdict: Verdict,
    /// In a sentence without a full stop.
    pub message: Cow<'static, str>,
    /// The skill that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The capability that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// The command that would change it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// A recorded decision with everything that led to it: the answer of `tarsus explain`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Its number in the audit chain.
    pub id: u64,
    /// When it was recorded, as RFC 3339 has it.
    pub ts: String,
    /// What happened, such as `tool.refused`.
    pub event: String,
    /// What was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The agent that it was decided for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The tool that was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The skill that it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The app that it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The sentence in the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The reasons, the strictest first.
    pub reasons: Vec<Reason>,
    /// Reasons that did not fit into the record.
    pub left_out: u64,
    /// The skills that were active, as `NAME (how)`.
    pub active: Vec<String>,
    /// What else the record says, in words: what was given (`capabilities`, `hash`, `rule`, `tier`), where it was
    /// decided (`surface`), what led to it (`trigger`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub detail: BTreeMap<String, String>,
    /// Why this record cannot be relied on; left out when the chain holds up to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified: Option<String>,
}
