//! How one skill stands: how far it is trusted, and which capabilities it can use.
//!
//! Promises: a pure function of the skill and the owner's decisions. A decision for other bytes than the folder has now
//! does not count, and is told. Leaves to others: what that means for a call (`authorize`).

use std::collections::BTreeSet;

use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Consent, ContentHash, Pinned, SkillCapabilities, TrustChoice};

use crate::declared::Declared;
use crate::facts::{Facts, Places};
use crate::tools::Tool;

/// A skill as it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// How far its source and origin are trusted.
    pub natural: TrustTier,
    /// Its folder; `None` when it could not be looked at, and then no decision about it counts.
    pub hash: Option<ContentHash>,
    /// What it asks for.
    pub declared: Declared,
}

/// How a skill stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub hash: Option<ContentHash>,
    /// How far its source and origin are trusted.
    pub natural: TrustTier,
    /// How far it is trusted.
    pub tier: TrustTier,
    /// More trust, given to the folder before it changed: it does not count any more.
    pub void_trust: Option<TrustTier>,
    /// What it asks for.
    pub declared: Declared,
    /// Whether the owner has seen what it asks for.
    pub consent: Consent,
    /// Whether the owner was shown the skill as its folder is, whatever it asks for.
    pub seen: bool,
    /// What the owner granted to the folder as it is.
    pub granted: BTreeSet<Capability>,
    /// What the owner granted before the folder changed: it does not count any more.
    pub void_grants: BTreeSet<Capability>,
    /// What it can use.
    pub effective: BTreeSet<Capability>,
}

/// How a skill stands after the owner's decisions.
#[must_use]
pub fn standing(subject: Subject, records: &SkillRecords) -> Standing {
    let Subject { name, natural, hash, declared } = subject;
    let is_now = |pinned: &ContentHash| hash.as_ref() == Some(pinned);

    let (tier, void_trust) = tier_of(natural, records.trust.get(&name), hash.as_ref());

    let before = records.seen.get(&name);
    let now = before.filter(|seen| is_now(&seen.hash));
    let has_all = |seen: &Pinned| declared.capabilities.is_subset(&seen.capabilities);
    let consent = match (now, before) {
        _ if tier != TrustTier::Community || declared.capabilities.is_empty() => Consent::NotNeeded,
        (Some(seen), _) if has_all(seen) => Consent::Seen,
        // Taken back, or not shown yet.
        (Some(_), _) | (None, None) => Consent::Unseen,
        (None, Some(seen)) if has_all(seen) => Consent::Changed,
        (None, Some(_)) => Consent::Widened,
    };

    let grant = records.grants.get(&name);
    let capabilities = |counts: bool| {
        let grant = grant.filter(|grant| is_now(&grant.hash) == counts);
        grant.map(|grant| grant.capabilities.clone()).unwrap_or_default()
    };
    let (granted, void_grants) = (capabilities(true), capabilities(false));

    // Only what was shown: a later reader may understand more of the same bytes.
    let confirmed = now.map(|seen| &declared.capabilities & &seen.capabilities);
    let effective = match tier {
        TrustTier::Local | TrustTier::Builtin => BTreeSet::from(Capability::ALL),
        TrustTier::Community => &confirmed.unwrap_or_default() | &granted,
    };
    let seen = now.is_some();
    Standing {
        name,
        hash,
        natural,
        tier,
        void_trust,
        declared,
        consent,
        seen,
        granted,
        void_grants,
        effective,
    }
}

/// How far a skill is trusted, and what the owner chose that does not count for its folder.
pub(crate) fn tier_of(
    natural: TrustTier,
    choice: Option<&TrustChoice>,
    folder: Option<&ContentHash>,
) -> (TrustTier, Option<TrustTier>) {
    let is_now = |pinned: &ContentHash| folder == Some(pinned);
    match choice {
        None => (natural, None),
        Some(choice) if choice.tier <= natural => (choice.tier, None),
        // Only what travels in the program is builtin.
        Some(choice) if choice.hash.as_ref().is_some_and(is_now) => {
            (choice.tier.min(natural.max(TrustTier::Local)), None)
        }
        Some(choice) => (natural, Some(choice.tier)),
    }
}

/// Why a skill does not have what a call needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Lack {
    /// It does not ask for it, and was not granted it.
    NotDeclared,
    /// It asks for it, and nobody has seen that.
    Unseen(Consent),
    /// It was granted before the folder changed.
    Void,
    /// It asks for less than this.
    Limit(String),
}

impl Standing {
    /// Whether it is held to its capabilities.
    #[must_use]
    pub fn is_enforced(&self) -> bool {
        self.tier == TrustTier::Community
    }

    /// Whether the owner trusts it more than its origin does.
    pub(crate) fn is_raised(&self) -> bool {
        self.tier > self.natural
    }

    /// Whether a tool may be called that needs a capability. A grant lifts the limits that the skill puts on itself.
    ///
    /// # Errors
    /// What it lacks.
    pub fn permits(
        &self,
        tool: Tool,
        capability: Capability,
        facts: &Facts,
        places: Places<'_>,
    ) -> Result<(), Lack> {
        if !self.is_enforced() || self.granted.contains(&capability) {
            return Ok(());
        }
        if self.effective.contains(&capability) {
            return self
                .declared
                .limits
                .broken_by(tool, facts, places)
                .map_or(Ok(()), |why| Err(Lack::Limit(why)));
        }
        if self.void_grants.contains(&capability) {
            Err(Lack::Void)
        } else if self.declared.capabilities.contains(&capability) {
            Err(Lack::Unseen(self.consent))
        } else {
            Err(Lack::NotDeclared)
        }
    }

    /// What every surface shows of its capabilities; `used` is what a look into its files found.
    #[must_use]
    pub fn report(&self, used: Option<&[Capability]>) -> SkillCapabilities {
        let list = |set: &BTreeSet<Capability>| set.iter().copied().collect();
        let is_granted = |capability| self.granted.contains(&capability);
        SkillCapabilities {
            declared: list(&self.declared.capabilities),
            unknown: self.declared.unknown.clone(),
            used: used.map(<[_]>::to_vec),
            granted: list(&self.granted),
            void: list(&self.void_grants),
            void_trust: self.void_trust,
            effective: list(&self.effective),
            enforced: self.is_enforced(),
            consent: self.consent,
            seen: self.seen,
            limits: self.declared.limits.described(|capability| !is_granted(capability)),
            lifted: self.declared.limits.described(is_granted),
            advisory: self.declared.advisory.clone(),
            problems: self.declared.problems.clone(),
        }
    }
}
