//! An agent's skills as the guard needs them to authorize tool calls.
//!
//! [`SkillSet`] holds every usable skill of any trust tier. [`SkillDetector`] covers every skill that is held to its
//! capabilities, even if it is blocked, disabled or shadowed, because its text can still be read.

use tarsus_guard::{DetectableSkill, PathBases, SkillDetector, SkillId, SkillSet};

use super::{EvaluatedSkill, SkillsSnapshot};
use crate::commands::SkillCommands;

impl SkillsSnapshot {
    /// Returns the skills that the agent can use and the watch over their folders. `commands` are the slash commands.
    #[must_use]
    pub fn guard_inputs(&self, commands: &SkillCommands) -> (SkillSet, SkillDetector) {
        let evaluation = self.evaluation();
        let commands = commands.by_skill();
        let watch = |skill: &EvaluatedSkill| {
            let (permissions, folder) = (&skill.permissions, skill.file.dir());
            DetectableSkill {
                skill: SkillId { name: permissions.name.clone(), hash: permissions.hash.clone() },
                tier: permissions.tier,
                // A folder that was deleted meanwhile cannot be read either.
                folder: folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf()),
                command: commands.get(permissions.name.as_str()).map(|command| (*command).to_owned()),
            }
        };
        let own =
            evaluation.skills.iter().filter(|skill| skill.is_ready() || skill.permissions.is_enforced());
        let shadowed = evaluation.shadowed.iter().filter(|skill| skill.permissions.is_enforced());
        let watched = own.chain(shadowed).map(watch).collect();
        let skills = evaluation.ready().map(|skill| skill.permissions.clone()).collect();
        let (workspace, home) = (self.inputs.workspace(&self.agent), self.inputs.home.user_home());
        (skills, SkillDetector::new(watched, PathBases { workspace: &workspace, home }))
    }
}
