//! Asks for the values of an entry, one question at a time, for Add, Edit and Policy. Nothing is guessed: an empty answer
//! to a required question is asked again.

use tarsus_protocol::rpc::FieldChange;

use super::answers;
use super::menu_word::MenuWord;
use super::reply::Notice;
use super::state::{EntryAction, EntryField, Form, ProposedChange, Step};
use super::step::Turn;
use crate::registry::{App, AppNameError, check_name};
use crate::{AppMode, AppPatch};

impl Form {
    /// The questions of an addition.
    pub(super) fn add() -> Self {
        use EntryField::{LaunchPath, Mode, Name, ProcessName, RuntimeExe};
        Self::new(EntryAction::Add, None, vec![Name, LaunchPath, RuntimeExe, ProcessName, Mode])
    }

    /// Questions about an existing entry.
    pub(super) fn change(action: EntryAction, name: String, fields: Vec<EntryField>) -> Self {
        Self::new(action, Some(name), fields)
    }

    /// The question for the agents of a new allowlist.
    pub(super) fn allowlist(action: EntryAction, name: String) -> Self {
        let patch = AppPatch { mode: Some(AppMode::Allowlist), ..AppPatch::default() };
        Self { patch, ..Self::change(action, name, vec![EntryField::Agents]) }
    }

    fn new(action: EntryAction, name: Option<String>, fields: Vec<EntryField>) -> Self {
        Self { action, name, fields, at: 0, patch: AppPatch::default(), target: None }
    }

    /// The questions of a proposed change again, starting with the last one.
    pub(super) fn reopen(proposed: ProposedChange) -> Self {
        let mut form = match proposed.action {
            EntryAction::Add => Self::add(),
            action => Self::change(action, proposed.name.clone(), Vec::new()),
        };
        if proposed.patch.mode == Some(AppMode::Allowlist) {
            form.fields.push(EntryField::Agents);
        }
        form.at = form.fields.len().saturating_sub(1);
        Self { name: Some(proposed.name), patch: proposed.patch, ..form }
    }

    /// Adds a question, which comes next.
    pub(super) fn also(proposed: ProposedChange, field: EntryField) -> Self {
        let mut form = Self::reopen(proposed);
        form.fields.retain(|other| *other != field);
        form.fields.push(field);
        form.at = form.fields.len() - 1;
        form
    }
}

/// The step before the current question.
pub(super) fn back(mut form: Form) -> Step {
    if form.at > 0 {
        form.at -= 1;
        return Step::Asking(form);
    }
    match (form.action, form.name) {
        (EntryAction::Edit, Some(name)) => Step::Edit { name },
        (EntryAction::Policy, Some(name)) => Step::Policy { name },
        _ => Step::start(),
    }
}

/// Handles a line as the answer to the current question.
pub(super) fn answer(turn: &mut Turn<'_>, mut form: Form, line: &str) -> Step {
    let Some(text) = answers::parse_answer(line) else {
        turn.notify(Notice::OneLine);
        return Step::Asking(form);
    };
    let stored = turn.stored(&form);
    let is_accepted = match form.field() {
        Some(EntryField::Name) => return name(turn, form, text),
        Some(EntryField::LaunchPath) => launch_path(turn, &mut form, stored, text),
        Some(EntryField::RuntimeExe) => {
            if let Some(target) = form.target.clone().filter(|_| answers::parse_number(text) == Some(1)) {
                form.patch.runtime_exe = Some(FieldChange::Set(target));
            } else {
                form.patch.runtime_exe = optional(text);
                if matches!(form.patch.runtime_exe, Some(FieldChange::Set(_))) {
                    turn.warn_about_path(text);
                }
            }
            true
        }
        Some(EntryField::ProcessName) => {
            form.patch.process_name = optional(text);
            true
        }
        Some(EntryField::Mode) => mode(turn, &mut form, stored, text),
        Some(EntryField::Agents) => agents(turn, &mut form, stored, text),
        None => true,
    };
    if !is_accepted {
        return Step::Asking(form);
    }
    form.at += 1;
    match form.name {
        Some(name) if form.at >= form.fields.len() => Step::Confirm {
            proposed: ProposedChange { action: form.action, name, patch: form.patch },
            base: String::new(),
            menu: true,
        },
        _ => Step::Asking(form),
    }
}

