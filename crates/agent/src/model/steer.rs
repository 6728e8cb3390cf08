//! Steering: messages that arrive during a turn are given to its model between two requests, where the configuration
//! says so.
//!
//! They are taken in order, and none overtakes another. Each is stored as part of the turn before the model gets it. A
//! message that the model would not answer, or that asks for a model of its own, waits for its own turn.

use std::sync::Arc;

use tarsus_store::JoinPoint;

use super::model_session::ModelSession;
use crate::route::{self, Route};
use crate::turn::{AcceptedMessage, Turn, run_blocking};
use crate::turn_context::TurnError;

/// Takes in the messages that wait in the session of a turn; `after` is the number of its last item.
///
/// # Errors
/// When the store cannot be read or written.
pub(super) async fn take_in(
    turn: &mut Turn<'_>,
    models: &mut ModelSession,
    after: u64,
) -> Result<(), TurnError> {
    if !models.context().config.messages.queue.mode.steers() {
        return Ok(());
    }
    let runtime = Arc::clone(turn.runtime);
    for accepted in runtime.runs.waiting(turn.session()) {
        if !can_join(turn, &accepted).await? || !runtime.runs.take_in(&accepted.run) {
            break;
        }
        let into = JoinPoint { run: turn.id().clone(), after };
        let joining =
            runtime.services.store.join_message(accepted.number, accepted.run.clone(), into, turn.now_ms());
        if let Err(error) = joining.await {
            runtime.runs.give_back(&accepted.run);
            return Err(error.into());
        }
        models.take_in(&accepted);
    }
    Ok(())
}

/// Whether a message is for the model and needs no turn of its own, as a skill does.
async fn can_join(turn: &Turn<'_>, accepted: &AcceptedMessage) -> Result<bool, TurnError> {
    if accepted.model.is_some() {
        return Ok(false);
    }
    let (runtime, accepted) = (Arc::clone(turn.runtime), accepted.clone());
    let route = run_blocking(move || Ok(route::decide(&runtime, &accepted)?)).await?;
    Ok(matches!(route, Route::Model { invocation: None, .. }))
}
