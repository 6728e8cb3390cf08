//! Runs that end without their last message: failed, aborted and interrupted ones.
//!
//! Every call has a result then, and published text is in the transcript. An end that cannot be stored, as on a full
//! disk, is kept in memory: whoever asks for the run gets it, and it is stored as soon as the store can be written.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsus_protocol::{Message, NoAnswer};
use tarsus_store::{Run, RunEnd, RunId};
use tokio::sync::Notify;

use crate::lanes::LaneGuard;
use crate::recovery::closing_items;
use crate::runtime::Runtime;
use crate::turn::run_blocking;
use crate::turn_context::TurnError;

/// Pause before the first attempt to store an end again; it doubles up to [`MAX_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// The end of a run without a last message of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlyEnd {
    pub end: RunEnd,
    /// Why the model did not answer, if that is the reason.
    pub no_answer: Option<NoAnswer>,
    pub at_ms: i64,
}

/// The last items of a closed run, with the place in which they are published.
pub struct ClosedRun {
    publish_lane: LaneGuard,
    items: Vec<(u64, Message)>,
}

impl ClosedRun {
    /// The items with their numbers, once every item before them was published.
    pub async fn items(mut self) -> Vec<(u64, Message)> {
        self.publish_lane.wait_turn().await;
        self.items
    }
}

/// Closes a run in the store; `None` if it has ended already.
///
/// # Errors
/// When the store cannot be read or written.
pub async fn close(
    runtime: &Arc<Runtime>,
    run: &RunId,
    early: &EarlyEnd,
) -> Result<Option<ClosedRun>, TurnError> {
    let (store, id) = (Arc::clone(&runtime.services.store), run.clone());
    let Some(unfinished) = run_blocking(move || Ok(store.unfinished_run(&id)?)).await? else {
        return Ok(None);
    };
    let items = closing_items(&unfinished, early);
    let messages: Vec<Message> = items.iter().map(|item| item.message.clone()).collect();
    let store = &runtime.services.store;
    let close = || store.close_run(run.clone(), items, early.end.clone(), early.at_ms);
    let (publish_lane, closing) = runtime.publish_lanes.enter(&unfinished.run.session, close);
    let items = closing.await?.into_iter().zip(messages).collect();
    Ok(Some(ClosedRun { publish_lane, items }))
}

/// The ends that are not stored yet.
#[derive(Debug, Default)]
pub struct UnrecordedEnds {
    ends: Mutex<Ends>,
    retry: Arc<Notify>,
}

#[derive(Debug, Default)]
struct Ends {
    by_run: BTreeMap<RunId, EarlyEnd>,
    is_retrying: bool,
}

impl UnrecordedEnds {
    pub fn add(&self, run: RunId, early: EarlyEnd) {
        self.ends().by_run.insert(run, early);
    }

    /// The run with its end, stored or not.
    pub fn apply(&self, run: Run) -> Run {
        match self.ends().by_run.get(&run.id) {
            Some(early) => run.with_end(&early.end, early.at_ms),
            None => run,
        }
    }

    fn ends(&self) -> MutexGuard<'_, Ends> {
        // A holder that panicked has left whole entries behind.
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the caller has to start the task that stores them.
    fn start_retrying(&self) -> bool {
        let mut ends = self.ends();
        !ends.by_run.is_empty() && !std::mem::replace(&mut ends.is_retrying, true)
    }

    /// Whether nothing is left to store; the task ends then.
    fn is_done(&self) -> bool {
        let mut ends = self.ends();
        ends.is_retrying = !ends.by_run.is_empty();
        !ends.is_retrying
    }
}

/// Stores the ends that are not stored yet, now and then, until they are.
pub fn retry_in_background(runtime: &Arc<Runtime>) {
    runtime.unrecorded.retry.notify_one();
    if !runtime.unrecorded.start_retrying() {
        return;
    }
    let (runtime, retry) = (Arc::downgrade(runtime), Arc::clone(&runtime.unrecorded.retry));
    tokio::spawn(async move {
        let mut pause = FIRST_PAUSE;
        loop {
            // Woken early by a message that could be stored.
            tokio::time::timeout(pause, retry.notified()).await.ok();
            let Some(runtime) = runtime.upgrade() else { return };
            store_ends(&runtime).await;
            if runtime.unrecorded.is_done() {
                return;
            }
            pause = (pause * 2).min(MAX_PAUSE);
        }
    });
}

/// Stores the ends that are not stored yet, until one fails.
pub async fn store_ends(runtime: &Arc<Runtime>) {
    let ends = runtime.unrecorded.ends().by_run.clone();
    for (run, early) in ends {
        match close(runtime, &run, &early).await {
            Ok(_) => drop(runtime.unrecorded.ends().by_run.remove(&run)),
            // The others fail for the same reason.
            Err(error) => return tracing::debug!(%error, %run, "the end of a run still cannot be stored"),
        }
    }
}
