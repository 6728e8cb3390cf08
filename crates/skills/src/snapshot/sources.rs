//! The walked and scanned roots of agents: the one way from folders to a catalog and a snapshot.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_home::config::view::{Agent, AgentId};
use tarsus_home::settings::SkillRecords;

use super::{EvaluationInputs, SkillsSnapshot};
use crate::gate::{BlockedFolder, Gate, ScanScope, is_blocked};
use crate::watch::relevant::is_generated;
use crate::{Catalog, DiscoveredRoot, SkillFile, SkillRoot, SkillRoots, Skipped, install};

/// The contents of all agents' roots and the inputs of their evaluation.
#[derive(Debug)]
pub(crate) struct Sources {
    pub(crate) inputs: Arc<EvaluationInputs>,
    /// Folder of the bundled skills, if there is one.
    bundled: Option<PathBuf>,
    /// Why the bundled skills are missing.
    bundled_skipped: Option<Skipped>,
    agents: BTreeMap<AgentId, (Agent, SkillRoots)>,
    by_root: BTreeMap<PathBuf, Vec<Arc<DiscoveredRoot>>>,
    gate: Gate,
}

/// Selects the skills to scan again, in addition to those never scanned.
#[derive(Clone, Copy)]
enum Rescan<'a> {
    None,
    /// Skills affected by changes at these paths.
    Touched(&'a BTreeSet<PathBuf>),
    All,
}

impl Rescan<'_> {
    fn includes(self, file: &SkillFile) -> bool {
        match self {
            Self::None => false,
            Self::Touched(paths) => {
                let dirs = [file.walked_path().parent().unwrap_or(file.walked_path()), file.dir()];
                paths.iter().any(|path| dirs.iter().any(|dir| path.starts_with(dir) || dir.starts_with(path)))
            }
            Self::All => true,
        }
    }
}

/// Selects the roots to walk.
#[derive(Clone, Copy, PartialEq)]
enum RootSelection {
    All,
    /// Roots not yet walked with the current limits.
    New,
}

impl Sources {
    /// Creates sources without agents. If the bundled skills could not be unpacked, every catalog says why.
    pub(crate) fn new(
        inputs: EvaluationInputs,
        bundled: Option<PathBuf>,
        bundled_skipped: Option<Skipped>,
    ) -> Self {
        Self {
            gate: Gate::new(inputs.home.clone()),
            inputs: Arc::new(inputs),
            bundled,
            bundled_skipped,
            agents: BTreeMap::new(),
            by_root: BTreeMap::new(),
        }
    }

    /// Replaces the agents, walks the roots that are new, and scans the skills that were never scanned and that
    /// `scope` selects.
    pub(crate) fn load(&mut self, agents: &[Agent], scope: ScanScope, now_ms: i64) {
        let EvaluationInputs { home, config, .. } = &*self.inputs;
        let roots = |agent| SkillRoots::for_agent(home, &config.view, agent, self.bundled.as_deref());
        self.agents = agents.iter().map(|agent| (agent.id.clone(), (agent.clone(), roots(agent)))).collect();
        // Leftovers of installations are invisible here; the next installation retries and reports a failure.
        install::clear(home).ok();
        self.walk(RootSelection::New, now_ms);
        self.scan(scope, Rescan::None, now_ms);
    }

    /// Walks all roots again, reads the changed files and scans all skills.
    pub(crate) fn reload(&mut self, now_ms: i64) {
        self.walk(RootSelection::All, now_ms);
        self.scan(ScanScope::All, Rescan::All, now_ms);
    }

    /// Walks the parts of roots that contain these paths again. Returns whether any root is affected.
    pub(crate) fn reload_at(&mut self, paths: &BTreeSet<PathBuf>, now_ms: i64) -> bool {
        let inputs = Arc::clone(&self.inputs);
        let mut touched = BTreeSet::new();
        for root in self.by_root.values_mut().flatten() {
            let is_affected = |path: &&PathBuf| affects_root(path, root, &inputs.settings.skills);
            let below: BTreeSet<_> = paths.iter().filter(is_affected).cloned().collect();
            if !below.is_empty() {
                *root = Arc::new(root.walk_again(&below, now_ms));
                touched.extend(below);
            }
        }
        if touched.is_empty() {
            return false;
        }
        self.scan(ScanScope::All, Rescan::Touched(&touched), now_ms);
        true
    }

