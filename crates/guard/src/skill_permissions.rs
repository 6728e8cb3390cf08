//! The permissions of one skill: its effective trust tier and the capabilities that it can use.
//!
//! They are a pure function of the skill and the owner's decisions. A decision about another content hash does not count,
//! and is reported as void.

use std::collections::BTreeSet;

use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Consent, ContentHash, Pinned, SkillCapabilities, TrustChoice};

use crate::call_facts::{CallFacts, PathBases};
use crate::declaration::DeclaredCapabilities;
use crate::limits::SkillLimits;
use tarsus_protocol::tool::ToolId;

/// A skill as found on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillSubject {
    /// The skill's name.
    pub name: String,
    /// The trust tier of its source and origin.
    pub natural: TrustTier,
    /// Hash of its folder; `None` if it could not be read, and then no decision about it counts.
    pub hash: Option<ContentHash>,
    /// Its declaration.
    pub declared: DeclaredCapabilities,
    /// Rules of its critical findings that are not accepted one by one.
    pub critical: BTreeSet<String>,
}

/// The permissions of a skill after the owner's decisions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillPermissions {
    /// The skill's name.
    pub name: String,
    /// Hash of its folder.
    pub hash: Option<ContentHash>,
    /// The trust tier of its source and origin.
    pub natural: TrustTier,
    /// Its effective trust tier.
    pub tier: TrustTier,
    /// A higher tier that the owner chose for another hash, or before other critical findings; it has no effect.
    pub void_trust: Option<TrustTier>,
    /// Its declaration.
    pub declared: DeclaredCapabilities,
    /// Whether the owner has confirmed its declaration.
    pub consent: Consent,
    /// Whether the owner was shown the skill with this hash, whatever it declares.
    pub seen: bool,
    /// Capabilities granted for this hash.
    pub granted: BTreeSet<Capability>,
    /// Capabilities granted for another hash; they have no effect.
    pub void_grants: BTreeSet<Capability>,
    /// The capabilities that it can use.
    pub effective: BTreeSet<Capability>,
}

/// The effective tier, and a higher tier that the owner chose for another hash.
pub(crate) fn effective_tier(
    natural: TrustTier,
    choice: Option<&TrustChoice>,
    folder: Option<&ContentHash>,
) -> (TrustTier, Option<TrustTier>) {
    let is_now = |pinned: &ContentHash| folder == Some(pinned);
    match choice {
        None => (natural, None),
        Some(choice) if choice.tier <= natural => (choice.tier, None),
        // Only bundled skills are builtin.
        Some(choice) if choice.hash.as_ref().is_some_and(is_now) => {
            (choice.tier.min(natural.max(TrustTier::Local)), None)
        }
        Some(choice) => (natural, Some(choice.tier)),
    }
}

/// Why a skill lacks the capability that a call needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingCapability {
    /// Neither declared nor granted.
    NotDeclared,
    /// Declared, but not confirmed.
    Unseen(Consent),
    /// Granted for another hash.
    Void,
    /// The call violates a limit of the declaration.
    Limit(String),
    /// The declaration leaves the call to the owner; nothing else is missing.
    Approval(String),
}

impl SkillPermissions {
    /// Applies the owner's decisions to a skill.
    #[must_use]
    pub fn resolve(subject: SkillSubject, records: &SkillRecords) -> Self {
        let SkillSubject { name, natural, hash, declared, critical } = subject;
        let is_now = |pinned: &ContentHash| hash.as_ref() == Some(pinned);

        let choice = records.trust.get(&name);
        let (tier, void_trust) = match effective_tier(natural, choice, hash.as_ref()) {
            // Newer rules may find more in the same bytes than the owner accepted.
            (tier, _) if tier > natural && choice.is_some_and(|choice| !choice.covers(&critical)) => {
                (natural, Some(tier))
            }
            found => found,
        };

        let before = records.seen.get(&name);
        let now = before.filter(|seen| is_now(&seen.hash));
        let has_all = |seen: &Pinned| declared.capabilities.is_subset(&seen.capabilities);
        let consent = match (now, before) {
            _ if tier != TrustTier::Community || declared.capabilities.is_empty() => Consent::NotNeeded,
            (Some(seen), _) if has_all(seen) => Consent::Seen,
            // Revoked, or not shown yet.
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

        // Only what was shown: a later version may parse more capabilities from the same bytes.
        let confirmed = now.map(|seen| &declared.capabilities & &seen.capabilities);
        let effective = match tier {
            TrustTier::Local | TrustTier::Builtin => BTreeSet::from(Capability::ALL),
            TrustTier::Community => &confirmed.unwrap_or_default() | &granted,
        };
        let seen = now.is_some();
        Self {
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

    /// Whether the skill is held to its capabilities.
    #[must_use]
    pub fn is_enforced(&self) -> bool {
        self.tier == TrustTier::Community
    }

    /// Whether the owner raised its trust above the natural tier.
    pub(crate) fn is_trust_raised(&self) -> bool {
        self.tier > self.natural
    }

    /// Checks a call of a tool that needs a capability. A grant lifts the limits of the declaration.
    ///
    /// # Errors
    /// The missing capability.
    pub fn permits(
        &self,
        tool: ToolId,
        capability: Capability,
        facts: &CallFacts,
        path_bases: PathBases<'_>,
    ) -> Result<(), MissingCapability> {
        if !self.is_enforced() || self.granted.contains(&capability) {
            return Ok(());
        }
        if self.effective.contains(&capability) {
            let limits = &self.declared.limits;
            let violated = limits.violation(tool, facts, path_bases).map(MissingCapability::Limit);
            let question = || limits.question(tool, facts).map(MissingCapability::Approval);
            return violated.or_else(question).map_or(Ok(()), Err);
        }
        if self.void_grants.contains(&capability) {
            Err(MissingCapability::Void)
        } else if self.declared.capabilities.contains(&capability) {
            Err(MissingCapability::Unseen(self.consent))
        } else {
            Err(MissingCapability::NotDeclared)
        }
    }

    pub(crate) fn has_network(&self) -> bool {
        self.effective.contains(&Capability::Network)
    }

    /// The limits of its network capability; `None` if a grant lifted them.
    pub(crate) fn network_limits(&self) -> Option<&SkillLimits> {
        (!self.granted.contains(&Capability::Network)).then_some(&self.declared.limits)
    }

    /// The report that every surface shows; `used` holds the capabilities that the scanner found in its files.
    #[must_use]
    pub fn report(&self, used: Option<&[Capability]>) -> SkillCapabilities {
        let list = |set: &BTreeSet<Capability>| set.iter().copied().collect();
        let is_granted = |capability| self.granted.contains(&capability);
        SkillCapabilities {
            declared: self.declared.order.clone(),
            unknown: self.declared.unknown.clone(),
            used: used.map(<[_]>::to_vec),
            granted: list(&self.granted),
            void: list(&self.void_grants),
            void_trust: self.void_trust,
            effective: list(&self.effective),
            enforced: self.is_enforced(),
            consent: self.consent,
            seen: self.seen,
            limits: self.declared.limits.descriptions(|capability| !is_granted(capability)),
            lifted: self.declared.limits.descriptions(is_granted),
            advisory: self.declared.advisory.clone(),
            problems: self.declared.problems.clone(),
        }
    }
}
