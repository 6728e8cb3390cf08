//! Whether a tool call may happen: a list of inspectors, each with its inputs as values and a reason for its verdict.
//!
//! Promises: the strictest verdict wins and every reason is kept; the same values give the same judgement. An inspector
//! that was not asked and should have been says no. Leaves to others: finding out the values, and carrying out the call
//! (`proof` says which may be).

mod call;
mod capabilities;
mod loops;

use std::cmp::Reverse;

pub use call::{Call, CallDigest, Context, Said};

use tarsus_protocol::authorize::{Inspector, Reason, Verdict};

use crate::tools::Tool;

/// What the inspectors say together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judgement {
    /// The strictest of their verdicts.
    pub verdict: Verdict,
    /// What each of them says, the strictest first, else in the order in which they are asked.
    pub reasons: Vec<Reason>,
    /// Whether a community skill would have been refused this, had enforcement not been switched off.
    pub bypassed: bool,
}

/// What one inspector says about a call.
type Inspect = fn(&Call, &Context<'_>) -> Vec<Reason>;

/// The inspectors, in the order in which they are asked.
const INSPECTORS: [Inspect; 7] =
    [tool_policy, sandbox, capabilities::inspect, exec_policy, app_policy, budget, loops::inspect];

/// Asks every inspector. Nothing is recorded and nothing is permitted by this: [`crate::Guard::authorize`] does that.
#[must_use]
pub fn judge(call: &Call, context: &Context<'_>) -> Judgement {
    let mut reasons: Vec<Reason> = INSPECTORS.iter().flat_map(|inspect| inspect(call, context)).collect();
    reasons.sort_by_key(|reason| Reverse(reason.verdict));
    // Nobody had anything to say about it: nothing permits it either.
    let verdict = reasons.first().map_or(Verdict::Deny, |reason| reason.verdict);
    let bypassed = reasons.iter().any(capabilities::is_bypass);
    Judgement { verdict, reasons, bypassed }
}

fn tool_policy(_: &Call, context: &Context<'_>) -> Vec<Reason> {
    vec![context.tool_policy.reason(Inspector::ToolPolicy)]
}

fn sandbox(_: &Call, context: &Context<'_>) -> Vec<Reason> {
    said(Inspector::Sandbox, context.sandbox.as_ref())
}

/// A command is never run on nobody's word.
fn exec_policy(call: &Call, context: &Context<'_>) -> Vec<Reason> {
    match Tool::named(&call.tool) {
        // `process` writes into shells that are open already.
        Some(Tool::Exec | Tool::Process) => asked(Inspector::ExecPolicy, context.exec_policy.as_ref()),
        _ => said(Inspector::ExecPolicy, context.exec_policy.as_ref()),
    }
}

/// Nor is an app launched or stopped.
fn app_policy(call: &Call, context: &Context<'_>) -> Vec<Reason> {
    match Tool::named(&call.tool) {
        Some(Tool::AppLaunch | Tool::AppStop) => asked(Inspector::AppPolicy, context.app_policy.as_ref()),
        _ => said(Inspector::AppPolicy, context.app_policy.as_ref()),
    }
}

fn budget(_: &Call, context: &Context<'_>) -> Vec<Reason> {
    said(Inspector::Budget, context.budget.as_ref())
}

/// What a policy said, if it was asked.
fn said(inspector: Inspector, said: Option<&Said>) -> Vec<Reason> {
    said.map(|said| said.reason(inspector)).into_iter().collect()
}

/// What a policy said that has to be asked.
fn asked(inspector: Inspector, said: Option<&Said>) -> Vec<Reason> {
    let silent = || Said::deny("this policy has to be asked and was not").reason(inspector);
    vec![said.map_or_else(silent, |said| said.reason(inspector))]
}
