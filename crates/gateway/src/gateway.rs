//! The state shared by all request handlers: home, clock, audit chain, access rules and connected clients.

use std::ffi::OsString;
use std::net::IpAddr;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use jiff::Timestamp;
use tarsus_agent::prompt::Machine;
use tarsus_agent::{ModelSource, ProviderModels, Runtime, Services};
use tarsus_apps::conversation::Language;
use tarsus_audit::Audit;
use tarsus_health::status::{self, StatusInputs};
use tarsus_home::Home;
use tarsus_home::config::view::Agent;
use tarsus_home::config::{AgentId, Config, ConfigFile, LoadedConfig};
use tarsus_host::Clock;
use tarsus_host::path::SearchPath;
use tarsus_protocol::Problem;
use tarsus_protocol::hello::AuthMethod;
use tarsus_protocol::report::{GatewayStatus, StatusReport, StoreStatus};
use tarsus_store::{CheckExtent, Store};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::task::JoinError;

use crate::access::{Access, AccessRefusal, ActiveCredentials};
use crate::body_budget::BodyBudget;
use crate::chat::GatewayHost;
use crate::devices::Devices;
use crate::events::Events;
use crate::failures::{Failures, GuessLimit};
use crate::installs::Installs;
use crate::limits::Limits;
use crate::recent::RecentSessionCache;
use crate::reload::{self, ActiveConfigCell};
use crate::running::RunningGateway;
use crate::skills::Skills;

/// Looks up an environment variable.
pub type EnvLookup = Box<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Searches PATH for programs.
pub type Programs = Box<dyn Fn() -> SearchPath + Send + Sync>;

/// Dependencies that the caller passes to a new gateway.
pub struct GatewayContext {
    /// The state folder.
    pub home: Home,
    pub clock: Clock,
    /// The audit chain.
    pub audit: Arc<Audit>,
    /// The environment variables that a configuration may name.
    pub variables: EnvLookup,
    /// Looks up the programs on PATH; reads PATH again on each call.
    pub programs: Programs,
    /// Our own environment, from which an app gets what belongs to the desktop.
    pub environment: Vec<(OsString, OsString)>,
    /// Default language of the Application Manager.
    pub language: Language,
    /// The agent that reports are about; the default one when not set.
    pub agent: Option<AgentId>,
    /// The models that answer; those of the configuration when not set.
    pub models: Option<Arc<dyn ModelSource>>,
}

/// Limits on concurrent disk work, one semaphore for each [`WorkKind`].
struct WorkQueues {
    readers: Arc<Semaphore>,
    writers: Arc<Semaphore>,
    actors: Arc<Semaphore>,
}

/// The kind of blocking work that a request does; each kind has its own concurrency limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkKind {
    /// Reads only.
    Read,
    /// May write, and may wait for a file lock.
    Write,
    /// Launches or stops an app: mostly waits, with short file reads in between.
    Act,
}

/// A running gateway.
pub struct Gateway {
    /// The dependencies passed by the caller.
    pub context: Arc<GatewayContext>,
    /// The addresses that it listens on, and its start time.
    pub running: RunningGateway,
    /// Limits and time-outs.
    pub limits: Limits,
    /// Access rules and credentials.
    pub access: Access,
    /// Failed authentication attempts.
    pub failures: Failures,
    /// Paired devices.
    pub devices: Devices,
    /// Connected clients and event delivery.
    pub events: Arc<Events>,
    /// Every agent's skills, kept up to date.
    pub skills: Arc<Skills>,
    /// Sessions and their transcripts.
    pub store: Arc<Store>,
    /// Cache of the most recently updated sessions.
    pub(crate) recent: RecentSessionCache,
    /// Runs the agents.
    pub runtime: Arc<Runtime>,
    /// Held while a skill is set up: its secrets and its configuration entry change together.
    pub(crate) skill_setup_lock: Mutex<()>,
    /// Running installations for skills.
    pub(crate) installs: Arc<Installs>,
    /// Readers never wait for writers.
    work_queues: WorkQueues,
    /// One permit for each running request.
    requests: Semaphore,
    /// The bodies of all requests that are being read.
    pub(crate) bodies: BodyBudget,
    /// The active configuration and settings.
    pub active_config: Arc<ActiveConfigCell>,
    /// The app registry version that clients were last notified of.
    pub registry: Arc<reload::KnownRegistry>,
}

