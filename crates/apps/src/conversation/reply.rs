//! What the conversation answers, as values: what happened, and the screen that follows.
//!
//! Promises: complete without text, so that tests and surfaces compare meanings. Leaves the words to [`super::page`].

use tarsus_protocol::{ErrorCode, Problem};

use super::language::Language;
use super::request::Deed;
use super::state::{Action, Field};
use crate::access::Denied;
use crate::registry::App;
use crate::validate::{Group, Reason};
use crate::{Mode, Policy};

/// An answer: what is said first, then the screen that waits for the next line.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The language to say it in.
    pub language: Language,
    /// What happened or what is wrong, in order.
    pub said: Vec<Said>,
    /// None when nothing is waited for, or when an effect is under way.
    pub screen: Option<Screen>,
}

/// Something to tell.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// The registry file was created.
    Created,
    /// A change was saved.
    Saved {
        /// Which kind.
        action: Action,
        /// The app.
        name: String,
    },
    /// The person said no.
    NothingDone,
    /// The answers are what is stored already.
    NothingToChange,
    /// Another hand changed the registry after the proposal.
    ChangedMeanwhile,
    /// A launch was tried.
    Launched {
        /// The app.
        name: String,
        /// The program that was run, and its arguments.
        launcher: Vec<String>,
        /// Why the first way to start it was no way, when this was the second.
        retried: Option<String>,
        /// What came of it.
        result: LaunchResult,
    },
    /// A stop was tried.
    Stopped {
        /// The app.
        name: String,
        /// What came of it.
        result: StopResult,
    },
    /// The policy said no.
    Refused {
        /// What was asked for.
        deed: Deed,
        /// By whom, and why not.
        denied: Denied,
    },
    /// The entry is odd, which does not stand in the way of the launch.
    Warned {
        /// What is odd.
        reasons: Vec<Reason>,
    },
    /// The effect failed.
    Failed(Problem),
    /// The effect began before a restart, and nobody saw its end.
    OutcomeUnknown,
    /// The apps and who may launch them.
    List {
        /// One each.
        rows: Vec<Row>,
        /// How many more there are.
        more: usize,
    },
    /// The registry was checked.
    Checked(Check),
    /// An entry was asked for.
    Details(App),
    /// No app of that name.
    NotRegistered {
        /// What was asked for.
        asked: String,
        /// Whether the menu is offered; not when it follows anyway.
        offer_menu: bool,
    },
    /// The app that was shown is not there any more.
    Gone {
        /// Its name.
        name: String,
    },
    /// There are no apps to choose from.
    NothingRegistered,
    /// The line is none of the choices.
    NotAChoice {
        /// The line.
        text: String,
    },
    /// A number beside which nothing was shown.
    NoSuchNumber {
        /// The number.
        number: usize,
    },
    /// A question that wants a yes or a no.
    AnswerYesOrNo,
    /// An answer that cannot be left out.
    Required,
    /// An answer of several lines, or with control characters.
    OneLine,
    /// An answer that is too long.
    TooLong {
        /// At most so many characters.
        limit: usize,
    },
    /// A word that is no mode.
    NotAMode,
    /// An allowlist without agents.
    AgentsNeeded,
    /// The stored entry lacks one more thing before it can be saved.
    AlsoNeeded,
    /// A path that is not on this machine.
    PathMissing {
        /// The path.
        path: String,
    },
    /// The conversation ended.
    Goodbye,
}

/// What came of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchResult {
    /// It runs.
    Started {
        /// Its processes.
        pids: Vec<u32>,
    },
    /// It was started; no process was seen.
    Requested {
        /// What was looked for, when anything is stored to look for.
        process: Option<String>,
    },
    /// It ran before and was asked to open again.
    AlreadyRunning {
        /// The processes that were there before.
        pids: Vec<u32>,
    },
    /// It was not launched.
    Failed {
        /// What kind of failure it is.
        code: ErrorCode,
        /// The exact error.
        error: String,
    },
}

/// What came of a stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopResult {
    /// Nothing is stored by which its processes could be recognised.
    NoStopData,
    /// It did not run.
    NotRunning,
    /// What came of its processes.
    Ended {
        /// Those that closed when asked.
        closed: Vec<u32>,
        /// Those that were killed.
        killed: Vec<u32>,
        /// Those that still run, each with the exact error.
        left: Vec<(u32, String)>,
    },
}

/// An app in the list with policies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Who may launch it; none when the entry does not tell.
    pub policy: Option<Policy>,
    /// What is wrong with the entry.
    pub reasons: Vec<Reason>,
}

/// The registry, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The four groups, in the order in which they are shown.
    pub groups: [CheckedGroup; 4],
}

/// One group of the check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedGroup {
    /// Which.
    pub group: Group,
    /// How many entries are in it.
    pub count: usize,
    /// The first of them, each with every reason.
    pub entries: Vec<(String, Vec<Reason>)>,
}

/// A short state beside a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Badge {
    /// It runs.
    Running,
    /// Its mode is `off`.
    Off,
}

/// What is on the screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Screen {
    /// The start screen.
    Start {
        /// Where the registry is.
        path: String,
        /// Which of its forms.
        start: Start,
    },
    /// A list to choose an app from.
    Pick {
        /// What for.
        action: Action,
        /// The names by their numbers.
        names: Vec<String>,
        /// How many more there are.
        more: usize,
    },
    /// The choices of Edit.
    Edit(App),
    /// The choices of Policy.
    Policy(App),
    /// A question about one field.
    Question {
        /// What the answer is for.
        action: Action,
        /// The app, once it has a name.
        name: Option<String>,
        /// What is asked.
        field: Field,
        /// What is stored now.
        current: Option<String>,
        /// Where the shortcut points that was given before.
        target: Option<String>,
    },
    /// What would be saved.
    Proposal {
        /// Which kind of change.
        action: Action,
        /// The entry now.
        before: Option<App>,
        /// The entry then; none when it is deleted.
        after: Option<App>,
    },
    /// A question between apps.
    Which {
        /// What for.
        deed: Deed,
        /// The names by their numbers.
        names: Vec<String>,
    },
    /// A question for a yes or a no.
    YesNo(YesNo),
}

/// The forms of the start screen.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// There is no file yet.
    Missing,
    /// There are no apps yet.
    Empty,
    /// The apps by their numbers.
    Apps {
        /// The names, with a state where it is known.
        apps: Vec<(String, Option<Badge>)>,
        /// How many more there are.
        more: usize,
    },
    /// The file cannot be read.
    Broken(Problem),
}

/// Something to agree to that saves nothing by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum YesNo {
    /// The name is taken: edit that entry?
    EditInstead {
        /// The name that is there.
        name: String,
    },
    /// Switch to `allowlist`?
    Switch {
        /// The app.
        name: String,
        /// Its mode now.
        mode: Option<Mode>,
    },
    /// Create the registry file?
    Create,
    /// Is this app meant?
    Suggested {
        /// What for.
        deed: Deed,
        /// The app.
        name: String,
    },
    /// Stop an app in mode `off`?
    StopOff {
        /// The app.
        name: String,
    },
}
