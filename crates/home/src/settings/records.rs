//! What the owner decided about single skills, by their names: trust, grants, lists that were seen, findings that were
//! accepted (`skills.security.trust|grants|seen|accepted`).
//!
//! Promises: a change says what it is about and nothing else of the records changes. Leaves to others: what follows
//! from a decision, and writing it down in the audit chain (`guard`).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tarsus_protocol::capability::Capability;
use tarsus_protocol::grants::{Acceptance, ContentHash, Pinned, TrustChoice};

/// The decisions about all skills.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillRecords {
    /// How far a skill is trusted, whatever its origin says.
    pub trust: BTreeMap<String, TrustChoice>,
    /// What was granted to a skill, for one state of its folder.
    pub grants: BTreeMap<String, Pinned>,
    /// What a skill asked for when it was last shown, for one state of its folder.
    pub seen: BTreeMap<String, Pinned>,
    /// Findings that are lived with.
    pub accepted: BTreeMap<String, Vec<Acceptance>>,
}

/// One decision about one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Allows capabilities to a folder; those allowed to another state of the folder are gone.
    Grant {
        /// The skill.
        name: String,
        /// What is allowed, and to which folder.
        grant: Pinned,
    },
    /// Takes capabilities back, whether they were granted or only seen to be asked for.
    Revoke {
        /// The skill.
        name: String,
        /// Which; all of them when none is named.
        capabilities: BTreeSet<Capability>,
    },
    /// What the skill asks for was shown.
    See {
        /// The skill.
        name: String,
        /// What was shown, and of which folder.
        seen: Pinned,
    },
    /// A finding is lived with.
    Accept {
        /// The skill.
        name: String,
        /// The finding.
        acceptance: Acceptance,
    },
    /// A finding is not lived with any more.
    Unaccept {
        /// The skill.
        name: String,
        /// Its rule.
        rule: String,
    },
    /// Sets how far a skill is trusted.
    Trust {
        /// The skill.
        name: String,
        /// How far.
        choice: TrustChoice,
    },
    /// Trusts a skill as far as its origin says.
    Untrust {
        /// The skill.
        name: String,
    },
    /// Forgets what was given to a folder that is gone. Less trust than its origin gives stays: it may be meant for
    /// another skill of the name, and for this one when it comes back.
    Forget {
        /// The skill.
        name: String,
        /// The folder; when it is not known, what was given to any folder of the skill is forgotten.
        hash: Option<ContentHash>,
    },
}

impl Change {
    /// The skill that it is about.
    #[must_use]
    pub fn skill(&self) -> &str {
        match self {
            Self::Grant { name, .. }
            | Self::Revoke { name, .. }
            | Self::See { name, .. }
            | Self::Accept { name, .. }
            | Self::Unaccept { name, .. }
            | Self::Trust { name, .. }
            | Self::Untrust { name }
            | Self::Forget { name, .. } => name,
        }
    }
}

impl SkillRecords {
    /// The acceptances that count for a folder.
    pub fn accepted_for<'a>(
        &'a self,
        name: &str,
        hash: &'a ContentHash,
    ) -> impl Iterator<Item = &'a Acceptance> {
        self.accepted.get(name).into_iter().flatten().filter(move |accepted| accepted.hash == *hash)
    }

    /// The records after a change.
    #[must_use]
    pub fn after(mut self, change: &Change) -> Self {
        match change.clone() {
            Change::Grant { name, mut grant } => {
                if let Some(before) = self.grants.get(&name).filter(|before| before.hash == grant.hash) {
                    grant.capabilities.extend(&before.capabilities);
                }
                self.grants.insert(name, grant);
            }
            Change::Revoke { name, capabilities } => {
                take_back(&mut self.grants, &name, &capabilities);
                take_back(&mut self.seen, &name, &capabilities);
            }
            Change::See { name, seen } => drop(self.seen.insert(name, seen)),
            Change::Accept { name, acceptance } => {
                let accepted = self.accepted.entry(name).or_default();
                // Another state of the folder is another text: what was accepted there is of no use here.
                let is_kept = |old: &Acceptance| old.rule != acceptance.rule || *old == acceptance;
                accepted.retain(|old| old.hash == acceptance.hash && is_kept(old));
                if !accepted.contains(&acceptance) {
                    accepted.push(acceptance);
                }
            }
            Change::Unaccept { name, rule } => drop_if(&mut self.accepted, &name, |accepted| {
                accepted.retain(|old| old.rule != rule);
                accepted.is_empty()
            }),
            Change::Trust { name, choice } => drop(self.trust.insert(name, choice)),
            Change::Untrust { name } => drop(self.trust.remove(&name)),
            Change::Forget { name, hash } => {
                let is_gone = |pinned: &ContentHash| hash.as_ref().is_none_or(|hash| hash == pinned);
                drop_if(&mut self.trust, &name, |choice| choice.hash.as_ref().is_some_and(is_gone));
                drop_if(&mut self.grants, &name, |grant| is_gone(&grant.hash));
                drop_if(&mut self.seen, &name, |seen| is_gone(&seen.hash));
                drop_if(&mut self.accepted, &name, |accepted| {
                    accepted.retain(|old| !is_gone(&old.hash));
                    accepted.is_empty()
                });
            }
        }
        self
    }
}

/// Takes capabilities out of a record, all of them when none is named; a record that held some of them alone goes.
fn take_back(records: &mut BTreeMap<String, Pinned>, name: &str, capabilities: &BTreeSet<Capability>) {
    drop_if(records, name, |pinned| {
        let held = pinned.capabilities.len();
        pinned.capabilities.retain(|one| !capabilities.contains(one));
        capabilities.is_empty() || (pinned.capabilities.is_empty() && held > 0)
    });
}

fn drop_if<T>(records: &mut BTreeMap<String, T>, name: &str, is_of_no_use: impl FnOnce(&mut T) -> bool) {
    if records.get_mut(name).is_some_and(is_of_no_use) {
        records.remove(name);
    }
}
