//! The skills of one agent: of several with one name the one that counts, and all the others with the reason.
//!
//! Promises: everything that was found is an entry, shadowed, skipped or counted by a limit; the same files give the
//! same catalog. Leaves to others: whether an entry can be used here.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::TrustTier;

use crate::discover::{Found, Limit, LimitReached, Shelf, Skipped};
use crate::gate::is_blocked;
use crate::report::clean;
use crate::{Limits, Parsed, Roots, Source};

/// The skills of one agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalog {
    /// One for each name, sorted by name. Files that do not load are among them, with their errors.
    pub entries: Vec<Arc<Found>>,
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
    pub loser: Arc<Found>,
    /// The one that does.
    pub winner: Arc<Found>,
}

impl Shadowed {
    /// Whether a skill that came from elsewhere stands in for one that Tarsus brings along.
    #[must_use]
    pub fn covers_bundled(&self) -> bool {
        self.loser.source == Source::Bundled && self.winner.natural_tier() == TrustTier::Community
    }

    /// Whether both say the same, so that it does not matter which one counts.
    #[must_use]
    pub fn is_a_copy(&self) -> bool {
        match (self.loser.skill(), self.winner.skill()) {
            (Some(loser), Some(winner)) => loser.content_hash == winner.content_hash,
            _ => false,
        }
    }
}

impl Catalog {
    /// Looks through all roots once.
    #[must_use]
    pub fn look(roots: &Roots) -> Self {
        // The time only matters to a later look, and there is none.
        let look = |root| Arc::new(Shelf::look(root, &roots.limits, None, 0));
        Self::of(&roots.list.iter().map(look).collect::<Vec<_>>(), &roots.limits)
    }

    /// Settles which skill of each name counts. `shelves` come lowest precedence first.
    ///
    /// A file that loads beats one that loads only in part, and that beats one that does not load: a broken file never
    /// takes away a working skill. Among equals the later shelf wins, and on one shelf the later path.
    #[must_use]
    pub fn of(shelves: &[Arc<Shelf>], limits: &Limits) -> Self {
        Self::settled(shelves, limits, &|_| false)
    }

    /// The same where folders were looked into: one that must not be used never takes away a working skill either.
    #[must_use]
    pub fn guarded(shelves: &[Arc<Shelf>], limits: &Limits, records: &SkillRecords) -> Self {
        Self::settled(shelves, limits, &|found| is_blocked(found, records))
    }

    fn settled(shelves: &[Arc<Shelf>], limits: &Limits, is_blocked: &dyn Fn(&Found) -> bool) -> Self {
        let mut catalog = Self::default();
        let mut all = Vec::with_capacity(shelves.iter().map(|shelf| shelf.found.len()).sum());
        let mut room = BTreeMap::new();
        for shelf in shelves {
            catalog.skipped.extend_from_slice(&shelf.skipped);
            catalog.limits.extend_from_slice(&shelf.limits);
            let source = shelf.root.source;
            let (room, left) = room.entry(source).or_insert((limits.skills, 0));
            let taken = shelf.found.len().min(*room);
            all.extend_from_slice(&shelf.found[..taken]);
            *room -= taken;
            *left += shelf.found.len() - taken;
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

    fn settle(&mut self, namesakes: &[Arc<Found>], is_blocked: &dyn Fn(&Found) -> bool) {
        let several = namesakes.len() > 1;
        let rank = |found: &Found| {
            let soundness = soundness(found);
            (several && soundness > 0 && !is_blocked(found), soundness)
        };
        // `max_by_key` takes the last of equals, which is the one of highest precedence.
        let Some((at, winner)) = namesakes.iter().enumerate().max_by_key(|(_, found)| rank(found)) else {
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
    pub fn get(&self, name: &str) -> Option<&Arc<Found>> {
        self.entries.iter().find(|found| found.name() == name)
    }

    /// The entry of this name, or the one that is shown by this name because its own has something in it that is not.
    #[must_use]
    pub fn shown_as(&self, name: &str) -> Option<&Arc<Found>> {
        let mut shown = self.entries.iter().filter(|found| clean(found.name()) == name);
        self.get(name).or_else(|| shown.next().filter(|_| shown.next().is_none()))
    }

    /// The one of this name that can be decided about: where a bundled one counts, the one beneath it, which the owner
    /// brought in.
    #[must_use]
    pub fn decided_about(&self, name: &str) -> Option<&Arc<Found>> {
        let counting = self.shown_as(name)?;
        let mut beneath = self.namesakes(&counting.name()).skip(1).collect::<Vec<_>>().into_iter();
        let is_bundled = counting.source == Source::Bundled;
        Some(beneath.find(|found| is_bundled && found.source != Source::Bundled).unwrap_or(counting))
    }

    /// Those of exactly this name: the one that counts, then the others.
    pub fn namesakes(&self, name: &str) -> impl Iterator<Item = &Arc<Found>> {
        let others = self.shadowed.iter().filter(move |shadow| shadow.loser.name() == name);
        self.get(name).into_iter().chain(others.map(|shadow| &shadow.loser))
    }

    /// What a change of the catalog from `before` to this one is, by name.
    #[must_use]
    pub fn changes_since(&self, before: &Self) -> Changes {
        let mut changes = Changes::default();
        let (mut old, mut new) = (before.entries.as_slice(), self.entries.as_slice());
        let name = |found: &Arc<Found>| found.name().into_owned();
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
            |entries: &[Arc<Found>]| entries.iter().filter(|found| found.examined.is_some()).count();
        changes.others = self.shadowed != before.shadowed
            || looked_into(&self.entries) != looked_into(&before.entries)
            || self.skipped != before.skipped
            || self.limits != before.limits;
        changes
    }
}

/// A touched file is not a changed skill, and one that was looked into meanwhile is not either.
fn says_the_same(was: &Found, is: &Found) -> bool {
    let hash = |found: &Found| found.examined.as_ref().map(|examined| examined.report.hash.clone());
    was.file() == is.file()
        && was.source == is.source
        && (&was.slug, was.noted) == (&is.slug, is.noted)
        && was.parsed == is.parsed
        && hash(was).zip(hash(is)).is_none_or(|(was, is)| was == is)
}

/// How well a file loads; the better one wins a name.
fn soundness(found: &Found) -> u8 {
    match &*found.parsed {
        Parsed::Loaded(_) => 2,
        Parsed::Degraded(..) => 1,
        Parsed::Malformed(_) => 0,
    }
}

/// What a scan found to be different, by name, sorted.
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
