//! Steering: messages that come while a turn is on its way are told to its model between two requests, where the
//! configuration wants that.
//!
//! Promises: they are taken in their order, none overtakes another; each is written to be part of the turn before the
//! model is told; what one of us answers waits for its own turn. Leaves to others: waiting.

use std::sync::Arc;

use tarsus_store::{Joined, StoreError};

use super::ready::Ready;
use crate::answer;
use crate::turn::{Said, Turn};

/// Takes in what waits in the session of a turn whose last item has this number.
///
/// # Errors
/// When the store cannot be read or written.
pub(super) async fn take_in(turn: &mut Turn<'_>, ready: &mut Ready, after: u64) -> Result<(), StoreError> {
    if !ready.config.messages.queue.mode.steers() {
        return Ok(());
    }
    let runtime = Arc::clone(turn.runtime);
    for said in runtime.runs.waiting(&turn.session) {
        if !is_for_the_model(turn, &said).await? || !runtime.runs.take_in(&said.run) {
            break;
        }
        let into = Joined { run: turn.run.clone(), after };
        let joining = runtime.given.store.join(said.number, said.run.clone(), into, turn.now_ms());
        if let Err(error) = joining.await {
            runtime.runs.give_back(&said.run);
            return Err(error);
        }
        ready.hear(&said);
    }
    Ok(())
}

/// Whether the model is to be told of a message in this turn: nobody else would answer it, and it asks for nothing of its
/// own.
async fn is_for_the_model(turn: &Turn<'_>, said: &Said) -> Result<bool, StoreError> {
    if said.model.is_some() {
        return Ok(false);
    }
    let (runtime, said) = (Arc::clone(turn.runtime), said.clone());
    let is_for_it = move || {
        // A skill that is called for has a turn of its own.
        Ok(!answer::is_a_command(&runtime, &said) && answer::is_for_the_model(&runtime, &said)?)
    };
    match tokio::task::spawn_blocking(is_for_it).await {
        Ok(is_for_it) => is_for_it,
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
