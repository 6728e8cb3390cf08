//! Every agent's skills in one library, kept up to date while the gateway runs.
//!
//! Promises: what changes on disk or in the configuration is told once it is in force. Leaves to others: who asks.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsus_home::config::{AgentId, Loaded};
use tarsus_host::platform::Platform;
use tarsus_protocol::event::{Event, SkillsChange, SkillsChanged};
use tarsus_protocol::report::SkillsStatus;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::snapshot::{Basis, Different, Surroundings as Machine};
use tarsus_skills::watch::{Event as Noticed, Pace};
use tarsus_skills::{Library, Snapshot, Watcher, bundled};

use crate::blocks::{self, Trigger};
use crate::events::Events;
use crate::gateway::Surroundings;
use crate::reload::Holding;

/// Every agent's skills.
pub struct Skills {
    given: Arc<Surroundings>,
    events: Arc<Events>,
    library: Arc<Library>,
    /// Held while a configuration is put in force.
    watching: Mutex<Watching>,
}

/// How changes on disk are noticed now.
#[derive(Default)]
struct Watching {
    settle: Option<Duration>,
    watcher: Option<Watcher>,
}

impl Skills {
    /// Looks through the skills of all agents, and watches them from now on.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn open(given: &Arc<Surroundings>, events: Arc<Events>, holding: &Holding) -> Result<Self, Problem> {
        let home = &given.home;
        let settle = settle(&holding.config);
        let basis = Basis {
            home: home.clone(),
            config: holding.config.clone(),
            settings: holding.settings.clone(),
            surroundings: Arc::new(machine(given)),
        };
        let bundled = bundled::ensure(home).inspect_err(|error| {
            tracing::warn!(%error, "the bundled skills cannot be put on disk");
        });
        let library = Arc::new(Library::open(basis, bundled.ok(), given.clock.clone()));
        write_down(given, &library, Trigger::Load);
        let (given, watching) = (Arc::clone(given), Mutex::default());
        let skills = Self { given, events, library, watching };
        skills.watch(&mut skills.watching(), settle)?;
        Ok(skills)
    }

    /// The library itself.
    #[must_use]
    pub fn library(&self) -> Arc<Library> {
        Arc::clone(&self.library)
    }

    /// The skills of an agent, judged by the programs that are there now; `None` when the configuration does not name
    /// the agent.
    #[must_use]
    pub fn of(&self, agent: &AgentId) -> Option<Arc<Snapshot>> {
        let snapshot = self.library.snapshot(agent)?;
        if snapshot.programs_are_as_seen() {
            return Some(snapshot);
        }
        let different = self.library.apply_surroundings(machine(&self.given));
        self.tell(SkillsChange::ProgramsChange, &different);
        self.library.snapshot(agent)
    }

    /// How many skills of an agent stand how.
    #[must_use]
    pub fn counted(&self, agent: &AgentId) -> Option<SkillsStatus> {
        Some(self.of(agent)?.judgement().counts.clone())
    }

    /// Takes over what is in force, and says whose skills stand otherwise for it.
    ///
    /// # Errors
    /// When the system gives no thread: the skills are not watched any more then.
    pub fn configure(&self, holding: &Holding) -> Result<Different, Problem> {
        let settle = settle(&holding.config);
        let mut watching = self.watching();
        let before = self.library.roots();
        let different = self.library.apply_config(holding.config.clone(), holding.settings.clone());
        write_down(&self.given, &self.library, Trigger::Load);
        if watching.settle != settle {
            self.watch(&mut watching, settle)?;
        } else if let Some(watcher) = watching.watcher.as_ref().filter(|_| before != self.library.roots()) {
            watcher.rearm();
        }
        Ok(different)
    }

    /// Looks at everything again: files, programs, variables. Says what is different in the files of each agent.
    #[must_use]
    pub fn refresh(&self) -> Different {
        let mut all = self.library.apply_surroundings(machine(&self.given));
        let different = self.library.refresh();
        write_down(&self.given, &self.library, Trigger::Command);
        all.extend(different.clone());
        self.tell(SkillsChange::Refresh, &all);
        different
    }

    /// Looks at some places again, and tells what is different.
    pub fn look_at(&self, places: &BTreeSet<PathBuf>) {
        let different = self.library.refresh_at(places);
        write_down(&self.given, &self.library, Trigger::Command);
        self.tell(SkillsChange::Refresh, &different);
    }

    /// Tells everybody whose skills are other ones.
    pub fn tell(&self, reason: SkillsChange, different: &Different) {
        tell(&self.events, &self.library, reason, different);
    }

    /// Watches at this pace from now on; not at all without one.
    fn watch(&self, watching: &mut Watching, settle: Option<Duration>) -> Result<(), Problem> {
        // Ended first, so that no two watch.
        *watching = Watching::default();
        if let Some(pace) = settle.map(Pace::settling_in) {
            let (library, clock) = (self.library(), self.given.clock.clone());
            let events = Arc::clone(&self.events);
            let of = Arc::clone(&library);
            let given = Arc::clone(&self.given);
            let watcher = Watcher::start(library, clock, pace, move |noticed| match noticed {
                Noticed::Changed(different) => {
                    write_down(&given, &of, Trigger::Watch);
                    tell(&events, &of, SkillsChange::FilesChange, &different);
                }
                Noticed::Polling(why) => {
                    tracing::warn!(why, "skills cannot be watched and are looked at from time to time");
                }
            });
            let watcher = watcher.map_err(|error| {
                Problem::new(ErrorCode::Failed, format!("skills cannot be watched: {error}"))
            })?;
            watching.watcher = Some(watcher);
        }
        watching.settle = settle;
        Ok(())
    }

    fn watching(&self) -> MutexGuard<'_, Watching> {
        // A holder that panicked has left a watcher or none.
        self.watching.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long changes on disk settle; `None` when they are not watched for.
fn settle(config: &Loaded) -> Option<Duration> {
    let load = &config.view.skills.load;
    load.watch.then(|| Duration::from_millis(load.watch_debounce_ms.into()))
}

/// Writes down what must not be used and was not known before.
fn write_down(given: &Surroundings, library: &Library, trigger: Trigger) {
    library.tell(|blocked| blocks::record(&given.audit, blocked, trigger, given.clock.now()));
}

/// The machine as it is now.
fn machine(given: &Arc<Surroundings>) -> Machine {
    let variables = Arc::clone(given);
    Machine {
        platform: Platform::here().os,
        programs: (given.programs)(),
        variables: Box::new(move |name| (variables.variables)(name)),
        nodes: Vec::new(),
    }
}

fn tell(events: &Events, library: &Library, reason: SkillsChange, different: &Different) {
    let snapshots = different.keys().filter_map(|agent| library.snapshot(agent));
    // Nobody has a version when nothing is different.
    if let Some(version) = snapshots.map(|snapshot| snapshot.version).max() {
        let agent_ids = different.keys().map(ToString::to_string).collect();
        events.tell(Event::SkillsChanged, &SkillsChanged { reason, agent_ids, version });
    }
}
