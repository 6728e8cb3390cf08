//! What every surface reports about registered applications: `tarsus apps … --json`, the gateway, the page.
//!
//! Promises: fields come in this order and are named as in the registry; one that is not known is `null`. Leaves to
//! others: finding the facts, and how they look to people.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::apps_fault::AppFault;
use crate::error::ErrorCode;

/// The registered apps: the answer of `tarsus apps list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppList<'a> {
    /// The file that they stand in.
    pub registry: AppRegistry,
    /// The apps, in the order of the file.
    pub apps: Vec<RegisteredApp<'a>>,
}

/// The registry file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppRegistry {
    /// Where it is.
    pub path: String,
    /// Whether it is there.
    pub exists: bool,
    /// The hash of this version, for a change that must not meet another one.
    pub hash: Option<String>,
}

/// One app: the answer of `tarsus apps show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisteredApp<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// What is launched.
    pub launch_path: Option<Cow<'a, str>>,
    /// The program that then runs.
    pub runtime_exe: Option<Cow<'a, str>>,
    /// The name of its process.
    pub process_name: Option<Cow<'a, str>>,
    /// Who may launch it, in one word.
    pub mode: Option<AppMode>,
    /// The agents listed.
    pub allowed_agents: Cow<'a, [String]>,
    /// How the entry stands.
    pub group: AppGroup,
    /// Why it does not stand better.
    pub reasons: Vec<String>,
    /// The same for a page in another language, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<AppFault>,
    /// Whether it runs; `null` when nothing is stored to recognise it by.
    pub running: Option<bool>,
    /// Its processes.
    pub pids: Vec<u32>,
}

/// Who may launch an app, in the word that the registry and the commands have for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AppMode {
    /// Any agent.
    Full,
    /// Only the agents listed.
    Allowlist,
    /// Nobody.
    Off,
}

impl AppMode {
    /// Every mode, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Full, Self::Allowlist, Self::Off];

    /// The word.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Allowlist => "allowlist",
            Self::Off => "off",
        }
    }
}

impl fmt::Display for AppMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A word that is no mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a mode is `full`, `allowlist` or `off`")]
pub struct NotAMode;

impl FromStr for AppMode {
    type Err = NotAMode;

    /// Takes the words exactly as the registry has them.
    fn from_str(word: &str) -> Result<Self, NotAMode> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word).ok_or(NotAMode)
    }
}

/// How an entry of the registry stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppGroup {
    /// Nothing is wrong.
    Valid,
    /// Something required is not there.
    Incomplete,
    /// Something is of the wrong kind.
    Malformed,
    /// Mode and allowed agents contradict each other.
    PolicyMismatch,
}

/// Which apps run: the answer of `tarsus apps status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppStatusList {
    /// The apps, in the order of the file.
    pub apps: Vec<AppStatus>,
}

/// Whether one app runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppStatus {
    /// Its name.
    pub name: String,
    /// Whether it runs; `null` when nothing is stored to recognise it by.
    pub running: Option<bool>,
    /// Its processes.
    pub pids: Vec<u32>,
}

/// The registry, checked: the answer of `tarsus apps validate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppCheck {
    /// The file.
    pub path: String,
    /// Whether every entry is valid.
    pub ok: bool,
    /// Every entry, in its group.
    pub groups: AppGroups,
}

/// The groups of a check.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppGroups {
    /// Nothing is wrong with these.
    pub valid: Vec<ValidApp>,
    /// These lack something.
    pub incomplete: Vec<DoubtfulApp>,
    /// In these something is of the wrong kind.
    pub malformed: Vec<DoubtfulApp>,
    /// In these mode and allowed agents contradict each other.
    pub policy_mismatch: Vec<DoubtfulApp>,
}

/// An entry without a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValidApp {
    /// The app.
    pub name: String,
}

/// An entry with its faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DoubtfulApp {
    /// The app.
    pub name: String,
    /// All of them.
    pub reasons: Vec<String>,
    /// The same for a page in another language, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<AppFault>,
}

/// A launch or a stop: the answer of `tarsus apps launch` and `tarsus apps stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppRun {
    /// The app.
    pub app: String,
    /// Who asked.
    pub agent: String,
    /// What its policy said.
    pub decision: AppDecision,
    /// What came of it.
    pub outcome: AppOutcome,
    /// The program that was run, and its arguments; empty when nothing was.
    pub launcher: Vec<String>,
    /// The processes that it is about.
    pub pids: Vec<u32>,
    /// What went wrong, in the words of whoever said so.
    pub error: Option<String>,
}

/// A launch or a stop that somebody had done elsewhere, with what else there is to say of it: the answer of the gateway.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppActed {
    /// What came of it.
    #[serde(flatten)]
    pub run: AppRun,
    /// What was run, tried before, or became of each process, for people; a line each.
    pub notes: Vec<String>,
    /// What to do about a failure.
    pub hint: Option<String>,
    /// What went wrong, in one word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
}

/// What the policy of an app said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AppDecision {
    /// Yes.
    Allowed,
    /// No.
    Denied,
}

macro_rules! outcomes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What came of a launch or a stop.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum AppOutcome { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl AppOutcome {
            /// The word that scripts see.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

outcomes! {
    /// It runs.
    Started = "started",
    /// It was started; no process of it was seen.
    Requested = "requested",
    /// It ran before, and was asked to open again.
    AlreadyRunning = "already_running",
    /// It was stopped.
    Stopped = "stopped",
    /// It did not run.
    NotRunning = "not_running",
    /// It was not launched, or not stopped altogether.
    Failed = "failed",
    /// Its policy said no.
    Denied = "denied",
    /// Nothing is stored by which its processes could be recognised.
    NoStopData = "no_stop_data",
}

/// A change of the registry: the answer of `tarsus apps create`, `add`, `edit`, `policy` and `delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppChange {
    /// Always true: a change that fails is an error.
    pub ok: bool,
    /// Which kind of change.
    pub action: AppAction,
    /// The app; `null` when it is about the file.
    pub name: Option<String>,
    /// The entry as it was; `null` when it is new.
    pub before: Option<Value>,
    /// The entry as it is; `null` when it is gone.
    pub after: Option<Value>,
    /// Whether the file is another one now; not when it said the same before.
    pub saved: bool,
}

/// The kinds of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AppAction {
    /// The file was made.
    Create,
    /// A new entry.
    Add,
    /// New values of an entry.
    Edit,
    /// A new policy of an entry.
    Policy,
    /// An entry less.
    Delete,
}

/// A request in plain words and its answer: the answer of `tarsus apps ask`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppAnswer {
    /// What a chat would show.
    pub answer: String,
    /// The launch or stop that the request led to.
    pub run: Option<AppRun>,
}
