//! Asks the owner about a call that the guard leaves to them.
//!
//! After an approval the guard judges the call again. A request that times out is a denial. A run that waits for the owner
//! can be aborted.

use std::sync::Arc;
use std::time::Duration;

use tarsus_guard::{Authorization, PendingCall, PolicyVerdict};
use tarsus_protocol::approval::{Approval, ApprovalDecision, ApprovalRequest, ApprovalResolved, ResolvedBy};
use tarsus_protocol::{ErrorCode, Problem};

use super::calls::{Permission, ToolSession, guard_context};
use crate::approvals::Resolution;
use crate::run_event::RunEventKind;
use crate::turn::Turn;

/// Time for the owner to decide.
const TIMEOUT: Duration = Duration::from_mins(30);
/// An approval is for this one call.
const DECISIONS: [ApprovalDecision; 2] = [ApprovalDecision::AllowOnce, ApprovalDecision::Deny];

/// A call that the guard leaves to the owner.
pub(super) struct PendingApproval {
    pub(super) pending: PendingCall,
    pub(super) app_policy: Option<PolicyVerdict>,
}

/// Asks the owner until no question is left.
pub(super) async fn request_approval(
    turn: &mut Turn<'_>,
    tools: &ToolSession,
    approval: PendingApproval,
) -> Permission {
    let PendingApproval { mut pending, app_policy } = approval;
    let runtime = Arc::clone(turn.runtime);
    let (guard, services) = (&runtime.guard, &runtime.services);
    let run = turn.id().to_string();
    let context = guard_context(&run, tools, &pending.call().tool, app_policy);
    loop {
        if !(tools.context.has_person() && services.host.has_approver()) {
            return Permission::Refused(no_approver(&pending));
        }
        let resolution = wait_for_decision(turn, tools, &pending).await;
        let now = services.clock.now();
        let decision = match resolution {
            Some((ApprovalDecision::AllowOnce | ApprovalDecision::AllowAlways, _)) => {
                guard.approve(pending, &context, now)
            }
            Some((ApprovalDecision::Deny, by)) => {
                let problem = denied(&pending, by);
                drop(guard.decline(pending, &context, now));
                return Permission::Refused(problem);
            }
            None => {
                drop(guard.decline(pending, &context, now));
                return Permission::Aborted;
            }
        };
        pending = match decision {
            Authorization::Allowed(authorized) => return Permission::Granted(authorized),
            Authorization::Denied(refusal) => return Permission::Refused(refusal.into()),
            Authorization::NeedsApproval(more) => more,
        };
    }
}

/// Publishes the request and waits for the owner's decision. `None` when the run was aborted meanwhile.
async fn wait_for_decision(
    turn: &mut Turn<'_>,
    tools: &ToolSession,
    pending: &PendingCall,
) -> Option<Resolution> {
    const DENY: ApprovalDecision = ApprovalDecision::Deny;
    let runtime = Arc::clone(turn.runtime);
    let approval = new_approval(turn, tools, pending);
    let id = approval.id.clone();
    let Some(decided) = runtime.approvals.request(approval.clone()) else {
        return Some((DENY, ResolvedBy::Stop));
    };
    turn.publish(RunEventKind::ApprovalRequested(approval));
    let resolution = tokio::select! {
        // A decision that was accepted counts.
        biased;
        resolution = decided => Some(resolution.unwrap_or((DENY, ResolvedBy::Stop))),
        () = runtime.runs.aborted(turn.id()) => None,
        () = tokio::time::sleep(TIMEOUT) => Some((DENY, ResolvedBy::Time)),
    };
    runtime.approvals.remove(&id);
    let (decision, resolved_by) = resolution.unwrap_or((DENY, ResolvedBy::Stop));
    let ts = turn.now_ms();
    turn.publish(RunEventKind::ApprovalResolved(ApprovalResolved { id, decision, resolved_by, ts }));
    resolution
}

/// The request as the owner sees it.
fn new_approval(turn: &Turn<'_>, tools: &ToolSession, pending: &PendingCall) -> Approval {
    let call = pending.call();
    let created_at_ms = turn.now_ms();
    let timeout = i64::try_from(TIMEOUT.as_millis()).unwrap_or(i64::MAX);
    let request = ApprovalRequest {
        command: format!("{} {}", call.tool, call.arguments),
        tool: call.tool.clone(),
        cwd: tools.context.workspace.display().to_string(),
        agent_id: tools.context.agent_id().to_string(),
        session_key: turn.session().to_string(),
        run_id: turn.id().to_string(),
        reasons: pending.questions().iter().map(|reason| reason.message.clone().into_owned()).collect(),
        allowed_decisions: DECISIONS.to_vec(),
    };
    Approval {
        id: pending.id().to_string(),
        request,
        created_at_ms,
        expires_at_ms: created_at_ms.saturating_add(timeout),
    }
}

/// Refusal of a call that needs an approval where nobody can be asked.
fn no_approver(pending: &PendingCall) -> Problem {
    let message =
        format!("{} needs the owner's approval, and no one is connected to give it", pending.call().tool);
    with_reasons(pending, message).hint("nothing was done; tell the user what you wanted to do, and why")
}

fn denied(pending: &PendingCall, by: ResolvedBy) -> Problem {
    let tool = &pending.call().tool;
    let message = match by {
        ResolvedBy::Time => {
            format!("{tool} needs the owner's approval; the request timed out after 30 minutes")
        }
        ResolvedBy::Stop => format!("{tool} needs the owner's approval, but Tarsus is stopping"),
        ResolvedBy::Client | ResolvedBy::Chat => format!("the owner denied {tool}"),
    };
    with_reasons(pending, message)
        .hint("nothing was done; do not repeat the call, ask the user what to do instead")
}

fn with_reasons(pending: &PendingCall, message: String) -> Problem {
    let problem = Problem::new(ErrorCode::Denied, message);
    pending.questions().iter().fold(problem, |problem, question| problem.note(question.message.clone()))
}
