//! Approvals: requests to the owner to allow a tool call, and their decisions.
//!
//! The shapes of `exec.approval.requested` and `exec.approval.resolve`, for every tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A tool call that waits for approval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// Id: the number of the request in the audit log.
    pub id: String,
    /// The request.
    pub request: ApprovalRequest,
    /// Time of the request, in milliseconds since 1970.
    pub created_at_ms: i64,
    /// Time at which it is denied automatically, in milliseconds since 1970.
    pub expires_at_ms: i64,
}

/// The request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// The complete command or action.
    pub command: String,
    /// Name of the tool.
    pub tool: String,
    /// Working folder.
    pub cwd: String,
    /// Id of the agent.
    pub agent_id: String,
    /// Key of the session.
    pub session_key: String,
    /// Id of the waiting run.
    pub run_id: String,
    /// Reasons, one sentence each without a full stop.
    pub reasons: Vec<String>,
    /// Possible decisions.
    pub allowed_decisions: Vec<ApprovalDecision>,
}

/// A decision about an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalDecision {
    /// Allows this call.
    AllowOnce,
    /// Allows this call and equal ones from now on.
    AllowAlways,
    /// Denies the call.
    Deny,
}

impl ApprovalDecision {
    /// All decisions.
    pub const ALL: [Self; 3] = [Self::AllowOnce, Self::AllowAlways, Self::Deny];

    /// The name on the wire, and after `/approve`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AllowOnce => "allow-once",
            Self::AllowAlways => "allow-always",
            Self::Deny => "deny",
        }
    }

    /// The decision with this name.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == word)
    }
}

/// Payload of `exec.approval.resolved`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    /// Id of the approval.
    pub id: String,
    /// The decision.
    pub decision: ApprovalDecision,
    /// Origin of the decision.
    pub resolved_by: ResolvedBy,
    /// Time in milliseconds since 1970.
    pub ts: i64,
}

/// Origin of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResolvedBy {
    /// A client, with `exec.approval.resolve`.
    Client,
    /// A chat message, with `/approve`.
    Chat,
    /// The request timed out.
    Time,
    /// The run was aborted, or Tarsus is stopping.
    Stop,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decision_has_one_word_everywhere() {
        for decision in ApprovalDecision::ALL {
            assert_eq!(serde_json::to_value(decision).unwrap(), decision.as_str());
            assert_eq!(ApprovalDecision::named(decision.as_str()), Some(decision));
        }
        assert_eq!(ApprovalDecision::named("allow"), None);
    }
}
