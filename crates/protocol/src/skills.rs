//! What every surface reports about skills: `tarsus skills … --json`, `skills.status`, the page.
//!
//! Promises: OpenClaw's keys under OpenClaw's names, lists always there, optional keys left out when there is nothing
//! to say. Leaves to others: finding the facts, and how they look
//! to people.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::TrustTier;
use crate::diagnostic::DiagnosticCode;
use crate::grants::{PolicyReport, SkillCapabilities};
use crate::report::BlockedSkill;
use crate::scan::{CapabilityUse, Finding, Severity};

/// The skills of an agent: the answer of `tarsus skills list` and `skills.status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsReport {
    /// The agent's folder.
    pub workspace_dir: String,
    /// Where skills for every agent are installed.
    pub managed_skills_dir: String,
    /// The agent.
    pub agent_id: String,
    /// The version of the snapshot that this was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Every skill, sorted by name; a shadowed one after the one that shadows it.
    pub skills: Vec<SkillStatus>,
    /// Ready skills that the model is not told of, because the list in its prompt is full.
    pub not_injected: Vec<NotInjected>,
    /// Skills whose descriptions are cut in that list.
    pub shortened: Vec<String>,
    /// What is odd about no skill in particular: limits that were reached, folders left out, unknown names.
    pub diagnostics: Vec<SkillDiagnostic>,
    /// What the ready community skills change for tools.
    pub policy: PolicyReport,
}

/// How one skill stands: the answer of `tarsus skills info`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillStatus {
    /// Its name; of one that cannot be read, the folder's.
    pub name: String,
    /// When to use it.
    pub description: String,
    /// Where it came from, as one of the six ids.
    pub source: String,
    /// Whether Tarsus brought it along.
    pub bundled: bool,
    /// Its SKILL.md.
    pub file_path: String,
    /// Its folder.
    pub base_dir: String,
    /// The key of its settings.
    pub skill_key: String,
    /// A sign for lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// Where to read more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// The variable that its one key goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_env: Option<String>,
    /// Who made it, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// How its program is used, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cli_help: Option<String>,
    /// Pages about it, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<SkillLinks>,
    /// The environment variables that it says it reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env_vars: Vec<SkillEnvVar>,
    /// What it says it builds on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<SkillDependency>,
    /// Whether it asks to be there whatever is missing.
    pub always: bool,
    /// Whether it is switched off.
    pub disabled: bool,
    /// Whether it is a bundled one that `skills.allowBundled` does not name.
    pub blocked_by_allowlist: bool,
    /// Whether the agent's list of skills does not name it.
    pub blocked_by_agent_filter: bool,
    /// Whether it could be used here; the agent's list does not count.
    pub eligible: bool,
    /// Whether it is for other systems.
    pub platform_incompatible: bool,
    /// Whether the model may be told of it.
    pub model_visible: bool,
    /// Whether it lets people invoke it.
    pub user_invocable: bool,
    /// Whether people can invoke it here.
    pub command_visible: bool,
    /// What it needs.
    pub requirements: SkillNeeds,
    /// What of this is not there.
    pub missing: SkillNeeds,
    /// Each needed place of the configuration; never its value.
    pub config_checks: Vec<ConfigCheck>,
    /// How what it needs can be installed here, the best way first.
    pub install: Vec<SkillInstall>,
    /// Its state: that of the first reason, or ready.
    pub status: SkillState,
    /// Why it is not ready, in order of precedence; empty if it is.
    pub reasons: Vec<SkillReason>,
    /// Whether something other than a missing need keeps it from being used.
    pub blocked: bool,
    /// What does.
    pub blocked_by: Option<BlockedBy>,
    /// The skill of the same name that is used in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed_by: Option<ShadowedBy>,
    /// SHA-256 of its SKILL.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// What is odd about it.
    pub diagnostics: Vec<SkillDiagnostic>,
    /// How far it is trusted.
    pub trust: TrustTier,
    /// What it asks for, uses and may use; left out when its file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<SkillCapabilities>,
    /// What a look into its files found.
    pub scan: SkillScan,
}

/// Pages about a skill.
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

