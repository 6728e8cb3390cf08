//! Replies of the conversation as data: notices and the screen that follows. [`super::page`] puts them into words.

use std::sync::Arc;

use tarsus_protocol::Problem;

use super::language::Language;
use super::request::AppVerb;
use super::state::{EntryAction, EntryField};
use crate::access::AccessDenied;
use crate::registry::{App, UnreadableRegistry};
use crate::run::{Launched, Stopped};
use crate::{AppEntry, AppFault, AppGroup, AppMode};

/// A reply: notices, then the screen that waits for the next line.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationReply {
    /// The language of the reply.
    pub language: Language,
    /// Results and errors, in order.
    pub notices: Vec<Notice>,
    /// `None` if no answer is expected, or an effect is being carried out.
    pub screen: Option<Screen>,
}

/// One result or error.
#[derive(Debug, Clone, PartialEq)]
pub enum Notice {
    /// The registry file was created.
    Created,
    /// A change was saved.
    Saved {
        /// Kind of change.
        action: EntryAction,
        /// Name of the app.
        name: String,
    },
    /// The person declined to launch or stop an app.
    NothingDone,
    /// The person declined a change.
    NotSaved {
        /// Kind of change.
        action: EntryAction,
    },
    /// The values are already stored.
    NothingToChange,
    /// The registry changed after the proposal.
    ChangedMeanwhile,
    /// A launch was attempted.
    Launched {
        /// Name of the app.
        name: String,
        /// The launch and its outcome.
        launched: Arc<Launched>,
    },
    /// A stop was attempted.
    Stopped {
        /// Name of the app.
        name: String,
        /// The outcome.
        stopped: Arc<Stopped>,
    },
    /// The launch policy denied the request.
    Refused {
        /// The request.
        verb: AppVerb,
        /// The denial.
        denied: AccessDenied,
    },
    /// The entry has faults that do not prevent the launch.
    Warned {
        /// The faults.
        faults: Vec<AppFault>,
    },
    /// The effect failed.
    Failed(Problem),
    /// The effect started before a restart, so its result is unknown.
    OutcomeUnknown,
    /// The apps and who may launch them.
    List {
        /// One row per app.
        rows: Vec<PolicyRow>,
        /// Number of further apps.
        more: usize,
    },
    /// The registry was checked.
    Checked(RegistryCheck),
    /// The details of an entry.
    Details(App),
    /// Who may launch one app.
    WhoMayLaunch(PolicyRow),
    /// No app has that name.
    NotRegistered {
        /// The requested name.
        name: String,
        /// Whether to offer the menu; not if it follows anyway.
        offer_menu: bool,
    },
    /// The app that was shown does not exist any more.
    Gone {
        /// Name of the app.
        name: String,
    },
    /// There are no apps to choose from.
    NothingRegistered,
    /// The line is not one of the choices.
    NotAChoice {
        /// The line.
        text: String,
    },
    /// A number that is not in the list.
    NoSuchNumber {
        /// The number.
        number: usize,
    },
    /// The question needs a yes or a no.
    AnswerYesOrNo,
    /// The answer is required.
    Required,
    /// The answer has several lines or control characters.
    OneLine,
    /// The answer is too long.
    TooLong {
        /// The limit, in characters.
        limit: usize,
    },
    /// The mode is unknown.
    UnknownMode,
    /// The allowlist has no agents.
    AgentsNeeded,
    /// The stored entry lacks another value before it can be saved.
    AlsoNeeded,
    /// The path does not exist on this machine.
    PathMissing {
        /// The path.
        path: String,
    },
    /// The conversation ended.
    Goodbye,
}

/// An app in the list with policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyRow {
    /// Name of the app.
    pub name: String,
    /// The valid entry, if it has a clear launch policy.
    pub entry: Option<AppEntry>,
    /// The faults of the entry.
    pub faults: Vec<AppFault>,
}

impl PolicyRow {
    pub(super) fn for_app(app: &App) -> Self {
        Self { name: app.name.clone(), entry: app.entry(), faults: app.faults.clone() }
    }
}

/// A check of the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryCheck {
    /// The four groups, in display order.
    pub groups: [GroupCheck; 4],
}

/// One group of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupCheck {
    /// The group.
    pub group: AppGroup,
    /// Number of entries in it.
    pub count: usize,
    /// The first entries, each with its faults.
    pub entries: Vec<(String, Vec<AppFault>)>,
}

/// A state beside a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Badge {
    /// The app is running.
    Running,
    /// The mode is `off`.
    Off,
}

/// A screen that waits for the next line.
#[derive(Debug, Clone, PartialEq)]
pub enum Screen {
    /// The start screen.
    Start {
        /// Path of the registry as shown to people.
        path: String,
        /// The variant of the screen.
        start: StartScreen,
    },
    /// A list to choose an app from.
    Pick {
        /// The action to choose for.
        action: EntryAction,
        /// The names, numbered from 1.
        names: Vec<String>,
        /// Number of further apps.
        more: usize,
    },
    /// The choices of Edit.
    Edit(App),
    /// The choices of Policy.
    Policy(App),
    /// A question about one field.
    Question {
        /// The action of the form.
        action: EntryAction,
        /// Name of the app, if known.
        name: Option<String>,
        /// The field.
        field: EntryField,
        /// The stored value.
        current: Option<String>,
        /// Target of the shortcut that was given as launch path.
        target: Option<String>,
    },
    /// A change to confirm.
    Proposal {
        /// Kind of change.
        action: EntryAction,
        /// The current entry.
        before: Option<App>,
        /// The new entry; `None` if it is deleted.
        after: Option<App>,
    },
    /// A choice between apps.
    Which {
        /// The request.
        verb: AppVerb,
        /// The names, numbered from 1.
        names: Vec<String>,
    },
    /// A yes-or-no question.
    Confirm(Confirmation),
}

/// The variants of the start screen.
#[derive(Debug, Clone, PartialEq)]
pub enum StartScreen {
    /// The file does not exist.
    Missing,
    /// No app is registered.
    Empty,
    /// The apps, numbered from 1.
    Apps {
        /// The names, with their state if known.
        apps: Vec<(String, Option<Badge>)>,
        /// Number of further apps.
        more: usize,
    },
    /// The file cannot be read.
    Broken(UnreadableRegistry),
}

/// A question to confirm before the next step. Confirming it saves nothing yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confirmation {
    /// The name is taken: edit that entry?
    EditInstead {
        /// The existing name.
        name: String,
    },
    /// Switch to `allowlist`?
    Switch {
        /// Name of the app.
        name: String,
        /// Its current mode.
        mode: Option<AppMode>,
    },
    /// Create the registry file?
    Create,
    /// Is this similar name meant?
    Suggested {
        /// The request.
        verb: AppVerb,
        /// Name of the app.
        name: String,
    },
    /// Stop an app in mode `off`?
    StopOff {
        /// Name of the app.
        name: String,
    },
}
