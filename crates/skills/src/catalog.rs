//! Picks one skill for each name from the discovered files of an agent.
//!
//! Every discovered file is an entry, shadowed, skipped or counted by a limit. The same files give the same catalog.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use tarsus_protocol::capability::TrustTier;

use crate::discover::{DiscoveredRoot, DiscoveryLimit, LimitReached, SkillFile, Skipped};
use crate::report::sanitize;
use crate::{DiscoveryLimits, Parsed, SkillSource};

/// The discovered skills of one agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// One skill for each name, sorted by name. Includes files that do not load, with their errors.
    pub entries: Vec<Arc<SkillFile>>,
    /// Skills that lost their name to another one, sorted by name.
    pub shadowed: Vec<Shadowed>,
    /// Skipped paths, in the order of the roots.
    pub skipped: Vec<Skipped>,
    /// The limits that were reached.
    pub limits: Vec<LimitReached>,
}

/// A skill that lost its name to another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Shadowed {
    /// The skill without the name.
    pub loser: Arc<SkillFile>,
    /// The skill with the name.
    pub winner: Arc<SkillFile>,
}

impl Shadowed {
    /// Whether a third-party skill replaces a bundled one.
    #[must_use]
    pub fn covers_bundled(&self) -> bool {
        self.loser.source == SkillSource::Bundled && self.winner.natural_tier() == TrustTier::Community
    }
}

impl Catalog {
    /// Picks the skill of each name. `discovered` is sorted by precedence, lowest first.
    ///
    /// A file that loads is preferred to one that loads in part, and that to one that does not load. A blocked skill never
    /// takes the name of another one. Among equals the later root wins, and in one root the later path.
    #[must_use]
    pub fn new(
        discovered: &[Arc<DiscoveredRoot>],
        limits: &DiscoveryLimits,
        is_blocked: &dyn Fn(&SkillFile) -> bool,
    ) -> Self {
        let mut catalog = Self::default();
        let mut all = Vec::with_capacity(discovered.iter().map(|root| root.skills.len()).sum());
        let mut room = BTreeMap::new();
        for root in discovered {
            catalog.skipped.extend_from_slice(&root.skipped);
            catalog.limits.extend_from_slice(&root.limits);
            let source = root.root.source;
            let (room, left) = room.entry(source).or_insert((limits.skills, 0));
            let taken = root.skills.len().min(*room);
            all.extend_from_slice(&root.skills[..taken]);
            *room -= taken;
            *left += root.skills.len() - taken;
        }
        let over = room.into_iter().filter(|(_, (_, left))| *left > 0);
        catalog.limits.extend(over.map(|(source, (_, left))| LimitReached {
            source,
            path: None,
            limit: DiscoveryLimit::Skills,
            most: limits.skills,
            left,
        }));

        // The sort is stable, so skills of one name stay in the order of precedence.
        all.sort_by(|a, b| a.compare_names(b));
        catalog.entries.reserve(all.len());
        for namesakes in all.chunk_by(|a, b| a.compare_names(b).is_eq()) {
            catalog.add_name(namesakes, is_blocked);
        }
        catalog
    }

    /// Picks the winner among skills of one name.
    fn add_name(&mut self, namesakes: &[Arc<SkillFile>], is_blocked: &dyn Fn(&SkillFile) -> bool) {
        let several = namesakes.len() > 1;
        let rank = |file: &SkillFile| {
            let load_rank = load_rank(file);
            (several && load_rank > 0 && !is_blocked(file), load_rank)
        };
        // `max_by_key` returns the last of equals, which has the highest precedence.
        let Some((at, winner)) = namesakes.iter().enumerate().max_by_key(|(_, file)| rank(file)) else {
            return;
        };
        self.entries.push(Arc::clone(winner));
        let losers = namesakes.iter().enumerate().filter(|(index, _)| *index != at);
        self.shadowed.extend(
            losers.map(|(_, loser)| Shadowed { loser: Arc::clone(loser), winner: Arc::clone(winner) }),
        );
    }

