//! Reports that several surfaces share: the output of `tarsus status --json` is what the gateway sends and Studio shows.
//!
//! Fields keep their order; an unknown one is `null`.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Problem;
use crate::scan::Finding;
use crate::skills::{AcceptedFindings, SkillState, SkillStatus};

/// Output of `tarsus status`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReport {
    /// Version of the program that made this report.
    pub version: String,
    /// The gateway of this state folder.
    pub gateway: GatewayStatus,
    /// Default model as `provider/model`; `null` if none is configured.
    pub model: Option<String>,
    /// The default agent's skills; `null` before the first start.
    pub skills: Option<SkillsStatus>,
    /// Registered apps.
    pub apps: AppsStatus,
    /// The configuration file.
    pub config: ConfigStatus,
    /// The audit log.
    pub audit: AuditStatus,
    /// The store of the sessions.
    #[serde(default)]
    pub store: StoreStatus,
    /// Enforcement of capabilities (`active`, `loaded`, `off`); `null` if unknown.
    #[serde(default)]
    pub enforcement: Option<String>,
    /// The folders in use.
    pub home: HomeStatus,
}

/// The store of the sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StoreStatus {
    /// Whether there is a store; the first session creates it.
    pub exists: bool,
    /// Why it cannot be used.
    pub problem: Option<String>,
    /// What to do about it.
    pub hint: Option<String>,
}

impl StoreStatus {
    /// The status for the result of a check: whether there is a store.
    pub fn from_check(checked: Result<bool, impl Into<Problem>>) -> Self {
        match checked.map_err(Into::into) {
            Ok(exists) => Self { exists, ..Self::default() },
            Err(problem) => {
                let hint = Some(problem.next_step().to_owned());
                let problem = [vec![problem.message], problem.notes].concat().join(": ");
                Self { exists: true, problem: Some(problem), hint }
            }
        }
    }
}

/// State of the gateway. If it holds the lock but does not respond, only the process is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GatewayStatus {
    /// Whether a process holds the state folder.
    pub running: bool,
    /// Id of the process.
    pub pid: Option<u32>,
    /// The port of the gateway.
    pub port: Option<u16>,
    /// Addresses with port.
    pub addresses: Vec<String>,
    /// Time since it became ready, in milliseconds.
    pub uptime_ms: Option<u64>,
    /// Version of the gateway, which may differ from that of the client.
    pub version: Option<String>,
    /// Configuration changes that are not in effect.
    pub config_reload: Option<ConfigReload>,
}

/// Configuration changes that a running gateway has not applied. Everything else is in effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigReload {
    /// Invalid files; their previous version is in effect.
    pub rejected: Vec<RejectedFile>,
    /// Keys whose new value takes effect after a restart, such as `gateway.port`.
    pub needs_restart: BTreeSet<String>,
    /// Hash of the last version of `openclaw.json` that was read, whether or not it is in effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// An invalid configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RejectedFile {
    /// Path of the file.
    pub path: String,
    /// The problem in a sentence.
    pub issues: Vec<ConfigIssue>,
}

/// Numbers of registered apps. Zero, with a reason, if the registry cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AppsStatus {
    /// Whether the registry exists.
    pub exists: bool,
    /// Number of entries.
    pub registered: u64,
    /// Number of apps known to be running.
    pub running: u64,
    /// Number of apps with the mode `off`.
    pub off: u64,
    /// Number of invalid entries.
    pub doubtful: u64,
    /// Reason why the registry cannot be read.
    pub problem: Option<String>,
}

/// State of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigStatus {
    /// Path of the file.
    pub path: String,
    /// Whether the file exists; without it the defaults are in effect.
    pub exists: bool,
    /// Whether the file is valid.
    pub valid: bool,
    /// Invalid values.
    pub issues: Vec<ConfigIssue>,
    /// Unknown keys and other harmless oddities.
    pub warnings: Vec<ConfigIssue>,
}

/// A remark about the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigIssue {
    /// Key, such as `agents.list[0].model`; empty for the whole file.
    pub path: String,
    /// The problem in a sentence.
    pub message: String,
    /// Line in the file, from 1.
    pub line: Option<u32>,
    /// Column in that line, in characters, from 1.
    pub column: Option<u32>,
    /// The message as a code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<ConfigFault>,
}

/// Kind of a configuration issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConfigFault {
    /// The file cannot be read.
    Unreadable,
    /// The key is unknown.
    UnknownKey,
    /// The value has the wrong type or range.
    WrongValue,
    /// It refers to an environment variable that is not set.
    VariableNotSet,
    /// A required key is missing.
    MissingKey,
    /// Agents are defined in a second place, which is ignored.
    SecondPlace,
    /// An agent is defined twice.
    AgentTwice,
    /// The agent id is not valid.
    NotAnAgentId,
    /// Further issues are not listed.
    NotListed,
}

