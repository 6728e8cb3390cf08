//! The agent that a command about skills is about, and a look at its skills.

use tarsus_home::config::view::Agent;
use tarsus_home::config::{Loaded, Lookup};
use tarsus_protocol::Problem;
use tarsus_protocol::report::SkillsStatus;
use tarsus_skills::look::Look;

use crate::context::Context;
use crate::output::Output;

/// The configuration and the agent of one command.
pub struct Asked<'c> {
    context: &'c Context,
    config: Loaded,
    /// The agent.
    pub agent: Agent,
}

impl<'c> Asked<'c> {
    /// The agent that was named, or inside whose process this runs, else the default one.
    pub fn new(context: &'c Context) -> Result<Self, Problem> {
        let config = context.load_config()?;
        let agent = match context.inside() {
            Some(id) => config.view.agents.get(id).cloned().unwrap_or_else(|| Agent::named(id.clone())),
            None => context.agent(&config.view)?.clone(),
        };
        Ok(Self { context, config, agent })
    }

    /// Looks at its skills.
    pub fn look<'a>(&'a self, variables: Lookup<'a>) -> Result<Look<'a>, Problem> {
        Ok(Look::new(
            &self.context.home,
            &self.config,
            &self.agent,
            variables,
            self.context.environment.programs(),
        )?)
    }

    /// With several agents and none named, it must be clear whose skills these are.
    pub fn say_whose(&self, output: &mut Output) -> Result<(), Problem> {
        let several = self.config.view.agents.list.len() > 1;
        if several && !self.context.names_an_agent() && !output.is_json() {
            output.text(&format!("agent {} (the default; --agent names another)\n\n", self.agent.id))?;
        }
        Ok(())
    }
}

/// How many skills of the command's agent stand how; nothing where they cannot be judged.
pub fn counted(context: &Context) -> Option<SkillsStatus> {
    let asked = Asked::new(context).ok()?;
    let variables = |name: &str| context.variable(name);
    Some(asked.look(&variables).ok()?.counted())
}
