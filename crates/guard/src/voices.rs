//! The community skills that have to agree to what happens in a session.

use tarsus_protocol::capability::TrustTier;

use crate::activation::{Activation, Say, SkillId};
use crate::skills::Skills;
use crate::standing::Standing;

/// What stands in place of a name that nobody knows any more.
pub(crate) const SOME_SKILL: &str = "(unknown)";

/// A community skill that has to have what a call needs.
pub(crate) enum Voice<'a> {
    /// It is as it was.
    Here(&'a Standing),
    /// It is not there any more, or its folder is another one now.
    Gone(&'a str),
}

impl<'a> Voice<'a> {
    pub(crate) fn name(&self) -> &'a str {
        match self {
            Self::Here(skill) => &skill.name,
            Self::Gone(name) => name,
        }
    }
}

/// The community skills that have had a say.
pub(crate) fn active<'a>(skills: &'a Skills, active: &'a Activation) -> Vec<Voice<'a>> {
    let voice = |(skill, say): (&'a SkillId, &'a Say)| match say.tier {
        TrustTier::Community => community(skill, skills),
        // Trusted then; it may be trusted less by now.
        TrustTier::Local | TrustTier::Builtin => {
            skills.get(&skill.name).filter(|now| now.is_enforced()).map(Voice::Here)
        }
    };
    let unknown = active.has_unknown().then_some(Voice::Gone(SOME_SKILL));
    active.skills().filter_map(voice).chain(unknown).collect()
}

/// A skill of the snapshot whose command is carried out; `None` when it is trusted.
pub(crate) fn of<'a>(skill: &'a SkillId, skills: &'a Skills) -> Option<Voice<'a>> {
    match skills.get(&skill.name) {
        Some(now) if !now.is_enforced() && is_of(skill, now) => None,
        _ => community(skill, skills),
    }
}

/// Whether a skill that has had a say is the one that has its name now.
pub(crate) fn is_here(skill: &SkillId, say: &Say, skills: &Skills) -> bool {
    match say.tier {
        TrustTier::Community => !matches!(community(skill, skills), Some(Voice::Gone(_))),
        TrustTier::Local | TrustTier::Builtin => skills.get(&skill.name).is_some(),
    }
}

/// The bytes of trusted skills need not be known.
fn is_of(skill: &SkillId, now: &Standing) -> bool {
    skill.hash.is_none() || skill.hash == now.hash
}

/// A skill that was a community skill when it got its say; `None` when the owner trusts it more by now. A trusted folder
/// with the same bytes, which a tool may have copied, is not this skill.
fn community<'a>(skill: &'a SkillId, skills: &'a Skills) -> Option<Voice<'a>> {
    match skills.same(skill) {
        Some(now) if now.is_enforced() => Some(Voice::Here(now)),
        Some(now) if now.is_raised() => None,
        Some(_) | None => Some(Voice::Gone(&skill.name)),
    }
}
