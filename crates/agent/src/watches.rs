//! Each agent's skills as calls are judged by them, kept as long as they are the same.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use tarsus_guard::{Skills, Watch};
use tarsus_home::config::AgentId;
use tarsus_skills::Snapshot;
use tarsus_skills::commands::Commands;

use crate::commands::COMMANDS;

/// A snapshot, and what was made of it.
struct Made {
    snapshot: Arc<Snapshot>,
    commands: Arc<Commands>,
    skills: Arc<Skills>,
    watch: Arc<Watch>,
}

/// What was made of each agent's last snapshot.
#[derive(Default)]
pub struct Watches(Mutex<BTreeMap<AgentId, Made>>);

impl Watches {
    /// The skills of a snapshot, and the watch over what is used of them.
    pub fn of(&self, snapshot: &Arc<Snapshot>) -> (Arc<Skills>, Arc<Watch>) {
        self.made(snapshot, |made| (Arc::clone(&made.skills), Arc::clone(&made.watch)))
    }

    /// The slash commands of the skills of a snapshot.
    pub fn commands(&self, snapshot: &Arc<Snapshot>) -> Arc<Commands> {
        self.made(snapshot, |made| Arc::clone(&made.commands))
    }

    fn made<T>(&self, snapshot: &Arc<Snapshot>, take: impl FnOnce(&Made) -> T) -> T {
        // A holder that panicked has left whole entries behind.
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.get(snapshot.agent()).filter(|made| Arc::ptr_eq(&made.snapshot, snapshot)) {
            return take(known);
        }
        let commands = commands(snapshot);
        let (skills, watch) = snapshot.for_calls(&commands);
        let made = Made {
            snapshot: Arc::clone(snapshot),
            commands: Arc::new(commands),
            skills: Arc::new(skills),
            watch: Arc::new(watch),
        };
        let taken = take(&made);
        all.insert(snapshot.agent().clone(), made);
        taken
    }
}

/// The slash commands of the skills of a snapshot.
fn commands(snapshot: &Snapshot) -> Commands {
    let skills = snapshot.judgement().ready.iter().filter_map(|ready| ready.found.skill());
    let invocable = skills.filter(|skill| skill.invocation.user_invocable);
    let names = invocable.map(|skill| (skill.name.as_str(), skill.slash_base.as_str()));
    Commands::of(names, COMMANDS.iter().map(|(name, _, _)| *name))
}
