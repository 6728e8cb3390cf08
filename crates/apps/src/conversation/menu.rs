//! The screens to choose from: the start screen, the lists of apps, the choices of Edit and Policy.
//!
//! Promises: a number means the name that stood beside it when it was shown. Leaves launching and stopping to
//! [`super::apps`], the questions that follow a choice to [`super::form`].

use super::apps;
use super::reply::{Said, Screen, Start};
use super::request::{Deed, Jump, Request, request};
use super::state::{Action, Answers, Field, Form, Pending, Step, Wanted};
use super::turn::{Effect, Turn};
use super::words;
use super::world::World;
use crate::Mode;
use crate::registry::Change;

/// A line while no conversation is open: a trigger, a request, or nothing of ours.
pub(super) fn closed(turn: &mut Turn<'_>, line: &str) -> Step {
    let Some((language, request)) = request(line) else {
        turn.effect = Effect::PassOn;
        return Step::Closed;
    };
    let step = match request {
        Request::Menu(jump) => jump_to(turn, jump),
        Request::App(deed, asked) => apps::requested(turn, deed, &asked, false),
    };
    if turn.effect != Effect::PassOn {
        turn.language = Some(language);
    }
    step
}

/// A line at the start screen.
pub(super) fn start(turn: &mut Turn<'_>, shown: Vec<String>, line: &str) -> Step {
    if let Some(number) = words::number(line) {
        return match chosen(turn, &shown, number) {
            Some(name) => apps::act(turn, Deed::Launch, name, true),
            None => Step::Start { shown },
        };
    }
    if let Some(jump) = command(&words::plain(line)) {
        return jump_to(turn, jump);
    }
    if turn.world.is_missing() && words::plain(line) == "create" {
        turn.effect = Effect::Save { change: Change::Create, base: None };
        return Step::Waiting { pending: Pending::Create { then_add: false }, menu: true };
    }
    match request(line) {
        Some((language, Request::Menu(jump))) => {
            turn.language = Some(language);
            jump_to(turn, jump)
        }
        // A verb alone does not change the language: in a Chinese menu, `stop` is one more word of the machine.
        Some((_, Request::App(deed, asked))) => named(turn, shown, deed, &asked),
        None => {
            if let Some(asked) = apps::asked_to_show(line) {
                return named(turn, shown, Deed::Show, asked);
            }
            match line.trim() {
                "" => {}
                _ if turn.world.model => turn.effect = Effect::PassOn,
                _ => turn.say(Said::NotAChoice { text: line.to_owned() }),
            }
            Step::Start { shown }
        }
    }
}

/// An app named at the start screen, by its number there or in words.
fn named(turn: &mut Turn<'_>, shown: Vec<String>, deed: Deed, asked: &str) -> Step {
    let step = match words::number(asked) {
        Some(number) => chosen(turn, &shown, number).map(|name| apps::act(turn, deed, name, true)),
        None => Some(apps::requested(turn, deed, asked, true)),
    };
    match step {
        // What goes on to the model leaves the screen as it was.
        Some(step) if turn.effect != Effect::PassOn => step,
        _ => Step::Start { shown },
    }
}

/// The commands. What the registry does not allow now is answered by the screen that follows.
fn command(word: &str) -> Option<Jump> {
    match word {
        "add" => Some(Jump::Add),
        "edit" => Some(Jump::Edit),
        "delete" => Some(Jump::Delete),
        "policy" => Some(Jump::Policy),
        "validate" => Some(Jump::Validate),
        _ => None,
    }
}

/// Goes where a phrase or a command leads.
fn jump_to(turn: &mut Turn<'_>, jump: Jump) -> Step {
    let readable = turn.world.loaded().is_some();
    match jump {
        Jump::Add if turn.world.is_missing() => return Step::CreateFirst,
        Jump::Add if readable => return Step::Asking(Form::add()),
        Jump::Edit => return Step::pick(Action::Edit),
        Jump::Delete => return Step::pick(Action::Delete),
        Jump::Policy => return Step::pick(Action::Policy),
        Jump::List if readable => {
            let (rows, more) = turn.world.rows();
            turn.say(Said::List { rows, more });
        }
        Jump::Validate if readable => turn.say(Said::Checked(turn.world.check())),
        // The start screen itself says why there is nothing to list, to check or to add to.
        Jump::Start | Jump::List | Jump::Validate | Jump::Add => {}
    }
    Step::start()
}

