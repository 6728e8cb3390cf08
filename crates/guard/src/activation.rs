//! Which skills have had a say in a session, and so in everything that came out of it.
//!
//! Promises: a value that only grows. A session, a job, a note and a child carry it; joining two loses nothing, in any
//! order. Nothing takes a skill out again: a reset session starts with an empty one. What cannot be read back counts as
//! a skill without any capability. Leaves to others: storing it, and noticing that a skill is used (`Watch` helps).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::grants::ContentHash;

/// At most so many are told apart; beyond that it is only known that there were more.
pub const MOST_ACTIVE: usize = 256;

/// How a skill came to have a say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
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

impl How {
    /// In words.
    #[must_use]
    pub const fn described(self) -> &'static str {
        match self {
            Self::Read => "its files were read",
            Self::Command => "its command was used",
            Self::Named => "it was named",
            Self::Dispatched => "its command was dispatched",
            Self::Touched => "a tool touched its folder",
        }
    }
}

/// A skill with the bytes that it had. Other bytes of the same skill are another say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillId {
    /// Its name.
    pub name: String,
    /// Its folder; `None` when it could not be looked at, or does not matter.
    pub hash: Option<ContentHash>,
}

/// What is known of a skill that has had a say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Say {
    /// The least that it was trusted then.
    pub tier: TrustTier,
    /// How it came to have a say.
    pub how: BTreeSet<How>,
}

/// The skills that have had a say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Activation {
    skills: BTreeMap<SkillId, Say>,
    /// Whether there were others, of which nothing is known.
    others: bool,
}

impl Activation {
    /// What is assumed when the stored one cannot be read: a skill has had a say, and nobody knows which.
    #[must_use]
    pub fn unknown() -> Self {
        Self { skills: BTreeMap::new(), others: true }
    }

    /// Reads a stored one; what cannot be read is [`Activation::unknown`].
    #[must_use]
    pub fn read(stored: &str) -> Self {
        serde_json::from_str(stored).unwrap_or_else(|_| Self::unknown())
    }

    /// A skill has a say from now on. The bytes matter of community skills alone: the owner changes his own at will.
    pub fn activate(&mut self, skill: SkillId, tier: TrustTier, how: How) {
        let hash = skill.hash.filter(|_| tier == TrustTier::Community);
        self.add(SkillId { hash, ..skill }, Say { tier, how: BTreeSet::from([how]) });
    }

    /// Takes in what another one carries.
    pub fn join(&mut self, other: &Self) {
        self.others |= other.others;
        for (skill, say) in &other.skills {
            self.add(skill.clone(), say.clone());
        }
    }

    /// Those that have had a say, by name.
    pub fn skills(&self) -> impl Iterator<Item = (&SkillId, &Say)> {
        self.skills.iter()
    }

    /// Whether there were others, of which nothing is known.
    #[must_use]
    pub fn has_unknown(&self) -> bool {
        self.others
    }

    /// Whether no skill has had a say.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.skills.is_empty() && !self.others
    }

    fn add(&mut self, skill: SkillId, say: Say) {
        match self.skills.entry(skill) {
            Entry::Occupied(mut known) => {
                let known = known.get_mut();
                known.tier = known.tier.min(say.tier);
                known.how.extend(say.how);
            }
            Entry::Vacant(place) => drop(place.insert(say)),
        }
        while self.skills.len() > MOST_ACTIVE {
            self.skills.pop_last();
            self.others = true;
        }
    }
}

/// How it is written down. What a newer version adds is not understood, and so not known.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
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
    how: BTreeSet<How>,
}

impl From<Stored> for Activation {
    fn from(stored: Stored) -> Self {
        let mut activation = Self { skills: BTreeMap::new(), others: stored.others };
        for StoredSkill { name, hash, tier, how } in stored.skills {
            activation.add(SkillId { name, hash }, Say { tier, how });
        }
        activation
    }
}

impl From<Activation> for Stored {
    fn from(activation: Activation) -> Self {
        let skill = |(SkillId { name, hash }, Say { tier, how })| StoredSkill { name, hash, tier, how };
        Self { skills: activation.skills.into_iter().map(skill).collect(), others: activation.others }
    }
}
