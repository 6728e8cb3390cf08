//! The skills of the agents: how they stand, how each is set up, what they need.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{NoParams, methods};
use crate::capability::{Capability, TrustTier};
use crate::grants::ContentHash;
use crate::skills::{SkillsRefreshed, SkillsReport};
use crate::skills_acts::{SkillDecided, SkillRemoved, SkillRestored, SkillTrash};

methods! {
    #[doc = "How every skill of an agent stands."]
    Status = "skills.status", SkillsParams => SkillsReport, Read;
    #[doc = "Switches a skill on or off, or sets its key and variables, for every agent."]
    Update = "skills.update", SkillUpdateParams => SkillUpdated, Admin;
    #[doc = "The programs that skills of any agent ask for."]
    Bins = "skills.bins", NoParams => SkillBins, Read | Node;
    #[doc = "Looks at every skill and at the programs of this machine again."]
    Refresh = "skills.refresh", SkillsParams => SkillsRefreshed, Write;
    #[doc = "Installs what a skill needs, by one of the ways that its report lists."]
    Install = "skills.install", SkillInstallParams => SkillSetUp, Admin;
    #[doc = "Ends what is being installed for a skill, with everything that it started."]
    InstallStop = "skills.install.stop", SkillInstallStopParams => SkillInstallStopped, Admin;
    #[doc = "Allows capabilities to a community skill, as its folder is."]
    Grant = "skills.grant", SkillGrantParams => SkillDecided, Admin;
    #[doc = "Takes capabilities back that were granted to a skill."]
    Revoke = "skills.revoke", SkillRevokeParams => SkillDecided, Admin;
    #[doc = "Says that the owner has seen what a community skill asks for: it may use that, as its folder is."]
    Seen = "skills.seen", SkillSeenParams => SkillDecided, Admin;
    #[doc = "Lives with what a rule found in a skill, as its folder is; without a reason, no more."]
    Accept = "skills.accept", SkillAcceptParams => SkillDecided, Admin;
    #[doc = "Trusts a skill more or less than where it came from says."]
    Trust = "skills.trust", SkillTrustParams => SkillDecided, Admin;
    #[doc = "Moves an installed skill, or one of a workspace, into the trash."]
    Remove = "skills.remove", SkillRemoveParams => SkillRemoved, Admin;
    #[doc = "Brings a skill back from the trash."]
    Restore = "skills.restore", SkillRestoreParams => SkillRestored, Admin;
    #[doc = "The skills in the trash, the newest first."]
    Trash = "skills.trash", NoParams => SkillTrash, Read;
}

/// What is installed for a skill. It is a skill of the default agent, in whose workspace it is done.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillInstallParams {
    /// The skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// The way, as `install[].id` of its report has it.
    #[schemars(length(min = 1, max = 256))]
    pub install_id: String,
    /// How long it may take, in milliseconds: from a second to fifteen minutes, five minutes when not set.
    pub timeout_ms: Option<u64>,
}

/// What is being installed for a skill, as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillInstallStopParams {
    /// The skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// The way.
    #[schemars(length(min = 1, max = 256))]
    pub install_id: String,
}

/// An installation that was asked to end; `skills.install.ended` tells when it has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillInstallStopped {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// The skill.
    pub name: String,
    /// The way.
    pub install_id: String,
}

/// What was installed for a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillSetUp {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// What to say.
    pub message: String,
    /// What the program wrote.
    pub stdout: String,
    /// What it wrote besides.
    pub stderr: String,
    /// What it ended with.
    pub code: Option<i32>,
    /// What the owner should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The same for a page in another language, in the same order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<SetUpRemark>,
}

/// What the owner should know after something was installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum SetUpRemark {
    /// A program that was to be installed is not found.
    NotOnPath {
        /// The program.
        program: String,
    },
    /// Whoever writes to the skill's folder chose what was installed.
    ChosenByFolder,
    /// Of what the program wrote the middle is left out.
    OutputCut,
}

impl fmt::Display for SetUpRemark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOnPath { program } => write!(f, "{program} is not on the gateway's PATH"),
            Self::ChosenByFolder => f.write_str(
                "the skill is neither bundled nor installed: whoever writes to its folder chose this",
            ),
            Self::OutputCut => f.write_str("the middle of what the program wrote is left out"),
        }
    }
}

/// What is granted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillGrantParams {
    /// The agent whose skill it is; the default one when not set.
    pub agent_id: Option<String>,
    /// The skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// What it may use.
    #[schemars(length(min = 1, max = 16))]
    pub capabilities: Vec<Capability>,
}

/// What is taken back.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillRevokeParams {
    /// The agent whose skill it is; the default one when not set.
    pub agent_id: Option<String>,
    /// The skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// What it may not use any more; everything that was granted when nothing is named.
    #[schemars(length(max = 16))]
    pub capabilities: Vec<Capability>,
}

/// What was shown.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillSeenParams {
    /// The agent whose skill it is; the default one when not set.
    pub agent_id: Option<String>,
    /// The skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// The folder that was shown, as `scan.hash` has it: when it is another one by now, nothing is done.
    pub hash: ContentHash,
}

/// What is lived with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillAcceptParams {
    /// The agent whose skill it is; the default one when not set.
    pub agent_id: Option<String>,
    /// The skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// The rule.
    #[schemars(length(min = 1, max = 128))]
    pub rule: String,
    /// Why; without one it is not lived with any more.
    pub reason: Option<String>,
}

/// How far a skill is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillTrustParams {
    /// The agent whose skill it is; the default one when not set.
    pub agent_id: Option<String>,
    /// The skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// How far.
    pub tier: TrustTier,
}

/// What is taken away.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillRemoveParams {
    /// The agent whose skill it is; the default one when not set.
    pub agent_id: Option<String>,
    /// The key of its settings.
    #[schemars(length(min = 1, max = 256))]
    pub skill_key: String,
}

/// What is brought back.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillRestoreParams {
    /// As `skills.remove` answered, or `skills.trash` lists.
    #[schemars(length(min = 1, max = 256))]
    pub id: String,
}

/// Whose skills.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsParams {
    /// The agent; the default one when not set.
    pub agent_id: Option<String>,
}

/// How a skill is to be set up; what is not named stays. Has keys in it, so that it cannot be printed.
#[derive(Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillUpdateParams {
    /// The key of its settings.
    #[schemars(length(min = 1))]
    pub skill_key: String,
    /// Whether it is switched on.
    pub enabled: Option<bool>,
    /// The key for its main variable; an empty one takes it away.
    pub api_key: Option<String>,
    /// Variables for its programs; an empty one takes it away.
    pub env: Option<BTreeMap<String, String>>,
}

/// A skill that was set up.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillUpdated {
    /// Always true: a change that fails is an error.
    pub ok: bool,
    /// The key of its settings.
    pub skill_key: String,
    /// Its settings now, as `config.get` shows them.
    pub config: Map<String, Value>,
}

/// Programs by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SkillBins {
    /// Sorted, each once.
    pub bins: Vec<String>,
}
