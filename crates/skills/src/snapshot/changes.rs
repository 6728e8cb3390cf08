//! What changed of each agent's skills since its owner was last told.

use std::collections::BTreeMap;

use tarsus_home::config::view::AgentId;
use tarsus_protocol::skills::SkillState;

use super::SkillsSnapshot;
use crate::CatalogChanges;

/// A change of one skill, with its state now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkillChange {
    /// It is new.
    Added(SkillState),
    /// Its files changed.
    Edited(SkillState),
    /// Its state alone changed.
    State(SkillState),
    /// It is gone.
    Removed,
}

/// A changed skill as it was when its owner was last told.
#[derive(Debug)]
struct Earlier {
    /// `None` if it did not exist.
    state: Option<SkillState>,
    is_edited: bool,
}

/// The skills that changed, of each agent. Empty while nothing changes.
#[derive(Debug, Default)]
pub(super) struct PendingChanges(BTreeMap<AgentId, BTreeMap<String, Earlier>>);

impl PendingChanges {
    /// Notes the difference of two snapshots, which `changes` is about.
    pub(super) fn note(
        &mut self,
        agent: &AgentId,
        changes: &CatalogChanges,
        before: &SkillsSnapshot,
        after: &SkillsSnapshot,
    ) {
        let (old, new) = (states(before), states(after));
        let noted = self.0.entry(agent.clone()).or_default();
        let earlier = |name: &str| Earlier { state: old.get(name).copied(), is_edited: false };
        for name in changes.added.iter().chain(&changes.changed).chain(&changes.removed) {
            noted.entry(name.clone()).or_insert_with(|| earlier(name)).is_edited = true;
        }
        for (name, _) in old.iter().filter(|(name, state)| new.get(*name).is_some_and(|now| now != *state)) {
            noted.entry(name.clone()).or_insert_with(|| earlier(name));
        }
        if noted.is_empty() {
            self.0.remove(agent);
        }
    }

    /// Drops what was noted of removed agents.
    pub(super) fn retain(&mut self, is_known: impl Fn(&AgentId) -> bool) {
        self.0.retain(|agent, _| is_known(agent));
    }

    /// Takes the changes of an agent, by name.
    pub(super) fn take(&mut self, agent: &AgentId, now: &SkillsSnapshot) -> Vec<(String, SkillChange)> {
        let Some(noted) = self.0.remove(agent) else { return Vec::new() };
        let new = states(now);
        let change = |(name, earlier): (String, Earlier)| {
            let change = match (earlier.state, new.get(&name).copied()) {
                (None, Some(state)) => SkillChange::Added(state),
                (Some(_), None) => SkillChange::Removed,
                (Some(_), Some(state)) if earlier.is_edited => SkillChange::Edited(state),
                (Some(old), Some(state)) if old != state => SkillChange::State(state),
                _ => return None,
            };
            Some((name, change))
        };
        noted.into_iter().filter_map(change).collect()
    }
}

fn states(snapshot: &SkillsSnapshot) -> BTreeMap<String, SkillState> {
    let skills = snapshot.evaluation().skills.iter();
    skills.map(|skill| (skill.file.name().into_owned(), skill.state)).collect()
}
