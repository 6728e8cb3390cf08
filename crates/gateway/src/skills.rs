//! Every agent's skills in one library, kept up to date while the gateway runs.
//!
//! Changes on disk or in the configuration are published once they are active.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tarsus_agent::tools::Toolbox;
use tarsus_home::config::{AgentId, LoadedConfig};
use tarsus_host::platform::Platform;
use tarsus_protocol::event::{Event, SkillsChange, SkillsChanged};
use tarsus_protocol::report::SkillsStatus;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::block_audit::{self, ScanTrigger};
use tarsus_skills::eligibility::MachineState;
use tarsus_skills::snapshot::{ChangesByAgent, EvaluationInputs};
use tarsus_skills::watch::{WatchEvent, WatchTiming};
use tarsus_skills::{Library, SkillsSnapshot, SkillsWatcher, bundled};

use crate::events::Events;
use crate::gateway::GatewayContext;
use crate::reload::ActiveConfig;

/// Every agent's skills.
pub struct Skills {
    context: Arc<GatewayContext>,
    events: Arc<Events>,
    library: Arc<Library>,
    /// Held while a configuration is applied.
    watching: Mutex<Watching>,
}

/// The active file watcher and its debounce time.
#[derive(Default)]
struct Watching {
    settle: Option<Duration>,
    watcher: Option<SkillsWatcher>,
}

impl Skills {
    /// Loads the skills of all agents and starts to watch them.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn open(
        context: &Arc<GatewayContext>,
        events: Arc<Events>,
        active: &ActiveConfig,
    ) -> Result<Self, Problem> {
        let home = &context.home;
        let settle = debounce(&active.config);
        let inputs = EvaluationInputs {
            home: home.clone(),
            config: active.config.clone(),
            settings: active.settings.clone(),
            machine: Arc::new(machine(context)),
            built_tools: Toolbox::new().built(),
        };
        let bundled = bundled::ensure(home).inspect_err(|error| {
            tracing::warn!(%error, "the bundled skills cannot be unpacked");
        });
        let library = Arc::new(Library::open(inputs, bundled.ok(), context.clock.clone()));
        record_blocked(context, &library, ScanTrigger::Load);
        let (context, watching) = (Arc::clone(context), Mutex::default());
        let skills = Self { context, events, library, watching };
        skills.watch(&mut skills.watching(), settle)?;
        Ok(skills)
    }

    #[must_use]
    pub fn library(&self) -> Arc<Library> {
        Arc::clone(&self.library)
    }

    /// The skills of an agent, with the programs that are installed now; `None` if the configuration does not have
    /// the agent.
    #[must_use]
    pub fn snapshot(&self, agent: &AgentId) -> Option<Arc<SkillsSnapshot>> {
        let snapshot = self.library.snapshot(agent)?;
        if snapshot.is_path_unchanged() {
            return Some(snapshot);
        }
        let different = self.library.apply_machine(machine(&self.context));
        self.publish(SkillsChange::ProgramsChange, &different);
        self.library.snapshot(agent)
    }

    /// The number of an agent's skills in each state.
    #[must_use]
    pub fn counts(&self, agent: &AgentId) -> Option<SkillsStatus> {
        Some(self.snapshot(agent)?.evaluation().counts.clone())
    }

    /// Applies a configuration and returns the agents whose skills changed.
    ///
    /// # Errors
    /// If no thread can be started: the skills are no longer watched.
    pub fn configure(&self, active: &ActiveConfig) -> Result<ChangesByAgent, Problem> {
        let settle = debounce(&active.config);
        let mut watching = self.watching();
        let before = self.library.roots();
        let different = self.library.apply_config(active.config.clone(), active.settings.clone());
        record_blocked(&self.context, &self.library, ScanTrigger::Load);
        if watching.settle != settle {
            self.watch(&mut watching, settle)?;
        } else if let Some(watcher) = watching.watcher.as_ref().filter(|_| before != self.library.roots()) {
            watcher.rearm();
        }
        Ok(different)
    }

    /// Reloads files, programs and variables; returns the changed files of each agent.
    #[must_use]
    pub fn refresh(&self) -> ChangesByAgent {
        let mut all = self.library.apply_machine(machine(&self.context));
        let different = self.library.refresh();
        record_blocked(&self.context, &self.library, ScanTrigger::Command);
        all.extend(different.clone());
        self.publish(SkillsChange::Refresh, &all);
        different
    }

    /// Reloads some folders and publishes the changes.
    pub fn reload_folders(&self, folders: &BTreeSet<PathBuf>) {
        let different = self.library.refresh_at(folders);
        record_blocked(&self.context, &self.library, ScanTrigger::Command);
        self.publish(SkillsChange::Refresh, &different);
    }

    /// Publishes which agents' skills changed.
    pub fn publish(&self, reason: SkillsChange, different: &ChangesByAgent) {
        publish(&self.events, &self.library, reason, different);
    }

    /// Watches with this debounce time, or stops watching.
    fn watch(&self, watching: &mut Watching, settle: Option<Duration>) -> Result<(), Problem> {
        // Stop the old watcher first, so that two never run.
        *watching = Watching::default();
        if let Some(timing) = settle.map(WatchTiming::with_settle) {
            let (library, clock) = (self.library(), self.context.clock.clone());
            let events = Arc::clone(&self.events);
            let watched = Arc::clone(&library);
            let context = Arc::clone(&self.context);
            let watcher = SkillsWatcher::start(library, clock, timing, move |event| match event {
                WatchEvent::Changed(different) => {
                    record_blocked(&context, &watched, ScanTrigger::Watch);
                    publish(&events, &watched, SkillsChange::FilesChange, &different);
                }
                WatchEvent::Polling(why) => {
                    tracing::warn!(why, "skills cannot be watched; polling instead");
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

/// The debounce time; `None` if watching is off.
fn debounce(config: &LoadedConfig) -> Option<Duration> {
    let load = &config.view.skills.load;
    load.watch.then(|| Duration::from_millis(load.watch_debounce_ms.into()))
}

/// Records newly blocked skills in the audit chain.
fn record_blocked(context: &GatewayContext, library: &Library, trigger: ScanTrigger) {
    library.record_blocked(|blocked| {
        block_audit::record_blocked(&context.audit, blocked, trigger, context.clock.now())
    });
}

fn machine(context: &Arc<GatewayContext>) -> MachineState {
    let variables = Arc::clone(context);
    MachineState {
        platform: Platform::detect().os,
        programs: (context.programs)(),
        variables: Box::new(move |name| (variables.variables)(name)),
    }
}

fn publish(events: &Events, library: &Library, reason: SkillsChange, different: &ChangesByAgent) {
    let snapshots = different.keys().filter_map(|agent| library.snapshot(agent));
    if let Some(version) = snapshots.map(|snapshot| snapshot.version).max() {
        let agent_ids = different.keys().map(ToString::to_string).collect();
        events.publish(Event::SkillsChanged, &SkillsChanged { reason, agent_ids, version });
    }
}
