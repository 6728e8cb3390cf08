//! What every answer is made from: the home, the clock, the audit chain, who may ask, who is told.

use std::ffi::OsString;
use std::net::IpAddr;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use tarsus_agent::prompt::gather::Machine;
use tarsus_agent::{Given, Models, Providers, Runtime, secrets};
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_home::Home;
use tarsus_home::config::view::Agent;
use tarsus_home::config::{AgentId, Config, Loaded};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_protocol::Problem;
use tarsus_protocol::hello::AuthMethod;
use tarsus_protocol::report::{GatewayStatus, StatusReport};
use tarsus_store::Store;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinError;

use crate::access::{Access, Door, Refusal};
use crate::chat;
use crate::devices::Devices;
use crate::events::Events;
use crate::failures::{Failures, Limit};
use crate::installs::Installs;
use crate::limits::Limits;
use crate::overview::{self, Running};
use crate::recent::Recent;
use crate::reload::{self, InForce};
use crate::skills::Skills;

/// Finds the value of a variable by its name.
pub type Variables = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Looks for the programs on PATH.
pub type Programs = Box<dyn Fn() -> SearchPath + Send + Sync>;

/// What the gateway is given by whoever starts it.
pub struct Surroundings {
    /// The state folder.
    pub home: Home,
    /// The time.
    pub clock: Clock,
    /// Where acts are written down.
    pub audit: Arc<Audit>,
    /// The variables that a configuration may name.
    pub variables: Variables,
    /// The programs on PATH, looked at anew.
    pub programs: Programs,
    /// Our own environment, from which an app gets what belongs to the desktop.
    pub environment: Vec<(OsString, OsString)>,
    /// The language of the Application Manager when nothing else tells it.
    pub language: Language,
    /// The agent that reports are about; the default one when not set.
    pub agent: Option<AgentId>,
    /// The models that answer; those of the configuration when not set.
    pub models: Option<Arc<dyn Models>>,
}

/// Turns at using the disk.
struct Turns {
    looking: Arc<Semaphore>,
    changing: Arc<Semaphore>,
    acting: Arc<Semaphore>,
}

/// What a request uses the disk for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It changes nothing.
    Look,
    /// It may change something, and wait for the lock of a file.
    Change,
    /// It launches or stops an app: it reads files between long waits.
    Act,
}

/// A gateway that runs.
pub struct Gateway {
    /// What it was given.
    pub given: Arc<Surroundings>,
    /// Where it listens, and since when.
    pub running: Running,
    /// Its bounds.
    pub limits: Limits,
    /// Who may ask.
    pub access: Access,
    /// Who asked in vain.
    pub failures: Failures,
    /// The devices that were let in.
    pub devices: Devices,
    /// Who is connected and told what happens.
    pub events: Arc<Events>,
    /// Every agent's skills, kept up to date.
    pub skills: Skills,
    /// Sessions and what was said in them.
    pub store: Arc<Store>,
    /// The sessions that were written to last.
    pub(crate) recent: Recent,
    /// Answers what is said to the agents.
    pub runtime: Arc<Runtime>,
    /// Held while a skill is set up: its secrets and its part of the configuration belong together.
    pub(crate) setting_up: Mutex<()>,
    /// What is being installed for skills.
    pub(crate) installs: Arc<Installs>,
    /// Turns at using the disk: those who only look never wait for those who change something.
    turns: Turns,
    /// One for each request that is worked on.
    requests: Semaphore,
    /// The configuration and the settings that hold.
    pub in_force: Arc<InForce>,
    /// The registry of apps that clients know of.
    pub registry: Arc<reload::KnownRegistry>,
}

