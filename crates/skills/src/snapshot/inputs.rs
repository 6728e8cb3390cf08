//! The owned inputs of an evaluation, apart from the agent and its skills.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use tarsus_guard::{ToolId, ToolPolicy};
use tarsus_home::config::LoadedConfig;
use tarsus_home::config::json5::{NodeKind, Path};
use tarsus_home::config::view::{Agent, SecretInput};
use tarsus_home::settings::{self, SettingsError};
use tarsus_home::{Home, Settings};

use crate::eligibility::{AgentTools, EligibilityRules, MachineState};
use crate::filter::AgentFilter;
use crate::prompt::{PromptBudget, PromptOptions};
use crate::report::ReportContext;
use crate::roots;

/// The inputs that decide which skills are eligible, apart from the agent.
#[derive(Debug, Clone)]
pub struct EvaluationInputs {
    /// Locates the state folder.
    pub home: Home,
    /// The configuration.
    pub config: LoadedConfig,
    /// Tarsus's own settings.
    pub settings: Settings,
    /// This machine.
    pub machine: Arc<MachineState>,
    /// The tools that this version has.
    pub built_tools: BTreeSet<ToolId>,
}

impl EvaluationInputs {
    /// Loads the settings and combines them with the rest.
    ///
    /// # Errors
    /// If the settings cannot be read.
    pub fn load(
        home: &Home,
        config: LoadedConfig,
        machine: MachineState,
        built_tools: BTreeSet<ToolId>,
    ) -> Result<Self, SettingsError> {
        let settings = settings::load(home)?;
        Ok(Self { home: home.clone(), config, settings, machine: Arc::new(machine), built_tools })
    }

    pub(super) fn rules(&self, agent: &Agent) -> EligibilityRules<'_> {
        let config = &self.config.view;
        EligibilityRules {
            machine: &self.machine,
            skills: &config.skills,
            config: self.config.document.root(),
            filter: AgentFilter::for_agent(&config.agents, agent),
            tools: AgentTools { built: &self.built_tools, policy: ToolPolicy::from_config(config, agent) },
            lenient: self.settings.lenient_skills || self.is_lenient_in_config(),
            secrets: Box::new(|input: &SecretInput| input.resolve(&self.home, &*self.machine.variables)),
            records: &self.settings.skills,
        }
    }

    pub(super) fn prompt_options(&self, agent: &Agent, chars: u32) -> PromptOptions<'_> {
        let limits = &self.config.view.skills.limits;
        PromptOptions {
            pinned: &self.settings.pinned_skills,
            budget: PromptBudget::from_limits(limits, &agent.skills_limits).within(chars),
            user_home: self.home.user_home(),
        }
    }

    pub(super) fn report_context<'a>(&self, agent: &'a Agent, version: Option<u64>) -> ReportContext<'a> {
        ReportContext {
            agent_id: agent.id.as_str(),
            workspace_dir: self.workspace(agent),
            managed_skills_dir: roots::managed(&self.home),
            version,
            enforcement: self.settings.enforcement,
        }
    }

    pub(super) fn workspace(&self, agent: &Agent) -> PathBuf {
        self.home.workspace(&self.config.view.agents, agent)
    }

    /// `skills.load.lenient` belongs in Tarsus's own settings, because OpenClaw does not know it, but is honoured in the
    /// configuration too.
    fn is_lenient_in_config(&self) -> bool {
        let key = Path::key("skills").join("load").join("lenient");
        self.config.document.get(&key).is_some_and(|node| node.kind == NodeKind::Bool(true))
    }
}
