//! Loads one agent's skills from disk once; [`Library`](crate::Library) keeps them up to date.
//!
//! If the bundled skills cannot be unpacked, they are reported as skipped and the others are still loaded.

use std::path::Path;
use std::sync::Arc;

use tarsus_home::Settings;
use tarsus_home::config::view::Agent;

use crate::gate::{BlockedFolder, ScanScope};
use crate::snapshot::{EvaluationInputs, SkillsSnapshot, Sources};
use crate::{SkillRoot, SkillSource, SkipReason, Skipped, bundled};

/// One agent's skills on disk at one moment.
#[derive(Debug)]
pub struct SkillsLoader {
    agent: Agent,
    sources: Sources,
    now_ms: i64,
    snapshot: SkillsSnapshot,
}

impl SkillsLoader {
    /// Walks the agent's roots and scans the skills that `scope` selects.
    #[must_use]
    pub fn load(inputs: EvaluationInputs, agent: &Agent, scope: ScanScope, now_ms: i64) -> Self {
        let unpacked = bundled::ensure(&inputs.home);
        let skipped = unpacked.as_ref().err().map(|error| Skipped {
            source: SkillSource::Bundled,
            path: bundled::folder(&inputs.home),
            reason: SkipReason::Unreadable(error.to_string()),
        });
        let mut sources = Sources::new(inputs, unpacked.ok(), skipped);
        sources.load(std::slice::from_ref(agent), scope, now_ms);
        let snapshot = build_snapshot(&sources, agent);
        Self { agent: agent.clone(), sources, now_ms, snapshot }
    }

    /// Also scans the skill with this SKILL.md.
    pub fn scan_skill(&mut self, path: &Path) {
        self.sources.scan_skill(path, self.now_ms);
        self.snapshot = build_snapshot(&self.sources, &self.agent);
    }

    /// Passes blocked skills that no process has recorded yet to `write`, which returns whether it recorded all of them.
    /// `write` is not called if there are none.
    pub fn record_blocked(&mut self, write: impl FnOnce(&[BlockedFolder]) -> bool) {
        self.sources.record_blocked(write);
    }

    /// Returns the loaded skills. The snapshot has no version.
    #[must_use]
    pub fn snapshot(&self) -> &SkillsSnapshot {
        &self.snapshot
    }

    /// Returns the roots that were walked.
    #[must_use]
    pub fn roots(&self) -> &[SkillRoot] {
        self.sources.roots(&self.agent.id).map(|roots| roots.list.as_slice()).unwrap_or_default()
    }

    /// Returns Tarsus's own settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.sources.inputs.settings
    }
}

fn build_snapshot(sources: &Sources, agent: &Agent) -> SkillsSnapshot {
    sources.snapshot(agent, 0, Arc::new(sources.catalog(&agent.id)))
}