    /// Scans the skill with this SKILL.md.
    pub(crate) fn scan_skill(&mut self, path: &Path, now_ms: i64) {
        let records = &self.inputs.settings.skills;
        let includes = |file: &SkillFile| file.path() == path && ScanScope::All.includes(file, records);
        for root in self.by_root.values_mut().flatten() {
            *root = self.gate.scan_root(root, includes, now_ms);
        }
    }

    /// Passes blocked skills that no process has recorded yet to `write`, which returns whether it recorded all of them.
    /// `write` is not called if there are none.
    pub(crate) fn record_blocked(&mut self, write: impl FnOnce(&[BlockedFolder]) -> bool) {
        let files = self.by_root.values().flatten().flat_map(|root| &root.skills);
        self.gate.record_blocked(files.map(|file| &**file), &self.inputs.settings.skills, write);
    }

    /// Returns the agents in the order of their ids.
    pub(crate) fn agents(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values().map(|(agent, _)| agent)
    }

    /// Returns the roots of an agent.
    pub(crate) fn roots(&self, agent: &AgentId) -> Option<&SkillRoots> {
        self.agents.get(agent).map(|(_, roots)| roots)
    }

    /// Returns the roots of all agents of the configuration without duplicates.
    pub(crate) fn all_roots(&self) -> Vec<SkillRoot> {
        let EvaluationInputs { home, config, .. } = &*self.inputs;
        crate::roots::for_all_agents(home, &config.view, self.bundled.as_deref())
    }

    /// Builds the catalog of an agent from its roots.
    pub(crate) fn catalog(&self, agent: &AgentId) -> Catalog {
        let Some(roots) = self.roots(agent) else { return Catalog::default() };
        let discovered: Vec<_> = roots.list.iter().filter_map(|root| self.get(root)).cloned().collect();
        let records = &self.inputs.settings.skills;
        let mut catalog = Catalog::new(&discovered, &roots.limits, &|file| is_blocked(file, records));
        catalog.skipped.extend(self.gate.save_diagnostic().into_iter().chain(self.bundled_skipped.clone()));
        catalog
    }

    /// Builds a snapshot of a catalog with the current inputs.
    pub(crate) fn snapshot(&self, agent: &Agent, version: u64, catalog: Arc<Catalog>) -> SkillsSnapshot {
        SkillsSnapshot::new(agent.clone(), version, catalog, Arc::clone(&self.inputs))
    }

    fn get(&self, root: &SkillRoot) -> Option<&Arc<DiscoveredRoot>> {
        self.by_root.get(&root.path)?.iter().find(|discovered| discovered.root == *root)
    }

    /// Scans the skills that `scope` selects and that were never scanned or are selected by `rescan`.
    fn scan(&mut self, scope: ScanScope, rescan: Rescan<'_>, now_ms: i64) {
        let records = &self.inputs.settings.skills;
        let includes = |file: &SkillFile| {
            scope.includes(file, records) && (file.scan.is_none() || rescan.includes(file))
        };
        for root in self.by_root.values_mut().flatten() {
            *root = self.gate.scan_root(root, includes, now_ms);
        }
    }

    /// Walks the selected roots and drops those that no agent uses.
    fn walk(&mut self, selection: RootSelection, now_ms: i64) {
        let mut by_root: BTreeMap<PathBuf, Vec<Arc<DiscoveredRoot>>> = BTreeMap::new();
        for (_, roots) in self.agents.values() {
            for root in &roots.list {
                let same_path = by_root.entry(root.path.clone()).or_default();
                if same_path.iter().any(|discovered| discovered.root == *root) {
                    continue;
                }
                let before = self.get(root);
                let kept = before.filter(|discovered| {
                    selection == RootSelection::New && discovered.is_within(&roots.limits)
                });
                let walk = || {
                    let before = before.map(|discovered| &**discovered);
                    Arc::new(DiscoveredRoot::walk(root, &roots.limits, before, now_ms))
                };
                same_path.push(kept.map_or_else(walk, Arc::clone));
            }
        }
        self.by_root = by_root;
    }
}

/// Whether a change at the path can affect the skills of the root.
fn affects_root(path: &Path, discovered: &DiscoveredRoot, records: &SkillRecords) -> bool {
    let root = &discovered.root.path;
    let Ok(below) = path.strip_prefix(root) else { return root.starts_with(path) };
    let is_in = |file: &&Arc<SkillFile>| {
        file.walked_path().parent().is_some_and(|dir| path.starts_with(dir)) || path.starts_with(file.dir())
    };
    !is_generated(below)
        || discovered.skills.iter().filter(is_in).any(|file| ScanScope::Required.includes(file, records))
}
