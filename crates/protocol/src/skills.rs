//! Skill reports: the output of `tarsus skills … --json`, `skills.status`, and Studio.
//!
//! OpenClaw's keys keep their names. Lists are always present; optional keys are absent if there is nothing to say.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::TrustTier;
use crate::diagnostic::DiagnosticCode;
use crate::grants::{PolicyReport, SkillCapabilities};
use crate::report::{AcceptedSkill, BlockedSkill};
use crate::scan::{CapabilityUse, Finding, Severity};

/// The skills of an agent: the output of `tarsus skills list` and the result of `skills.status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsReport {
    /// The agent's workspace.
    pub workspace_dir: String,
    /// Folder of the skills installed for all agents.
    pub managed_skills_dir: String,
    /// Id of the agent.
    pub agent_id: String,
    /// Version of the snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// All skills, sorted by name; a shadowed skill follows the one that shadows it.
    pub skills: Vec<SkillStatus>,
    /// Ready skills that do not fit into the prompt.
    pub not_injected: Vec<NotInjected>,
    /// Skills whose description is shortened in the prompt.
    pub shortened: Vec<String>,
    /// General diagnostics: limits reached, skipped folders, unknown names.
    pub diagnostics: Vec<SkillDiagnostic>,
    /// Effect of the ready community skills on tools.
    pub policy: PolicyReport,
}

/// State of a skill: the output of `tarsus skills info`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillStatus {
    /// Name of the skill; the folder's name if its file cannot be read.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Id of one of the six sources.
    pub source: String,
    /// Whether it is bundled with Tarsus.
    pub bundled: bool,
    /// Path of its SKILL.md.
    pub file_path: String,
    /// Its workspace.
    pub base_dir: String,
    /// Settings key of the skill.
    pub skill_key: String,
    /// Emoji for lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// The page about the skill.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// Environment variable for its API key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_env: Option<String>,
    /// Declared author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Declared help for its program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cli_help: Option<String>,
    /// Declared links.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<SkillLinks>,
    /// Declared environment variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env_vars: Vec<SkillEnvVar>,
    /// Declared dependencies.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<SkillDependency>,
    /// Whether it ignores missing requirements.
    pub always: bool,
    /// Whether it is disabled.
    pub disabled: bool,
    /// Whether it is bundled and `skills.allowBundled` does not name it.
    pub blocked_by_allowlist: bool,
    /// Whether the agent's allowlist does not name it.
    pub blocked_by_agent_filter: bool,
    /// Whether it can be used, ignoring the agent's allowlist.
    pub eligible: bool,
    /// Whether it is for other operating systems.
    pub platform_incompatible: bool,
    /// Whether it may be in the prompt.
    pub model_visible: bool,
    /// Whether it declares a slash command.
    pub user_invocable: bool,
    /// Whether its slash command is available.
    pub command_visible: bool,
    /// Everything that the skill requires.
    pub requirements: SkillNeeds,
    /// Missing requirements.
    pub missing: SkillNeeds,
    /// Required configuration paths, without values.
    pub config_checks: Vec<ConfigCheck>,
    /// Installers for its requirements, the best one first.
    pub install: Vec<SkillInstall>,
    /// State: that of the first reason, or ready.
    pub status: SkillState,
    /// Reasons why it is not ready, in order of precedence.
    pub reasons: Vec<SkillReason>,
    /// Whether it is blocked by something other than missing requirements.
    pub blocked: bool,
    /// The blocker.
    pub blocked_by: Option<BlockedBy>,
    /// The skill of the same name that is used instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed_by: Option<ShadowedBy>,
    /// SHA-256 of its SKILL.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// Problems of its file.
    pub diagnostics: Vec<SkillDiagnostic>,
    /// Trust tier.
    pub trust: TrustTier,
    /// Declared, used and effective capabilities; absent if its file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<SkillCapabilities>,
    /// Result of the scan.
    pub scan: SkillScan,
    /// Critical findings that the owner accepted; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_findings: Option<AcceptedFindings>,
}

/// Critical findings that would block a skill if the owner had not accepted them. Every list shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AcceptedFindings {
    /// Number of findings.
    pub critical: usize,
    /// Ids of their rules, sorted.
    pub rules: Vec<String>,
}

impl fmt::Display for AcceptedFindings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = if self.critical == 1 { "" } else { "s" };
        write!(f, "{} critical finding{ending} accepted by you", self.critical)
    }
}

