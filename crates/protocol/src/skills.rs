//! What every surface reports about skills: `tarsus skills … --json`, `skills.status`, the page.
//!
//! Promises: OpenClaw's keys under OpenClaw's names, lists always there, optional keys left out when there is nothing
//! to say. Texts are borrowed from whoever holds the skills. Leaves to others: finding the facts, and how they look
//! to people.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::TrustTier;
use crate::diagnostic::DiagnosticCode;
use crate::grants::{PolicyReport, SkillCapabilities};
use crate::report::BlockedSkill;
use crate::scan::{CapabilityUse, Finding, Severity};

/// A text of a report.
pub type Text<'a> = Cow<'a, str>;
/// A list of names in a report.
pub type Names<'a> = Cow<'a, [String]>;

/// The skills of an agent: the answer of `tarsus skills list` and `skills.status`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillsReport<'a> {
    /// The agent's folder.
    pub workspace_dir: Text<'a>,
    /// Where skills for every agent are installed.
    pub managed_skills_dir: Text<'a>,
    /// The agent.
    pub agent_id: Text<'a>,
    /// The version of the snapshot that this was made from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// Every skill, sorted by name; a shadowed one after the one that shadows it.
    pub skills: Vec<SkillStatus<'a>>,
    /// Ready skills that the model is not told of, because the list in its prompt is full.
    pub not_injected: Vec<NotInjected<'a>>,
    /// Skills whose descriptions are cut in that list.
    pub shortened: Vec<Text<'a>>,
    /// What is odd about no skill in particular: limits that were reached, folders left out, unknown names.
    pub diagnostics: Vec<SkillDiagnostic<'a>>,
    /// What the ready community skills change for tools.
    pub policy: PolicyReport,
}

/// How one skill stands: the answer of `tarsus skills info`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillStatus<'a> {
    /// Its name; of one that cannot be read, the folder's.
    pub name: Text<'a>,
    /// When to use it.
    pub description: Text<'a>,
    /// Where it came from, as one of the six ids.
    pub source: Text<'a>,
    /// Whether Tarsus brought it along.
    pub bundled: bool,
    /// Its SKILL.md.
    pub file_path: Text<'a>,
    /// Its folder.
    pub base_dir: Text<'a>,
    /// The key of its settings.
    pub skill_key: Text<'a>,
    /// A sign for lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub emoji: Option<Text<'a>>,
    /// Where to read more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<Text<'a>>,
    /// The variable that its one key goes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary_env: Option<Text<'a>>,
    /// Who made it, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<Text<'a>>,
    /// How its program is used, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cli_help: Option<Text<'a>>,
    /// Pages about it, as it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub links: Option<SkillLinks<'a>>,
    /// The environment variables that it says it reads.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env_vars: Vec<SkillEnvVar<'a>>,
    /// What it says it builds on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<SkillDependency<'a>>,
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
    pub requirements: SkillNeeds<'a>,
    /// What of this is not there.
    pub missing: SkillNeeds<'a>,
    /// Each needed place of the configuration; never its value.
    pub config_checks: Vec<ConfigCheck<'a>>,
    /// How what it needs can be installed here, the best way first.
    pub install: Vec<SkillInstall<'a>>,
    /// How it stands, in a word.
    pub status: SkillState,
    /// Whether something other than a missing need keeps it from being used.
    pub blocked: bool,
    /// What does.
    pub blocked_by: Option<BlockedBy>,
    /// The skill of the same name that is used in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadowed_by: Option<ShadowedBy<'a>>,
    /// SHA-256 of its SKILL.md.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_hash: Option<String>,
    /// What is odd about it.
    pub diagnostics: Vec<SkillDiagnostic<'a>>,
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
pub struct SkillLinks<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub homepage: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub documentation: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changelog: Option<Text<'a>>,
}

/// An environment variable that a skill says it reads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillEnvVar<'a> {
    /// Its name.
    pub name: Text<'a>,
    /// Whether it must be set, when that is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Text<'a>>,
}

/// Something that a skill says it builds on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillDependency<'a> {
    /// Its name.
    pub name: Text<'a>,
    /// What sort of thing it is.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Text<'a>>,
    /// Which version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<Text<'a>>,
    /// Its page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Text<'a>>,
    /// Its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repository: Option<Text<'a>>,
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
        let counts = |finding: &&Finding| finding.severity > Severity::Info && !finding.accepted;
        self.findings.iter().find(counts)
    }
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
        /// How a skill stands, in a word. The first that holds is the one that is said.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum SkillState { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl SkillState {
            /// The word.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