impl Gateway {
    /// A gateway that nobody is connected to yet.
    ///
    /// # Errors
    /// When the store cannot be opened, the configuration or our own settings cannot be read, or the system gives no
    /// thread.
    pub fn new(
        given: Surroundings,
        running: Running,
        access: Access,
        limits: Limits,
    ) -> Result<Self, Problem> {
        let given = Arc::new(given);
        let events = Arc::new(Events::new(limits));
        // The store waits for the disk while skills are read.
        let (store, in_force, skills) = thread::scope(|scope| {
            let opening = scope.spawn(|| Store::open(&given.home));
            let in_force = Arc::new(InForce::at_start(&given)?);
            let skills = Skills::open(&given, Arc::clone(&events), &in_force.now())?;
            let store = opening.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            Ok::<_, Problem>((Arc::new(store), in_force, skills))
        })?;
        let registry = Arc::new(reload::KnownRegistry::at_start(&given.home));
        let runtime = Runtime::new(Given {
            home: given.home.clone(),
            clock: given.clock.clone(),
            audit: Arc::clone(&given.audit),
            environment: given.environment.clone(),
            language: given.language,
            store: Arc::clone(&store),
            library: skills.library(),
            config: Box::new({
                let in_force = Arc::clone(&in_force);
                move || Config::clone(&in_force.now().view)
            }),
            settings: Box::new({
                let in_force = Arc::clone(&in_force);
                move || in_force.now().settings.clone()
            }),
            secrets: Box::new({
                let (given, in_force) = (Arc::clone(&given), Arc::clone(&in_force));
                move || {
                    let document = &in_force.now().config.document;
                    secrets::known(&given.home, document, &given.environment, &given.variables)
                }
            }),
            models: given.models.clone().unwrap_or_else(|| {
                let variables = {
                    let given = Arc::clone(&given);
                    Arc::new(move |name: &str| (given.variables)(name))
                };
                Arc::new(Providers::new(given.home.clone(), given.clock.clone(), variables))
            }),
            machine: Machine::here((given.variables)("SHELL").map(PathBuf::from)),
            tell: Box::new({
                let (events, registry) = (Arc::clone(&events), Arc::clone(&registry));
                move |told| chat::tell(&events, &registry, told)
            }),
            is_heard: Box::new({
                let events = Arc::clone(&events);
                move || events.has_somebody_to_ask()
            }),
        });
        Ok(Self {
            failures: Failures::new(
                Arc::clone(&given.audit),
                given.clock.clone(),
                limits.failing_addresses,
                limits.failed_attempts,
            ),
            devices: Devices::of(&given.home),
            setting_up: Mutex::default(),
            installs: Arc::default(),
            requests: Semaphore::new(limits.connections * limits.requests_in_flight),
            turns: Turns {
                looking: Arc::new(Semaphore::new(limits.workers)),
                changing: Arc::new(Semaphore::new(limits.workers)),
                acting: Arc::new(Semaphore::new(limits.acting)),
            },
            in_force,
            registry,
            runtime: Arc::new(runtime),
            given,
            running,
            limits,
            access,
            events,
            skills,
            recent: Recent::of(Arc::clone(&store)),
            store,
        })
    }

    /// Lets a request begin; `None` once the gateway stops. It counts as worked on until what is returned is dropped.
    pub(crate) fn begin(&self) -> Option<SemaphorePermit<'_>> {
        // Asked in this order, so that a stop waits for every request that it does not turn away.
        self.requests.try_acquire().ok().filter(|_| !self.events.is_stopping())
    }

    /// Waits until no request is worked on.
    pub(crate) async fn requests_finished(&self) {
        let all = u32::try_from(self.limits.connections * self.limits.requests_in_flight).unwrap_or(u32::MAX);
        // Never closed.
        let _ = self.requests.acquire_many(all).await;
    }

    /// Does something that may wait for the disk, on a thread of its own, when its turn comes.
    ///
    /// # Errors
    /// When it panicked.
    pub(crate) async fn working<T: Send + 'static>(
        self: &Arc<Self>,
        purpose: Use,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let turns = match purpose {
            Use::Look => &self.turns.looking,
            Use::Change => &self.turns.changing,
            Use::Act => &self.turns.acting,
        };
        let turn = Arc::clone(turns).acquire_owned().await;
        let gateway = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let worked = work(&gateway);
            drop(turn);
            worked
        })
        .await
    }

    /// Checks what a client shows of what all clients share, at whichever door. Whoever guesses too often has to wait.
    ///
    /// # Errors
    /// When it is missing or wrong, or too much was wrong before.
    pub(crate) fn check_shared(
        &self,
        door: &Door,
        token: Option<&str>,
        password: Option<&str>,
        address: IpAddr,
        direct: bool,
    ) -> Result<AuthMethod, Refusal> {
        let check = || door.check_shared(token, password, direct);
        match door.method() {
            AuthMethod::Password => self.failures.guess(address, Limit::All, check),
            _ if direct => check(),
            _ => self.failures.guess(address, Limit::Wrong, check),
        }
    }

    /// How long it has been up.
    #[must_use]
    pub fn uptime(&self) -> Duration {
        self.given.clock.monotonic().saturating_duration_since(self.running.ready_at)
    }

    /// The time, in milliseconds since 1970.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.given.clock.wall_ms()
    }

    /// The time, as records carry it.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.given.clock.now()
    }

    /// The present state.
    #[must_use]
    pub fn status(&self) -> StatusReport {
        let given = &self.given;
        let holding = self.in_force.now();
        let config_reload = Some(holding.reload.clone());
        let gateway = GatewayStatus { config_reload, ..self.running.status(given.clock.monotonic()) };
        let (agent, audit) = (given.agent.as_ref(), Some(&*given.audit));
        let skills = |_: &Loaded, agent: &Agent| self.skills.counted(&agent.id);
        let in_force = Some((&holding.config, &holding.settings));
        overview::gather(&given.home, &given.variables, in_force, &skills, agent, audit, gateway)
    }

    /// The configuration that is in force.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.in_force.now().view)
    }
}
