//! Decisions about tool calls, in the terms that the audit log, `tarsus explain` and the gateway share.
//!
//! Verdicts are ordered: the greatest is the strictest.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::Capability;

/// The decision about a tool call; the greatest is the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The call may run.
    Allow,
    /// Needs the owner's approval.
    #[serde(rename = "needs-approval")]
    Ask,
    /// The call must not run.
    Deny,
}

impl Verdict {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "needs-approval",
            Self::Deny => "deny",
        }
    }
}

/// A check of tool calls, in the order of evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Inspector {
    /// The tools that the agent may use.
    ToolPolicy,
    /// The sandbox of the session.
    Sandbox,
    /// Capabilities of active community skills.
    Capabilities,
    /// Files that steer the agent, while a community skill is active.
    ControlFiles,
    /// Commands that run without approval.
    ExecPolicy,
    /// The launch policy of an app.
    AppPolicy,
    /// Spending limits.
    Budget,
    /// Repetition of the same call.
    LoopDetector,
    /// Whether the owner's approval is for this call.
    Approval,
    /// Whether the decision can be recorded.
    Record,
}

/// One reason for a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Reason {
    /// The inspector that gives it.
    pub inspector: Inspector,
    /// The verdict that follows from it.
    pub verdict: Verdict,
    /// A sentence without a full stop.
    pub message: Cow<'static, str>,
    /// The skill concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The capability concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capability: Option<Capability>,
    /// A command that would change the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
}

/// A recorded decision with its reasons: the output of `tarsus explain`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Number of the record in the audit log.
    pub id: u64,
    /// Time of the record, as RFC 3339.
    pub ts: String,
    /// Event, such as `tool.refused`.
    pub event: String,
    /// The decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Id of the agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Key of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// Id of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Name of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The skill concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The app concerned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// The sentence in the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Reasons, the strictest first.
    pub reasons: Vec<Reason>,
    /// Reasons that not stored in the record.
    pub left_out: u64,
    /// Active skills, as `NAME (how)`.
    pub active: Vec<String>,
    /// Further fields of the record: `capabilities`, `hash`, `rule`, `tier`, `surface`, `trigger`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub detail: BTreeMap<String, String>,
    /// Reason why the record is not trustworthy; absent if the log is valid up to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified: Option<String>,
}
