//! Shared state of every command: the state folder, the clock, the environment and the configuration.

use std::cell::OnceCell;
use std::path::Path;

use jiff::Timestamp;
use tarsus_home::config::view::{Agent, AgentIdError, Config};
use tarsus_home::config::{AgentId, ConfigFile, LoadedConfig};
use tarsus_home::{Home, HomeOptions};
use tarsus_host::Clock;
use tarsus_protocol::{ErrorCode, Problem};

use crate::args::Global;
use crate::environment::Environment;

pub struct Context {
    pub home: Home,
    pub clock: Clock,
    pub environment: Environment,
    /// How often `-v` was given.
    pub verbose: u8,
    agent: Option<AgentId>,
    inside_agent: Option<AgentId>,
    /// The configuration that the acting agent was taken from.
    config: OnceCell<LoadedConfig>,
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
        let inside_agent = environment.variable("TARSUS_AGENT").filter(|id| !id.is_empty());
        let inside_agent = inside_agent.as_deref().map(agent_id).transpose()?;
        let agent = global.agent.as_deref().map(agent_id).transpose()?;
        let context = Self {
            home,
            clock: Clock::system(),
            environment,
            verbose: global.verbose,
            agent,
            inside_agent,
            config: OnceCell::new(),
        };
        if context.agent.is_some() {
            context.require_owner("--agent")?;
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
            inside_agent: self.inside_agent.clone(),
            config: OnceCell::new(),
        })
    }

    /// The agent inside whose process this command runs, from `TARSUS_AGENT`.
    pub fn inside_agent(&self) -> Option<&AgentId> {
        self.inside_agent.as_ref()
    }

    /// Whether an agent was chosen explicitly: by `--agent` or by running inside its process.
    pub fn has_explicit_agent(&self) -> bool {
        self.agent.is_some() || self.inside_agent.is_some()
    }

    pub fn named_agent(&self) -> Option<&AgentId> {
        self.agent.as_ref()
    }

    /// Returns an error if this runs inside an agent's process. `what` names the refused action.
    pub fn require_owner(&self, what: &str) -> Result<(), Problem> {
        match &self.inside_agent {
            None => Ok(()),
            Some(agent) => Err(Problem::new(
                ErrorCode::Denied,
                format!("the agent {agent} may not use {what} from inside its own process"),
            )
            .hint("only the owner may, in a terminal outside the agent")),
        }
    }

    /// The agent on whose behalf this acts: the surrounding agent, else the one of `--agent`, else the default.
    pub fn acting_agent(&self) -> Result<AgentId, Problem> {
        match self.inside_agent.as_ref().or(self.agent.as_ref()) {
            Some(agent) => Ok(agent.clone()),
            None => Ok(self.agent(&self.config()?.view)?.id.clone()),
        }
    }

    /// The configuration, read once per command. A command that changes it uses [`Self::load_config`].
    fn config(&self) -> Result<&LoadedConfig, Problem> {
        match self.config.get() {
            Some(loaded) => Ok(loaded),
            None => {
                let loaded = self.load_config()?;
                Ok(self.config.get_or_init(|| loaded))
            }
        }
    }

    /// The configuration, if the acting agent was taken from it.
    pub fn loaded_config(&self) -> Option<&Config> {
        self.config.get().map(|loaded| &loaded.view)
    }

    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// Reads an environment variable, as `${NAME}` in the configuration does.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.environment.variable(name)
    }

    pub fn load_config(&self) -> Result<LoadedConfig, Problem> {
        Ok(ConfigFile::for_home(&self.home).load(&|name| self.variable(name))?)
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
}

fn agent_id(id: &str) -> Result<AgentId, Problem> {
    id.parse().map_err(|error: AgentIdError| Problem::new(ErrorCode::Usage, error.to_string()))
}
