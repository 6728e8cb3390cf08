//! Registered applications: an entry, a change to it, and the reports that `tarsus apps … --json`, the gateway and Studio
//! share. Fields keep the names and the order of the registry; an unknown one is `null`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::apps_fault::AppFault;
use crate::error::ErrorCode;
use crate::frame::present;
use crate::rpc::FieldChange;

/// One entry of the registry. [`AppEntry::checked`] makes sure that it is valid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AppEntry {
    /// Program, shortcut, bundle or address to launch.
    #[schemars(length(min = 1))]
    pub launch_path: String,
    /// Program that runs after the launch, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime_exe: Option<String>,
    /// Name of its process, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_name: Option<String>,
    /// Launch policy.
    pub mode: AppMode,
    /// Agents on the allowlist; `None` in the other modes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_agents: Option<Vec<String>>,
}

impl AppEntry {
    /// An entry with a launch path and a policy.
    ///
    /// ```
    /// use tarsus_protocol::apps::{AppEntry, AppMode};
    ///
    /// assert!(AppEntry::new("/usr/bin/gimp", AppMode::Full, [""; 0]).checked().is_ok());
    /// assert!(AppEntry::new("/usr/bin/gimp", AppMode::Allowlist, [""]).checked().is_err());
    /// ```
    pub fn new<I: Into<String>>(
        launch_path: impl Into<String>,
        mode: AppMode,
        allowed_agents: impl IntoIterator<Item = I>,
    ) -> Self {
        Self {
            launch_path: launch_path.into(),
            runtime_exe: None,
            process_name: None,
            mode,
            allowed_agents: Some(allowed_agents.into_iter().map(Into::into).collect()),
        }
    }

    /// The agents on the allowlist; empty in the other modes.
    #[must_use]
    pub fn allowed_agents(&self) -> &[String] {
        self.allowed_agents.as_deref().unwrap_or_default()
    }

    /// The entry in its normal form: blank optional fields, empty and repeated agents, and agents that the mode does not
    /// ask for are left out.
    ///
    /// # Errors
    /// If the launch path is blank, or an allowlist is empty.
    pub fn checked(self) -> Result<Self, InvalidAppField> {
        let present = |text: Option<String>| text.filter(|text| !is_blank(text));
        Ok(Self {
            launch_path: checked_launch_path(self.launch_path)?,
            runtime_exe: present(self.runtime_exe),
            process_name: present(self.process_name),
            mode: self.mode,
            allowed_agents: checked_agents(self.mode, self.allowed_agents)?,
        })
    }
}

/// Changes to an entry. Absent fields keep their value; `null` removes an optional one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AppPatch {
    /// Program, shortcut, bundle or address to launch.
    #[schemars(length(min = 1))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch_path: Option<String>,
    /// Program that runs after the launch.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub runtime_exe: Option<FieldChange<String>>,
    /// Name of its process.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub process_name: Option<FieldChange<String>>,
    /// Launch policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<AppMode>,
    /// Agents on the allowlist; only together with a mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_agents: Option<Vec<String>>,
}

impl AppPatch {
    /// A new launch policy.
    pub fn policy<I: Into<String>>(mode: AppMode, allowed_agents: impl IntoIterator<Item = I>) -> Self {
        let agents = allowed_agents.into_iter().map(Into::into).collect();
        Self { mode: Some(mode), allowed_agents: Some(agents), ..Self::default() }
    }

    /// The patch in its normal form, as [`AppEntry::checked`]; a blank optional value removes the field.
    ///
    /// # Errors
    /// If the launch path is blank, an allowlist is empty, or agents come without a mode.
    pub fn checked(self) -> Result<Self, InvalidAppField> {
        let clear_blank = |change: FieldChange<String>| match change {
            FieldChange::Set(text) if !is_blank(&text) => FieldChange::Set(text),
            FieldChange::Set(_) | FieldChange::Clear => FieldChange::Clear,
        };
        Ok(Self {
            launch_path: self.launch_path.map(checked_launch_path).transpose()?,
            runtime_exe: self.runtime_exe.map(clear_blank),
            process_name: self.process_name.map(clear_blank),
            mode: self.mode,
            allowed_agents: match (self.mode, self.allowed_agents) {
                (Some(mode), agents) => checked_agents(mode, agents)?,
                (None, None) => None,
                (None, Some(_)) => return Err(InvalidAppField::AGENTS_WITHOUT_MODE),
            },
        })
    }

