//! Whether a call may happen: the guard decides, and the owner where the guard leaves it to them.
//!
//! Promises: no tool runs without the guard's proof; after a yes the guard judges again; nobody answering is a no. A run
//! that waits for the owner can be called off. Leaves to others: what has to be asked (`guard`), and who is told.

use std::sync::Arc;
use std::time::Duration;

use tarsus_guard::{Authorized, Context, Decision, Guard, Pending, Places, Said};
use tarsus_protocol::approval::{Approval, ApprovalDecision, ApprovalRequest, ApprovalResolved, ResolvedBy};
use tarsus_protocol::{ErrorCode, Problem};

use super::bench::Bench;
use crate::approvals::Answered;
use crate::told::What;
use crate::tools::Prepared;
use crate::turn::Turn;

/// How long the owner has to answer.
const PATIENCE: Duration = Duration::from_mins(30);
/// A yes to what the guard asks today is for this one time.
const ANSWERS: [ApprovalDecision; 2] = [ApprovalDecision::AllowOnce, ApprovalDecision::Deny];

/// What became of the question whether a call may happen.
pub(super) enum Judged {
    /// It may.
    Yes(Authorized),
    /// It may not.
    No(Problem),
    /// The run was called off while the owner was asked.
    CalledOff,
}

/// What the guard says at once.
pub(super) enum Decided {
    /// Nobody has to be asked.
    Now(Judged),
    /// The owner has to be.
    Asks(Box<Asks>),
}

/// A call that the guard leaves to the owner.
pub(super) struct Asks {
    pending: Pending,
    app_policy: Option<Said>,
}

/// Asks the guard. What it leaves to the owner is not waited for: a permission beside it is good for a short time only.
pub(super) fn decided(turn: &Turn<'_>, bench: &mut Bench, prepared: Prepared) -> Decided {
    let Prepared { call, app_policy, .. } = prepared;
    let Bench { ctx, activation, .. } = bench;
    ctx.watch.arguments(&call.arguments, activation);
    let run = turn.run.to_string();
    let context = context(&run, bench, &call.tool, app_policy.clone());
    let now = bench.ctx.clock.now();
    match Guard::new(Arc::clone(&bench.ctx.audit)).authorize(call, &context, now) {
        Decision::Allowed(authorized) => Decided::Now(Judged::Yes(authorized)),
        Decision::Denied(refusal) => Decided::Now(Judged::No(refusal.into())),
        Decision::NeedsApproval(pending) => Decided::Asks(Box::new(Asks { pending, app_policy })),
    }
}

/// Asks the owner, until there is nothing left to ask.
pub(super) async fn answered(turn: &mut Turn<'_>, bench: &Bench, asks: Asks) -> Judged {
    let Asks { mut pending, app_policy } = asks;
    let guard = Guard::new(Arc::clone(&bench.ctx.audit));
    let run = turn.run.to_string();
    let context = context(&run, bench, &pending.call().tool, app_policy);
    loop {
        if !(bench.ctx.has_person && (turn.runtime.given.is_heard)()) {
            return Judged::No(nobody(&pending));
        }
        let answered = ask(turn, bench, &pending).await;
        let now = bench.ctx.clock.now();
        let decision = match answered {
            Some((ApprovalDecision::AllowOnce | ApprovalDecision::AllowAlways, _)) => {
                guard.approve(pending, &context, now)
            }
            Some((ApprovalDecision::Deny, by)) => {
                let problem = declined(&pending, by);
                drop(guard.decline(pending, &context, now));
                return Judged::No(problem);
            }
            None => {
                drop(guard.decline(pending, &context, now));
                return Judged::CalledOff;
            }
        };
        pending = match decision {
            Decision::Allowed(authorized) => return Judged::Yes(authorized),
            Decision::Denied(refusal) => return Judged::No(refusal.into()),
            Decision::NeedsApproval(more) => more,
        };
    }
}

