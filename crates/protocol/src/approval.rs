//! Questions to the owner about calls of tools: what is asked, and how it is answered.
//!
//! Promises: the shapes that front ends know (`exec.approval.requested`, `exec.approval.resolve`), whatever tool is asked
//! about. Leaves to others: what has to be asked, and what a yes is worth.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A call that waits for the owner's word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Approval {
    /// What an answer names: the number of the question in the audit record.
    pub id: String,
    /// What is asked.
    pub request: ApprovalRequest,
    /// When it was asked, in milliseconds since 1970.
    pub created_at_ms: i64,
    /// When it counts as refused, in milliseconds since 1970.
    pub expires_at_ms: i64,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// What would be done, in full.
    pub command: String,
    /// The tool.
    pub tool: String,
    /// The folder that it would be done in.
    pub cwd: String,
    /// Who wants to do it.
    pub agent_id: String,
    /// The session that it would be done in.
    pub session_key: String,
    /// The run that waits.
    pub run_id: String,
    /// Why it is asked, a sentence each without a full stop.
    pub reasons: Vec<String>,
    /// The answers that there are.
    pub allowed_decisions: Vec<ApprovalDecision>,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalDecision {
    /// Yes, this time.
    AllowOnce,
    /// Yes, and the same need not be asked again.
    AllowAlways,
    /// No.
    Deny,
}

impl ApprovalDecision {
    /// Every answer.
    pub const ALL: [Self; 3] = [Self::AllowOnce, Self::AllowAlways, Self::Deny];

    /// The word on the wire, and after `/approve`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AllowOnce => "allow-once",
            Self::AllowAlways => "allow-always",
            Self::Deny => "deny",
        }
    }

    /// The answer of a word; none when it is no answer.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == word)
    }
}

/// The payload of `exec.approval.resolved`: a question is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalResolved {
    /// The question.
    pub id: String,
    /// What it came to.
    pub decision: ApprovalDecision,
    /// Who or what ended it.
    pub resolved_by: ResolvedBy,
    /// When, in milliseconds since 1970.
    pub ts: i64,
}

/// What ends a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ResolvedBy {
    /// A client, with `exec.approval.resolve`.
    Client,
    /// A message, with `/approve`.
    Chat,
    /// Nobody answered in time.
    Time,
    /// The run was called off, or Tarsus ends.
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
