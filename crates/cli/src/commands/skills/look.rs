//! The agent that a command about skills is about, and a look at its skills.

use serde_json::json;
use tarsus_home::config::view::Agent;
use tarsus_home::config::{Loaded, Lookup};
use tarsus_protocol::Problem;
use tarsus_protocol::skills::SkillsReport;
use tarsus_skills::look::Look;

use crate::context::Context;
use crate::gateway::Neighbour;
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

    /// Hands on the report on its skills: a running gateway's, because what it finds is what its agents get; else what
    /// a look at them finds. They are the same but for the number of the gateway's snapshot, which is left out.
    pub fn report<T>(
        &self,
        gateway: &mut Neighbour,
        output: &mut Output,
        then: impl FnOnce(&SkillsReport<'_>, &mut Output) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        if self.config.view.agents.get(&self.agent.id).is_some()
            && let Some(told) = gateway.ask("skills.status", json!({ "agentId": self.agent.id }), output)
        {
            match serde_json::from_value::<SkillsReport<'static>>(told) {
                Ok(report) => return then(&SkillsReport { version: None, ..report }, output),
                Err(error) => output.note(&format!(
                    "the running gateway could not be used: its report is not understood: {error}"
                )),
            }
        }
        let variables = |name: &str| self.context.variable(name);
        self.look(&variables)?.view(|report, _| then(report, output))
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
