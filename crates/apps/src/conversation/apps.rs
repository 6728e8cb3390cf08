//! Launch, stop and show requests: finding the app, asking when it is not clear, refusing what the policy denies.
//!
//! Promises: an app that its entry or its policy rules out is never launched from here, and the refusal says why. The launch
//! function checks again; this is the polite door before that wall.

use super::reply::Said;
use super::request::Deed;
use super::state::{Pending, Step};
use super::turn::{Effect, Turn};
use super::world::LIST_LIMIT;
use super::{menu, words};
use crate::access::{Denied, Stopper, Why, authorize_launch, may_stop};
use crate::find::{Found, find};
use crate::registry::App;

/// What `show` on the start screen asks for.
pub(super) fn asked_to_show(line: &str) -> Option<&str> {
    let (verb, rest) = line.trim().split_once(char::is_whitespace)?;
    verb.eq_ignore_ascii_case("show").then(|| rest.trim())
}

/// A verb and a name in plain words.
pub(super) fn requested(turn: &mut Turn<'_>, deed: Deed, asked: &str, menu: bool) -> Step {
    let world = turn.world;
    match find(asked, world.names()) {
        Found::One(name) => act(turn, deed, name.to_owned(), menu),
        Found::Several(names) => ask_which(deed, &names, menu),
        // A guess never takes a message away from the model.
        Found::Suggested(names) if menu || !world.model => match names.as_slice() {
            [name] => Step::Suggested { deed, name: (*name).to_owned(), menu },
            _ => ask_which(deed, &names, menu),
        },
        Found::Suggested(_) | Found::Nothing if world.model => {
            turn.effect = Effect::PassOn;
            Step::home(menu)
        }
        Found::Suggested(_) | Found::Nothing => {
            // Without a registry to look into, the start screen says what is wrong and what to do.
            if world.loaded().is_none() {
                return Step::start();
            }
            turn.say(Said::NotRegistered { asked: asked.to_owned(), offer_menu: !menu });
            Step::home(menu)
        }
    }
}

fn ask_which(deed: Deed, names: &[&str], menu: bool) -> Step {
    let shown = names.iter().take(LIST_LIMIT).map(|name| (*name).to_owned()).collect();
    Step::Which { deed, shown, menu }
}

/// A line at the question which app is meant.
pub(super) fn which(turn: &mut Turn<'_>, deed: Deed, shown: Vec<String>, menu: bool, line: &str) -> Step {
    let name = match words::number(line) {
        Some(number) => menu::chosen(turn, &shown, number),
        None => match turn.world.same_name(line).filter(|name| shown.iter().any(|known| known == name)) {
            Some(name) => Some(name.to_owned()),
            // Outside the menu nobody has to answer: what is said next is heard as if nothing had been asked.
            None if !menu => return menu::closed(turn, line),
            None => {
                turn.say(Said::NotAChoice { text: line.to_owned() });
                None
            }
        },
    };
    match name {
        Some(name) => act(turn, deed, name, menu),
        None => Step::Which { deed, shown, menu },
    }
}

/// Does what was asked for with this very app, looked up fresh.
pub(super) fn act(turn: &mut Turn<'_>, deed: Deed, name: String, menu: bool) -> Step {
    let Some(app) = turn.world.app(&name) else {
        turn.gone(name);
        return Step::home(menu);
    };
    match deed {
        Deed::Launch => match authorize_launch(app, turn.world.agent) {
            Ok(allowed) => {
                if !allowed.warnings().is_empty() {
                    turn.say(Said::Warned { reasons: allowed.warnings().to_vec() });
                }
                turn.effect = Effect::Launch { name: name.clone(), allowed };
                Step::Waiting { pending: Pending::Launch { name }, menu }
            }
            Err(denied) => refuse(turn, deed, denied, menu),
        },
        Deed::Stop => stop(turn, app, menu, false),
        Deed::Show => {
            turn.say(Said::Details(app.clone()));
            Step::home(menu)
        }
    }
}

/// Stops an app in mode `off`, after the yes to that.
pub(super) fn stop_confirmed(turn: &mut Turn<'_>, name: String, menu: bool) -> Step {
    match turn.world.app(&name) {
        Some(app) => stop(turn, app, menu, true),
        None => {
            turn.gone(name);
            Step::home(menu)
        }
    }
}

fn stop(turn: &mut Turn<'_>, app: &App, menu: bool, confirmed: bool) -> Step {
    let stopper = if turn.world.person { Stopper::Person { confirmed } } else { Stopper::Agent };
    let name = app.name.clone();
    match may_stop(app, turn.world.agent, stopper) {
        Ok(allowed) => {
            turn.effect = Effect::Stop { name: name.clone(), allowed };
            Step::Waiting { pending: Pending::Stop { name }, menu }
        }
        Err(Denied { why: Why::OffNeedsYes, .. }) => Step::StopOff { name, menu },
        Err(denied) => refuse(turn, Deed::Stop, denied, menu),
    }
}

fn refuse(turn: &mut Turn<'_>, deed: Deed, denied: Denied, menu: bool) -> Step {
    turn.effect = Effect::Refused { deed, denied: denied.clone() };
    turn.say(Said::Refused { deed, denied });
    Step::home(menu)
}