/// An environment variable that a skill says it reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillEnvVar {
    /// Its name.
    pub name: String,
    /// Whether it must be set, when that is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Something that a skill says it builds on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillDependency {
    /// Its name.
    pub name: String,
    /// What sort of thing it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Which version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
}

/// What a look into a skill's files found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillScan {
    /// What follows from it.
    pub state: ScanState,
    /// SHA-256 over the names and bytes of everything in its folder: what decisions about it are pinned to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// The most serious first; of each rule a few places.
    pub findings: Vec<Finding>,
    /// What its texts and programs use, each with the first place that shows it.
    pub uses: Vec<CapabilityUse>,
}

impl SkillScan {
    /// The finding that decides: the most serious one that is not accepted.
    #[must_use]
    pub fn deciding(&self) -> Option<&Finding> {
        deciding(&self.findings)
    }
}

/// The finding that decides, of findings with the most serious first.
#[must_use]
pub fn deciding(findings: &[Finding]) -> Option<&Finding> {
    findings.iter().find(|finding| finding.severity > Severity::Info && !finding.accepted)
}

/// What follows from a look into a skill's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ScanState {
    /// Nobody has looked yet.
    Pending,
    /// Nothing was found that a person has to look at.
    Clean,
    /// Something was found that a person should look at.
    Warning,
    /// It is not used.
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
    /// The rule of a finding, else the programs, variables, settings or systems that are required.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
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
    /// A program is missing.
    Program,
    /// All programs of which one is required are missing.
    AnyProgram,
    /// An environment variable is not set.
    Variable,
    /// A path of the configuration is not set.
    Config,
}

/// What keeps a skill from being used, other than a missing need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BlockedBy {
    /// What was found in its files.
    Security,
    /// The list of bundled skills that are allowed.
    Allowlist,
    /// The agent's list of skills.
    Agent,
}

/// Needs of a skill, by kind.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillNeeds {
    /// Programs, all of them.
    pub bins: Vec<String>,
    /// Programs, one of them.
    pub any_bins: Vec<String>,
    /// Environment variables.
    pub env: Vec<String>,
    /// Places in the configuration.
    pub config: Vec<String>,
    /// Systems, one of them.
    pub os: Vec<String>,
}

impl SkillNeeds {
    /// All of them in one line: `ffmpeg, one of brew, apt, GH_TOKEN`. Systems are not among them.
    #[must_use]
    pub fn named(&self) -> String {
        let any_bins = (!self.any_bins.is_empty()).then(|| format!("one of {}", self.any_bins.join(", ")));
        let names = self.bins.iter().cloned().chain(any_bins);
        let names = names.chain(self.env.iter().cloned()).chain(self.config.iter().cloned());
        names.collect::<Vec<_>>().join(", ")
    }
}

/// A place of the configuration that a skill needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConfigCheck {
    /// The place, with dots.
    pub path: String,
    /// Whether something is there.
    pub satisfied: bool,
}

/// One way to install what a skill needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillInstall {
    /// What to ask for.
    pub id: String,
    /// By what.
    pub kind: InstallBy,
    /// What to say.
    pub label: String,
    /// The programs that it brings.
    pub bins: Vec<String>,
    /// What is run for it: a program and its arguments. Not there where it cannot be run from here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
}

/// By what something is installed.
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
    /// The word.
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

/// The skill that is used in place of another one of its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShadowedBy {
    /// Where it came from.
    pub source: String,
    /// Its SKILL.md.
    pub file_path: String,
}

/// Something odd.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillDiagnostic {
    /// A word for programs. A newer Tarsus may have others.
    #[schemars(with = "DiagnosticCode")]
    pub code: String,
    /// What it is, and what to do about it.
    pub message: String,
    /// The line of the skill's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The file or folder, when it is not the skill's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// A ready skill that the model is not told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotInjected {
    /// Its name.
    pub name: String,
    /// Why not.
    pub reason: NotInjectedReason,
    /// The limit that was reached.
    pub limit: u32,
}

