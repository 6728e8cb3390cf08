//! Why a skill cannot be called for, in words for a chat.

use tarsus_protocol::skills::{SkillState, SkillStatus};

use super::short;

/// Why a skill is not carried out, and where more is said.
pub(super) fn because(skill: &SkillStatus<'_>) -> String {
    let name = short(&skill.name);
    let first = || skill.diagnostics.first().map(|first| short(&first.message)).unwrap_or_default();
    let why = match skill.status {
        SkillState::Blocked => "it is blocked, because of what was found in its files".to_owned(),
        SkillState::Invalid => format!("its file cannot be read ({})", first()),
        SkillState::Degraded => format!("its file can be read only in part ({})", first()),
        SkillState::Disabled => "it is switched off".to_owned(),
        SkillState::NotAllowed => "skills.allowBundled does not name it".to_owned(),
        SkillState::Filtered => "the list of skills of this agent does not name it".to_owned(),
        SkillState::Missing if skill.platform_incompatible => {
            format!("it is for {}", short(&skill.requirements.os.join(", ")))
        }
        SkillState::Missing => format!("it needs {}", short(&skill.missing.named())),
        SkillState::Shadowed | SkillState::Ready => "it is for the model alone".to_owned(),
    };
    format!("The skill \"{name}\" cannot be called for: {why}. `tarsus skills info {name}` says more.")
}
