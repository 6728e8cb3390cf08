//! Results of installing, removing, restoring and deciding about skills, in the terminal and on the wire.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::capability::TrustTier;
use crate::grants::SkillCapabilities;
use crate::skills::{AcceptedFindings, SkillScan, SkillState, SkillStatus};

/// Output of `tarsus skills install`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillInstalled {
    /// Always true; a failure is an error.
    pub ok: bool,
    /// Name of the skill.
    pub name: String,
    /// Name of its folder.
    pub slug: String,
    /// Its folder.
    pub path: String,
    /// Number of files.
    pub files: usize,
    /// Total size in bytes.
    pub bytes: u64,
    /// Declared and used capabilities.
    pub capabilities: SkillCapabilities,
    /// Result of the scan.
    pub scan: SkillScan,
}

/// Result of `skills.remove` and output of `tarsus skills remove`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillRemoved {
    /// Always true; a failure is an error.
    pub ok: bool,
    /// Id for `skills.restore`.
    pub id: String,
    /// Name of the skill.
    pub name: String,
    /// Its former folder.
    pub path: String,
    /// Oldest skills in the trash that were deleted to make space.
    pub gone: Vec<String>,
}

/// Result of `skills.restore` and output of `tarsus skills restore NAME`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillRestored {
    /// Always true; a failure is an error.
    pub ok: bool,
    /// Name of the skill.
    pub name: String,
    /// Its folder.
    pub path: String,
}

/// Result of `skills.trash` and output of `tarsus skills restore`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SkillTrash {
    /// Skills in the trash, the newest first.
    pub skills: Vec<TrashedSkill>,
}

/// A skill in the trash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrashedSkill {
    /// Id for `skills.restore`.
    pub id: String,
    /// Name of the skill.
    pub name: String,
    /// Its former folder.
    pub path: String,
    /// Time of the removal, as RFC 3339.
    pub removed_at: String,
}

/// Output of `tarsus skills revoke` for a skill that does not exist any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillForgotten {
    /// Always true; a failure is an error.
    pub ok: bool,
    /// Name of the skill.
    pub name: String,
    /// Whether anything changed.
    pub changed: bool,
}

/// A skill after a decision about it: the output of `tarsus skills grant`, `revoke`, `accept` and `trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SkillDecided {
    /// Always true; a failure is an error.
    pub ok: bool,
    /// Name of the skill.
    pub name: String,
    /// Whether anything changed.
    pub changed: bool,
    /// The new state.
    pub status: SkillState,
    /// Trust tier.
    pub trust: TrustTier,
    /// Declared, used and effective capabilities; absent if its file cannot be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<SkillCapabilities>,
    /// Result of the scan, with accepted findings.
    pub scan: SkillScan,
    /// Critical findings that the owner accepted; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepted_findings: Option<AcceptedFindings>,
}

impl SkillDecided {
    /// Copies the decided fields of a skill's row in the report.
    #[must_use]
    pub fn from_status(skill: &SkillStatus, changed: bool) -> Self {
        Self {
            ok: true,
            name: skill.name.to_string(),
            changed,
            status: skill.status,
            trust: skill.trust,
            capabilities: skill.capabilities.clone(),
            scan: skill.scan.clone(),
            accepted_findings: skill.accepted_findings.clone(),
        }
    }
}
