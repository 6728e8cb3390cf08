//! Shared state of every command: the state folder, the clock, the environment and the configuration.

use std::cell::OnceCell;
use std::path::Path;

use jiff::Timestamp;
use tarsus_audit::{Audit, AuditError};
use tarsus_home::config::view::{Agent, AgentIdError, Config};
use tarsus_home::config::{AgentId, ConfigFile, LoadedConfig};
use tarsus_home::{Home, HomeOptions};
use tarsus_host::Clock;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::AuditAnchor;

use crate::args::Global;
use crate::environment::Environment;
use crate::inside::{AgentProcess, Right};
use crate::output::Output;

pub struct Context {
    pub home: Home,
    pub clock: Clock,
    pub environment: Environment,
    /// How often `-v` was given.
    pub verbose: u8,
    agent: Option<AgentId>,
    inside: Option<AgentProcess>,
    /// The configuration as this command read it.
    config: OnceCell<Result<LoadedConfig, Problem>>,
    /// In effect while the file cannot be read, for a command that takes something away.
    fallback: OnceCell<LoadedConfig>,
}

impl Context {
    /// Locates the state folder and parses the agent ids. Fails if `--agent` is used inside an agent's process.
    pub fn new(global: &Global, environment: Environment) -> Result<Self, Problem> {
        let home = Home::locate(&HomeOptions {
            state_flag: global.state_dir.clone(),
            config_flag: global.config.clone(),
            state_env: environment.path("OPENCLAW_STATE_DIR"),
            config_env: environment.path("OPENCLAW_CONFIG_PATH"),
            user_home: environment.user_home(),
            working_dir: environment.working_dir.clone(),
        })?;
        let agent = global.agent.as_deref().map(agent_id).transpose()?;
        let mut context = Self {
            home,
            clock: Clock::system(),
            environment,
            verbose: global.verbose,
            agent,
            inside: None,
            config: OnceCell::new(),
            fallback: OnceCell::new(),
        };
        context.inside = AgentProcess::detect(&context.environment, || context.configured_agents());
        if context.agent.is_some() {
            context.require(Right::Owner, "--agent")?;
        }
        Ok(context)
    }

    /// Returns the same context for another state folder, without `--agent`.
    pub fn with_state_dir(&self, state: &Path) -> Result<Self, Problem> {
        let home = Home::locate(&HomeOptions {
            state_flag: Some(state.to_path_buf()),
            user_home: self.environment.user_home(),
            ..HomeOptions::default()
        })?;
        let (clock, environment) = (self.clock.clone(), self.environment.clone());
        Ok(Self {
            home,
            clock,
            environment,
            verbose: self.verbose,
            agent: None,
            inside: self.inside.clone(),
            config: OnceCell::new(),
            fallback: OnceCell::new(),
        })
    }

    /// Set if this command runs in a process that an agent started.
    pub fn inside(&self) -> Option<&AgentProcess> {
        self.inside.as_ref()
    }

    /// The agent that started this process, if that is confirmed.
    fn inside_agent(&self) -> Option<&AgentId> {
        self.inside.as_ref().and_then(AgentProcess::agent)
    }

    /// Opens the audit chain; the first record creates it.
    pub fn audit(&self) -> Result<Audit, AuditError> {
        Audit::open(&self.home, Some(AuditAnchor::for_home(&self.home)))
    }

    /// Opens the audit chain if there is one, or was.
    pub fn existing_audit(&self) -> Result<Option<Audit>, AuditError> {
        Audit::open_existing(&self.home, Some(AuditAnchor::for_home(&self.home)))
    }

    /// Whether an agent was chosen explicitly: by `--agent` or by running inside its process.
    pub fn has_explicit_agent(&self) -> bool {
        self.agent.is_some() || self.inside_agent().is_some()
    }

    pub fn named_agent(&self) -> Option<&AgentId> {
        self.agent.as_ref()
    }

    /// Returns an error if this process lacks a right. `what` names the refused action.
    pub fn require(&self, right: Right, what: &str) -> Result<(), Problem> {
        match (&self.inside, right) {
            (None, _) | (_, Right::Read) | (Some(AgentProcess::Of(_)), Right::ActForAgent) => Ok(()),
            (Some(process), Right::Owner | Right::ActForAgent) => Err(process.refusal(what)),
        }
    }

    /// The agent on whose behalf this acts: the surrounding agent, else the one of `--agent`, else the default.
    pub fn acting_agent(&self) -> Result<AgentId, Problem> {
        match self.inside_agent().or(self.agent.as_ref()) {
            Some(agent) => Ok(agent.clone()),
            None => Ok(self.agent(&self.config()?.view)?.id.clone()),
        }
    }

    /// The configuration, read once per command.
    pub fn config(&self) -> Result<&LoadedConfig, Problem> {
        let loaded = self.config.get_or_init(|| self.read_config()).as_ref();
        loaded.or_else(|problem| self.fallback.get().ok_or_else(|| problem.clone()))
    }

    /// Reads the configuration again, for a command that changes it.
    pub fn reload_config(&self) -> Result<LoadedConfig, Problem> {
        self.read_config().or_else(|problem| self.fallback.get().cloned().ok_or(problem))
    }

    fn read_config(&self) -> Result<LoadedConfig, Problem> {
        Ok(ConfigFile::for_home(&self.home).load(&|name| self.variable(name))?)
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Reads an environment variable, as `${NAME}` in the configuration does.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.environment.variable(name)
    }

    /// Lets this command go on while the configuration cannot be read, with the last good one or the defaults and a
    /// note: a command that takes something away always works.
    pub fn allow_unreadable_config(&self, output: &mut Output) {
        let Err(problem) = self.config() else { return };
        let good = ConfigFile::for_home(&self.home).load_good(&|name| self.variable(name));
        // Otherwise the command reports that the file cannot be read.
        let Ok(good) = good else { return };
        let what = if good.exists { "the last good version is" } else { "the defaults are" };
        output.note_in_result(&format!("{problem}; {what} used: `tarsus config validate`"));
        self.fallback.get_or_init(|| good);
    }

    /// Whether the configuration stands in for a file that cannot be read.
    pub fn uses_fallback_config(&self) -> bool {
        self.fallback.get().is_some()
    }

    /// The agent of `--agent`, else the default agent.
    pub fn agent<'a>(&self, config: &'a Config) -> Result<&'a Agent, Problem> {
        let agents = &config.agents;
        let found = match &self.agent {
            Some(id) => agents.get(id),
            None => agents.default_agent(),
        };
        found.ok_or_else(|| {
            let named = self.agent.as_ref().map_or_else(|| "main".to_owned(), ToString::to_string);
            let known: Vec<&str> = agents.list.iter().map(|agent| agent.id.as_str()).collect();
            Problem::new(ErrorCode::NotFound, format!("no agent is named {named:?}"))
                .hint(format!("the configuration has {}", known.join(", ")))
        })
    }

    /// The ids of the agents; none while the configuration cannot be read.
    fn configured_agents(&self) -> Vec<AgentId> {
        let Ok(LoadedConfig { view: Config { agents, .. }, .. }) = self.config() else { return Vec::new() };
        let listed = agents.list.iter().map(|agent| agent.id.clone());
        listed.chain([agents.default_id()]).collect()
    }
}

fn agent_id(id: &str) -> Result<AgentId, Problem> {
    id.parse().map_err(|error: AgentIdError| Problem::new(ErrorCode::Usage, error.to_string()))
}