states! {
    /// A look into its files found what must not run.
    Blocked = "blocked",
    /// Another skill of its name is used.
    Shadowed = "shadowed",
    /// Its file cannot be read.
    Invalid = "invalid",
    /// It is switched off.
    Disabled = "disabled",
    /// It is a bundled one that is not on the list of those allowed.
    NotAllowed = "not allowed",
    /// Its file can be read only in part.
    Degraded = "degraded",
    /// It is not on the agent's list.
    Filtered = "filtered",
    /// Something that it needs is not there.
    Missing = "missing",
    /// It can be used.
    Ready = "ready",
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
pub struct SkillNeeds<'a> {
    /// Programs, all of them.
    pub bins: Names<'a>,
    /// Programs, one of them.
    pub any_bins: Names<'a>,
    /// Environment variables.
    pub env: Names<'a>,
    /// Places in the configuration.
    pub config: Names<'a>,
    /// Systems, one of them.
    pub os: Names<'a>,
}

impl SkillNeeds<'_> {
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
pub struct ConfigCheck<'a> {
    /// The place, with dots.
    pub path: Text<'a>,
    /// Whether something is there.
    pub satisfied: bool,
}

/// One way to install what a skill needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillInstall<'a> {
    /// What to ask for.
    pub id: Text<'a>,
    /// By what.
    pub kind: InstallBy,
    /// What to say.
    pub label: Text<'a>,
    /// The programs that it brings.
    pub bins: Names<'a>,
    /// What is run for it: a program and its arguments. Not there where it cannot be run from here.
    #[serde(default, skip_serializing_if = "<[String]>::is_empty")]
    pub command: Names<'a>,
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
pub struct ShadowedBy<'a> {
    /// Where it came from.
    pub source: Text<'a>,
    /// Its SKILL.md.
    pub file_path: Text<'a>,
}

/// Something odd.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillDiagnostic<'a> {
    /// A word for programs. A newer Tarsus may have others.
    #[schemars(with = "DiagnosticCode")]
    pub code: Text<'a>,
    /// What it is, and what to do about it.
    pub message: Text<'a>,
    /// The line of the skill's file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The file or folder, when it is not the skill's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<Text<'a>>,
}

/// A ready skill that the model is not told of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotInjected<'a> {
    /// Its name.
    pub name: Text<'a>,
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
pub struct SkillsCheck<'a> {
    /// The agent.
    pub agent_id: Text<'a>,
    /// Its folder.
    pub workspace_dir: Text<'a>,
    /// Where skills for every agent are installed.
    pub managed_skills_dir: Text<'a>,
    /// How many there are of each kind.
    pub summary: CheckSummary,
    /// Usable here.
    pub eligible: Vec<Text<'a>>,
    /// The model may be told of these.
    pub model_visible: Vec<Text<'a>>,
    /// People can invoke these.
    pub command_visible: Vec<Text<'a>>,
    /// Switched off.
    pub disabled: Vec<Text<'a>>,
    /// Kept from being used by a finding, or by the list of bundled skills that are allowed.
    pub blocked: Vec<Text<'a>>,
    /// Not on the agent's list.
    pub agent_filtered: Vec<Text<'a>>,
    /// Ready, but not in the prompt: its list is full.
    pub not_injected: Vec<Text<'a>>,
    /// These need something that is not there.
    pub missing_requirements: Vec<MissingRequirements<'a>>,
    /// In the prompt with a cut description, or none.
    pub shortened: Vec<Text<'a>>,
    /// Their files cannot be read.
    pub invalid: Vec<Text<'a>>,
    /// Their files can be read only in part.
    pub degraded: Vec<Text<'a>>,
    /// Others of their names are used.
    pub shadowed: Vec<Text<'a>>,
    /// What is odd about no skill in particular.
    pub diagnostics: Vec<SkillDiagnostic<'a>>,
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
pub struct MissingRequirements<'a> {
    /// The skill.
    pub name: Text<'a>,
    /// What is not there.
    pub missing: SkillNeeds<'a>,
    /// How it can be installed, the best way first.
    pub install: Vec<SkillInstall<'a>>,
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
