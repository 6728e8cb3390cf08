//! Whether other records let a skill do more than the ones before.
//!
//! Promises: a pure function of two records. What a skill's origin is worth is not known here, so more trust is what
//! would be more for an origin that the record before can have been made for. Leaves to others: what follows.

use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::grants::{Acceptance, ContentHash, Pinned, TrustChoice};

use crate::standing::tier_of;

/// Whether any of the records about a skill lets it do more.
pub(crate) fn any(name: &str, before: &SkillRecords, after: &SkillRecords) -> bool {
    let accepted = |records: &SkillRecords| records.accepted.get(name).cloned().unwrap_or_default();
    let (old, new) = (accepted(before), accepted(after));
    trust(before.trust.get(name), after.trust.get(name))
        || pinned(before.grants.get(name), after.grants.get(name))
        || pinned(before.seen.get(name), after.seen.get(name))
        || new.iter().any(|one| acceptance(&old, one))
}

/// Whether a choice is worth more than the one before, for some state of the folder.
pub(crate) fn trust(before: Option<&TrustChoice>, after: Option<&TrustChoice>) -> bool {
    let pin = |choice: Option<&TrustChoice>| choice.and_then(|choice| choice.hash.clone());
    let folders: [Option<ContentHash>; 3] = [None, pin(before), pin(after)];
    let worth = |choice, natural, folder: &Option<ContentHash>| tier_of(natural, choice, folder.as_ref()).0;
    TrustTier::ALL.into_iter().filter(|natural| was_made_for(before, *natural)).any(|natural| {
        folders.iter().any(|folder| worth(after, natural, folder) > worth(before, natural, folder))
    })
}

/// A choice is for one folder only where it is worth more than the origin.
fn was_made_for(choice: Option<&TrustChoice>, natural: TrustTier) -> bool {
    choice.is_none_or(|choice| choice.hash.is_none() || natural < choice.tier)
}

/// Whether more is given, or the same to another folder. A list that was seen is a yes, even when nothing is in it.
pub(crate) fn pinned(before: Option<&Pinned>, after: Option<&Pinned>) -> bool {
    let covers = |before: &Pinned, after: &Pinned| {
        before.hash == after.hash && after.capabilities.is_subset(&before.capabilities)
    };
    after.is_some_and(|after| !before.is_some_and(|before| covers(before, after)))
}

/// Whether a finding was not accepted before in this folder.
pub(crate) fn acceptance(before: &[Acceptance], after: &Acceptance) -> bool {
    !before.iter().any(|one| one.rule == after.rule && one.hash == after.hash)
}
