//! The skills of one agent: of several with one name the one that counts, and all the others with the reason.
//!
//! Promises: everything that was file is an entry, shadowed, skipped or counted by a limit; the same files give the
//! same catalog. Leaves to others: whether an entry can be used here.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::TrustTier;

use crate::discover::{DiscoveredRoot, Limit, LimitReached, SkillFile, Skipped};
use crate::gate::is_blocked;
use crate::report::sanitize;
use crate::{Limits, Parsed, Roots, Source};

/// The skills of one agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// One for each name, sorted by name. Files that do not load are among them, with their errors.
    pub entries: Vec<Arc<SkillFile>>,
    /// Those that lost their name to another, sorted by name.
    pub shadowed: Vec<Shadowed>,
    /// What was not loaded, root by root.
    pub skipped: Vec<Skipped>,
    /// The limits that were reached.
    pub limits: Vec<LimitReached>,
}

/// A skill whose name belongs to another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Shadowed {
    /// The one that does not count.
    pub loser: Arc<SkillFile>,
    /// The one that does.
    pub winner: Arc<SkillFile>,
}

impl Shadowed {
    /// Whether a skill that came from elsewhere stands in for one that Tarsus brings along.
    #[must_use]
    pub fn covers_bundled(&self) -> bool {
        self.loser.source == Source::Bundled && self.winner.natural_tier() == TrustTier::Community
    }
}

impl Catalog {
    /// Looks through all roots once.
    #[must_use]
    pub fn load(roots: &Roots) -> Self {
        // The time only matters to a later look, and there is none.
        let look = |root| Arc::new(DiscoveredRoot::walk(root, &roots.limits, None, 0));
        Self::from_roots(&roots.list.iter().map(look).collect::<Vec<_>>(), &roots.limits)
    }

    /// Settles which skill of each name counts. `discovered` come lowest precedence first.
    ///
    /// A file that loads beats one that loads only in part, and that beats one that does not load: a broken file never
    /// takes away a working skill. Among equals the later root wins, and on one root the later path.
    #[must_use]
    pub fn from_roots(discovered: &[Arc<DiscoveredRoot>], limits: &Limits) -> Self {
        Self::settled(discovered, limits, &|_| false)
    }

    /// The same where folders were looked into: one that must not be used never takes away a working skill either.
    #[must_use]
    pub fn from_scanned_roots(
        discovered: &[Arc<DiscoveredRoot>],
        limits: &Limits,
        records: &SkillRecords,
    ) -> Self {
        Self::settled(discovered, limits, &|file| is_blocked(file, records))
    }

    fn settled(
        discovered: &[Arc<DiscoveredRoot>],
        limits: &Limits,
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
            limit: Limit::Skills,
            most: limits.skills,
            left,
        }));

        // Stable: within a name the order of precedence stays.
        all.sort_by(|a, b| a.compare_names(b));
        catalog.entries.reserve(all.len());
        for namesakes in all.chunk_by(|a, b| a.compare_names(b).is_eq()) {
            catalog.settle(namesakes, is_blocked);
        }
        catalog
    }

    fn settle(&mut self, namesakes: &[Arc<SkillFile>], is_blocked: &dyn Fn(&SkillFile) -> bool) {
        let several = namesakes.len() > 1;
        let rank = |file: &SkillFile| {
            let soundness = soundness(file);
            (several && soundness > 0 && !is_blocked(file), soundness)
        };
        // `max_by_key` takes the last of equals, which is the one of highest precedence.
        let Some((at, winner)) = namesakes.iter().enumerate().max_by_key(|(_, file)| rank(file)) else {
            return;
        };
        self.entries.push(Arc::clone(winner));
        let losers = namesakes.iter().enumerate().filter(|(index, _)| *index != at);
        self.shadowed.extend(
            losers.map(|(_, loser)| Shadowed { loser: Arc::clone(loser), winner: Arc::clone(winner) }),
        );
    }

    /// The entry of exactly this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<SkillFile>> {
        self.entries.iter().find(|file| file.name() == name)
    }

    /// The entry of this name, or the one that is shown by this name because its own has something in it that is not.
    #[must_use]
    pub fn find_by_display_name(&self, name: &str) -> Option<&Arc<SkillFile>> {
        let mut shown = self.entries.iter().filter(|file| sanitize(file.name()) == name);
        self.get(name).or_else(|| shown.next().filter(|_| shown.next().is_none()))
    }

    /// The one of this name that can be decided about: where a bundled one counts, the one beneath it, which the owner
    /// brought in.
    #[must_use]
    pub fn find_decidable(&self, name: &str) -> Option<&Arc<SkillFile>> {
        let counting = self.find_by_display_name(name)?;
        let mut beneath = self.namesakes(&counting.name()).skip(1).collect::<Vec<_>>().into_iter();
        let is_bundled = counting.source == Source::Bundled;
        Some(beneath.find(|file| is_bundled && file.source != Source::Bundled).unwrap_or(counting))
    }

    /// Those of exactly this name: the one that counts, then the others.
    pub fn namesakes(&self, name: &str) -> impl Iterator<Item = &Arc<SkillFile>> {
        let others = self.shadowed.iter().filter(move |shadow| shadow.loser.name() == name);
        self.get(name).into_iter().chain(others.map(|shadow| &shadow.loser))
    }

    /// What a change of the catalog from `before` to this one is, by name.
    #[must_use]
    pub fn changes_since(&self, before: &Self) -> Changes {
        let mut changes = Changes::default();
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
                        Ordering::Equal if says_the_same(was, is) => {}
                        Ordering::Equal => changes.changed.push(name(is)),
                    }
                    order
                }
            };
            old = &old[usize::from(order.is_le())..];
            new = &new[usize::from(order.is_ge())..];
        }
        let looked_into =
            |entries: &[Arc<SkillFile>]| entries.iter().filter(|file| file.scan.is_some()).count();
        changes.others = self.shadowed != before.shadowed
            || looked_into(&self.entries) != looked_into(&before.entries)
            || self.skipped != before.skipped
            || self.limits != before.limits;
        changes
    }
}

/// A touched file is not a changed skill, and one that was looked into meanwhile is not either.
fn says_the_same(was: &SkillFile, is: &SkillFile) -> bool {
    let hash = |file: &SkillFile| file.scan.as_ref().map(|scan| scan.report.hash.clone());
    was.path() == is.path()
        && was.source == is.source
        && (&was.slug, was.noted) == (&is.slug, is.noted)
        && was.parsed == is.parsed
        && hash(was).zip(hash(is)).is_none_or(|(was, is)| was == is)
}

/// How well a file loads; the better one wins a name.
fn soundness(file: &SkillFile) -> u8 {
    match &*file.parsed {
        Parsed::Loaded(_) => 2,
        Parsed::Degraded(..) => 1,
        Parsed::Malformed(_) => 0,
    }
}

/// What a scan file to be different, by name, sorted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Names that were not there.
    pub added: Vec<String>,
    /// Names whose file says something else, or is another one.
    pub changed: Vec<String>,
    /// Names that are gone.
    pub removed: Vec<String>,
    /// Whether what was shadowed, skipped, limited or looked into is different.
    pub others: bool,
}

impl Changes {
    /// Whether nothing is different.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
