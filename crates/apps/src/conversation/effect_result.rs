//! The result of an effect, reported to the person who requested it.

use std::sync::Arc;

use tarsus_protocol::Problem;

use super::reply::Notice;
use super::state::{Form, PendingEffect, Step};
use super::step::Turn;
use crate::run::{Launched, Stopped};

/// The result of the effect of an earlier step.
#[derive(Debug, Clone, PartialEq)]
pub enum EffectResult {
    /// The change was saved.
    Saved,
    /// The registry changed since the proposal; nothing was saved.
    Stale,
    /// A launch was attempted.
    Launched {
        /// Name of the app.
        app: String,
        /// The launch and its outcome.
        launched: Arc<Launched>,
    },
    /// A stop was attempted.
    Stopped {
        /// Name of the app.
        app: String,
        /// The outcome.
        stopped: Arc<Stopped>,
    },
    /// The effect failed.
    Failed(Problem),
}

/// Reports a result and continues where the effect was started. A result that no step waits for is reported as well.
pub(super) fn report(turn: &mut Turn<'_>, before: Step, result: &EffectResult) -> Step {
    match result {
        EffectResult::Saved | EffectResult::Stale => {}
        EffectResult::Launched { app, launched } => {
            turn.notify(Notice::Launched { name: app.clone(), launched: Arc::clone(launched) });
        }
        EffectResult::Stopped { app, stopped } => {
            turn.notify(Notice::Stopped { name: app.clone(), stopped: Arc::clone(stopped) });
        }
        EffectResult::Failed(problem) => turn.notify(Notice::Failed(problem.clone())),
    }
    let Step::Waiting { pending, menu } = before else { return before };
    match (result, pending) {
        (EffectResult::Saved, PendingEffect::Create { then_add }) => {
            turn.notify(Notice::Created);
            if then_add { Step::Asking(Form::add()) } else { Step::start() }
        }
        (EffectResult::Saved, PendingEffect::Change { proposed }) => {
            turn.notify(Notice::Saved { action: proposed.action, name: proposed.name });
            Step::home(menu)
        }
        (EffectResult::Stale, PendingEffect::Change { proposed }) => {
            turn.notify(Notice::ChangedMeanwhile);
            Step::Confirm { proposed, base: String::new(), menu }
        }
        _ => Step::home(menu),
    }
}