/// Why a ready skill is not in the prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NotInjectedReason {
    /// As many skills are listed as may be.
    MaxSkillsInPrompt,
    /// The list has as many characters as it may have.
    MaxSkillsPromptChars,
}

/// How all skills stand together: the answer of `tarsus skills check`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsCheck {
    /// The agent.
    pub agent_id: String,
    /// Its folder.
    pub workspace_dir: String,
    /// Where skills for every agent are installed.
    pub managed_skills_dir: String,
    /// How many there are of each kind.
    pub summary: CheckSummary,
    /// Number of skills by state; every state is listed.
    pub states: BTreeMap<String, usize>,
    /// Usable here.
    pub eligible: Vec<String>,
    /// The model may be told of these.
    pub model_visible: Vec<String>,
    /// People can invoke these.
    pub command_visible: Vec<String>,
    /// Switched off.
    pub disabled: Vec<String>,
    /// Kept from being used by a finding, or by the list of bundled skills that are allowed.
    pub blocked: Vec<String>,
    /// Not on the agent's list.
    pub agent_filtered: Vec<String>,
    /// Ready, but not in the prompt: its list is full.
    pub not_injected: Vec<String>,
    /// These need something that is not there.
    pub missing_requirements: Vec<MissingRequirements>,
    /// In the prompt with a cut description, or none.
    pub shortened: Vec<String>,
    /// Their files cannot be read.
    pub invalid: Vec<String>,
    /// Their files can be read only in part.
    pub degraded: Vec<String>,
    /// Others of their names are used.
    pub shadowed: Vec<String>,
    /// What is odd about no skill in particular.
    pub diagnostics: Vec<SkillDiagnostic>,
    /// Community skills by the capabilities that they ask for.
    pub capabilities: BTreeMap<String, Vec<String>>,
    /// What they change for tools.
    pub policy: PolicyReport,
    /// How many are clean.
    pub scan: ScanCounts,
    /// Those that are blocked by what was found in them, each with the finding that decides.
    pub found: Vec<BlockedSkill>,
}

/// How many skills there are of each kind. One that is shadowed counts only as that.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "each is the length of the list of its name")]
pub struct CheckSummary {
    /// Every skill that is not shadowed.
    pub total: usize,
    pub eligible: usize,
    pub model_visible: usize,
    pub command_visible: usize,
    pub disabled: usize,
    /// Those that are blocked by what was found in them are among these.
    pub blocked: usize,
    /// Only those that are blocked by what was found in them.
    pub blocked_by_security: usize,
    pub agent_filtered: usize,
    pub not_injected: usize,
    pub missing_requirements: usize,
    pub shortened: usize,
    pub invalid: usize,
    pub degraded: usize,
    pub shadowed: usize,
}

/// A skill that needs something that is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingRequirements {
    /// The skill.
    pub name: String,
    /// What is not there.
    pub missing: SkillNeeds,
    /// How it can be installed, the best way first.
    pub install: Vec<SkillInstall>,
}

/// How many skills are clean.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScanCounts {
    /// Nothing was found in these.
    pub clean: usize,
    /// Something was found that a person should look at.
    pub warning: usize,
    /// Something was found that must not run.
    pub blocked: usize,
    /// Nobody has looked into these yet.
    pub pending: usize,
}

/// A skill that was switched: the answer of `tarsus skills enable` and `disable`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillSwitched {
    /// Always true: a change that fails is an error.
    pub ok: bool,
    /// Its name.
    pub name: String,
    /// The key of its settings.
    pub skill_key: String,
    /// Whether it is switched on now.
    pub enabled: bool,
    /// Whether it was otherwise before.
    pub changed: bool,
    /// How it stands now.
    pub status: SkillState,
}

/// A look at the disk: the answer of `tarsus skills refresh`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsRefreshed {
    /// Always true: a look that fails is an error.
    pub ok: bool,
    /// The version of the snapshot now.
    pub version: u64,
    /// How many skills there are now; one that is shadowed does not count.
    pub total: usize,
    /// New since the last look.
    pub added: Vec<String>,
    /// Other than at the last look.
    pub changed: Vec<String>,
    /// Gone since the last look.
    pub removed: Vec<String>,
}
