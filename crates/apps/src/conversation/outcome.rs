//! What came of an effect, told to the person who asked for it.

use tarsus_protocol::Problem;

use super::reply::{LaunchResult, Said, StopResult};
use super::state::{Form, Pending, Step};
use super::turn::Turn;
use super::world::World;
use crate::run::{self, Ended, How};

/// How the effect of an earlier step came out.
#[derive(Debug, Clone)]
pub enum Outcome<'a> {
    /// The change is saved.
    Saved,
    /// The registry was not the one that the proposal was made from; nothing was saved.
    Stale,
    /// A launch was tried.
    Launched {
        /// The app.
        name: &'a str,
        /// What came of it.
        launched: &'a run::Launched,
    },
    /// A stop was tried.
    Stopped {
        /// The app.
        name: &'a str,
        /// What came of it.
        stopped: &'a run::Stopped,
    },
    /// It could not be done.
    Failed(Problem),
}

/// Tells the outcome, and goes on where the effect was begun. One that nobody waits for any more is told all the same.
pub(super) fn report(turn: &mut Turn<'_>, before: Step, outcome: &Outcome<'_>) -> Step {
    match outcome {
        Outcome::Saved | Outcome::Stale => {}
        Outcome::Launched { name, launched } => turn.say(launch_said(turn.world, name, launched)),
        Outcome::Stopped { name, stopped } => {
            turn.say(Said::Stopped { name: (*name).to_owned(), result: stop_result(stopped) });
        }
        Outcome::Failed(problem) => turn.say(Said::Failed(problem.clone())),
    }
    let Step::Waiting { pending, menu } = before else { return before };
    match (outcome, pending) {
        (Outcome::Saved, Pending::Create { then_add }) => {
            turn.say(Said::Created);
            if then_add { Step::Asking(Form::add()) } else { Step::start() }
        }
        (Outcome::Saved, Pending::Change { wanted }) => {
            turn.say(Said::Saved { action: wanted.action, name: wanted.name });
            Step::home(menu)
        }
        (Outcome::Stale, Pending::Change { wanted }) => {
            turn.say(Said::ChangedMeanwhile);
            Step::Confirm { wanted, base: String::new(), menu }
        }
        _ => Step::home(menu),
    }
}

fn launch_said(world: &World<'_>, name: &str, launched: &run::Launched) -> Said {
    let result = match &launched.outcome {
        run::Outcome::Started { pids } => LaunchResult::Started { pids: pids.clone() },
        run::Outcome::Requested => {
            let fields = world.app(name).map(|app| &app.fields);
            let process =
                fields.and_then(|fields| fields.process_name.clone().or_else(|| fields.runtime_exe.clone()));
            LaunchResult::Requested { process }
        }
        run::Outcome::AlreadyRunning { pids } => LaunchResult::AlreadyRunning { pids: pids.clone() },
        run::Outcome::Failed(error) => LaunchResult::Failed { code: error.code(), error: error.reason() },
    };
    Said::Launched {
        name: name.to_owned(),
        launcher: launched.launcher.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        retried: launched.retry_of.as_ref().map(run::LaunchError::reason),
        result,
    }
}

fn stop_result(stopped: &run::Stopped) -> StopResult {
    match stopped {
        run::Stopped::NoStopData => StopResult::NoStopData,
        run::Stopped::NotRunning => StopResult::NotRunning,
        run::Stopped::Ended(processes) => {
            let (mut closed, mut killed, mut left) = (Vec::new(), Vec::new(), Vec::new());
            for Ended { pid, how } in processes {
                match how {
                    How::Closed => closed.push(*pid),
                    How::Killed => killed.push(*pid),
                    How::Left(error) => left.push((*pid, error.reason())),
                }
            }
            StopResult::Ended { closed, killed, left }
        }
    }
}
