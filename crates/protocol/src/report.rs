//! Reports that several surfaces show as one value: what `tarsus status --json` prints is what the page and
//! the gateway show.
//!
//! Promises: fields come in this order; one that is not known is `null`. Leaves to
//! others: finding the facts, and how they look to people.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scan::Finding;
use crate::skills::{SkillState, SkillStatus};

/// What is there: the answer of `tarsus status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    /// The version of the program that made this report.
    pub version: String,
    /// The gateway of this state folder.
    pub gateway: GatewayStatus,
    /// The default model as `provider/model`; none is configured when `null`.
    pub model: Option<String>,
    /// The default agent's skills; `null` before the first start.
    pub skills: Option<SkillsStatus>,
    /// The registered apps.
    pub apps: AppsStatus,
    /// The configuration file.
    pub config: ConfigStatus,
    /// The audit chain.
    pub audit: AuditStatus,
    /// When community skills are held to their capabilities (`active`, `loaded`, `off`); not known when `null`.
    #[serde(default)]
    pub enforcement: Option<String>,
    /// Where things are.
    pub home: HomeStatus,
}

/// Whether the gateway runs, and where. A gateway that holds the lock but does not answer has a process
/// and nothing more.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayStatus {
    /// Whether a process holds the state folder.
    pub running: bool,
    /// That process.
    pub pid: Option<u32>,
    /// The port it listens on.
    pub port: Option<u16>,
    /// The addresses it listens on, with port.
    pub addresses: Vec<String>,
    /// How long it has been ready.
    pub uptime_ms: Option<u64>,
    /// Its version, which may differ from the version of who asks.
    pub version: Option<String>,
    /// How it stands to the files of the configuration.
    pub config_reload: Option<ConfigReload>,
}

/// What a running gateway has not taken over from the files of the configuration. Everything else is in force.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigReload {
    /// Files that cannot be used as they are; what they said before holds.
    pub rejected: Vec<RejectedFile>,
    /// Keys whose value in the files holds after a restart, as `gateway.port`.
    pub needs_restart: BTreeSet<String>,
    /// The hash of `openclaw.json` as it was when it was looked at last, in force or not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// A file that cannot be used as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RejectedFile {
    /// The file.
    pub path: String,
    /// What is wrong with it.
    pub issues: Vec<ConfigIssue>,
}

/// The registered apps, counted. A registry that cannot be read counts nothing and says why.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppsStatus {
    /// Whether there is a registry.
    pub exists: bool,
    /// The entries in it.
    pub registered: u64,
    /// Those that are known to run.
    pub running: u64,
    /// Those that nobody may launch.
    pub off: u64,
    /// Those whose entry is not valid.
    pub doubtful: u64,
    /// Why the registry cannot be read; `null` when it can.
    pub problem: Option<String>,
}

/// The configuration file as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigStatus {
    /// The file.
    pub path: String,
    /// Whether it is there; without it the defaults hold.
    pub exists: bool,
    /// Whether it can be used.
    pub valid: bool,
    /// What makes it unusable.
    pub issues: Vec<ConfigIssue>,
    /// What is odd but does no harm.
    pub warnings: Vec<ConfigIssue>,
}

/// One remark about the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigIssue {
    /// The key, as in `agents.list[0].model`; empty for the whole file.
    pub path: String,
    /// What is wrong with it.
    pub message: String,
    /// Line in the file, from 1.
    pub line: Option<u32>,
    /// Column in that line, in characters, from 1.
    pub column: Option<u32>,
    /// The same as the message, in one word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ConfigFault>,
}

/// What is wrong with a value of the configuration, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConfigFault {
    /// The file cannot be read.
    Unreadable,
    /// No key of this name is known.
    UnknownKey,
    /// A value of another kind is expected.
    WrongValue,
    /// It names a variable that is not set.
    VariableNotSet,
    /// An entry lacks a key.
    MissingKey,
    /// Agents stand in a second place, which does not count.
    SecondPlace,
    /// An agent is there twice.
    AgentTwice,
    /// An id that no agent can have.
    NotAnAgentId,
    /// There is more than what is listed.
    NotListed,
}

/// The audit chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditStatus {
    /// How many lines there are.
    pub records: u64,
    /// Whether every line follows from the one before it.
    pub verified: bool,
    /// The last line; `null` while there is none.
    pub head: Option<AuditHead>,
    /// Lines that could not be written for acts that may not wait (deny, stop, revoke).
    pub lost: u64,
}

/// The last line of the audit chain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditHead {
    /// Its number.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
}

/// How many skills stand how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsStatus {
    /// They can be used.
    pub ready: u64,
    /// Something that they need is not there.
    pub need_setup: u64,
    /// A look into their files found what must not run.
    pub blocked: u64,
    /// Their files cannot be read, or only in part.
    pub unreadable: u64,
    /// Limits that were reached while they were looked for.
    pub limits_reached: u64,
    /// The first of those that are blocked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_blocked: Option<BlockedSkill>,
}

/// A blocked skill, with the finding that decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockedSkill {
    /// Its name.
    pub name: String,
    /// What was found; nothing when it could not be looked into.
    pub finding: Option<Finding>,
}

impl BlockedSkill {
    /// What there is to tell of a skill, when it is one.
    #[must_use]
    pub fn of(skill: &SkillStatus) -> Option<Self> {
        let blocked = skill.status == SkillState::Blocked;
        blocked.then(|| Self { name: skill.name.to_string(), finding: skill.scan.deciding().cloned() })
    }
}

/// Where things are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HomeStatus {
    /// The state folder.
    pub state_dir: String,
    /// The default agent's workspace.
    pub workspace: String,
}

/// What `tarsus doctor` looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorReport {
    /// One entry a check, in the order they were made.
    pub checks: Vec<Check>,
}

impl DoctorReport {
    /// The most serious level; `Ok` when nothing was checked.
    #[must_use]
    pub fn level(&self) -> Level {
        self.checks.iter().map(|check| check.level).max().unwrap_or(Level::Ok)
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// A name that scripts may rely on.
    pub id: String,
    /// What was looked at, in a few words.
    pub title: String,
    /// How it stands.
    pub level: Level,
    /// What was found.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// How serious a finding is; the greatest is the most serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Works, but should be looked at.
    Warning,
    /// Does not work.
    Error,
}

/// The answer of `/healthz`: the process is there and answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// Always true: a gateway that is not well does not answer.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// The word that probes look for.
    pub status: Liveness,
}

impl Health {
    /// The one answer.
    pub const LIVE: Self = Self { ok: true, status: Liveness::Live };
}

/// The word of `/healthz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Liveness {
    /// The process answers.
    Live,
}

/// The answer of `/readyz`: whether work can be handed over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ready {
    /// Whether nothing is failing.
    pub ready: bool,
    /// What is not ready, by name.
    pub failing: Vec<String>,
    /// How long the gateway has been up.
    pub uptime_ms: u64,
}

impl Ready {
    /// Ready exactly when nothing is failing.
    #[must_use]
    pub fn new(failing: Vec<String>, uptime_ms: u64) -> Self {
        Self { ready: failing.is_empty(), failing, uptime_ms }
    }
}