/// Links of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[expect(missing_docs, reason = "each is a field of the file")]
pub struct SkillLinks {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<String>,
}

/// An environment variable that a skill declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillEnvVar {
    /// The name of the variable.
    pub name: String,
    /// Whether it is required, if declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// The purpose of the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A dependency that a skill declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillDependency {
    /// The name of the project.
    pub name: String,
    /// Kind of the dependency.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The required version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// URL of its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// URL of its source code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
}

/// Result of scanning a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillScan {
    /// State of the scan.
    pub state: ScanState,
    /// SHA-256 of its folder, which decisions are pinned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Findings, the most serious first; a few per rule.
    pub findings: Vec<Finding>,
    /// Capabilities that its texts and programs use, with evidence.
    pub uses: Vec<CapabilityUse>,
}

impl SkillScan {
    /// The decisive finding: the most serious one that is not accepted.
    #[must_use]
    pub fn deciding(&self) -> Option<&Finding> {
        deciding(&self.findings)
    }
}

/// The decisive finding of a list that starts with the most serious one.
#[must_use]
pub fn deciding(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().find(|finding| finding.severity > Severity::Info && !finding.accepted)
}

/// State of a scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScanState {
    /// Not scanned yet.
    Pending,
    /// No findings to review.
    Clean,
    /// Findings to review.
    Warning,
    /// Blocked by a finding.
    Blocked,
}

macro_rules! states {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// The state of a skill, in order of precedence: the first that applies is the state.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum SkillState { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl SkillState {
            /// All states, in order of precedence.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The name in JSON and in tables.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

states! {
    /// The scan of its files blocks it.
    Blocked = "blocked",
    /// Another skill of the same name is used.
    Shadowed = "shadowed",
    /// Its file cannot be read.
    Invalid = "invalid",
    /// It is disabled in the configuration.
    Disabled = "disabled",
    /// It is bundled, and `skills.allowBundled` does not name it.
    NotAllowed = "not allowed",
    /// Its file can be read only in part.
    Degraded = "degraded",
    /// The agent's allowlist does not name it.
    Filtered = "filtered",
    /// It is for other systems.
    Unsupported = "unsupported",
    /// No tool does what it declares: this version has none, or the agent's tool policy takes it away.
    Unavailable = "unavailable",
    /// A program, variable or setting that it requires is missing.
    Missing = "missing",
    /// The agent can use it.
    Ready = "ready",
}

/// A reason why a skill is not ready.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillReason {
    /// The state that follows from it.
    pub state: SkillState,
    /// The kind of reason.
    pub kind: SkillReasonKind,
    /// The rule of a finding, else the programs, variables, settings, systems or tools that are required.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The configuration keys that take the tools in `names` away from the agent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
}

impl SkillReason {
    /// What is said of tools that cannot be called: `exec or process, which this version does not have`. `None` for a
    /// reason that is not about tools.
    #[must_use]
    pub fn tools_text(&self) -> Option<String> {
        let tools = self.alternatives();
        match self.kind {
            SkillReasonKind::ToolNotBuilt => Some(format!("{tools}, which this version does not have")),
            SkillReasonKind::ToolDenied => Some(format!(
                "{tools}, which this agent does not have because of {}",
                self.keys.join(" and ")
            )),
            _ => None,
        }
    }

    /// The names as alternatives: `exec`, `exec or process`, `write, edit or apply_patch`.
    #[must_use]
    pub fn alternatives(&self) -> String {
        match self.names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
            names => names.concat(),
        }
    }
}

/// Kinds of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SkillReasonKind {
    /// A finding blocks it; `names` has the rule.
    Finding,
    /// It must be scanned before use, and that was not possible.
    NotScanned,
    /// `shadowedBy` has the skill that is used instead.
    Shadowed,
    /// The first diagnostic says what is wrong with its file.
    Unreadable,
    /// It is disabled in the configuration.
    Disabled,
    /// `skills.allowBundled` does not name it.
    NotAllowed,
    /// The agent's allowlist does not name it.
    Filtered,
    /// It is for the systems in `names`.
    System,
    /// It needs one of the tools in `names`, and this version has none of them.
    ToolNotBuilt,
    /// It needs one of the tools in `names`, and `keys` take them away from the agent.
    ToolDenied,
    /// A program is missing.
    Program,
    /// All programs of which one is required are missing.
    AnyProgram,
    /// An environment variable is not set.
    Variable,
    /// A path of the configuration is not set.
    Config,
}

