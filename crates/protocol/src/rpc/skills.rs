//! Methods of skills: status, settings, installation and the owner's decisions.

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
    #[doc = "Reports the state of every skill of an agent."]
    Status = "skills.status", SkillsParams => SkillsReport, Read;
    #[doc = "Enables or disables a skill, or sets its key and variables, for all agents."]
    Update = "skills.update", SkillUpdateParams => SkillUpdated, Admin;
    #[doc = "Lists the programs that skills of any agent require."]
    Bins = "skills.bins", NoParams => SkillBins, Read | Node;
    #[doc = "Reloads all skills and checks the installed programs again."]
    Refresh = "skills.refresh", SkillsParams => SkillsRefreshed, Write;
    #[doc = "Installs a requirement of a skill with one of the installers that its report lists."]
    Install = "skills.install", SkillInstallParams => SkillInstallResult, Admin;
    #[doc = "Stops a running installation with all its processes."]
    InstallStop = "skills.install.stop", SkillInstallStopParams => SkillInstallStopped, Admin;
    #[doc = "Grants capabilities to a community skill, for its current content."]
    Grant = "skills.grant", SkillGrantParams => SkillDecided, Admin;
    #[doc = "Revokes capabilities that were granted to a skill."]
    Revoke = "skills.revoke", SkillRevokeParams => SkillDecided, Admin;
    #[doc = "Approves the capabilities that a community skill declares, for its current content."]
    Approve = "skills.seen", SkillApproveParams => SkillDecided, Admin;
    #[doc = "Accepts the findings of a rule in a skill, for its current content; without a reason, withdraws that."]
    Accept = "skills.accept", SkillAcceptParams => SkillDecided, Admin;
    #[doc = "Sets the trust tier of a skill, overriding its source."]
    Trust = "skills.trust", SkillTrustParams => SkillDecided, Admin;
    #[doc = "Moves an installed skill or a workspace skill to the trash."]
    Remove = "skills.remove", SkillRemoveParams => SkillRemoved, Admin;
    #[doc = "Restores a skill from the trash."]
    Restore = "skills.restore", SkillRestoreParams => SkillRestored, Admin;
    #[doc = "Lists the skills in the trash, the newest first."]
    Trash = "skills.trash", NoParams => SkillTrash, Read;
}

/// Parameters of `skills.install`. The skill is one of the default agent, whose workspace is the working folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillInstallParams {
    /// Name of the skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// Id of the installer, from `install[].id` of the report.
    #[schemars(length(min = 1, max = 256))]
    pub install_id: String,
    /// Time limit in milliseconds: from one second to fifteen minutes; five minutes by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// Parameters of `skills.install.stop`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillInstallStopParams {
    /// Name of the skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// Id of the installer.
    #[schemars(length(min = 1, max = 256))]
    pub install_id: String,
}

/// Result of `skills.install.stop`; the event `skills.install.ended` follows when the installation has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillInstallStopped {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Name of the skill.
    pub name: String,
    /// Id of the installer.
    pub install_id: String,
}

/// Result of `skills.install`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillInstallResult {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Message for people.
    pub message: String,
    /// Standard output of the installer.
    pub stdout: String,
    /// Standard error of the installer.
    pub stderr: String,
    /// Exit code of the installer.
    pub code: Option<i32>,
    /// Remarks for the owner, in English.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// The remarks as data, in the same order, for front ends in other languages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<InstallRemark>,
}

/// A remark about an installation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "code", rename_all = "kebab-case")]
pub enum InstallRemark {
    /// The program was installed but is not on PATH.
    NotOnPath {
        /// Name of the program.
        program: String,
    },
    /// The skill is from a writable folder, whose author chose the package.
    ChosenByFolder,
    /// The middle of the output is left out.
    OutputCut,
}

impl fmt::Display for InstallRemark {
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

/// Parameters of `skills.grant`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillGrantParams {
    /// Id of the agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Name of the skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// Capabilities to grant.
    #[schemars(length(min = 1, max = 16))]
    pub capabilities: Vec<Capability>,
}

/// Parameters of `skills.revoke`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillRevokeParams {
    /// Id of the agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Name of the skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// Capabilities to revoke; if empty, all granted ones.
    #[schemars(length(max = 16))]
    pub capabilities: Vec<Capability>,
}

/// Parameters of `skills.seen`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillApproveParams {
    /// Id of the agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Name of the skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// `scan.hash` of the version that was reviewed; the request fails if the folder has changed since.
    pub hash: ContentHash,
}

/// Parameters of `skills.accept`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillAcceptParams {
    /// Id of the agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Name of the skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// Id of the rule.
    #[schemars(length(min = 1, max = 128))]
    pub rule: String,
    /// Reason for accepting the finding; without one, the acceptance is withdrawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Parameters of `skills.trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillTrustParams {
    /// Id of the agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Name of the skill.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// The trust tier.
    pub tier: TrustTier,
    /// Required to raise the trust of a skill that the scan blocks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirm: Option<TrustConfirmation>,
}

/// Shows that a person has read the findings of a blocked skill: they typed its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrustConfirmation {
    /// The name as typed; the request fails if it is not the skill's.
    #[schemars(length(min = 1, max = 256))]
    pub name: String,
    /// `scan.hash` of the version whose findings were shown; the request fails if the folder has changed since.
    pub hash: ContentHash,
}

/// Parameters of `skills.remove`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillRemoveParams {
    /// Id of the agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Settings key of the skill.
    #[schemars(length(min = 1, max = 256))]
    pub skill_key: String,
}

/// Parameters of `skills.restore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillRestoreParams {
    /// Id from `skills.remove` or `skills.trash`.
    #[schemars(length(min = 1, max = 256))]
    pub id: String,
}

/// Parameters of `skills.status` and `skills.refresh`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillsParams {
    /// Id of the agent; by default the default agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
}

/// Parameters of `skills.update`; absent fields are kept. Contains keys, so it has no `Debug`.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SkillUpdateParams {
    /// Settings key of the skill.
    #[schemars(length(min = 1))]
    pub skill_key: String,
    /// Whether the skill is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// API key for its primary variable; an empty one removes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key: Option<String>,
    /// Environment variables for its programs; an empty value removes the variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
}

/// Result of `skills.update`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillUpdated {
    /// Always true; a failure is an error response.
    pub ok: bool,
    /// Settings key of the skill.
    pub skill_key: String,
    /// The new settings, with secrets redacted.
    pub config: Map<String, Value>,
}

/// Result of `skills.bins`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillBins {
    /// Names of programs, sorted and unique.
    pub bins: Vec<String>,
}