    /// Returns the entry with exactly this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<SkillFile>> {
        self.entries.iter().find(|file| file.name() == name)
    }

    /// Returns the entry with this name, or the only one whose sanitized name it is.
    #[must_use]
    pub fn find_by_display_name(&self, name: &str) -> Option<&Arc<SkillFile>> {
        let mut shown = self.entries.iter().filter(|file| sanitize(file.name()) == name);
        self.get(name).or_else(|| shown.next().filter(|_| shown.next().is_none()))
    }

    /// Returns the skill with this name that the owner can decide about: for a bundled winner the skill that it shadows,
    /// which the owner installed.
    #[must_use]
    pub fn find_decidable(&self, name: &str) -> Option<&Arc<SkillFile>> {
        let winner = self.find_by_display_name(name)?;
        let mut shadowed = self.namesakes(&winner.name()).skip(1).collect::<Vec<_>>().into_iter();
        let is_bundled = winner.source == SkillSource::Bundled;
        Some(shadowed.find(|file| is_bundled && file.source != SkillSource::Bundled).unwrap_or(winner))
    }

    /// Iterates over the skills with exactly this name, the winner first.
    pub fn namesakes(&self, name: &str) -> impl Iterator<Item = &Arc<SkillFile>> {
        let others = self.shadowed.iter().filter(move |shadow| shadow.loser.name() == name);
        self.get(name).into_iter().chain(others.map(|shadow| &shadow.loser))
    }

    /// Compares with an earlier catalog, by name.
    #[must_use]
    pub fn changes_since(&self, before: &Self) -> CatalogChanges {
        let mut changes = CatalogChanges::default();
        let (mut old, mut new) = (before.entries.as_slice(), self.entries.as_slice());
        let name = |file: &Arc<SkillFile>| file.name().into_owned();
        loop {
            let order = match (old.first(), new.first()) {
                (None, None) => break,
                (Some(was), None) => {
                    changes.removed.push(name(was));
                    Ordering::Less
                }
                (None, Some(is)) => {
                    changes.added.push(name(is));
                    Ordering::Greater
                }
                (Some(was), Some(is)) if Arc::ptr_eq(was, is) => Ordering::Equal,
                (Some(was), Some(is)) => {
                    let order = was.compare_names(is);
                    match order {
                        Ordering::Less => changes.removed.push(name(was)),
                        Ordering::Greater => changes.added.push(name(is)),
                        Ordering::Equal if is_unchanged(was, is) => {}
                        Ordering::Equal => changes.changed.push(name(is)),
                    }
                    order
                }
            };
            old = &old[usize::from(order.is_le())..];
            new = &new[usize::from(order.is_ge())..];
        }
        let scanned = |catalog: &Self| catalog.files().filter(|file| file.scan.is_some()).count();
        changes.others = !are_shadows_unchanged(&before.shadowed, &self.shadowed)
            || scanned(self) != scanned(before)
            || self.skipped != before.skipped
            || self.limits != before.limits;
        changes
    }

    /// Whether a folder was scanned with other bytes than in an earlier catalog of the same skills.
    pub(crate) fn has_new_hashes(&self, before: &Self) -> bool {
        let hash = |file: &SkillFile| file.scan.as_ref().map(|scan| scan.report.hash.clone());
        self.files().zip(before.files()).any(|(is, was)| !Arc::ptr_eq(is, was) && hash(is) != hash(was))
    }

    fn files(&self) -> impl Iterator<Item = &Arc<SkillFile>> {
        self.entries.iter().chain(self.shadowed.iter().map(|shadow| &shadow.loser))
    }
}

/// A skill whose file was only touched, or scanned meanwhile, is unchanged. The guard holds a community skill to the bytes
/// of its whole folder; of an own skill, other files count only by what the scanner finds in them.
fn is_unchanged(was: &SkillFile, is: &SkillFile) -> bool {
    let is_scan_unchanged = was.scan.as_ref().zip(is.scan.as_ref()).is_none_or(|(was, now)| {
        let (was, now) = (&was.report, &now.report);
        match is.natural_tier() {
            TrustTier::Community => was.hash == now.hash,
            TrustTier::Local | TrustTier::Builtin => {
                was.verdict == now.verdict && was.findings == now.findings && was.uses == now.uses
            }
        }
    });
    was.path() == is.path()
        && was.source == is.source
        && (&was.slug, was.third_party) == (&is.slug, is.third_party)
        && was.parsed == is.parsed
        && is_scan_unchanged
}

fn are_shadows_unchanged(was: &[Shadowed], is: &[Shadowed]) -> bool {
    let is_same = |(was, is): (&Shadowed, &Shadowed)| {
        is_unchanged(&was.loser, &is.loser) && is_unchanged(&was.winner, &is.winner)
    };
    was.len() == is.len() && was.iter().zip(is).all(is_same)
}

/// Rank of a file by how well it loads.
fn load_rank(file: &SkillFile) -> u8 {
    match &*file.parsed {
        Parsed::Loaded(_) => 2,
        Parsed::Degraded(..) => 1,
        Parsed::Malformed(_) => 0,
    }
}

/// The changes between two catalogs; names are sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogChanges {
    /// Names of new skills.
    pub added: Vec<String>,
    /// Names of skills whose contents or file changed.
    pub changed: Vec<String>,
    /// Names of removed skills.
    pub removed: Vec<String>,
    /// Whether shadowed skills, skipped paths, limits or the number of scanned skills changed.
    pub others: bool,
}

impl CatalogChanges {
    /// Whether nothing changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
