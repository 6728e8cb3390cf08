//! The agent that a command about skills is about, and a look at its skills.

use std::sync::Arc;

use serde_json::json;
use tarsus_audit::Audit;
use tarsus_gateway::blocks::{self, Trigger};
use tarsus_home::config::view::Agent;
use tarsus_home::config::{Loaded, Lookup};
use tarsus_protocol::skills::{ScanState, SkillState, SkillStatus, SkillsReport};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::gate::Depth;
use tarsus_skills::look::Look;
use tarsus_skills::{Found, lookup};

use crate::context::Context;
use crate::gateway::Neighbour;
use crate::output::Output;

/// Whether nobody has looked into a skill that can be looked into.
fn is_pending(skill: &SkillStatus<'_>) -> bool {
    let of_no_use = matches!(skill.status, SkillState::Invalid | SkillState::Shadowed);
    skill.scan.state == ScanState::Pending && !of_no_use
}

/// Writes down what must not be used and was not known before. A chain that cannot be written keeps nobody from looking:
/// the skill is blocked all the same, and whoever looks next writes it down.
pub fn write_down(look: &mut Look<'_>, context: &Context) {
    look.tell(|blocked| match Audit::open(&context.home) {
        Ok(audit) => blocks::record(&audit, blocked, Trigger::Command, context.now()),
        Err(error) => {
            tracing::warn!(%error, "blocked skills could not be written down");
            false
        }
    });
}

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

    /// The configuration.
    pub fn config(&self) -> &Loaded {
        &self.config
    }

    /// Every agent of the configuration.
    pub fn everybody(context: &'c Context) -> Result<Vec<Self>, Problem> {
        let config = context.load_config()?;
        let agents = config.view.agents.list.clone();
        if agents.is_empty() {
            return Ok(vec![Self::new(context)?]);
        }
        Ok(agents.into_iter().map(|agent| Self { context, config: config.clone(), agent }).collect())
    }

    /// Looks at its skills, and into as many as are wanted. What must not be used and was not known before is written
    /// down.
    pub fn look<'a>(&'a self, variables: Lookup<'a>, depth: Depth) -> Result<Look<'a>, Problem> {
        let mut look = Look::new(
            &self.context.home,
            &self.config,
            &self.agent,
            variables,
            self.context.environment.programs(),
            depth,
            self.context.clock.wall_ms(),
        )?;
        write_down(&mut look, self.context);
        Ok(look)
    }

    /// The skill of a look that a person means who wants something done about it.
    pub fn find(&self, look: &Look<'_>, name: &str) -> Result<Arc<Found>, Problem> {
        let shown = look.view(|report, _| {
            lookup::in_report(report, name)
                .map(|skill| skill.name.to_string())
                .map_err(|error| Problem::from(error).about_skill(name))
        })?;
        let missing = || Problem::new(ErrorCode::NotFound, format!("no skill is called {name:?}"));
        look.catalog.decided_about(&shown).cloned().ok_or_else(missing)
    }

    /// Hands on the report on its skills: a running gateway's, because what it finds is what its agents get; else what
    /// a look at them finds. They are the same but for the number of the gateway's snapshot, which is left out, and for
    /// skills that the one has looked into and the other not yet.
    pub fn report<T>(
        &self,
        gateway: &mut Neighbour,
        depth: Depth,
        output: &mut Output,
        then: impl FnOnce(&SkillsReport<'_>, &mut Output) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        if self.config.view.agents.get(&self.agent.id).is_some()
            && let Some(mut report) = self.told(gateway, output)
        {
            // It looks into a person's own skills when it has time; whoever wants to know of all waits for that.
            if depth == Depth::Everything && report.skills.iter().any(is_pending) {
                let params = json!({ "agentId": self.agent.id });
                if gateway.ask("skills.refresh", params, output).is_some() {
                    report = self.told(gateway, output).unwrap_or(report);
                }
            }
            return then(&SkillsReport { version: None, ..report }, output);
        }
        let variables = |name: &str| self.context.variable(name);
        self.look(&variables, depth)?.view(|report, _| then(report, output))
    }

    /// What a running gateway reports.
    fn told(&self, gateway: &mut Neighbour, output: &mut Output) -> Option<SkillsReport<'static>> {
        let told = gateway.ask("skills.status", json!({ "agentId": self.agent.id }), output)?;
        serde_json::from_value(told)
            .inspect_err(|error| {
                output.note(&format!(
                    "the running gateway could not be used: its report is not understood: {error}"
                ));
            })
            .ok()
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
