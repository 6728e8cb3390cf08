//! The loop detector: the same call, again and again, with the same result.

use tarsus_protocol::authorize::{Inspector, Reason};

use super::call::{Call, CallDigest, Context, Said};

/// From so many equal calls on, the owner is asked.
const ASK_FROM: usize = 10;
/// From so many on, it is refused.
const DENY_FROM: usize = 20;

pub(super) fn inspect(call: &Call, context: &Context<'_>) -> Vec<Reason> {
    if context.recent.len() < ASK_FROM {
        return Vec::new();
    }
    let this = CallDigest::of(&call.tool, &call.arguments);
    let times = context.recent.iter().filter(|recent| **recent == this).count();
    let why = format!("the same call was made {times} times with the same result");
    let said = match times {
        ..ASK_FROM => return Vec::new(),
        ASK_FROM..DENY_FROM => Said::ask(why),
        _ => Said::deny(why),
    };
    vec![said.reason(Inspector::LoopDetector)]
}
