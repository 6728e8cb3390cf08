//! Launch, stop and show requests: finds the app, asks if the name is ambiguous, and checks the launch policy.

use super::context::{LIST_LIMIT, StepContext};
use super::reply::{Notice, PolicyRow};
use super::request::AppVerb;
use super::state::{EntryAction, PendingEffect, Step};
use super::step::{Effect, Turn};
use super::{answers, menu};
use crate::access::{AccessDenied, DenialReason, Stopper, authorize_launch, authorize_stop};
use crate::find::{AppMatch, find_app, find_app_by_full_name};
use crate::registry::App;

/// Handles a verb with a name.
pub(super) fn handle_request(turn: &mut Turn<'_>, verb: AppVerb, name: &str, menu: bool) -> Step {
    let context = turn.context;
    match find(verb, name, context) {
        AppMatch::One(name) => act(turn, verb, name.to_owned(), menu),
        AppMatch::Several(names) => ask_which(verb, &names, menu),
        // A suggestion never takes a message away from the model.
        AppMatch::Suggested(names) if menu || !context.model => match names.as_slice() {
            [name] => Step::Suggested { verb, name: (*name).to_owned(), menu },
            _ => ask_which(verb, &names, menu),
        },
        AppMatch::Suggested(_) | AppMatch::Nothing if context.model => {
            turn.effect = Effect::PassOn;
            Step::home(menu)
        }
        AppMatch::Suggested(_) | AppMatch::Nothing => {
            // Without a readable registry, the start screen explains what to do.
            if context.loaded().is_none() {
                return Step::start();
            }
            turn.notify(Notice::NotRegistered { name: name.to_owned(), offer_menu: !menu });
            Step::home(menu)
        }
    }
}

fn find<'a>(verb: AppVerb, name: &str, context: &StepContext<'a>) -> AppMatch<'a> {
    let similar = || find_app(name, context.names());
    match verb {
        AppVerb::Launch | AppVerb::Stop => similar(),
        // Showing changes nothing, and no model could answer instead.
        AppVerb::Show if !context.model => similar(),
        // People say the same of files and texts, so the name has to be complete.
        AppVerb::Show | AppVerb::Who | AppVerb::Edit | AppVerb::Policy | AppVerb::Delete => {
            match find_app_by_full_name(name, context.names()) {
                AppMatch::Nothing if !context.model => similar().into_suggestion(),
                found => found,
            }
        }
    }
}

fn ask_which(verb: AppVerb, names: &[&str], menu: bool) -> Step {
    let shown = names.iter().take(LIST_LIMIT).map(|name| (*name).to_owned()).collect();
    Step::Which { verb, shown, menu }
}

/// Handles a line at the question which app is meant.
pub(super) fn which(turn: &mut Turn<'_>, verb: AppVerb, shown: Vec<String>, menu: bool, line: &str) -> Step {
    let name = match answers::parse_number(line) {
        Some(number) => menu::chosen(turn, &shown, number),
        None => match turn.context.same_name(line).filter(|name| shown.iter().any(|known| known == name)) {
            Some(name) => Some(name.to_owned()),
            // Outside the menu the question may be ignored: the line is handled as if there were no question.
            None if !menu => return menu::closed(turn, line),
            None => {
                turn.not_a_choice(line);
                None
            }
        },
    };
    match name {
        Some(name) => act(turn, verb, name, menu),
        None => Step::Which { verb, shown, menu },
    }
}

/// Carries out a request for this app, as it is in the registry now.
pub(super) fn act(turn: &mut Turn<'_>, verb: AppVerb, name: String, menu: bool) -> Step {
    let Some(app) = turn.context.app(&name) else {
        turn.gone(name);
        return Step::home(menu);
    };
    match verb {
        AppVerb::Launch => match authorize_launch(app, turn.context.agent) {
            Ok(allowed) => {
                if !allowed.warnings().is_empty() {
                    turn.notify(Notice::Warned { faults: allowed.warnings().to_vec() });
                }
                turn.effect = Effect::Launch(allowed);
                Step::Waiting { pending: PendingEffect::Launch { name }, menu }
            }
            Err(denied) => refuse(turn, verb, denied, menu),
        },
        AppVerb::Stop => stop(turn, app, menu, false),
        AppVerb::Show => {
            turn.notify(Notice::Details(app.clone()));
            Step::home(menu)
        }
        AppVerb::Who => {
            turn.notify(Notice::WhoMayLaunch(PolicyRow::for_app(app)));
            Step::home(menu)
        }
        AppVerb::Edit => Step::Edit { name },
        AppVerb::Policy => Step::Policy { name },
        AppVerb::Delete => menu::confirm(EntryAction::Delete, name, None),
    }
}

/// Stops an app in mode `off`, after confirmation.
pub(super) fn stop_confirmed(turn: &mut Turn<'_>, name: String, menu: bool) -> Step {
    match turn.context.app(&name) {
        Some(app) => stop(turn, app, menu, true),
        None => {
            turn.gone(name);
            Step::home(menu)
        }
    }
}

fn stop(turn: &mut Turn<'_>, app: &App, menu: bool, confirmed: bool) -> Step {
    let stopper = if turn.context.person { Stopper::Person { confirmed } } else { Stopper::Agent };
    let name = app.name.clone();
    match authorize_stop(app, turn.context.agent, stopper) {
        Ok(allowed) => {
            turn.effect = Effect::Stop(allowed);
            Step::Waiting { pending: PendingEffect::Stop { name }, menu }
        }
        Err(AccessDenied { reason: DenialReason::OffNeedsYes, .. }) => Step::StopOff { name, menu },
        Err(denied) => refuse(turn, AppVerb::Stop, denied, menu),
    }
}

fn refuse(turn: &mut Turn<'_>, verb: AppVerb, denied: AccessDenied, menu: bool) -> Step {
    turn.effect = Effect::Refused { verb, denied: denied.clone() };
    turn.notify(Notice::Refused { verb, denied });
    Step::home(menu)
}
