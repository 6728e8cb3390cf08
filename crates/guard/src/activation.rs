//! The skills that are active in a session, and in everything derived from it.
//!
//! An activation only grows: sessions, jobs, notes and child sessions carry it, and joining two is commutative,
//! associative and idempotent. Only a session reset starts with an empty one. An activation that cannot be parsed counts
//! as an unknown skill without any capability.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::grants::ContentHash;

/// Skills that are listed; if there are more, they are only known to exist.
pub const MAX_ACTIVE_SKILLS: usize = 256;

/// The cause of an activation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ActivationCause {
    /// Its files were read.
    Read,
    /// Its slash command was used.
    Command,
    /// It was named by `$name` or `/skill name`.
    Named,
    /// Its command was dispatched to a tool.
    Dispatched,
    /// The arguments or the output of a tool touched its folder.
    Touched,
}

impl ActivationCause {
    /// Describes the cause for audit records.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Read => "its files were read",
            Self::Command => "its command was used",
            Self::Named => "it was named",
            Self::Dispatched => "its command was dispatched",
            Self::Touched => "a tool touched its folder",
        }
    }
}

/// A skill at one version of its folder. Another hash under the same name is another skill.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillId {
    /// The skill's name.
    pub name: String,
    /// Hash of its folder; `None` if it could not be read or does not matter.
    pub hash: Option<ContentHash>,
}

/// How a skill became active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActiveSkill {
    /// The lowest tier that it had when it was activated.
    pub tier: TrustTier,
    /// All causes so far.
    pub causes: BTreeSet<ActivationCause>,
}

/// The active skills of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "StoredActivation", into = "StoredActivation")]
pub struct Activation {
    skills: BTreeMap<SkillId, ActiveSkill>,
    has_unknown: bool,
}

impl Activation {
    /// The activation that is assumed if the stored one cannot be parsed: some skill is active, and it is not known
    /// which.
    #[must_use]
    pub fn unknown() -> Self {
        Self { skills: BTreeMap::new(), has_unknown: true }
    }

    /// Parses a stored activation; falls back to [`Activation::unknown`].
    #[must_use]
    pub fn parse(stored: &str) -> Self {
        serde_json::from_str(stored).unwrap_or_else(|_| Self::unknown())
    }

    /// Activates a skill. The hash is kept for community skills only: the owner changes their own skills at will.
    pub fn activate(&mut self, skill: SkillId, tier: TrustTier, cause: ActivationCause) {
        let hash = skill.hash.filter(|_| tier == TrustTier::Community);
        self.add(SkillId { hash, ..skill }, ActiveSkill { tier, causes: BTreeSet::from([cause]) });
    }

    /// Adds everything that another activation holds.
    pub fn join(&mut self, other: &Self) {
        self.has_unknown |= other.has_unknown;
        for (id, skill) in &other.skills {
            self.add(id.clone(), skill.clone());
        }
    }

    /// The active skills, ordered by name.
    pub fn skills(&self) -> impl Iterator<Item = (&SkillId, &ActiveSkill)> {
        self.skills.iter()
    }

    /// The part of it that restricts calls: skills that somebody else wrote.
    #[must_use]
    pub fn community(&self) -> Self {
        let community = |(_, skill): &(&SkillId, &ActiveSkill)| skill.tier == TrustTier::Community;
        let skills = self.skills.iter().filter(community).map(|(id, skill)| (id.clone(), skill.clone()));
        Self { skills: skills.collect(), has_unknown: self.has_unknown }
    }

    /// Whether further skills are active that are not listed.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        self.has_unknown
    }

    /// Whether no skill is active.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty() && !self.has_unknown
    }

    fn add(&mut self, id: SkillId, skill: ActiveSkill) {
        match self.skills.entry(id) {
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.tier = known.tier.min(skill.tier);
                known.causes.extend(skill.causes);
            }
            Entry::Vacant(entry) => drop(entry.insert(skill)),
        }
        while self.skills.len() > MAX_ACTIVE_SKILLS {
            self.skills.pop_last();
            self.has_unknown = true;
        }
    }
}

/// The stored form. A field of a newer version makes the whole activation unknown.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredActivation {
    skills: Vec<StoredSkill>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    others: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredSkill {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hash: Option<ContentHash>,
    tier: TrustTier,
    how: BTreeSet<ActivationCause>,
}

impl From<StoredActivation> for Activation {
    fn from(stored: StoredActivation) -> Self {
        let mut activation = Self { skills: BTreeMap::new(), has_unknown: stored.others };
        for StoredSkill { name, hash, tier, how } in stored.skills {
            activation.add(SkillId { name, hash }, ActiveSkill { tier, causes: how });
        }
        activation
    }
}

impl From<Activation> for StoredActivation {
    fn from(activation: Activation) -> Self {
        let stored = |(SkillId { name, hash }, ActiveSkill { tier, causes })| StoredSkill {
            name,
            hash,
            tier,
            how: causes,
        };
        Self { skills: activation.skills.into_iter().map(stored).collect(), others: activation.has_unknown }
    }
}
