//! Asking for the values of an entry, one question at a time: for Add, Edit and Policy alike.
//!
//! Promises: nothing is guessed; a required answer that is empty is asked again; a mode and its agents always fit. Leaves
//! the proposal made from the answers to [`super::proposal`].

use super::reply::Said;
use super::state::{Action, Answers, Field, Form, Step, Wanted, Wish};
use super::turn::Turn;
use super::words;
use crate::registry::{NameError, check_name};
use crate::validate::Fields;
use crate::{AllowedAgents, Mode};

impl Form {
    /// The questions of an addition.
    pub(super) fn add() -> Self {
        use Field::{LaunchPath, Mode, Name, ProcessName, RuntimeExe};
        Self::new(Action::Add, None, vec![Name, LaunchPath, RuntimeExe, ProcessName, Mode])
    }

    /// Questions about an entry that exists.
    pub(super) fn change(action: Action, name: String, fields: Vec<Field>) -> Self {
        Self::new(action, Some(name), fields)
    }

    /// The agents of an entry that is to be an allowlist.
    pub(super) fn allowlist(action: Action, name: String) -> Self {
        let answers = Answers { mode: Some(Mode::Allowlist), ..Answers::default() };
        Self { answers, ..Self::change(action, name, vec![Field::Agents]) }
    }

    fn new(action: Action, name: Option<String>, fields: Vec<Field>) -> Self {
        Self { action, name, fields, at: 0, answers: Answers::default(), target: None }
    }

    /// The questions of a change again, from its last one.
    pub(super) fn reopen(wanted: Wanted) -> Self {
        let mut form = match wanted.action {
            Action::Add => Self::add(),
            action => Self::change(action, wanted.name.clone(), Vec::new()),
        };
        if wanted.answers.mode == Some(Mode::Allowlist) {
            form.fields.push(Field::Agents);
        }
        form.at = form.fields.len().saturating_sub(1);
        Self { name: Some(wanted.name), answers: wanted.answers, ..form }
    }

    /// The same questions with one more at the end, which is asked now.
    pub(super) fn also(wanted: Wanted, field: Field) -> Self {
        let mut form = Self::reopen(wanted);
        form.fields.retain(|asked| *asked != field);
        form.fields.push(field);
        form.at = form.fields.len() - 1;
        form
    }
}

/// The step before the present question.
pub(super) fn back(mut form: Form) -> Step {
    if form.at > 0 {
        form.at -= 1;
        return Step::Asking(form);
    }
    match (form.action, form.name) {
        (Action::Edit, Some(name)) => Step::Edit { name },
        (Action::Policy, Some(name)) => Step::Policy { name },
        _ => Step::start(),
    }
}

/// Takes a line as the answer to the present question.
pub(super) fn answer(turn: &mut Turn<'_>, mut form: Form, line: &str) -> Step {
    let Some(text) = words::answer(line) else {
        turn.say(Said::OneLine);
        return Step::Asking(form);
    };
    let stored = turn.stored(&form);
    let taken = match form.field() {
        Some(Field::Name) => return name(turn, form, text),
        Some(Field::LaunchPath) => launch_path(turn, &mut form, &stored, text),
        Some(Field::RuntimeExe) => {
            if let Some(target) = form.target.clone().filter(|_| words::number(text) == Some(1)) {
                form.answers.runtime_exe = Some(Wish::Set(target));
            } else {
                form.answers.runtime_exe = optional(text);
                if matches!(form.answers.runtime_exe, Some(Wish::Set(_))) {
                    turn.warn_of_path(text);
                }
            }
            true
        }
        Some(Field::ProcessName) => {
            form.answers.process_name = optional(text);
            true
        }
        Some(Field::Mode) => mode(turn, &mut form, &stored, text),
        Some(Field::Agents) => agents(turn, &mut form, &stored, text),
        None => true,
    };
    if !taken {
        return Step::Asking(form);
    }
    form.at += 1;
    match form.name {
        Some(name) if form.at >= form.fields.len() => Step::Confirm {
            wanted: Wanted { action: form.action, name, answers: form.answers },
            base: String::new(),
            menu: true,
        },
        _ => Step::Asking(form),
    }
}

fn name(turn: &mut Turn<'_>, mut form: Form, text: &str) -> Step {
    if let Err(error) = check_name(text) {
        turn.say(match error {
            NameError::Empty => Said::Required,
            NameError::TooLong { most } => Said::TooLong { limit: most },
            NameError::Control(_) => Said::OneLine,
        });
        return Step::Asking(form);
    }
    if let Some(taken) = turn.world.same_name(text) {
        return Step::EditInstead { name: taken.to_owned() };
    }
    form.name = Some(text.to_owned());
    form.at += 1;
    Step::Asking(form)
}

fn launch_path(turn: &mut Turn<'_>, form: &mut Form, stored: &Fields, text: &str) -> bool {
    if no_answer(text) {
        form.answers.launch_path = None;
        if stored.launch_path.is_none() {
            turn.say(Said::Required);
        }
        return stored.launch_path.is_some();
    }
    turn.warn_of_path(text);
    form.answers.launch_path = Some(text.to_owned());
    form.target = turn.world.typed_path.as_ref().and_then(|path| path.shortcut_target.clone());
    true
}

fn mode(turn: &mut Turn<'_>, form: &mut Form, stored: &Fields, text: &str) -> bool {
    let chosen = if no_answer(text) { stored.mode } else { words::plain(text).parse().ok() };
    let Some(chosen) = chosen else {
        turn.say(Said::NotAMode);
        return false;
    };
    form.answers.mode = Some(chosen);
    form.answers.agents = None;
    form.fields.retain(|field| *field != Field::Agents);
    if chosen == Mode::Allowlist {
        form.fields.insert(form.at + 1, Field::Agents);
    }
    true
}

fn agents(turn: &mut Turn<'_>, form: &mut Form, stored: &Fields, text: &str) -> bool {
    if no_answer(text) {
        form.answers.agents = None;
        if stored.allowed_agents.is_empty() {
            turn.say(Said::AgentsNeeded);
        }
        return !stored.allowed_agents.is_empty();
    }
    let ids = text.split([',', '，', '、', ';', '；']).map(str::trim);
    let Some(listed) = AllowedAgents::new(ids) else {
        turn.say(Said::AgentsNeeded);
        return false;
    };
    form.answers.agents = Some(listed.as_slice().to_vec());
    true
}

/// Whether an answer leaves things as they are. Chats cannot send an empty line, so words stand for it.
fn no_answer(text: &str) -> bool {
    matches!(words::plain(text).as_str(), "" | "skip" | "keep" | "clear" | "跳过" | "保留")
}

fn optional(text: &str) -> Option<Wish> {
    match words::plain(text).as_str() {
        "clear" | "清除" => Some(Wish::Clear),
        _ if no_answer(text) => None,
        _ => Some(Wish::Set(text.to_owned())),
    }
}