impl Gateway {
    /// Opens the store, loads configuration and skills, and builds the gateway without any clients.
    ///
    /// # Errors
    /// If the store cannot be opened, the configuration or our settings cannot be read, or no thread can be
    /// started.
    pub fn new(
        context: GatewayContext,
        running: RunningGateway,
        access: Access,
        limits: Limits,
    ) -> Result<Self, Problem> {
        let context = Arc::new(context);
        let events = Arc::new(Events::new(limits));
        // Open the store in parallel: it waits for the disk while skills are read.
        let (store, active_config, skills) = thread::scope(|scope| {
            let opening = scope.spawn(|| Store::open(&context.home));
            let active_config = Arc::new(ActiveConfigCell::load(&context)?);
            let skills = Skills::open(&context, Arc::clone(&events), &active_config.current())?;
            let store = opening.join().unwrap_or_else(|panic| resume_unwind(panic))?;
            Ok::<_, Problem>((Arc::new(store), active_config, Arc::new(skills)))
        })?;
        let registry = Arc::new(reload::KnownRegistry::load(&context.home));
        let runtime = Runtime::new(Services {
            home: context.home.clone(),
            clock: context.clock.clone(),
            audit: Arc::clone(&context.audit),
            environment: context.environment.clone(),
            language: context.language,
            store: Arc::clone(&store),
            library: skills.library(),
            models: context.models.clone().unwrap_or_else(|| {
                let variables = {
                    let context = Arc::clone(&context);
                    Arc::new(move |name: &str| (context.variables)(name))
                };
                Arc::new(ProviderModels::new(context.home.clone(), context.clock.clone(), variables))
            }),
            machine: Machine::detect((context.variables)("SHELL").map(PathBuf::from)),
            host: Arc::new(GatewayHost {
                context: Arc::clone(&context),
                active_config: Arc::clone(&active_config),
                events: Arc::clone(&events),
                registry: Arc::clone(&registry),
                skills: Arc::clone(&skills),
            }),
        });
        Ok(Self {
            failures: Failures::new(
                Arc::clone(&context.audit),
                context.clock.clone(),
                limits.failing_addresses,
                limits.failed_attempts,
            ),
            devices: Devices::for_home(&context.home),
            skill_setup_lock: Mutex::default(),
            installs: Arc::default(),
            requests: Semaphore::new(limits.connections * limits.requests_in_flight),
            bodies: BodyBudget::new(limits.all_body_bytes),
            work_queues: WorkQueues {
                readers: Arc::new(Semaphore::new(limits.workers)),
                writers: Arc::new(Semaphore::new(limits.workers)),
                actors: Arc::new(Semaphore::new(limits.acting)),
            },
            active_config,
            registry,
            runtime: Arc::new(runtime),
            context,
            running,
            limits,
            access,
            events,
            skills,
            recent: RecentSessionCache::new(Arc::clone(&store)),
            store,
        })
    }

    /// Admits a request; `None` once the gateway stops. The request counts as running until the permit is dropped.
    pub(crate) fn begin(&self) -> Option<SemaphorePermit<'_>> {
        // Acquire before checking: a stop then waits for every request that it does not reject.
        self.requests.try_acquire().ok().filter(|_| !self.events.is_stopping())
    }

    /// Waits until no request is running.
    pub(crate) async fn requests_finished(&self) {
        let all = u32::try_from(self.limits.connections * self.limits.requests_in_flight).unwrap_or(u32::MAX);
        // Never closed.
        let _ = self.requests.acquire_many(all).await;
    }

    /// Runs `work` on a blocking thread once a slot for its kind is free.
    ///
    /// # Errors
    /// When `work` panicked.
    pub(crate) async fn run_blocking<T: Send + 'static>(
        self: &Arc<Self>,
        purpose: WorkKind,
        work: impl FnOnce(&Self) -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        let work_queues = match purpose {
            WorkKind::Read => &self.work_queues.readers,
            WorkKind::Write => &self.work_queues.writers,
            WorkKind::Act => &self.work_queues.actors,
        };
        let turn = Arc::clone(work_queues).acquire_owned().await;
        let gateway = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            let worked = work(&gateway);
            drop(turn);
            worked
        })
        .await
    }

    /// Checks a client's shared token or password, for HTTP and sockets alike, with a rate limit on wrong guesses.
    ///
    /// # Errors
    /// When the secret is missing or wrong, or the rate limit is exceeded.
    pub(crate) fn check_shared(
        &self,
        credentials: &ActiveCredentials,
        token: Option<&str>,
        password: Option<&str>,
        address: IpAddr,
        direct: bool,
    ) -> Result<AuthMethod, AccessRefusal> {
        let check = || credentials.check_shared(token, password, direct);
        match credentials.method() {
            AuthMethod::Password => self.failures.guess(address, GuessLimit::All, check),
            _ if direct => check(),
            _ => self.failures.guess(address, GuessLimit::WrongOnly, check),
        }
    }

    /// Time since the gateway became ready.
    #[must_use]
    pub fn uptime(&self) -> Duration {
        self.context.clock.monotonic().saturating_duration_since(self.running.ready_at)
    }

    /// The current time in milliseconds since the Unix epoch.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        self.context.clock.wall_ms()
    }

    /// The current time as a timestamp for records.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.context.clock.now()
    }

    /// Builds the current status report.
    #[must_use]
    pub fn status(&self) -> StatusReport {
        let context = &self.context;
        let active = self.active_config.current();
        let config_reload = Some(active.reload.clone());
        let gateway = GatewayStatus { config_reload, ..self.running.status(context.clock.monotonic()) };
        let file = ConfigFile::for_home(&context.home).load(&context.variables).map_err(Problem::from);
        status::report(StatusInputs {
            home: &context.home,
            file: file.as_ref().map_err(Problem::clone),
            active: Some((&active.config, &active.settings)),
            skills: &|_: &LoadedConfig, agent: &Agent| self.skills.counts(&agent.id),
            agent: context.agent.as_ref(),
            store: StoreStatus::from_check(self.store.check(CheckExtent::Quick).map(|()| true)),
            audit: Ok(Some(&*context.audit)),
            gateway,
        })
    }

    /// The active configuration.
    #[must_use]
    pub fn config(&self) -> Arc<Config> {
        Arc::clone(&self.active_config.current().view)
    }
}