/// What a call of this tool is judged by.
fn context<'a>(run: &'a str, bench: &'a Bench, tool: &str, app_policy: Option<Said>) -> Context<'a> {
    let ctx = &bench.ctx;
    Context {
        agent: ctx.agent().as_str(),
        session: ctx.session.as_str(),
        run: Some(run),
        enforcement: bench.enforcement,
        skills: &ctx.skills,
        active: &bench.activation,
        places: Places { workspace: &bench.workspace, home: ctx.home.user_home() },
        tool_policy: bench.tools.said(tool),
        sandbox: None,
        exec_policy: None,
        app_policy,
        budget: None,
        recent: &bench.repeated,
    }
}

/// Asks the owner, and waits for an answer. `None` when the run was called off meanwhile.
async fn ask(turn: &mut Turn<'_>, bench: &Bench, pending: &Pending) -> Option<Answered> {
    const NO: ApprovalDecision = ApprovalDecision::Deny;
    let runtime = Arc::clone(turn.runtime);
    let asked = question(turn, bench, pending);
    let id = asked.id.clone();
    let Some(answer) = runtime.approvals.ask(asked.clone()) else { return Some((NO, ResolvedBy::Stop)) };
    turn.tell(What::AsksOwner(asked));
    let answered = tokio::select! {
        // Whoever said yes was told that it counts.
        biased;
        answered = answer => Some(answered.unwrap_or((NO, ResolvedBy::Stop))),
        () = runtime.runs.called_off(&turn.run) => None,
        () = tokio::time::sleep(PATIENCE) => Some((NO, ResolvedBy::Time)),
    };
    runtime.approvals.forget(&id);
    let (decision, resolved_by) = answered.unwrap_or((NO, ResolvedBy::Stop));
    let ts = turn.now_ms();
    turn.tell(What::OwnerAnswered(ApprovalResolved { id, decision, resolved_by, ts }));
    answered
}

/// The question, as the owner is shown it.
fn question(turn: &Turn<'_>, bench: &Bench, pending: &Pending) -> Approval {
    let call = pending.call();
    let created_at_ms = turn.now_ms();
    let patience = i64::try_from(PATIENCE.as_millis()).unwrap_or(i64::MAX);
    let request = ApprovalRequest {
        command: format!("{} {}", call.tool, call.arguments),
        tool: call.tool.clone(),
        cwd: bench.workspace.display().to_string(),
        agent_id: bench.ctx.agent().to_string(),
        session_key: turn.session.to_string(),
        run_id: turn.run.to_string(),
        reasons: pending.questions().iter().map(|reason| reason.message.clone().into_owned()).collect(),
        allowed_decisions: ANSWERS.to_vec(),
    };
    Approval {
        id: pending.id().to_string(),
        request,
        created_at_ms,
        expires_at_ms: created_at_ms.saturating_add(patience),
    }
}

/// What the owner would have to be asked, where nobody can be.
fn nobody(pending: &Pending) -> Problem {
    let message = format!("{} needs a yes of the owner, who cannot be asked here", pending.call().tool);
    with_reasons(pending, message).hint("nothing was done; say what you wanted to do, and why")
}

fn declined(pending: &Pending, by: ResolvedBy) -> Problem {
    let tool = &pending.call().tool;
    let message = match by {
        ResolvedBy::Time => format!("{tool} needs a yes of the owner, and nobody answered in time"),
        ResolvedBy::Stop => format!("{tool} needs a yes of the owner, and Tarsus stops before there is one"),
        ResolvedBy::Client | ResolvedBy::Chat => format!("the owner said no to {tool}"),
    };
    with_reasons(pending, message)
        .hint("nothing was done; do not try the same again, ask what is wanted instead")
}

fn with_reasons(pending: &Pending, message: String) -> Problem {
    let problem = Problem::new(ErrorCode::Denied, message);
    pending.questions().iter().fold(problem, |problem, question| problem.note(question.message.clone()))
}
