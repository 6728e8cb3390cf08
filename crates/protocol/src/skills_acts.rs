//! What is answered when a skill is installed, removed, brought back or decided about: on the terminal and by the
//! gateway.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::TrustTier;
use crate::grants::SkillCapabilities;
use crate::skills::{SkillScan, SkillState, SkillStatus};

/// A skill that was installed: the answer of `tarsus skills install`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillInstalled {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// Its name.
    pub name: String,
    /// The name of its folder.
    pub slug: String,
    /// Its folder.
    pub path: String,
    /// How many files it has.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: u64,
    /// What it asks for and uses.
    pub capabilities: SkillCapabilities,
    /// What was found in it.
    pub scan: SkillScan,
}

/// A skill that was removed: the answer of `skills.remove` and `tarsus skills remove`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillRemoved {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// What `skills.restore` takes to bring it back.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The folder that it was.
    pub path: String,
    /// Skills that were in the trash for longest and are gone for good.
    pub gone: Vec<String>,
}

/// A skill that was brought back: the answer of `skills.restore` and `tarsus skills restore NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillRestored {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: String,
}

/// What is in the trash: the answer of `skills.trash` and `tarsus skills restore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillTrash {
    /// The newest first.
    pub skills: Vec<TrashedSkill>,
}

/// A skill in the trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrashedSkill {
    /// What `skills.restore` takes to bring it back.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The folder that it was.
    pub path: String,
    /// When it was removed, as RFC 3339 has it.
    pub removed_at: String,
}

/// What was taken back from a skill that is not there any more: the answer of `tarsus skills revoke` then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillForgotten {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// Its name.
    pub name: String,
    /// Whether anything is other than before.
    pub changed: bool,
}

/// How a skill stands after a decision about it: the answer of `tarsus skills grant`, `revoke`, `accept` and `trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillDecided {
    /// Always true: what fails is an error.
    pub ok: bool,
    /// Its name.
    pub name: String,
    /// Whether anything is other than before.
    pub changed: bool,
    /// How it stands.
    pub status: SkillState,
    /// How far it is trusted.
    pub trust: TrustTier,
    /// What it asks for, uses and may use; left out when its file cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<SkillCapabilities>,
    /// What was found in it, with what is accepted.
    pub scan: SkillScan,
}

impl SkillDecided {
    /// How a skill of a report stands.
    #[must_use]
    pub fn of(skill: &SkillStatus, changed: bool) -> Self {
        Self {
            ok: true,
            name: skill.name.to_string(),
            changed,
            status: skill.status,
            trust: skill.trust,
            capabilities: skill.capabilities.clone(),
            scan: skill.scan.clone(),
        }
    }
}