/// The audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditStatus {
    /// Number of records.
    pub records: u64,
    /// Whether every hash covers the line before it.
    pub verified: bool,
    /// The last record; `null` if there is none.
    pub head: Option<AuditHead>,
    /// Number of records that could not be written for actions that must not wait (deny, stop, revoke).
    pub lost: u64,
    /// What is wrong and where, if it was not verified.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<String>,
}

/// The last record of the audit log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AuditHead {
    /// Number of the record.
    pub seq: u64,
    /// Hash of the record.
    pub hash: String,
}

/// Numbers of skills by state.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsStatus {
    /// Skills that can be used.
    pub ready: u64,
    /// Skills with missing requirements.
    pub need_setup: u64,
    /// Skills without a tool for what they declare.
    #[serde(default)]
    pub unavailable: u64,
    /// Skills that the scan blocks.
    pub blocked: u64,
    /// Skills whose file cannot be read, or only in part.
    pub unreadable: u64,
    /// Number of limits that the search for skills reached.
    pub limits_reached: u64,
    /// The first blocked skill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_blocked: Option<BlockedSkill>,
    /// Skills with critical findings that the owner accepted.
    #[serde(default)]
    pub accepted: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_accepted: Option<AcceptedSkill>,
}

/// A skill with critical findings that the owner accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcceptedSkill {
    /// Its name.
    pub name: String,
    /// Its state.
    pub status: SkillState,
    /// The findings.
    pub findings: AcceptedFindings,
}

impl AcceptedSkill {
    /// `None` if the owner accepted no critical finding of the skill.
    #[must_use]
    pub fn from_status(skill: &SkillStatus) -> Option<Self> {
        let findings = skill.accepted_findings.clone()?;
        Some(Self { name: skill.name.clone(), status: skill.status, findings })
    }
}

/// A blocked skill with its decisive finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BlockedSkill {
    /// Its name.
    pub name: String,
    /// The decisive finding; `null` if the skill could not be scanned.
    pub finding: Option<Finding>,
}

impl BlockedSkill {
    /// `None` if the skill is not blocked.
    #[must_use]
    pub fn from_status(skill: &SkillStatus) -> Option<Self> {
        let blocked = skill.status == SkillState::Blocked;
        blocked.then(|| Self { name: skill.name.to_string(), finding: skill.scan.deciding().cloned() })
    }
}

/// The folders in use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HomeStatus {
    /// The state folder.
    pub state_dir: String,
    /// The default agent's workspace.
    pub workspace: String,
}

/// Output of `tarsus doctor`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DoctorReport {
    /// Checks, in order.
    pub checks: Vec<Check>,
}

impl DoctorReport {
    /// The most serious level; `Ok` without checks.
    #[must_use]
    pub fn level(&self) -> Level {
        self.checks.iter().map(|check| check.level).max().unwrap_or(Level::Ok)
    }
}

/// Result of one check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Check {
    /// Id of the check; scripts may rely on it.
    pub id: String,
    /// Title of the check.
    pub title: String,
    /// Level of the result.
    pub level: Level,
    /// The result.
    pub message: String,
    /// The remedy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// Level of a check; the greatest is the most serious.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// No problem.
    Ok,
    /// Works, but deserves attention.
    Warning,
    /// Does not work.
    Error,
}

/// Response of `/healthz`: the process is alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Health {
    /// Always true; an unhealthy gateway does not respond.
    #[schemars(extend("const" = true))]
    pub ok: bool,
    /// Status text for probes.
    pub status: Liveness,
}

impl Health {
    /// The only response.
    pub const LIVE: Self = Self { ok: true, status: Liveness::Live };
}

/// Status text of `/healthz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Liveness {
    /// The process is alive.
    Live,
}

/// Response of `/readyz`: whether the gateway can accept work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReadyReport {
    /// Whether no subsystem is failing.
    pub ready: bool,
    /// Names of failing subsystems.
    pub failing: Vec<String>,
    /// Uptime of the gateway in milliseconds.
    pub uptime_ms: u64,
}

impl ReadyReport {
    /// A report that is ready if nothing is failing.
    #[must_use]
    pub fn new(failing: Vec<String>, uptime_ms: u64) -> Self {
        Self { ready: failing.is_empty(), failing, uptime_ms }
    }
}
