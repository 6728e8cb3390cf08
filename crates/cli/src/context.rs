//! What every command needs: where the state is, the clock, the environment, the configuration.

use std::path::Path;

use jiff::Timestamp;
use tarsus_home::config::view::{Agent, AgentIdError, Config};
use tarsus_home::config::{AgentId, ConfigFile, Loaded};
use tarsus_home::{Choice, Home};
use tarsus_host::Clock;
use tarsus_protocol::{ErrorCode, Problem};

use crate::args::Global;
use crate::environment::Environment;

/// The surroundings of one command.
pub struct Context {
    /// The state folder.
    pub home: Home,
    /// The time.
    pub clock: Clock,
    /// What the process was given.
    pub environment: Environment,
    /// `-v`, counted.
    pub verbose: u8,
    agent: Option<AgentId>,
    inside: Option<AgentId>,
}

impl Context {
    /// Finds the state folder.
    pub fn new(global: &Global, environment: Environment) -> Result<Self, Problem> {
        let home = Home::locate(&Choice {
            state_flag: global.state_dir.clone(),
            config_flag: global.config.clone(),
            state_env: environment.path("OPENCLAW_STATE_DIR"),
            config_env: environment.path("OPENCLAW_CONFIG_PATH"),
            user_home: environment.user_home(),
            working_dir: environment.working_dir.clone(),
        })?;
        let inside = environment.variable("TARSUS_AGENT").filter(|id| !id.is_empty());
        let inside = inside.as_deref().map(agent_id).transpose()?;
        let agent = global.agent.as_deref().map(agent_id).transpose()?;
        let context =
            Self { home, clock: Clock::system(), environment, verbose: global.verbose, agent, inside };
        if context.agent.is_some() {
            context.refuse_inside_an_agent("--agent")?;
        }
        Ok(context)
    }

    /// The same in another state folder.
    pub fn elsewhere(&self, state: &Path) -> Result<Self, Problem> {
        let home = Home::locate(&Choice {
            state_flag: Some(state.to_path_buf()),
            user_home: self.environment.user_home(),
            ..Choice::default()
        })?;
        let (clock, environment) = (self.clock.clone(), self.environment.clone());
        Ok(Self { home, clock, environment, verbose: self.verbose, agent: None, inside: self.inside.clone() })
    }

    /// The agent inside whose process this runs, if it does.
    pub fn inside(&self) -> Option<&AgentId> {
        self.inside.as_ref()
    }

    /// Whether it was said which agent this is about.
    pub fn names_an_agent(&self) -> bool {
        self.agent.is_some() || self.inside.is_some()
    }

    /// The agent of `--agent`.
    pub fn named_agent(&self) -> Option<&AgentId> {
        self.agent.as_ref()
    }

    /// Refuses what only the owner may do when this runs inside an agent's process.
    pub fn refuse_inside_an_agent(&self, what: &str) -> Result<(), Problem> {
        match &self.inside {
            None => Ok(()),
            Some(agent) => Err(Problem::new(
                ErrorCode::Denied,
                format!("the agent {agent} may not use {what} from inside its own process"),
            )
            .hint("the owner may, in a terminal of their own")),
        }
    }

    /// The agent for whom this acts: the one inside whose process it runs, that of `--agent`, else the default one.
    pub fn acting_agent(&self) -> Result<AgentId, Problem> {
        match self.inside.as_ref().or(self.agent.as_ref()) {
            Some(agent) => Ok(agent.clone()),
            None => Ok(self.agent(&self.load_config()?.view)?.id.clone()),
        }
    }

    /// The time, as records carry it.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A variable of the environment, as the configuration's `${NAME}` reads it.
    pub fn variable(&self, name: &str) -> Option<String> {
        self.environment.variable(name)
    }

    /// The configuration as it is now.
    pub fn load_config(&self) -> Result<Loaded, Problem> {
        Ok(ConfigFile::of(&self.home).load(&|name| self.variable(name))?)
    }

    /// The agent this command is about: the one of `--agent`, else the default one.
    pub fn agent<'a>(&self, config: &'a Config) -> Result<&'a Agent, Problem> {
        let agents = &config.agents;
        let found = match &self.agent {
            Some(id) => agents.get(id),
            None => agents.default_agent(),
        };
        found.ok_or_else(|| {
            let named = self.agent.as_ref().map_or_else(|| "main".to_owned(), ToString::to_string);
            let known: Vec<&str> = agents.list.iter().map(|agent| agent.id.as_str()).collect();
            Problem::new(ErrorCode::NotFound, format!("no agent is called {named:?}"))
                .hint(format!("the configuration has {}", known.join(", ")))
        })
    }
}

fn agent_id(id: &str) -> Result<AgentId, Problem> {
    id.parse().map_err(|error: AgentIdError| Problem::new(ErrorCode::Usage, error.to_string()))
}
