//! The menu screens: the start screen, the lists of apps, the choices of Edit and Policy. A number means the name that it
//! was shown with.

use super::answers;
use super::app_requests;
use super::context::StepContext;
use super::language::Language;
use super::menu_word::MenuWord;
use super::reply::{Notice, Screen, StartScreen};
use super::request::{AppVerb, ChatRequest, MenuCommand, parse_request};
use super::state::{EntryAction, EntryField, Form, PendingEffect, ProposedChange, Step};
use super::step::{Effect, Turn};
use crate::registry::RegistryChange;
use crate::{AppMode, AppPatch};

/// Handles a line while no conversation is open: a trigger, a request, or text for the model.
pub(super) fn closed(turn: &mut Turn<'_>, line: &str) -> Step {
    let Some((language, request)) = parse_request(line) else {
        turn.effect = Effect::PassOn;
        return Step::Closed;
    };
    let step = match request {
        ChatRequest::Menu(command) => run_command(turn, command),
        ChatRequest::App(verb, name) => app_requests::handle_request(turn, verb, &name, false),
    };
    if turn.effect != Effect::PassOn {
        turn.language = Some(language);
    }
    step
}

/// Handles a line at the start screen.
pub(super) fn start(turn: &mut Turn<'_>, shown: Vec<String>, line: &str) -> Step {
    if let Some(number) = answers::parse_number(line) {
        return match chosen(turn, &shown, number) {
            Some(name) => app_requests::act(turn, AppVerb::Launch, name, true),
            None => Step::Start { shown },
        };
    }
    match turn.word(line, WORDS) {
        Some(MenuWord::Create) if turn.context.is_missing() => {
            turn.effect = Effect::Save { change: RegistryChange::Create, base: None };
            return Step::Waiting { pending: PendingEffect::Create { then_add: false }, menu: true };
        }
        Some(MenuWord::Add) => return run_command(turn, MenuCommand::Add),
        Some(MenuWord::Edit) => return run_command(turn, MenuCommand::Edit),
        Some(MenuWord::Delete) => return run_command(turn, MenuCommand::Delete),
        Some(MenuWord::Policy) => return run_command(turn, MenuCommand::Policy),
        Some(MenuWord::Validate) => return run_command(turn, MenuCommand::Validate),
        _ => {}
    }
    match parse_request(line) {
        Some((language, ChatRequest::Menu(command))) => {
            turn.language = Some(language);
            run_command(turn, command)
        }
        Some((language, ChatRequest::App(verb, name))) => named(turn, shown, language, verb, &name),
        None => {
            match line.trim() {
                "" => {}
                _ if turn.context.model => turn.effect = Effect::PassOn,
                _ => turn.not_a_choice(line),
            }
            Step::Start { shown }
        }
    }
}

/// The words of the start screen.
const WORDS: &[MenuWord] = &[
    MenuWord::Create,
    MenuWord::Add,
    MenuWord::Edit,
    MenuWord::Delete,
    MenuWord::Policy,
    MenuWord::Validate,
];

/// Handles a request for an app at the start screen, by number or by name.
fn named(turn: &mut Turn<'_>, shown: Vec<String>, language: Language, verb: AppVerb, name: &str) -> Step {
    // An English verb with a number is a command of the menu in any language.
    let number = answers::parse_number(name);
    let before = turn.language;
    if number.is_none() || language == Language::Chinese {
        turn.language = Some(language);
    }
    let step = match number {
        Some(number) => chosen(turn, &shown, number).map(|name| app_requests::act(turn, verb, name, true)),
        None => Some(app_requests::handle_request(turn, verb, name, true)),
    };
    match step {
        // Text for the model leaves the screen unchanged.
        Some(step) if turn.effect != Effect::PassOn => step,
        _ => {
            if turn.effect == Effect::PassOn {
                turn.language = before;
            }
            Step::Start { shown }
        }
    }
}

/// Runs a command of the menu.
fn run_command(turn: &mut Turn<'_>, command: MenuCommand) -> Step {
    let readable = turn.context.loaded().is_some();
    match command {
        MenuCommand::Add if turn.context.is_missing() => return Step::CreateFirst,
        MenuCommand::Add if readable => return Step::Asking(Form::add()),
        MenuCommand::Edit => return Step::pick(EntryAction::Edit),
        MenuCommand::Delete => return Step::pick(EntryAction::Delete),
        MenuCommand::Policy => return Step::pick(EntryAction::Policy),
        MenuCommand::List if readable => {
            let (rows, more) = turn.context.rows();
            turn.notify(Notice::List { rows, more });
        }
        MenuCommand::Validate if readable => turn.notify(Notice::Checked(turn.context.check())),
        // The start screen explains why nothing can be listed, checked or added.
        MenuCommand::Start | MenuCommand::List | MenuCommand::Validate | MenuCommand::Add => {}
    }
    Step::start()
}

