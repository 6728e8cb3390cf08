//! Detects whether a change of the owner's records widens what a skill may do.
//!
//! The natural trust tier of the skill is not known here, so trust counts as widened if it would be for any natural tier
//! that the previous record can have been made for.

use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::grants::{Acceptance, ContentHash, Pinned, TrustChoice};

use crate::skill_permissions::effective_tier;

pub(crate) fn widens_records(name: &str, before: &SkillRecords, after: &SkillRecords) -> bool {
    let accepted = |records: &SkillRecords| records.accepted.get(name).cloned().unwrap_or_default();
    let (old, new) = (accepted(before), accepted(after));
    widens_trust(before.trust.get(name), after.trust.get(name))
        || widens_pinned(before.grants.get(name), after.grants.get(name))
        || widens_pinned(before.seen.get(name), after.seen.get(name))
        || new.iter().any(|one| is_new_acceptance(&old, one))
        || (before.is_disabled(name) && !after.is_disabled(name))
}

/// Compares the effective tier for every possible natural tier and folder hash, and the overridden findings.
pub(crate) fn widens_trust(before: Option<&TrustChoice>, after: Option<&TrustChoice>) -> bool {
    if before.zip(after).is_some_and(|(before, after)| overrides_more(before, after)) {
        return true;
    }
    let pin = |choice: Option<&TrustChoice>| choice.and_then(|choice| choice.hash.clone());
    let folders: [Option<ContentHash>; 3] = [None, pin(before), pin(after)];
    let worth =
        |choice, natural, folder: &Option<ContentHash>| effective_tier(natural, choice, folder.as_ref()).0;
    TrustTier::ALL.into_iter().filter(|natural| is_possible_for(before, *natural)).any(|natural| {
        folders.iter().any(|folder| worth(after, natural, folder) > worth(before, natural, folder))
    })
}

fn overrides_more(before: &TrustChoice, after: &TrustChoice) -> bool {
    let is_covered = match (&before.accepted, &after.accepted) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(_), Some(rules)) => before.covers(rules),
    };
    after.hash.is_some() && !is_covered
}

/// A trust choice is pinned to a hash only if it raises the natural tier.
fn is_possible_for(choice: Option<&TrustChoice>, natural: TrustTier) -> bool {
    choice.is_none_or(|choice| choice.hash.is_none() || natural < choice.tier)
}

/// True for new capabilities or another hash. A confirmed empty list is a confirmation, too.
pub(crate) fn widens_pinned(before: Option<&Pinned>, after: Option<&Pinned>) -> bool {
    let covers = |before: &Pinned, after: &Pinned| {
        before.hash == after.hash && after.capabilities.is_subset(&before.capabilities)
    };
    after.is_some_and(|after| !before.is_some_and(|before| covers(before, after)))
}

pub(crate) fn is_new_acceptance(before: &[Acceptance], after: &Acceptance) -> bool {
    !before.iter().any(|one| one.rule == after.rule && one.hash == after.hash)
}