fn name(turn: &mut Turn<'_>, mut form: Form, text: &str) -> Step {
    if let Err(error) = check_name(text) {
        turn.notify(match error {
            AppNameError::Empty => Notice::Required,
            AppNameError::TooLong { most } => Notice::TooLong { limit: most },
            AppNameError::Control(_) => Notice::OneLine,
        });
        return Step::Asking(form);
    }
    if let Some(taken) = turn.context.same_name(text) {
        return Step::EditInstead { name: taken.to_owned() };
    }
    form.name = Some(text.to_owned());
    form.at += 1;
    Step::Asking(form)
}

fn launch_path(turn: &mut Turn<'_>, form: &mut Form, stored: Option<&App>, text: &str) -> bool {
    if no_answer(text) {
        form.patch.launch_path = None;
        let is_stored = stored.is_some_and(|app| app.launch_path.is_some());
        if !is_stored {
            turn.notify(Notice::Required);
        }
        return is_stored;
    }
    turn.warn_about_path(text);
    form.patch.launch_path = Some(text.to_owned());
    form.target = turn.context.typed_path.as_ref().and_then(|path| path.shortcut_target.clone());
    true
}

fn mode(turn: &mut Turn<'_>, form: &mut Form, stored: Option<&App>, text: &str) -> bool {
    let chosen = match no_answer(text) {
        true => stored.and_then(|app| app.mode),
        false => turn.word(text, MODES).and_then(mode_for),
    };
    let Some(chosen) = chosen else {
        turn.notify(Notice::UnknownMode);
        return false;
    };
    form.patch.mode = Some(chosen);
    form.patch.allowed_agents = None;
    form.fields.retain(|field| *field != EntryField::Agents);
    if chosen == AppMode::Allowlist {
        form.fields.insert(form.at + 1, EntryField::Agents);
    }
    true
}

const MODES: &[MenuWord] = &[MenuWord::Full, MenuWord::Allowlist, MenuWord::Off];

const fn mode_for(word: MenuWord) -> Option<AppMode> {
    match word {
        MenuWord::Full => Some(AppMode::Full),
        MenuWord::Allowlist => Some(AppMode::Allowlist),
        MenuWord::Off => Some(AppMode::Off),
        _ => None,
    }
}

fn agents(turn: &mut Turn<'_>, form: &mut Form, stored: Option<&App>, text: &str) -> bool {
    if no_answer(text) {
        form.patch.allowed_agents = None;
        let is_stored = stored.is_some_and(|app| !app.allowed_agents.is_empty());
        if !is_stored {
            turn.notify(Notice::AgentsNeeded);
        }
        return is_stored;
    }
    let ids = text.split([',', '，', '、', ';', '；']).map(str::trim).filter(|id| !id.is_empty());
    let agents: Vec<String> = ids.map(str::to_owned).collect();
    if agents.is_empty() {
        turn.notify(Notice::AgentsNeeded);
        return false;
    }
    form.patch.allowed_agents = Some(agents);
    true
}

/// Whether an answer keeps the current value. Chats cannot send an empty line, so words stand for it.
fn no_answer(text: &str) -> bool {
    let word = MenuWord::parse(text).map(|(word, _)| word);
    answers::plain(text).is_empty() || matches!(word, Some(MenuWord::Skip | MenuWord::Keep | MenuWord::Clear))
}

fn optional(text: &str) -> Option<FieldChange<String>> {
    match MenuWord::parse(text) {
        Some((MenuWord::Clear, _)) => Some(FieldChange::Clear),
        _ if no_answer(text) => None,
        _ => Some(FieldChange::Set(text.to_owned())),
    }
}
