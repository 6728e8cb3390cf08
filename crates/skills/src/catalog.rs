//! The skills of one agent: of several with one name the one that counts, and all the others with the reason.
//!
//! Promises: everything that was found is an entry, shadowed, skipped or counted by a limit; the same files give the
//! same catalog. Leaves to others: whether an entry can be used here.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::discover::{Found, Limit, LimitReached, Shelf, Skipped};
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
    /// Whether a skill that was installed from outside stands in for one that Tarsus brings along.
    #[must_use]
    pub fn covers_bundled(&self) -> bool {
        self.loser.source == Source::Bundled && self.winner.source == Source::Managed
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
            catalog.settle(namesakes);
        }
        catalog
    }

    fn settle(&mut self, namesakes: &[Arc<Found>]) {
        // `max_by_key` takes the last of equals, which is the one of highest precedence.
        let Some((at, winner)) = namesakes.iter().enumerate().max_by_key(|(_, found)| soundness(found))
        else {
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
        changes.others = self.shadowed != before.shadowed
            || self.skipped != before.skipped
            || self.limits != before.limits;
        changes
    }
}

/// A touched file is not a changed skill.
fn says_the_same(was: &Found, is: &Found) -> bool {
    was.file() == is.file() && was.source == is.source && was.slug == is.slug && was.parsed == is.parsed
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
    /// Whether what was shadowed, skipped or limited is different.
    pub others: bool,
}

impl Changes {
    /// Whether nothing is different.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