/// A reason that blocks a skill, other than missing requirements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BlockedBy {
    /// A finding in its files.
    Security,
    /// `skills.allowBundled`.
    Allowlist,
    /// The agent's allowlist.
    Agent,
}

/// Requirements of a skill, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillNeeds {
    /// Programs, all of them.
    pub bins: Vec<String>,
    /// Programs, one of them.
    pub any_bins: Vec<String>,
    /// Environment variables.
    pub env: Vec<String>,
    /// Configuration paths.
    pub config: Vec<String>,
    /// Operating systems, one of them.
    pub os: Vec<String>,
}

impl SkillNeeds {
    /// All of them in one line: `ffmpeg, one of brew, apt, GH_TOKEN`. Operating systems are left out.
    #[must_use]
    pub fn named(&self) -> String {
        let any_bins = (!self.any_bins.is_empty()).then(|| format!("one of {}", self.any_bins.join(", ")));
        let names = self.bins.iter().cloned().chain(any_bins);
        let names = names.chain(self.env.iter().cloned()).chain(self.config.iter().cloned());
        names.collect::<Vec<_>>().join(", ")
    }
}

/// A configuration path that a skill requires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigCheck {
    /// The path, with dots.
    pub path: String,
    /// Whether a value is set.
    pub satisfied: bool,
}

/// An installer for a requirement of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillInstall {
    /// Id of the installer.
    pub id: String,
    /// Kind of the installer.
    pub kind: InstallBy,
    /// Label for people.
    pub label: String,
    /// Programs that it installs.
    pub bins: Vec<String>,
    /// Command line: a program and its arguments. Absent if it cannot be run here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Where the command puts what it installs. Absent if there is no command.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub destination: Option<InstallDestination>,
}

/// Where an installer puts programs. None of them is a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InstallDestination {
    /// Homebrew's own folder.
    Homebrew,
    /// The global folder of npm.
    Npm,
    /// The global folder of pnpm.
    Pnpm,
    /// The global folder of Yarn.
    Yarn,
    /// The global folder of Bun.
    Bun,
    /// The folder of `go install`.
    Go,
    /// The tools of uv.
    Uv,
}

impl fmt::Display for InstallDestination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Homebrew => "Homebrew's folder on this machine (`brew --prefix`)",
            Self::Npm => "npm's global folder (`npm prefix -g`)",
            Self::Pnpm => "pnpm's global folder (`pnpm bin -g`)",
            Self::Yarn => "Yarn's global folder (`yarn global bin`)",
            Self::Bun => "Bun's global folder (`bun pm bin -g`)",
            Self::Go => "Go's program folder (`GOBIN`, else `bin` in `go env GOPATH`)",
            Self::Uv => "uv's tool folder (`uv tool dir --bin`)",
        })
    }
}

/// Kind of an installer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "each is the name of a program, or says it all")]
pub enum InstallBy {
    Brew,
    Node,
    Go,
    Uv,
    Download,
}

impl InstallBy {
    /// The name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Brew => "brew",
            Self::Node => "node",
            Self::Go => "go",
            Self::Uv => "uv",
            Self::Download => "download",
        }
    }
}

/// The skill that is used instead of another of the same name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShadowedBy {
    /// Id of its source.
    pub source: String,
    /// Path of its SKILL.md.
    pub file_path: String,
}

/// A diagnostic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillDiagnostic {
    /// Code. Newer versions may have more.
    #[schemars(with = "DiagnosticCode")]
    pub code: String,
    /// Explanation and remedy.
    pub message: String,
    /// Line in the SKILL.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// File or folder, if it is not the skill's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A ready skill that does not fit into the prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotInjected {
    /// The name of the skill.
    pub name: String,
    /// The reason.
    pub reason: NotInjectedReason,
    /// The limit that was reached.
    pub limit: u32,
}

/// Reason why a ready skill is not in the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NotInjectedReason {
    /// The maximum number of skills is reached.
    MaxSkillsInPrompt,
    /// The maximum length of the list is reached.
    MaxSkillsPromptChars,
}

