//! Questions to the owner about calls of tools.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoParams, methods};
use crate::approval::{Approval, ApprovalDecision};

methods! {
    #[doc = "The calls that wait for the owner's word; a client that comes back asks for them."]
    List = "exec.approval.list", NoParams => ApprovalList, Approvals;
    #[doc = "Answers a call that waits for the owner's word."]
    Resolve = "exec.approval.resolve", ApprovalAnswer => ApprovalTaken, Approvals;
}

/// The calls that wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ApprovalList {
    /// One entry a call, the oldest first.
    pub approvals: Vec<Approval>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalAnswer {
    /// The question.
    pub id: String,
    /// The answer.
    pub decision: ApprovalDecision,
}

/// The answer was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ApprovalTaken {
    /// Always true: what fails is an error.
    pub ok: bool,
}
