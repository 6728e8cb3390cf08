//! Recovery after a crash: closes the runs that a process left open when it died, so that no published text is lost, every
//! tool call has a result, and the conversation can continue.
//!
//! No tool runs again: a call that had started is reported as one that may have run.

use tarsus_home::files::crash;
use tarsus_protocol::{Message, Role};
use tarsus_store::{NewItem, OpenCall, RunEnd, RunId, Store, UnfinishedRun};

use crate::run_end::EarlyEnd;
use crate::runtime::text_message;

/// Closes the runs that the last process left open, and returns those that cannot be closed.
pub fn close_interrupted_runs(store: &Store, at_ms: i64) -> Vec<RunId> {
    let mut left = Vec::new();
    for unfinished in &store.recovery().unfinished {
        let run = &unfinished.run.id;
        let early = interrupted(at_ms);
        let items = closing_items(unfinished, &early);
        if let Err(error) = store.close_run(run.clone(), items, early.end, at_ms).wait() {
            tracing::warn!(%error, %run, "an interrupted run is not closed in its session");
            left.push(run.clone());
        }
        crash::point("turn.recovered");
    }
    left
}

/// The end of a run that its process did not see.
pub fn interrupted(at_ms: i64) -> EarlyEnd {
    EarlyEnd { end: RunEnd::Interrupted, no_answer: None, at_ms }
}

/// The last items of a run that ends early: the results of its open calls, the published text, and a remark.
///
/// Results of calls come first, as they belong to the model's last message.
pub(crate) fn closing_items(unfinished: &UnfinishedRun, early: &EarlyEnd) -> Vec<NewItem> {
    let at_ms = early.at_ms;
    let results = unfinished.calls.iter().map(|call| result(call, at_ms));
    let draft = unfinished.draft.iter().map(|draft| text_message(Role::Assistant, &draft.text, draft.at_ms));
    let item = |message: Message| NewItem {
        session: unfinished.run.session.clone(),
        run: Some(unfinished.run.id.clone()),
        message,
        at_ms,
    };
    results.chain(draft).chain(remark(unfinished, early)).map(item).collect()
}

fn remark(unfinished: &UnfinishedRun, early: &EarlyEnd) -> Option<Message> {
    let (role, text) = match &early.end {
        RunEnd::Finished | RunEnd::Aborted => return None,
        RunEnd::Failed(why) => {
            let custom_type = "run-failed-before-reply".to_owned();
            (Role::Custom { custom_type, no_answer: early.no_answer }, why.as_str())
        }
        RunEnd::Interrupted => {
            let text = match (&unfinished.draft, unfinished.calls.as_slice()) {
                (None, []) => "Tarsus stopped before it answered this message. Send it again.",
                _ => "Tarsus stopped while it answered this message. Everything until then is above.",
            };
            (Role::remark("run-interrupted"), text)
        }
    };
    Some(text_message(role, text, early.at_ms))
}

fn result(call: &OpenCall, at_ms: i64) -> Message {
    let role = Role::ToolResult {
        tool_call_id: call.id.clone(),
        tool_name: call.tool.clone(),
        is_error: true,
        details: None,
    };
    let text = if call.begun {
        "This call may have run: its turn ended before its result was known. Check its effects before you call it \
         again."
    } else {
        "This call was not run: its turn ended before it started."
    };
    text_message(role, text, at_ms)
}
