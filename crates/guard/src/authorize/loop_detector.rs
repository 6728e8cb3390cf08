//! The loop detector: the same call, again and again, with the same result.

use tarsus_protocol::authorize::{Inspector, Reason};

use super::call::{Call, CallContext, CallDigest, PolicyVerdict};

/// Number of equal calls after which approval is needed.
const ASK_FROM: usize = 10;
/// Equal calls from which the call is denied.
const DENY_FROM: usize = 20;

pub(super) fn inspect(call: &Call, context: &CallContext<'_>) -> Vec<Reason> {
    if context.recent.len() < ASK_FROM {
        return Vec::new();
    }
    let this = CallDigest::new(&call.tool, &call.arguments);
    let times = context.recent.iter().filter(|recent| **recent == this).count();
    let reason = format!("the same call was made {times} times with the same result");
    let verdict = match times {
        ..ASK_FROM => return Vec::new(),
        ASK_FROM..DENY_FROM => PolicyVerdict::ask(reason),
        _ => PolicyVerdict::deny(reason),
    };
    vec![verdict.to_reason(Inspector::LoopDetector)]
}
