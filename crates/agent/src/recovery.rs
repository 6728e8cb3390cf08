//! Recovery after a crash: closes the runs that a process left open when it died, so that no published text is lost, every
//! tool call has a result, and the conversation can continue.
//!
//! No tool runs again: a call that had started is reported as one that may have run.

use tarsus_home::files::crash;
use tarsus_protocol::{Message, Role};
use tarsus_store::{NewItem, OpenCall, Store, UnfinishedRun};

use crate::runtime::text_message;

/// Closes the runs that the last process left open. A run that cannot be closed is retried at the next start.
pub fn close_interrupted_runs(store: &Store, at_ms: i64) {
    for unfinished in &store.recovery().unfinished {
        let closing = store.interrupt(unfinished.run.id.clone(), closing_items(unfinished, at_ms), at_ms);
        if let Err(error) = closing.wait() {
            tracing::warn!(%error, run = %unfinished.run.id, "an interrupted run is not closed in its session");
        }
        crash::point("turn.recovered");
    }
}

/// Results of calls come first, as they belong to the model's last message.
fn closing_items(unfinished: &UnfinishedRun, at_ms: i64) -> Vec<NewItem> {
    let results = unfinished.calls.iter().map(|call| result(call, at_ms));
    let draft = unfinished.draft.iter().map(|draft| text_message(Role::Assistant, &draft.text, draft.at_ms));
    let remark = Role::remark("run-interrupted");
    let text = match (&unfinished.draft, unfinished.calls.as_slice()) {
        (None, []) => "Tarsus stopped before it answered this message. Send it again.",
        _ => "Tarsus stopped while it answered this message. Everything until then is above.",
    };
    let item = |message: Message| NewItem {
        session: unfinished.run.session.clone(),
        run: Some(unfinished.run.id.clone()),
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
        "This call may have run: Tarsus stopped before its result was known. Check its effects before you call it \
         again."
    } else {
        "This call was not run: Tarsus stopped before it started."
    };
    text_message(role, text, at_ms)
}
