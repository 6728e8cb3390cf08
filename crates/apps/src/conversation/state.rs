//! Where a conversation stands: what is on the screen, what was answered so far, what is waited for.
//!
//! Promises: serialises, so that it survives a restart, and holds names rather than numbers, so that a choice means what was
//! shown. Holds no copy of the registry: every step looks things up in what was read fresh.

use serde::{Deserialize, Serialize};

use super::language::Language;
use super::request::Deed;
use super::words;
use crate::Mode;

/// A conversation, kept per session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    /// The language of what opened it.
    pub(super) language: Option<Language>,
    /// When the person last wrote, in milliseconds since 1970.
    pub(super) last_ms: i64,
    pub(super) step: Step,
}

impl Conversation {
    /// Whether it waits for an answer or an outcome; a closed one only listens for its triggers.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.step != Step::Closed
    }

    /// The path that a line would be taken as, and what for, so that the caller looks it up and tells in the world what it
    /// found. None while no path is asked for.
    #[must_use]
    pub fn path_in<'l>(&self, line: &'l str) -> Option<(Field, &'l str)> {
        let Step::Asking(form) = &self.step else { return None };
        let field = form.field().filter(|field| matches!(field, Field::LaunchPath | Field::RuntimeExe))?;
        Some((field, words::answer(line)?))
    }
}

/// What the next input answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "step", rename_all = "snake_case")]
pub(super) enum Step {
    /// No conversation.
    #[default]
    Closed,
    /// The start screen, with these names in this order.
    Start { shown: Vec<String> },
    /// A list to choose an app from.
    Pick { action: Action, shown: Vec<String> },
    /// The choices of Edit.
    Edit { name: String },
    /// The choices of Policy.
    Policy { name: String },
    /// One question after the other.
    Asking(Form),
    /// The name to add is taken: edit that entry?
    EditInstead { name: String },
    /// The list of agents counts only in mode allowlist: switch?
    Switch { name: String, action: Action },
    /// There is no registry file to add to: create it?
    CreateFirst,
    /// A proposal is on the screen, made from the file with this hash; by the menu, or by somebody else.
    Confirm {
        wanted: Wanted,
        base: String,
        #[serde(default = "of_the_menu")]
        menu: bool,
    },
    /// Several apps match.
    Which { deed: Deed, shown: Vec<String>, menu: bool },
    /// An app that may be meant.
    Suggested { deed: Deed, name: String, menu: bool },
    /// Stopping an app in mode off.
    StopOff { name: String, menu: bool },
    /// An effect is under way.
    Waiting { pending: Pending, menu: bool },
}

impl Step {
    /// The start screen; what it shows is filled in when it is presented.
    pub(super) fn start() -> Self {
        Self::Start { shown: Vec::new() }
    }

    /// A list to choose from; filled in likewise.
    pub(super) fn pick(action: Action) -> Self {
        Self::Pick { action, shown: Vec::new() }
    }

    /// Where a request ends: in the menu it came from, or nowhere.
    pub(super) fn home(menu: bool) -> Self {
        if menu { Self::start() } else { Self::Closed }
    }
}

/// What a state says that was kept before there were other proposals than the menu's.
fn of_the_menu() -> bool {
    true
}

/// A change of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A new entry.
    Add,
    /// New values of an entry.
    Edit,
    /// A new policy of an entry.
    Policy,
    /// An entry less.
    Delete,
}

/// What was wished for one entry. The proposal is made from this and the entry as it is now, so that what others changed
/// meanwhile is not undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Wanted {
    pub(super) action: Action,
    pub(super) name: String,
    pub(super) answers: Answers,
}

/// The effect that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub(super) enum Pending {
    Create { then_add: bool },
    Change { wanted: Wanted },
    Launch { name: String },
    Stop { name: String },
}

/// Questions in a row about one entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Form {
    pub(super) action: Action,
    /// None while an addition still asks for it.
    pub(super) name: Option<String>,
    pub(super) fields: Vec<Field>,
    /// Which of `fields` is asked now.
    pub(super) at: usize,
    pub(super) answers: Answers,
    /// Where the shortcut that was given as launch path points.
    pub(super) target: Option<String>,
}

impl Form {
    pub(super) fn field(&self) -> Option<Field> {
        self.fields.get(self.at).copied()
    }
}

/// A thing to ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// The friendly name.
    Name,
    /// What is launched.
    LaunchPath,
    /// The program that really runs.
    RuntimeExe,
    /// The name of the process.
    ProcessName,
    /// `full`, `allowlist` or `off`.
    Mode,
    /// The ids of the agents.
    Agents,
}

/// The answers so far; what is absent keeps its value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Answers {
    pub(super) launch_path: Option<String>,
    pub(super) runtime_exe: Option<Wish>,
    pub(super) process_name: Option<Wish>,
    pub(super) mode: Option<Mode>,
    pub(super) agents: Option<Vec<String>>,
}

/// What an optional field is to become.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Wish {
    Clear,
    Set(String),
}