/// Summary of all skills: the output of `tarsus skills check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsCheck {
    /// Id of the agent.
    pub agent_id: String,
    /// Its workspace.
    pub workspace_dir: String,
    /// Folder of the skills installed for all agents.
    pub managed_skills_dir: String,
    /// Numbers by kind.
    pub summary: CheckSummary,
    /// Number of skills by state; every state is listed.
    pub states: BTreeMap<String, usize>,
    /// Skills that can be used.
    pub eligible: Vec<String>,
    /// Skills that may be in the prompt.
    pub model_visible: Vec<String>,
    /// Skills whose slash command is available.
    pub command_visible: Vec<String>,
    /// Disabled skills.
    pub disabled: Vec<String>,
    /// Skills blocked by a finding or by `skills.allowBundled`.
    pub blocked: Vec<String>,
    /// Skills that the agent's allowlist does not name.
    pub agent_filtered: Vec<String>,
    /// Ready skills that do not fit into the prompt.
    pub not_injected: Vec<String>,
    /// Skills with missing requirements.
    pub missing_requirements: Vec<MissingRequirements>,
    /// Skills without a tool for what they declare.
    #[serde(default)]
    pub unavailable: Vec<UnavailableSkill>,
    /// Skills whose description is shortened or left out in the prompt.
    pub shortened: Vec<String>,
    /// Skills whose file cannot be read.
    pub invalid: Vec<String>,
    /// Skills whose file can be read only in part.
    pub degraded: Vec<String>,
    /// Shadowed skills.
    pub shadowed: Vec<String>,
    /// General diagnostics.
    pub diagnostics: Vec<SkillDiagnostic>,
    /// Community skills by declared capability.
    pub capabilities: BTreeMap<String, Vec<String>>,
    /// Effect of community skills on tools.
    pub policy: PolicyReport,
    /// Numbers of skills by state of the scan.
    pub scan: ScanCounts,
    /// Skills blocked by a finding, each with the decisive one.
    pub found: Vec<BlockedSkill>,
    /// Skills with critical findings that the owner accepted.
    #[serde(default)]
    pub accepted: Vec<AcceptedSkill>,
}

/// Numbers of skills by kind. A shadowed skill is counted only as shadowed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "each is the length of the list of its name")]
pub struct CheckSummary {
    /// Skills that are not shadowed.
    pub total: usize,
    pub eligible: usize,
    pub model_visible: usize,
    pub command_visible: usize,
    pub disabled: usize,
    /// Including skills blocked by a finding.
    pub blocked: usize,
    /// Only skills blocked by a finding.
    pub blocked_by_security: usize,
    pub agent_filtered: usize,
    pub not_injected: usize,
    pub missing_requirements: usize,
    #[serde(default)]
    pub unavailable: usize,
    pub shortened: usize,
    pub invalid: usize,
    pub degraded: usize,
    pub shadowed: usize,
}

/// A skill with missing requirements.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingRequirements {
    /// Name of the skill.
    pub name: String,
    /// Missing requirements.
    pub missing: SkillNeeds,
    /// Installers for them, the best one first.
    pub install: Vec<SkillInstall>,
}

/// A skill without a tool for what it declares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct UnavailableSkill {
    /// Name of the skill.
    pub name: String,
    /// The reasons that are about tools.
    pub reasons: Vec<SkillReason>,
}

/// Numbers of skills by state of the scan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScanCounts {
    /// Skills without findings.
    pub clean: usize,
    /// Findings to review.
    pub warning: usize,
    /// Skills with blocking findings.
    pub blocked: usize,
    /// Skills that were not scanned yet.
    pub pending: usize,
}

/// Output of `tarsus skills enable` and `disable`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillSwitched {
    /// Always true; a failure is an error.
    pub ok: bool,
    /// The name of the skill.
    pub name: String,
    /// Settings key of the skill.
    pub skill_key: String,
    /// Whether it is enabled now.
    pub enabled: bool,
    /// Whether that is a change.
    pub changed: bool,
    /// The new state.
    pub status: SkillState,
}

/// Output of `tarsus skills refresh` and result of `skills.refresh`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsRefreshed {
    /// Always true; a failure is an error.
    pub ok: bool,
    /// Version of the new snapshot.
    pub version: u64,
    /// Number of skills, without shadowed ones.
    pub total: usize,
    /// Skills added since the last refresh.
    pub added: Vec<String>,
    /// Skills changed since the last refresh.
    pub changed: Vec<String>,
    /// Skills removed since the last refresh.
    pub removed: Vec<String>,
}
