//! The front door of the room: every agent's skills, kept up to date.
//!
//! Roots that agents share are looked through once. A scan works beside the readers; what it found takes the place of
//! the old snapshots in one step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tarsus_home::Settings;
use tarsus_home::config::Loaded;
use tarsus_home::config::view::AgentId;
use tarsus_home::settings::SkillRecords;
use tarsus_host::Clock;

use super::{Basis, Snapshot, Surroundings, version};
use crate::gate::{Blocked, Depth, Gate};
use crate::watch::relevant::is_made;
use crate::{Catalog, Changes, Found, Root, Roots, Shelf, install, roots};

type Snapshots = BTreeMap<AgentId, Arc<Snapshot>>;

/// The agents that have a new version, each with what is different in its files: nothing where the same files are
/// judged differently. Agents that are gone are not among them.
pub type Different = BTreeMap<AgentId, Changes>;

/// Every agent's skills.
#[derive(Debug)]
pub struct Library {
    bundled: Option<PathBuf>,
    clock: Clock,
    /// Held while files are looked at.
    shelves: Mutex<Shelves>,
    /// Held only to take or to set the pointer.
    snapshots: RwLock<Arc<Snapshots>>,
}

/// What lies in the roots of all agents, and what it is judged by.
#[derive(Debug)]
struct Shelves {
    basis: Arc<Basis>,
    agents: BTreeMap<AgentId, Roots>,
    by_root: BTreeMap<PathBuf, Vec<Arc<Shelf>>>,
    version: u64,
    gate: Gate,
}

/// Which skills the gate looks into again, beside those that it never did.
#[derive(Clone, Copy)]
enum Again<'a> {
    None,
    /// Those that these paths touch.
    Touched(&'a BTreeSet<PathBuf>),
    All,
}

impl Again<'_> {
    fn takes_in(self, found: &Found) -> bool {
        match self {
            Self::None => false,
            Self::Touched(paths) => {
                let dirs = [found.at().parent().unwrap_or(found.at()), found.dir()];
                paths.iter().any(|path| dirs.iter().any(|dir| path.starts_with(dir) || dir.starts_with(path)))
            }
            Self::All => true,
        }
    }
}

/// Which roots are looked at.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    All,
    /// Those that were not looked at before with these limits.
    New,
}

impl Library {
    /// Looks through the roots of all agents, and into the folders of the skills that may not be used before. The
    /// others are looked into by the first [`Library::refresh`]. `bundled` is the folder of the skills that Tarsus brings along, where
    /// there is one.
    #[must_use]
    pub fn open(basis: Basis, bundled: Option<PathBuf>, clock: Clock) -> Self {
        let shelves = Shelves {
            gate: Gate::new(basis.home.clone()),
            basis: Arc::new(basis),
            agents: BTreeMap::new(),
            by_root: BTreeMap::new(),
            version: 0,
        };
        let library = Self { bundled, clock, shelves: Mutex::new(shelves), snapshots: RwLock::default() };
        library.configure(&mut library.lock());
        library
    }

    /// The skills of an agent; `None` for an agent that the configuration does not name.
    #[must_use]
    pub fn snapshot(&self, agent: &AgentId) -> Option<Arc<Snapshot>> {
        self.current().get(agent).cloned()
    }

    /// Whether some agent has a skill with this key of its settings.
    #[must_use]
    pub fn has_key(&self, key: &str) -> bool {
        self.current()
            .values()
            .any(|snapshot| snapshot.catalog.entries.iter().any(|found| found.key() == key))
    }

    /// Every program that a skill of some agent needs, or that an installation for one brings.
    #[must_use]
    pub fn programs(&self) -> BTreeSet<String> {
        let snapshots = self.current();
        let entries = snapshots.values().flat_map(|snapshot| &snapshot.catalog.entries);
        let metadata = entries.filter_map(|found| found.skill()?.metadata.as_ref());
        metadata
            .flat_map(|metadata| {
                let needed =
                    metadata.requires.iter().flat_map(|needs| needs.bins.iter().chain(&needs.any_bins));
                needed.chain(metadata.install.iter().flat_map(|install| &install.bins))
            })
            .cloned()
            .collect()
    }

