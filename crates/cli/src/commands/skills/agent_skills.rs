//! The skills of the agent that a command is about, from the gateway or from disk.

use std::sync::Arc;

use tarsus_agent::tools::Toolbox;
use tarsus_home::config::LoadedConfig;
use tarsus_home::config::view::Agent;
use tarsus_home::settings::SettingsError;
use tarsus_host::platform::Platform;
use tarsus_protocol::rpc::skills::{Refresh, SkillsParams, Status};
use tarsus_protocol::skills::{ScanState, SkillState, SkillStatus, SkillsReport};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_skills::block_audit::{self, ScanTrigger};
use tarsus_skills::eligibility::MachineState;
use tarsus_skills::gate::ScanScope;
use tarsus_skills::snapshot::EvaluationInputs;
use tarsus_skills::{SkillFile, SkillsLoader, lookup};

use crate::context::Context;
use crate::gateway::OptionalGateway;
use crate::inside::AgentProcess;
use crate::output::Output;

/// Whether a usable skill has not been scanned yet.
fn is_pending(skill: &SkillStatus) -> bool {
    let is_unusable = matches!(skill.status, SkillState::Invalid | SkillState::Shadowed);
    skill.scan.state == ScanState::Pending && !is_unusable
}

/// Finds the skill of a report that `name` means.
pub fn find_in_report<'r>(report: &'r SkillsReport, name: &str) -> Result<&'r SkillStatus, Problem> {
    lookup::find_in_report(report, name).map_err(|error| Problem::from(error).about_skill(name))
}

/// Records newly blocked skills in the audit chain. If that fails, they stay blocked and are recorded by the next
/// load.
pub fn record_blocked(loader: &mut SkillsLoader, context: &Context) {
    loader.record_blocked(|blocked| match context.audit() {
        Ok(audit) => block_audit::record_blocked(&audit, blocked, ScanTrigger::Command, context.now()),
        Err(error) => {
            tracing::warn!(%error, "blocked skills could not be recorded");
            false
        }
    });
}

/// Combines the configuration with this process's environment and the settings.
pub fn evaluation_inputs(
    context: &Context,
    config: &LoadedConfig,
) -> Result<EvaluationInputs, SettingsError> {
    let environment = context.environment.clone();
    let machine = MachineState {
        platform: Platform::detect().os,
        programs: environment.search_path(),
        variables: Box::new(move |name| environment.variable(name)),
    };
    EvaluationInputs::load(&context.home, config.clone(), machine, Toolbox::new().built())
}

/// One agent with its configuration, and access to its skills.
pub struct AgentSkills<'c> {
    context: &'c Context,
    config: LoadedConfig,
    pub agent: Agent,
}

impl<'c> AgentSkills<'c> {
    /// Chooses the surrounding agent, else the one of `--agent`, else the default.
    pub fn new(context: &'c Context) -> Result<Self, Problem> {
        Self::with_config(context, context.config()?.clone())
    }

    /// As [`Self::new`], for a configuration that was changed meanwhile.
    pub fn with_config(context: &'c Context, config: LoadedConfig) -> Result<Self, Problem> {
        let agent = match context.inside().and_then(AgentProcess::agent) {
            Some(id) => config.view.agents.get(id).cloned().unwrap_or_else(|| Agent::named(id.clone())),
            None => context.agent(&config.view)?.clone(),
        };
        Ok(Self { context, config, agent })
    }

    pub fn config(&self) -> &LoadedConfig {
        &self.config
    }

    /// Returns one value for each configured agent.
    pub fn for_all_agents(context: &'c Context) -> Result<Vec<Self>, Problem> {
        let config = context.config()?;
        let agents = config.view.agents.list.clone();
        if agents.is_empty() {
            return Ok(vec![Self::new(context)?]);
        }
        Ok(agents.into_iter().map(|agent| Self { context, config: config.clone(), agent }).collect())
    }

    /// Loads the skills from disk, scans those that `scope` selects, and records newly blocked ones.
    pub fn load(&self, scope: ScanScope) -> Result<SkillsLoader, Problem> {
        let inputs = evaluation_inputs(self.context, &self.config)?;
        let mut loader = SkillsLoader::load(inputs, &self.agent, scope, self.context.clock.wall_ms());
        record_blocked(&mut loader, self.context);
        Ok(loader)
    }

    /// Finds the skill that `name` means, for a decision about it.
    pub fn find_skill(&self, loader: &SkillsLoader, name: &str) -> Result<Arc<SkillFile>, Problem> {
        let snapshot = loader.snapshot();
        let skill = find_in_report(snapshot.report(), name)?;
        let missing = || Problem::new(ErrorCode::NotFound, format!("no skill is called {name:?}"));
        snapshot.catalog.find_decidable(&skill.name).cloned().ok_or_else(missing)
    }

    /// Returns the skills report: the gateway's if one runs, because that is what its agents use, else one made from
    /// disk. They differ only in the snapshot version, which is left out, and in skills that only one of them has
    /// scanned.
    pub fn report(
        &self,
        gateway: &mut OptionalGateway,
        scope: ScanScope,
        output: &mut Output,
    ) -> Result<SkillsReport, Problem> {
        if self.config.view.agents.get(&self.agent.id).is_some()
            && let Some(mut report) = gateway.query::<Status>(&self.params(), output)
        {
            // The gateway scans local skills in the background; a complete report waits for that.
            if scope == ScanScope::All
                && report.skills.iter().any(is_pending)
                && gateway.query::<Refresh>(&self.params(), output).is_some()
            {
                report = gateway.query::<Status>(&self.params(), output).unwrap_or(report);
            }
            return Ok(SkillsReport { version: None, ..report });
        }
        Ok(self.load(scope)?.snapshot().report().clone())
    }

    fn params(&self) -> SkillsParams {
        SkillsParams { agent_id: Some(self.agent.id.to_string()) }
    }

    /// Prints which agent this is about, if there are several and none was named.
    pub fn print_agent(&self, output: &mut Output) -> Result<(), Problem> {
        let several = self.config.view.agents.list.len() > 1;
        if several && !self.context.has_explicit_agent() && !output.is_json() {
            output.text(&format!("agent {} (the default; --agent selects another)\n\n", self.agent.id))?;
        }
        Ok(())
    }
}
