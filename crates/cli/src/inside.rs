//! Whether this command runs in a process that an agent started, and what it may do there.

use tarsus_home::config::AgentId;
use tarsus_host::agent_mark::{AGENT_VARIABLE, AgentMark};
use tarsus_protocol::{ErrorCode, Problem};

use crate::args::{Apps, Audit, Command, Config, Gateway, Models, Prompt, Security, Sessions, Skills};
use crate::environment::Environment;

/// The agent that started this process, or the process that started it.
#[derive(Debug, Clone)]
pub enum AgentProcess {
    /// A process of this agent.
    Of(AgentId),
    /// A process of an agent, but which one cannot be confirmed. It may only read.
    Unknown,
}

impl AgentProcess {
    /// Detects it. The mark of the system decides where there is one: a process can set the variable to anything, or
    /// remove it. `configured` returns the ids of the agents.
    pub fn detect(environment: &Environment, configured: impl FnOnce() -> Vec<AgentId>) -> Option<Self> {
        let variable = environment.variable_is_set(AGENT_VARIABLE);
        let named: Option<AgentId> = environment.variable(AGENT_VARIABLE).and_then(|id| id.parse().ok());
        let known = match AgentMark::of_this_process() {
            Some(mark) => {
                let is_marked = |id: &AgentId| mark.is_of(id.as_str());
                named.filter(is_marked).or_else(|| configured().into_iter().find(is_marked))
            }
            None if !variable => return None,
            None => named.filter(|_| !AgentMark::IS_SUPPORTED),
        };
        Some(known.map_or(Self::Unknown, Self::Of))
    }

    pub fn agent(&self) -> Option<&AgentId> {
        match self {
            Self::Of(agent) => Some(agent),
            Self::Unknown => None,
        }
    }

    /// The refusal of `what`, which only the owner may do.
    pub fn refusal(&self, what: &str) -> Problem {
        let who = match self {
            Self::Of(agent) => format!("the agent {agent}"),
            Self::Unknown => "an agent".to_owned(),
        };
        let problem = Problem::new(
            ErrorCode::Denied,
            format!("{what} may not be used by a process that {who} started"),
        );
        let problem = match self {
            Self::Of(_) => problem,
            Self::Unknown => {
                problem.note("which agent it was cannot be confirmed, so this process may only read")
            }
        };
        problem.hint("only you may, in a terminal that no agent opened")
    }
}

/// Who may use a command. Each command states it, so that a new one does not compile without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Right {
    /// It changes nothing: everybody.
    Read,
    /// It acts for an agent: the owner, and that agent's own processes.
    ActForAgent,
    /// The owner only.
    Owner,
}

impl Right {
    pub const fn for_command(command: &Command) -> Self {
        match command {
            Command::Up(_) | Command::Backup(_) => Self::Owner,
            Command::Agent(_) => Self::ActForAgent,
            Command::Logs(_)
            | Command::Status
            | Command::Explain { .. }
            | Command::Docs { .. }
            | Command::Licenses
            | Command::Completion { .. }
            | Command::Man { .. }
            | Command::Prompt(Prompt::Show { .. })
            | Command::Security(Security::Audit { .. }) => Self::Read,
            Command::Doctor { generate_gateway_token: true, .. } => Self::Owner,
            Command::Doctor { generate_gateway_token: false, .. } => Self::Read,
            Command::Gateway(step) => Self::for_gateway(step),
            Command::Apps { step } => Self::for_apps(step.as_ref()),
            Command::Skills { step } => Self::for_skills(step.as_ref()),
            Command::Models { step } => Self::for_models(step.as_ref()),
            Command::Sessions { step } => Self::for_sessions(step.as_ref()),
            Command::Config(step) => Self::for_config(step),
            Command::Audit(Audit::Tail(_) | Audit::Verify | Audit::Export(_)) => Self::Read,
            Command::Audit(Audit::Reset { .. }) => Self::Owner,
        }
    }

    const fn for_gateway(step: &Gateway) -> Self {
        match step {
            Gateway::Status => Self::Read,
            Gateway::Run(_) | Gateway::Start(_) | Gateway::Stop | Gateway::Restart(_) | Gateway::Call(_) => {
                Self::Owner
            }
        }
    }

    const fn for_apps(step: Option<&Apps>) -> Self {
        match step {
            Some(Apps::List | Apps::Show { .. } | Apps::Status { .. } | Apps::Validate) => Self::Read,
            Some(Apps::Launch { .. } | Apps::Ask { .. }) => Self::ActForAgent,
            // Confirming a stop is the owner's.
            Some(Apps::Stop { consent, .. }) if !consent.yes => Self::ActForAgent,
            Some(
                Apps::Stop { .. }
                | Apps::Create
                | Apps::Add { .. }
                | Apps::Edit { .. }
                | Apps::Delete { .. }
                | Apps::Policy { .. },
            )
            | None => Self::Owner,
        }
    }

    const fn for_skills(step: Option<&Skills>) -> Self {
        match step {
            None
            | Some(
                Skills::List { .. }
                | Skills::Info { .. }
                | Skills::Check
                | Skills::Validate { .. }
                | Skills::Scan(_)
                | Skills::Prompt
                | Skills::Watch
                | Skills::Restore { name: None },
            ) => Self::Read,
            Some(
                Skills::Install { .. }
                | Skills::Remove { .. }
                | Skills::Restore { name: Some(_) }
                | Skills::Grant { .. }
                | Skills::Revoke { .. }
                | Skills::Accept { .. }
                | Skills::Trust { .. }
                | Skills::Enable { .. }
                | Skills::Disable { .. }
                | Skills::Refresh,
            ) => Self::Owner,
        }
    }

    const fn for_models(step: Option<&Models>) -> Self {
        match step {
            None | Some(Models::List { .. } | Models::Status) => Self::Read,
            Some(Models::Set { .. } | Models::Test { .. }) => Self::Owner,
        }
    }

    const fn for_sessions(step: Option<&Sessions>) -> Self {
        match step {
            None
            | Some(Sessions::List { .. } | Sessions::Show { .. } | Sessions::Export { out: None, .. }) => {
                Self::Read
            }
            // A file may be one of ours.
            Some(Sessions::Undo { dry_run: true, .. } | Sessions::Changes { .. }) => Self::Read,
            Some(
                Sessions::Export { out: Some(_), .. }
                | Sessions::Delete { .. }
                | Sessions::Undo { dry_run: false, .. },
            ) => Self::Owner,
        }
    }

    const fn for_config(step: &Config) -> Self {
        match step {
            Config::Path | Config::Get { .. } | Config::Validate { .. } | Config::Schema => Self::Read,
            Config::Set { .. } | Config::Unset { .. } => Self::Owner,
        }
    }
}
