//! Caches the guard's view of each agent's skills for the current snapshot.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tarsus_guard::{SkillDetector, SkillSet};
use tarsus_home::config::AgentId;
use tarsus_skills::SkillsSnapshot;
use tarsus_skills::commands::SkillCommands;

use crate::commands::COMMANDS;

/// A snapshot and the values derived from it.
struct CachedWatch {
    snapshot: Arc<SkillsSnapshot>,
    commands: Arc<SkillCommands>,
    skills: Arc<SkillSet>,
    watch: Arc<SkillDetector>,
}

/// The derived values of each agent's last snapshot.
#[derive(Default)]
pub struct WatchCache(Mutex<BTreeMap<AgentId, CachedWatch>>);

impl WatchCache {
    /// The skills of a snapshot for the guard, and the detector of their use.
    pub fn for_snapshot(&self, snapshot: &Arc<SkillsSnapshot>) -> (Arc<SkillSet>, Arc<SkillDetector>) {
        self.with_cached(snapshot, |cached| (Arc::clone(&cached.skills), Arc::clone(&cached.watch)))
    }

    /// The slash commands of the skills of a snapshot.
    pub fn commands(&self, snapshot: &Arc<SkillsSnapshot>) -> Arc<SkillCommands> {
        self.with_cached(snapshot, |cached| Arc::clone(&cached.commands))
    }

    fn with_cached<T>(&self, snapshot: &Arc<SkillsSnapshot>, take: impl FnOnce(&CachedWatch) -> T) -> T {
        // A holder that panicked has left whole entries behind.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) =
            all.get(snapshot.agent()).filter(|cached| Arc::ptr_eq(&cached.snapshot, snapshot))
        {
            return take(known);
        }
        let commands = commands(snapshot);
        let (skills, watch) = snapshot.guard_inputs(&commands);
        let cached = CachedWatch {
            snapshot: Arc::clone(snapshot),
            commands: Arc::new(commands),
            skills: Arc::new(skills),
            watch: Arc::new(watch),
        };
        let taken = take(&cached);
        all.insert(snapshot.agent().clone(), cached);
        taken
    }
}

/// The slash commands of the skills of a snapshot.
fn commands(snapshot: &SkillsSnapshot) -> SkillCommands {
    let skills = snapshot.evaluation().ready().filter_map(|ready| ready.file.skill());
    let invocable = skills.filter(|skill| skill.invocation.user_invocable);
    let names = invocable.map(|skill| (skill.name.as_str(), skill.slash_base.as_str()));
    SkillCommands::new(names, COMMANDS.iter().map(|(name, _, _)| *name))
}