    /// The complete entry that this patch describes, if it has all required fields.
    #[must_use]
    pub fn to_entry(&self) -> Option<AppEntry> {
        let set = |change: &Option<FieldChange<String>>| match change {
            Some(FieldChange::Set(text)) => Some(text.clone()),
            Some(FieldChange::Clear) | None => None,
        };
        Some(AppEntry {
            launch_path: self.launch_path.clone()?,
            runtime_exe: set(&self.runtime_exe),
            process_name: set(&self.process_name),
            mode: self.mode?,
            allowed_agents: self.allowed_agents.clone(),
        })
    }
}

/// Replaces every known field.
impl From<AppEntry> for AppPatch {
    fn from(entry: AppEntry) -> Self {
        Self {
            launch_path: Some(entry.launch_path),
            runtime_exe: Some(entry.runtime_exe.into()),
            process_name: Some(entry.process_name.into()),
            mode: Some(entry.mode),
            allowed_agents: entry.allowed_agents,
        }
    }
}

/// A field of an entry or a patch that cannot be saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{field} {reason}")]
pub struct InvalidAppField {
    /// Its key.
    pub field: &'static str,
    /// The rule that it breaks.
    pub reason: &'static str,
}

impl InvalidAppField {
    const BLANK_PATH: Self = Self { field: "launch_path", reason: "must not be blank" };
    const EMPTY_ALLOWLIST: Self = Self { field: "allowed_agents", reason: "an allowlist names an agent" };
    const AGENTS_WITHOUT_MODE: Self = Self { field: "allowed_agents", reason: "counts only beside a mode" };
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

fn checked_launch_path(path: String) -> Result<String, InvalidAppField> {
    if is_blank(&path) { Err(InvalidAppField::BLANK_PATH) } else { Ok(path) }
}

fn checked_agents(
    mode: AppMode,
    agents: Option<Vec<String>>,
) -> Result<Option<Vec<String>>, InvalidAppField> {
    if mode != AppMode::Allowlist {
        return Ok(None);
    }
    let mut listed: Vec<String> = Vec::new();
    for agent in agents.unwrap_or_default() {
        if !agent.is_empty() && !listed.contains(&agent) {
            listed.push(agent);
        }
    }
    if listed.is_empty() { Err(InvalidAppField::EMPTY_ALLOWLIST) } else { Ok(Some(listed)) }
}

/// All registered apps: the result of `tarsus apps list`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppList<'a> {
    /// The registry file.
    pub registry: AppRegistry,
    /// The apps, in the order of the file.
    pub apps: Vec<RegisteredApp<'a>>,
}

/// The registry file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppRegistry {
    /// Path of the file.
    pub path: String,
    /// Whether the file exists.
    pub exists: bool,
    /// Hash of this version, to be sent as `baseHash` of a change.
    pub hash: Option<String>,
}

/// One stored entry with its state: the result of `tarsus apps show`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RegisteredApp<'a> {
    /// Name of the app.
    pub name: Cow<'a, str>,
    /// Program, shortcut, bundle or address to launch.
    pub launch_path: Option<Cow<'a, str>>,
    /// Program that runs after the launch.
    pub runtime_exe: Option<Cow<'a, str>>,
    /// Name of its process.
    pub process_name: Option<Cow<'a, str>>,
    /// Launch policy.
    pub mode: Option<AppMode>,
    /// Agents on the allowlist.
    pub allowed_agents: Cow<'a, [String]>,
    /// Validity of the entry.
    pub group: AppGroup,
    /// Everything that is wrong with the entry, in English.
    pub reasons: Vec<String>,
    /// The reasons as data, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<AppFault>,
    /// Whether the app is running; `null` if neither process name nor executable is stored.
    pub running: Option<bool>,
    /// Process ids.
    pub pids: Vec<u32>,
}

/// Launch policy of an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AppMode {
    /// Any agent.
    Full,
    /// Only the agents on the allowlist.
    Allowlist,
    /// No agent may launch it.
    Off,
}

impl AppMode {
    /// Every mode, in display order.
    pub const ALL: [Self; 3] = [Self::Full, Self::Allowlist, Self::Off];

    /// The name in the registry.
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

/// An unknown mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a mode is `full`, `allowlist` or `off`")]
pub struct UnknownModeError;

impl FromStr for AppMode {
    type Err = UnknownModeError;

    /// Case-sensitive, as in the registry.
    fn from_str(word: &str) -> Result<Self, UnknownModeError> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word).ok_or(UnknownModeError)
    }
}

/// Validity of a registry entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AppGroup {
    /// Nothing is wrong.
    Valid,
    /// A required field is missing.
    Incomplete,
    /// A value has the wrong type, or the mode is unknown.
    Malformed,
    /// Mode and allowed agents contradict each other.
    PolicyMismatch,
}

impl AppGroup {
    /// Every group, in display order.
    pub const ALL: [Self; 4] = [Self::Valid, Self::Incomplete, Self::Malformed, Self::PolicyMismatch];

