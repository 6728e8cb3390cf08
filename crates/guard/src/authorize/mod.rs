//! Decides whether a tool call may happen, by a list of inspectors that each give a verdict with a reason.
//!
//! The strictest verdict wins and every reason is kept. Equal inputs give equal decisions. A required policy whose
//! verdict is missing denies the call.

mod call;
mod capabilities;
mod control_files;
mod loop_detector;
mod permitted_hosts;

use std::cmp::Reverse;

pub use call::{Call, CallContext, CallDigest, PolicyVerdict};
pub use permitted_hosts::PermittedHosts;

use tarsus_protocol::authorize::{Inspector, Reason, Verdict};

use tarsus_protocol::tool::ToolId;

/// The combined result of all inspectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// The strictest verdict.
    pub verdict: Verdict,
    /// All reasons, the strictest first, otherwise in inspector order.
    pub reasons: Vec<Reason>,
    /// Whether the call is allowed only because enforcement is off.
    pub bypassed: bool,
}

type Inspect = fn(&Call, &CallContext<'_>) -> Vec<Reason>;

/// The inspectors, in the order in which they run.
const INSPECTORS: [Inspect; 5] =
    [tool_policy, capabilities::inspect, control_files::inspect, app_policy, loop_detector::inspect];

/// Runs every inspector. This neither records nor permits anything: [`crate::Guard::authorize`] does that.
#[must_use]
pub fn decide(call: &Call, context: &CallContext<'_>) -> Decision {
    let mut reasons: Vec<Reason> = INSPECTORS.iter().flat_map(|inspect| inspect(call, context)).collect();
    reasons.sort_by_key(|reason| Reverse(reason.verdict));
    // No inspector gave a reason: deny.
    let verdict = reasons.first().map_or(Verdict::Deny, |reason| reason.verdict);
    let bypassed = reasons.iter().any(capabilities::is_bypass);
    Decision { verdict, reasons, bypassed }
}

fn tool_policy(_: &Call, context: &CallContext<'_>) -> Vec<Reason> {
    vec![context.tool_policy.to_reason(Inspector::ToolPolicy)]
}

/// Launching and stopping an app require a verdict; without one they are denied.
fn app_policy(call: &Call, context: &CallContext<'_>) -> Vec<Reason> {
    let is_required = matches!(ToolId::from_name(&call.tool), Some(ToolId::AppLaunch | ToolId::AppStop));
    let reason = match &context.app_policy {
        Some(verdict) => verdict.to_reason(Inspector::AppPolicy),
        None if is_required => {
            PolicyVerdict::deny("the policy gave no verdict").to_reason(Inspector::AppPolicy)
        }
        None => return Vec::new(),
    };
    vec![reason]
}