/// The start screen as the registry is now.
pub(super) fn show_start(world: &World<'_>) -> (Step, Option<Screen>) {
    let (shown, more) = world.listed();
    let start = match world.registry {
        Err(problem) => Start::Broken(problem.clone()),
        Ok(loaded) if !loaded.exists() => Start::Missing,
        Ok(_) if shown.is_empty() => Start::Empty,
        Ok(_) => {
            Start::Apps { apps: shown.iter().map(|name| (name.clone(), world.badge(name))).collect(), more }
        }
    };
    let screen = Screen::Start { path: world.path.to_owned(), start };
    (Step::Start { shown }, Some(screen))
}

/// A line at a list to choose an app from: its number, or its name in full.
pub(super) fn pick(turn: &mut Turn<'_>, action: Action, shown: Vec<String>, line: &str) -> Step {
    let name = match words::number(line) {
        Some(number) => chosen(turn, &shown, number),
        None => {
            let name = turn.world.same_name(line).map(str::to_owned);
            if name.is_none() {
                turn.say(Said::NotAChoice { text: line.to_owned() });
            }
            name
        }
    };
    match (action, name) {
        (_, None) => Step::Pick { action, shown },
        (Action::Policy, Some(name)) => Step::Policy { name },
        (Action::Delete, Some(name)) => confirm(action, name, None),
        (Action::Add | Action::Edit, Some(name)) => Step::Edit { name },
    }
}

/// The name that stood beside a number.
pub(super) fn chosen(turn: &mut Turn<'_>, shown: &[String], number: usize) -> Option<String> {
    let name = number.checked_sub(1).and_then(|place| shown.get(place));
    if name.is_none() {
        turn.say(Said::NoSuchNumber { number });
    }
    name.cloned()
}

/// A line at the choices of Edit.
pub(super) fn edit(turn: &mut Turn<'_>, name: String, line: &str) -> Step {
    let fields = match words::number(line) {
        Some(1) => vec![Field::LaunchPath],
        Some(2) => vec![Field::RuntimeExe],
        Some(3) => vec![Field::ProcessName],
        Some(4) => vec![Field::Mode],
        Some(5) => return agents_only(turn, Action::Edit, name),
        Some(6) => vec![Field::LaunchPath, Field::RuntimeExe, Field::ProcessName, Field::Mode],
        _ => {
            turn.say(Said::NotAChoice { text: line.to_owned() });
            return Step::Edit { name };
        }
    };
    Step::Asking(Form::change(Action::Edit, name, fields))
}

/// A line at the choices of Policy.
pub(super) fn policy(turn: &mut Turn<'_>, name: String, line: &str) -> Step {
    match words::number(line) {
        Some(1) => confirm(Action::Policy, name, Some(Mode::Full)),
        Some(2) => Step::Asking(Form::allowlist(Action::Policy, name)),
        Some(3) => confirm(Action::Policy, name, Some(Mode::Off)),
        Some(4) => agents_only(turn, Action::Policy, name),
        _ => {
            turn.say(Said::NotAChoice { text: line.to_owned() });
            Step::Policy { name }
        }
    }
}

fn confirm(action: Action, name: String, mode: Option<Mode>) -> Step {
    let wanted = Wanted { action, name, answers: Answers { mode, ..Answers::default() } };
    Step::Confirm { wanted, base: String::new(), menu: true }
}

/// The agents alone: in another mode than allowlist the list does not count, so a switch is offered instead.
fn agents_only(turn: &Turn<'_>, action: Action, name: String) -> Step {
    let mode = turn.world.app(&name).and_then(|app| app.fields.mode);
    match mode {
        Some(Mode::Full | Mode::Off) => Step::Switch { name, action },
        Some(Mode::Allowlist) | None => Step::Asking(Form::change(action, name, vec![Field::Agents])),
    }
}