    /// Whether the launch policy of the entry can be read from it. A mismatch alone does not make it unclear.
    #[must_use]
    pub const fn has_clear_policy(self) -> bool {
        matches!(self, Self::Valid | Self::PolicyMismatch)
    }
}

/// The running apps: the result of `tarsus apps status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppStatusList {
    /// The apps, in the order of the file.
    pub apps: Vec<AppStatus>,
}

/// Running state of one app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppStatus {
    /// Name of the app.
    pub name: String,
    /// Whether the app is running; `null` if neither process name nor executable is stored.
    pub running: Option<bool>,
    /// Process ids.
    pub pids: Vec<u32>,
}

/// A check of the registry: the result of `tarsus apps validate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppCheck {
    /// Path of the file.
    pub path: String,
    /// Whether every entry is valid.
    pub ok: bool,
    /// All entries by group.
    pub groups: AppGroups,
}

/// The entries of a check, by group.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppGroups {
    /// Entries without a fault.
    pub valid: Vec<ValidApp>,
    /// Entries that lack a required field.
    pub incomplete: Vec<InvalidApp>,
    /// Entries with a value of the wrong type or an unknown mode.
    pub malformed: Vec<InvalidApp>,
    /// Entries whose mode and allowed agents contradict each other.
    pub policy_mismatch: Vec<InvalidApp>,
}

/// An entry without a fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ValidApp {
    /// Name of the app.
    pub name: String,
}

/// An entry with its faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InvalidApp {
    /// Name of the app.
    pub name: String,
    /// Everything that is wrong with the entry, in English.
    pub reasons: Vec<String>,
    /// The reasons as data, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<AppFault>,
}

/// A launch or a stop: the result of `tarsus apps launch` and `tarsus apps stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppRun {
    /// Name of the app.
    pub app: String,
    /// Id of the requesting agent.
    pub agent: String,
    /// Decision of the launch policy.
    pub decision: AppDecision,
    /// Outcome of the launch or the stop.
    pub outcome: AppRunOutcome,
    /// Program and arguments that were run; empty if nothing was.
    pub launcher: Vec<String>,
    /// Ids of the processes that were started, found or stopped.
    pub pids: Vec<u32>,
    /// The exact error.
    pub error: Option<String>,
}

/// A launch or a stop with details for people: the result of `apps.launch` and `apps.stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppRunReport {
    /// The launch or the stop.
    #[serde(flatten)]
    pub run: AppRun,
    /// Details for people, one per line: the command, an earlier attempt, the end of each process.
    pub notes: Vec<String>,
    /// Next step after a failure.
    pub hint: Option<String>,
    /// Error code of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
}

/// Decision of a launch policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AppDecision {
    /// The agent may launch or stop the app.
    Allowed,
    /// The agent may not.
    Denied,
}

macro_rules! outcomes {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// Outcome of a launch or a stop.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum AppRunOutcome { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl AppRunOutcome {
            /// The name in JSON.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

outcomes! {
    /// The app was started.
    Started = "started",
    /// The launcher accepted the request; no process was seen yet.
    Requested = "requested",
    /// The app was running already and was asked to open again.
    AlreadyRunning = "already_running",
    /// Every process was stopped.
    Stopped = "stopped",
    /// There was no process to stop.
    NotRunning = "not_running",
    /// The launch failed, or a process is still running.
    Failed = "failed",
    /// The launch policy denied it.
    Denied = "denied",
    /// Neither process name nor executable is stored, so there is nothing to stop.
    NoStopData = "no_stop_data",
}

/// A change of the registry: the result of `tarsus apps create`, `add`, `edit`, `policy` and `delete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AppChange {
    /// Always true: a change that fails is an error.
    pub ok: bool,
    /// Kind of change.
    pub action: AppAction,
    /// Name of the app; `null` for the file itself.
    pub name: Option<String>,
    /// The entry before the change; `null` if it is new.
    pub before: Option<Value>,
    /// The entry after the change; `null` if it was deleted.
    pub after: Option<Value>,
    /// Whether the file changed; false if it already had these values.
    pub saved: bool,
}

/// Kinds of changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AppAction {
    /// The registry file is created.
    Create,
    /// An entry is added.
    Add,
    /// An entry gets new values.
    Edit,
    /// An entry gets a new launch policy.
    Policy,
    /// An entry is deleted.
    Delete,
}

/// The reply to a request in plain language: the result of `tarsus apps ask`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AppAnswer {
    /// The reply as a chat shows it.
    pub answer: String,
    /// The launch or stop that the request led to.
    pub run: Option<AppRun>,
}
