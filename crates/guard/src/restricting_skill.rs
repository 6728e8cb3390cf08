//! Community skills whose capabilities restrict the calls of a session.

use tarsus_protocol::capability::TrustTier;

use crate::activation::{Activation, ActiveSkill, SkillId};
use crate::skill_permissions::SkillPermissions;
use crate::skill_set::SkillSet;

/// Stands in for skills whose names are no longer known.
pub(crate) const UNKNOWN_SKILL: &str = "(unknown)";

/// A community skill that must hold the capability that a call needs.
pub(crate) enum RestrictingSkill<'a> {
    /// Loaded, with the same content hash.
    Present(&'a SkillPermissions),
    /// Removed, or changed since it was activated.
    Gone(&'a str),
}

impl<'a> RestrictingSkill<'a> {
    pub(crate) fn name(&self) -> &'a str {
        match self {
            Self::Present(skill) => &skill.name,
            Self::Gone(name) => name,
        }
    }
}

/// The active skills of a session that are held to their capabilities.
pub(crate) fn restricting_skills<'a>(
    skills: &'a SkillSet,
    active: &'a Activation,
) -> Vec<RestrictingSkill<'a>> {
    let restricting = |(id, skill): (&'a SkillId, &'a ActiveSkill)| match skill.tier {
        TrustTier::Community => community(id, skills),
        // Trusted when activated; the owner may have lowered its trust since.
        TrustTier::Local | TrustTier::Builtin => {
            skills.get(&id.name).filter(|now| now.is_enforced()).map(RestrictingSkill::Present)
        }
    };
    let unknown = active.has_unknown().then_some(RestrictingSkill::Gone(UNKNOWN_SKILL));
    active.skills().filter_map(restricting).chain(unknown).collect()
}

/// The skill whose command dispatched a call; `None` if it is trusted.
pub(crate) fn dispatching_skill<'a>(id: &'a SkillId, skills: &'a SkillSet) -> Option<RestrictingSkill<'a>> {
    // Trusted skills may be activated without a hash.
    let is_same = |now: &SkillPermissions| id.hash.is_none() || id.hash == now.hash;
    match skills.get(&id.name) {
        Some(now) if !now.is_enforced() && is_same(now) => None,
        _ => community(id, skills),
    }
}

/// A skill that was activated as a community skill; `None` if the owner raised its trust since. A folder with the same
/// bytes and a higher natural tier is a different skill: a tool may have copied it.
fn community<'a>(id: &'a SkillId, skills: &'a SkillSet) -> Option<RestrictingSkill<'a>> {
    match skills.get_same(id) {
        Some(now) if now.is_enforced() => Some(RestrictingSkill::Present(now)),
        Some(now) if now.is_trust_raised() => None,
        Some(_) | None => Some(RestrictingSkill::Gone(&id.name)),
    }
}
