//! Pending approvals of tool calls, and answers to them.

use tarsus_protocol::Problem;
use tarsus_protocol::approval::ResolvedBy;
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::approvals::{ApprovalList, ApprovalResolveParams, ApprovalResolveResult};

use super::failure::Failure;
use crate::gateway::Gateway;

pub(super) fn list(gateway: &Gateway, _: NoParams) -> Result<ApprovalList, Failure> {
    Ok(ApprovalList { approvals: gateway.runtime.pending_approvals() })
}

pub(super) fn resolve(
    gateway: &Gateway,
    answer: ApprovalResolveParams,
) -> Result<ApprovalResolveResult, Failure> {
    let taken = gateway.runtime.resolve_approval(&answer.id, answer.decision, ResolvedBy::Client);
    taken.map_err(Problem::from)?;
    Ok(ApprovalResolveResult { ok: true })
}
