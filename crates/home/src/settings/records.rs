//! The owner's decisions about single skills, by name: trust, grants, capabilities shown, findings accepted, turned
//! off (`skills.security.trust|grants|seen|accepted|disabled`).
//!
//! A [`SkillRecordChange`] affects only the records it names. `guard` enforces decisions and records them in the audit chain.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tarsus_protocol::capability::Capability;
use tarsus_protocol::grants::{Acceptance, ContentHash, Pinned, TrustChoice};

/// The decisions about all skills, by skill name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SkillRecords {
    /// Trust tier that overrides the one of the origin.
    pub trust: BTreeMap<String, TrustChoice>,
    /// Granted capabilities, for one content hash.
    pub grants: BTreeMap<String, Pinned>,
    /// Requested capabilities that were last shown to the owner, for one content hash.
    pub seen: BTreeMap<String, Pinned>,
    /// Accepted scan findings.
    pub accepted: BTreeMap<String, Vec<Acceptance>>,
    /// Skills, by key, that were turned off while openclaw.json could not be edited. Only `true` counts.
    pub disabled: BTreeMap<String, bool>,
}

/// A decision about one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkillRecordChange {
    /// Grants capabilities for a content hash; drops grants for other hashes.
    Grant {
        /// Name of the skill.
        name: String,
        /// Capabilities and content hash.
        grant: Pinned,
    },
    /// Revokes capabilities from grants and from the shown list.
    Revoke {
        /// Name of the skill.
        name: String,
        /// The capabilities; all if empty.
        capabilities: BTreeSet<Capability>,
    },
    /// Records that the requested capabilities were shown.
    See {
        /// Name of the skill.
        name: String,
        /// Capabilities and content hash.
        seen: Pinned,
    },
    /// Accepts a scan finding.
    Accept {
        /// Name of the skill.
        name: String,
        /// Rule, content hash and reason.
        acceptance: Acceptance,
    },
    /// Withdraws an acceptance.
    Unaccept {
        /// Name of the skill.
        name: String,
        /// Rule of the finding.
        rule: String,
    },
    /// Sets the trust tier.
    Trust {
        /// Name of the skill.
        name: String,
        /// Trust tier and content hash.
        choice: TrustChoice,
    },
    /// Resets the trust tier to the one of the origin.
    Untrust {
        /// Name of the skill.
        name: String,
    },
    /// Turns a skill off while openclaw.json, which says so otherwise, cannot be edited.
    Disable {
        /// Key of the skill.
        name: String,
    },
    /// Ends [`Self::Disable`].
    Enable {
        /// Key of the skill.
        name: String,
    },
    /// Forgets the decisions for a removed folder. A trust tier without a content hash stays: it also applies to another
    /// skill of that name, and to this one if it is installed again.
    Forget {
        /// Name of the skill.
        name: String,
        /// Content hash of the folder; `None` forgets the decisions for all hashes.
        hash: Option<ContentHash>,
    },
}

impl SkillRecordChange {
    /// Name of the skill.
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
            | Self::Disable { name }
            | Self::Enable { name }
            | Self::Forget { name, .. } => name,
        }
    }
}

impl SkillRecords {
    /// Returns the acceptances for a content hash.
    pub fn accepted_for<'a>(
        &'a self,
        name: &str,
        hash: &'a ContentHash,
    ) -> impl Iterator<Item = &'a Acceptance> {
        self.accepted.get(name).into_iter().flatten().filter(move |accepted| accepted.hash == *hash)
    }

    /// Whether a skill was turned off here.
    #[must_use]
    pub fn is_disabled(&self, key: &str) -> bool {
        self.disabled.get(key) == Some(&true)
    }

    #[must_use]
    pub fn after(mut self, change: &SkillRecordChange) -> Self {
        match change.clone() {
            SkillRecordChange::Grant { name, mut grant } => {
                if let Some(before) = self.grants.get(&name).filter(|before| before.hash == grant.hash) {
                    grant.capabilities.extend(&before.capabilities);
                }
                self.grants.insert(name, grant);
            }
            SkillRecordChange::Revoke { name, capabilities } => {
                revoke_from(&mut self.grants, &name, &capabilities);
                revoke_from(&mut self.seen, &name, &capabilities);
            }
            SkillRecordChange::See { name, seen } => drop(self.seen.insert(name, seen)),
            SkillRecordChange::Accept { name, acceptance } => {
                let accepted = self.accepted.entry(name).or_default();
                // Acceptances for another content hash are obsolete.
                let is_kept = |old: &Acceptance| old.rule != acceptance.rule || *old == acceptance;
                accepted.retain(|old| old.hash == acceptance.hash && is_kept(old));
                if !accepted.contains(&acceptance) {
                    accepted.push(acceptance);
                }
            }
            SkillRecordChange::Unaccept { name, rule } => remove_if(&mut self.accepted, &name, |accepted| {
                accepted.retain(|old| old.rule != rule);
                accepted.is_empty()
            }),
            SkillRecordChange::Trust { name, choice } => drop(self.trust.insert(name, choice)),
            SkillRecordChange::Untrust { name } => drop(self.trust.remove(&name)),
            SkillRecordChange::Disable { name } => drop(self.disabled.insert(name, true)),
            SkillRecordChange::Enable { name } => drop(self.disabled.remove(&name)),
            SkillRecordChange::Forget { name, hash } => {
                let is_removed = |pinned: &ContentHash| hash.as_ref().is_none_or(|hash| hash == pinned);
                remove_if(&mut self.trust, &name, |choice| choice.hash.as_ref().is_some_and(is_removed));
                remove_if(&mut self.grants, &name, |grant| is_removed(&grant.hash));
                remove_if(&mut self.seen, &name, |seen| is_removed(&seen.hash));
                remove_if(&mut self.accepted, &name, |accepted| {
                    accepted.retain(|old| !is_removed(&old.hash));
                    accepted.is_empty()
                });
            }
        }
        self
    }
}

/// Removes capabilities from a record, all if none are given; removes a record that becomes empty.
fn revoke_from(records: &mut BTreeMap<String, Pinned>, name: &str, capabilities: &BTreeSet<Capability>) {
    remove_if(records, name, |pinned| {
        let held = pinned.capabilities.len();
        pinned.capabilities.retain(|one| !capabilities.contains(one));
        capabilities.is_empty() || (pinned.capabilities.is_empty() && held > 0)
    });
}

fn remove_if<T>(records: &mut BTreeMap<String, T>, name: &str, is_obsolete: impl FnOnce(&mut T) -> bool) {
    if records.get_mut(name).is_some_and(is_obsolete) {
        records.remove(name);
    }
}
