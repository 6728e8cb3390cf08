//! Methods for approvals: tool calls that wait for the owner's decision.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoParams, methods};
use crate::approval::{Approval, ApprovalDecision};

methods! {
    #[doc = "Lists the pending approvals; a client calls it after connecting."]
    List = "exec.approval.list", NoParams => ApprovalList, Approvals;
    #[doc = "Decides a pending approval."]
    Resolve = "exec.approval.resolve", ApprovalResolveParams => ApprovalResolveResult, Approvals;
}

/// Result of `exec.approval.list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalList {
    /// Pending approvals, the oldest first.
    pub approvals: Vec<Approval>,
}

/// Parameters of `exec.approval.resolve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalResolveParams {
    /// Id of the approval.
    pub id: String,
    /// The decision.
    pub decision: ApprovalDecision,
}

/// Result of `exec.approval.resolve`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ApprovalResolveResult {
    /// Always true; a failure is an error response.
    pub ok: bool,
}
