//! Keeps the skills of all agents up to date.
//!
//! Roots that agents share are walked once. Readers never wait for a refresh: it replaces all snapshots in one step.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tarsus_home::Settings;
use tarsus_home::config::LoadedConfig;
use tarsus_home::config::view::AgentId;
use tarsus_host::Clock;

use super::changes::{PendingChanges, SkillChange};
use super::{EvaluationInputs, SkillsSnapshot, Sources, version};
use crate::eligibility::MachineState;
use crate::gate::{BlockedFolder, ScanScope};
use crate::{Catalog, CatalogChanges, SkillFile, SkillRoot};

type Snapshots = BTreeMap<AgentId, Arc<SkillsSnapshot>>;

/// Agents with a new snapshot version, and their file changes. The changes are empty if only the evaluation differs.
/// Removed agents are not included.
pub type ChangesByAgent = BTreeMap<AgentId, CatalogChanges>;

/// Every agent's skills.
#[derive(Debug)]
pub struct Library {
    clock: Clock,
    /// Held while files are read.
    sources: Mutex<VersionedSources>,
    /// Held only to read or replace the pointer.
    snapshots: RwLock<Arc<Snapshots>>,
}

#[derive(Debug)]
struct VersionedSources {
    sources: Sources,
    /// The highest version of any snapshot.
    version: u64,
    pending: PendingChanges,
}

impl Library {
    /// Walks the roots of all agents and scans the skills that must be scanned before use. The first
    /// [`Library::refresh`] scans the others. `bundled` is the folder of the bundled skills, if there is one.
    #[must_use]
    pub fn open(inputs: EvaluationInputs, bundled: Option<PathBuf>, clock: Clock) -> Self {
        let sources = VersionedSources {
            sources: Sources::new(inputs, bundled, None),
            version: 0,
            pending: PendingChanges::default(),
        };
        let library = Self { clock, sources: Mutex::new(sources), snapshots: RwLock::default() };
        library.configure(&mut library.lock());
        library
    }

    /// Returns the snapshot of an agent; `None` if the agent is not configured.
    #[must_use]
    pub fn snapshot(&self, agent: &AgentId) -> Option<Arc<SkillsSnapshot>> {
        self.current().get(agent).cloned()
    }