    /// Every root of every agent, once.
    #[must_use]
    pub fn roots(&self) -> Vec<Root> {
        let shelves = self.lock();
        let Basis { home, config, .. } = &*shelves.basis;
        roots::of_all_agents(home, &config.view, self.bundled.as_deref())
    }

    /// Takes over a configuration and settings: other agents, roots, limits and rules are in force when this returns.
    /// Only roots that are new are looked at.
    pub fn apply_config(&self, config: Loaded, settings: Settings) -> Different {
        let mut shelves = self.lock();
        shelves.basis = Arc::new(Basis { config, settings, ..Basis::clone(&shelves.basis) });
        self.configure(&mut shelves)
    }

    /// Judges the skills anew where other programs, variables or connected machines are there. No root is looked at.
    pub fn apply_surroundings(&self, surroundings: Surroundings) -> Different {
        let mut shelves = self.lock();
        let surroundings = Arc::new(surroundings);
        shelves.basis = Arc::new(Basis { surroundings, ..Basis::clone(&shelves.basis) });
        self.publish(&mut shelves)
    }

    fn configure(&self, shelves: &mut Shelves) -> Different {
        let Basis { home, config, .. } = &*shelves.basis;
        let roots = |agent| Roots::of(home, &config.view, agent, self.bundled.as_deref());
        let agents = &config.view.agents.list;
        shelves.agents = agents.iter().map(|agent| (agent.id.clone(), roots(agent))).collect();
        // Out of sight; what cannot be removed now the next installation clears, or says why not.
        install::clear(home).ok();
        let now_ms = self.clock.wall_ms();
        shelves.look(Which::New, now_ms);
        shelves.pass(Depth::Needed, Again::None, now_ms);
        self.publish(shelves)
    }

    /// Hands to `write` the skills that must not be used as they are, when nobody wrote that down yet: in this process or
    /// another one. It says whether all of them were written down. Called only when there are some.
    pub fn tell(&self, write: impl FnOnce(&[Blocked]) -> bool) {
        let Shelves { basis, by_root, gate, .. } = &mut *self.lock();
        let found = by_root.values().flatten().flat_map(|shelf| &shelf.found);
        gate.tell(found.map(|found| &**found), &basis.settings.skills, write);
    }

    /// Looks at every file of every root again, and reads those that changed. Says what is different for which agent.
    pub fn refresh(&self) -> Different {
        let mut shelves = self.lock();
        let now_ms = self.clock.wall_ms();
        shelves.look(Which::All, now_ms);
        shelves.pass(Depth::Everything, Again::All, now_ms);
        self.publish(&mut shelves)
    }

    /// Looks again at the parts of roots that these paths lie in. Says what is different for which agent.
    pub fn refresh_at(&self, paths: &BTreeSet<PathBuf>) -> Different {
        let mut shelves = self.lock();
        let now_ms = self.clock.wall_ms();
        let records = shelves.basis.settings.skills.clone();
        let mut touched = BTreeSet::new();
        for shelf in shelves.by_root.values_mut().flatten() {
            let below: BTreeSet<_> =
                paths.iter().filter(|path| matters(path, shelf, &records)).cloned().collect();
            if !below.is_empty() {
                *shelf = Arc::new(shelf.look_again(&below, now_ms));
                touched.extend(below);
            }
        }
        if touched.is_empty() {
            return Different::new();
        }
        shelves.pass(Depth::Everything, Again::Touched(&touched), now_ms);
        self.publish(&mut shelves)
    }

