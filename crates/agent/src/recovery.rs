//! Closes the runs that the last process left open, so that nothing shown is lost, every call has a result, and the
//! conversation can go on.
//!
//! A run is closed whole or not at all, if need be at the next start. No tool runs again: a call that had begun is
//! reported as one that may have run.

use tarsus_home::files::crash;
use tarsus_protocol::{Message, Role};
use tarsus_store::{Left, NewItem, OpenCall, Store};

use crate::runtime::text_message;

/// Closes the runs that the last process left open. What cannot be written is left for the next start.
pub fn close_interrupted_runs(store: &Store, at_ms: i64) {
    for left in &store.recovered().left {
        let closing = store.interrupt(left.run.id.clone(), closing_items(left, at_ms), at_ms);
        if let Err(error) = closing.wait() {
            tracing::warn!(%error, run = %left.run.id, "an interrupted run is not closed in its session");
        }
        crash::point("turn.recovered");
    }
}

/// The results of calls come first: they belong to what the model said last.
fn closing_items(left: &Left, at_ms: i64) -> Vec<NewItem> {
    let results = left.calls.iter().map(|call| result(call, at_ms));
    let draft = left.draft.iter().map(|draft| text_message(Role::Assistant, &draft.text, draft.at_ms));
    let remark = Role::remark("run-interrupted");
    let text = match (&left.draft, left.calls.as_slice()) {
        (None, []) => "Tarsus was stopped before this was answered. Send it again.",
        _ => "Tarsus was stopped while this was answered. What was done until then stands above.",
    };
    let item = |message: Message| NewItem {
        session: left.run.session.clone(),
        run: Some(left.run.id.clone()),
        message,
        at_ms,
    };
    results.chain(draft).chain([text_message(remark, text, at_ms)]).map(item).collect()
}

fn result(call: &OpenCall, at_ms: i64) -> Message {
    let role = Role::ToolResult {
        tool_call_id: call.id.clone(),
        tool_name: call.tool.clone(),
        is_error: true,
        details: None,
    };
    let text = if call.begun {
        "This call may have run: Tarsus was stopped before its result was known. Look at what it was to change before \
         calling it again."
    } else {
        "This call was not run: Tarsus was stopped before it began."
    };
    text_message(role, text, at_ms)
}