    /// Returns the skills of all agents with this settings key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Vec<Arc<SkillFile>> {
        let snapshots = self.current();
        let entries = snapshots.values().flat_map(|snapshot| &snapshot.catalog.entries);
        entries.filter(|file| file.key() == key).cloned().collect()
    }

    /// Returns every program that any agent's skills require or can install.
    #[must_use]
    pub fn programs(&self) -> BTreeSet<String> {
        let snapshots = self.current();
        let entries = snapshots.values().flat_map(|snapshot| &snapshot.catalog.entries);
        let metadata = entries.filter_map(|file| file.skill()?.metadata.as_ref());
        metadata
            .flat_map(|metadata| {
                let required =
                    metadata.requires.iter().flat_map(|needs| needs.bins.iter().chain(&needs.any_bins));
                required.chain(metadata.install.iter().flat_map(|install| &install.bins))
            })
            .cloned()
            .collect()
    }

    /// Returns the roots of all agents without duplicates.
    #[must_use]
    pub fn roots(&self) -> Vec<SkillRoot> {
        self.lock().sources.all_roots()
    }

    /// Applies a configuration and settings. Agents, roots, limits and rules are in effect when this returns. Only new
    /// roots are walked.
    pub fn apply_config(&self, config: LoadedConfig, settings: Settings) -> ChangesByAgent {
        let mut locked = self.lock();
        let inputs = EvaluationInputs::clone(&locked.sources.inputs);
        locked.sources.inputs = Arc::new(EvaluationInputs { config, settings, ..inputs });
        self.configure(&mut locked)
    }

    /// Evaluates the skills again with other programs or variables, without walking any root.
    pub fn apply_machine(&self, machine: MachineState) -> ChangesByAgent {
        let mut locked = self.lock();
        let (inputs, machine) = (EvaluationInputs::clone(&locked.sources.inputs), Arc::new(machine));
        locked.sources.inputs = Arc::new(EvaluationInputs { machine, ..inputs });
        self.publish(&mut locked)
    }

    fn configure(&self, locked: &mut VersionedSources) -> ChangesByAgent {
        let inputs = Arc::clone(&locked.sources.inputs);
        locked.sources.load(&inputs.config.view.agents.list, ScanScope::Required, self.clock.wall_ms());
        self.publish(locked)
    }

    /// Passes blocked skills that no process has recorded yet to `write`, which returns whether it recorded all of them.
    /// `write` is not called if there are none.
    pub fn record_blocked(&self, write: impl FnOnce(&[BlockedFolder]) -> bool) {
        self.lock().sources.record_blocked(write);
    }

    /// Walks all roots again, reads the changed files and returns the changes by agent.
    pub fn refresh(&self) -> ChangesByAgent {
        let mut locked = self.lock();
        locked.sources.reload(self.clock.wall_ms());
        self.publish(&mut locked)
    }

    /// Walks the parts of roots that contain these paths again and returns the changes by agent.
    pub fn refresh_at(&self, paths: &BTreeSet<PathBuf>) -> ChangesByAgent {
        let mut locked = self.lock();
        match locked.sources.reload_at(paths, self.clock.wall_ms()) {
            true => self.publish(&mut locked),
            false => ChangesByAgent::new(),
        }
    }

    /// Takes what changed of an agent's skills since the last time, or since the library was opened.
    pub fn take_changes(&self, agent: &AgentId) -> Vec<(String, SkillChange)> {
        let mut locked = self.lock();
        let Some(snapshot) = self.snapshot(agent) else { return Vec::new() };
        locked.pending.take(agent, &snapshot)
    }

    /// Replaces the snapshots from the current sources. An agent without changes keeps its version.
    fn publish(&self, locked: &mut VersionedSources) -> ChangesByAgent {
        let old = self.current();
        let next_version = version::after(locked.version, self.clock.wall_ms());
        let VersionedSources { sources, pending, .. } = &mut *locked;
        let (mut snapshots, mut changed) = (Snapshots::new(), ChangesByAgent::new());
        for agent in sources.agents() {
            let catalog = sources.catalog(&agent.id);
            let before = old.get(&agent.id);
            let changes = catalog.changes_since(before.map_or(&Catalog::default(), |before| &before.catalog));
            let snapshot = match before.filter(|_| changes.is_empty()) {
                Some(before)
                    if Arc::ptr_eq(&before.inputs, &sources.inputs)
                        && !catalog.has_new_hashes(&before.catalog) =>
                {
                    Arc::clone(before)
                }
                Some(before) => {
                    let again = sources.snapshot(agent, before.version, Arc::new(catalog));
                    Arc::new(if again.is_equivalent_to(before) {
                        again
                    } else {
                        changed.insert(agent.id.clone(), changes);
                        again.with_version(next_version)
                    })
                }
                None => {
                    changed.insert(agent.id.clone(), changes);
                    Arc::new(sources.snapshot(agent, next_version, Arc::new(catalog)))
                }
            };
            if let (Some(before), Some(changes)) = (before, changed.get(&agent.id)) {
                pending.note(&agent.id, changes, before, &snapshot);
            }
            snapshots.insert(agent.id.clone(), snapshot);
        }
        pending.retain(|agent| snapshots.contains_key(agent));
        if !changed.is_empty() {
            locked.version = next_version;
        }
        *self.snapshots.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(snapshots);
        changed
    }

    fn current(&self) -> Arc<Snapshots> {
        Arc::clone(&self.snapshots.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// A poisoned lock is safe to use: each root is replaced in one step.
    fn lock(&self) -> MutexGuard<'_, VersionedSources> {
        self.sources.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