    /// Makes the snapshots of what lies in the shelves. An agent for whom nothing is different keeps its version.
    fn publish(&self, shelves: &mut Shelves) -> Different {
        let old = self.current();
        let next_version = version::after(shelves.version, self.clock.wall_ms());
        let (mut snapshots, mut different) = (Snapshots::new(), Different::new());
        for agent in &shelves.basis.config.view.agents.list {
            let Some(roots) = shelves.agents.get(&agent.id) else { continue };
            let its: Vec<_> = roots.list.iter().filter_map(|root| shelves.get(root)).cloned().collect();
            let mut catalog = Catalog::guarded(&its, &roots.limits, &shelves.basis.settings.skills);
            catalog.skipped.extend(shelves.gate.remark());
            let snapshot = |version, catalog| {
                Arc::new(Snapshot::new(agent.clone(), version, catalog, Arc::clone(&shelves.basis)))
            };
            let before = old.get(&agent.id);
            let changes = catalog.changes_since(before.map_or(&Catalog::default(), |before| &before.catalog));
            let kept = before.filter(|_| changes.is_empty()).and_then(|before| {
                if Arc::ptr_eq(&before.basis, &shelves.basis) {
                    return Some(Arc::clone(before));
                }
                let again = snapshot(before.version, Arc::clone(&before.catalog));
                again.says_the_same_as(before).then_some(again)
            });
            let snapshot = kept.unwrap_or_else(|| {
                different.insert(agent.id.clone(), changes);
                snapshot(next_version, Arc::new(catalog))
            });
            snapshots.insert(agent.id.clone(), snapshot);
        }
        if !different.is_empty() {
            shelves.version = next_version;
        }
        *self.snapshots.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshots);
        different
    }

    fn current(&self) -> Arc<Snapshots> {
        Arc::clone(&self.snapshots.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A scan that panicked has left whole shelves behind: each is replaced in one step.
    fn lock(&self) -> MutexGuard<'_, Shelves> {
        self.shelves.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether what changed at a path may make a difference to a shelf.
fn matters(path: &Path, shelf: &Shelf, records: &SkillRecords) -> bool {
    let root = &shelf.root.path;
    let Ok(below) = path.strip_prefix(root) else { return root.starts_with(path) };
    let is_in = |found: &&Arc<Found>| {
        found.at().parent().is_some_and(|dir| path.starts_with(dir)) || path.starts_with(found.dir())
    };
    !is_made(below) || shelf.found.iter().filter(is_in).any(|found| Depth::Needed.takes_in(found, records))
}

impl Shelves {
    fn get(&self, root: &Root) -> Option<&Arc<Shelf>> {
        self.by_root.get(&root.path)?.iter().find(|shelf| shelf.root == *root)
    }

    /// Looks into the folders of skills that nobody has looked into, and into those that are to be looked at again.
    fn pass(&mut self, depth: Depth, again: Again<'_>, now_ms: i64) {
        let records = &self.basis.settings.skills;
        for shelf in self.by_root.values_mut().flatten() {
            let takes_in = |found: &Found| {
                depth.takes_in(found, records) && (found.examined.is_none() || again.takes_in(found))
            };
            *shelf = self.gate.pass(shelf, takes_in, now_ms);
        }
    }

    /// Looks at roots again, or for the first time; shelves whose root no agent has are gone.
    fn look(&mut self, which: Which, now_ms: i64) {
        let mut by_root: BTreeMap<PathBuf, Vec<Arc<Shelf>>> = BTreeMap::new();
        for roots in self.agents.values() {
            for root in &roots.list {
                let shelves = by_root.entry(root.path.clone()).or_default();
                if shelves.iter().any(|shelf| shelf.root == *root) {
                    continue;
                }
                let before = self.get(root);
                let kept = before.filter(|shelf| which == Which::New && shelf.is_within(&roots.limits));
                let look =
                    || Arc::new(Shelf::look(root, &roots.limits, before.map(|shelf| &**shelf), now_ms));
                shelves.push(kept.map_or_else(look, Arc::clone));
            }
        }
        self.by_root = by_root;
    }
}