/// The start screen for the current registry.
pub(super) fn show_start(context: &StepContext<'_>) -> (Step, Option<Screen>) {
    let (shown, more) = context.listed();
    let start = match context.registry {
        Err(unreadable) => StartScreen::Broken(unreadable.clone()),
        Ok(loaded) if !loaded.exists() => StartScreen::Missing,
        Ok(_) if shown.is_empty() => StartScreen::Empty,
        Ok(_) => StartScreen::Apps {
            apps: shown.iter().map(|name| (name.clone(), context.badge(name))).collect(),
            more,
        },
    };
    let screen = Screen::Start { path: context.path.to_owned(), start };
    (Step::Start { shown }, Some(screen))
}

/// Handles a line at a list of apps: a number or a full name.
pub(super) fn pick(turn: &mut Turn<'_>, action: EntryAction, shown: Vec<String>, line: &str) -> Step {
    let name = match answers::parse_number(line) {
        Some(number) => chosen(turn, &shown, number),
        None => {
            let name = turn.context.same_name(line).map(str::to_owned);
            if name.is_none() {
                turn.not_a_choice(line);
            }
            name
        }
    };
    match (action, name) {
        (_, None) => Step::Pick { action, shown },
        (EntryAction::Policy, Some(name)) => Step::Policy { name },
        (EntryAction::Delete, Some(name)) => confirm(action, name, None),
        (EntryAction::Add | EntryAction::Edit, Some(name)) => Step::Edit { name },
    }
}

/// The name that a number was shown with.
pub(super) fn chosen(turn: &mut Turn<'_>, shown: &[String], number: usize) -> Option<String> {
    let name = number.checked_sub(1).and_then(|index| shown.get(index));
    if name.is_none() {
        turn.notify(Notice::NoSuchNumber { number });
    }
    name.cloned()
}

/// Handles a line at the choices of Edit.
pub(super) fn edit(turn: &mut Turn<'_>, name: String, line: &str) -> Step {
    let fields = match answers::parse_number(line) {
        Some(1) => vec![EntryField::LaunchPath],
        Some(2) => vec![EntryField::RuntimeExe],
        Some(3) => vec![EntryField::ProcessName],
        Some(4) => vec![EntryField::Mode],
        Some(5) => return agents_only(turn, EntryAction::Edit, name),
        Some(6) => {
            vec![EntryField::LaunchPath, EntryField::RuntimeExe, EntryField::ProcessName, EntryField::Mode]
        }
        _ => {
            turn.not_a_choice(line);
            return Step::Edit { name };
        }
    };
    Step::Asking(Form::change(EntryAction::Edit, name, fields))
}

/// Handles a line at the choices of Policy.
pub(super) fn policy(turn: &mut Turn<'_>, name: String, line: &str) -> Step {
    match answers::parse_number(line) {
        Some(1) => confirm(EntryAction::Policy, name, Some(AppMode::Full)),
        Some(2) => Step::Asking(Form::allowlist(EntryAction::Policy, name)),
        Some(3) => confirm(EntryAction::Policy, name, Some(AppMode::Off)),
        Some(4) => agents_only(turn, EntryAction::Policy, name),
        _ => {
            turn.not_a_choice(line);
            Step::Policy { name }
        }
    }
}

pub(super) fn confirm(action: EntryAction, name: String, mode: Option<AppMode>) -> Step {
    let proposed = ProposedChange { action, name, patch: AppPatch { mode, ..AppPatch::default() } };
    Step::Confirm { proposed, base: String::new(), menu: true }
}

/// Asks for the agents only. In another mode than allowlist it offers to switch instead.
fn agents_only(turn: &Turn<'_>, action: EntryAction, name: String) -> Step {
    let mode = turn.context.app(&name).and_then(|app| app.mode);
    match mode {
        Some(AppMode::Full | AppMode::Off) => Step::Switch { name, action },
        Some(AppMode::Allowlist) | None => Step::Asking(Form::change(action, name, vec![EntryField::Agents])),
    }
}
