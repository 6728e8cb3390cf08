//! One agent's skills as every surface shows them: found, judged, told to the model, reported.
//!
//! Promises: the list on the terminal, the gateway's answer and the prompt come from one evaluation. Leaves to others:
//! finding the skills, and where the report goes.

use tarsus_guard::Skills;
use tarsus_home::config::Loaded;
use tarsus_home::config::json5::{Kind, Path};
use tarsus_home::config::view::{Agent, SecretInput};
use tarsus_home::{Home, Settings};
use tarsus_protocol::skills::SkillsReport;

use crate::eligibility::{Machine, Rules};
use crate::filter::AgentFilter;
use crate::prompt::{self, Budget, Prompt};
use crate::report::{self, Judged, Subject};
use crate::{Catalog, roots};

/// Everything that an agent's skills are judged by.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// Where the state is.
    pub home: &'a Home,
    /// The configuration.
    pub config: &'a Loaded,
    /// Our own settings.
    pub settings: &'a Settings,
    /// The agent.
    pub agent: &'a Agent,
    /// The machine.
    pub machine: &'a Machine<'a>,
}

impl View<'_> {
    /// OpenClaw does not know this key, so its place is our own settings; who wrote it beside OpenClaw's keys meant it.
    fn is_lenient_in_config(&self) -> bool {
        let key = Path::key("skills").join("load").join("lenient");
        self.config.document.get(&key).is_some_and(|node| node.kind == Kind::Bool(true))
    }

    /// Hands on the rules that skills are judged by.
    pub(crate) fn rules<T>(&self, then: impl FnOnce(&Rules<'_>) -> T) -> T {
        let config = &self.config.view;
        let filter = AgentFilter::of(&config.agents, self.agent);
        let secrets = |input: &SecretInput| input.resolve(self.home, self.machine.variables);
        then(&Rules {
            machine: self.machine,
            skills: &config.skills,
            config: self.config.document.root(),
            filter: &filter,
            lenient: self.settings.lenient_skills || self.is_lenient_in_config(),
            secrets: &secrets,
            records: &self.settings.skills,
        })
    }

    /// What the model is told of a catalog in at most so many characters.
    #[must_use]
    pub fn prompt_within(&self, catalog: &Catalog, chars: u32) -> Prompt {
        self.rules(|rules| self.prompt(&report::judge_all(catalog, rules), chars))
    }

    fn prompt(&self, judged: &[Judged<'_>], chars: u32) -> Prompt {
        let limits = &self.config.view.skills.limits;
        prompt::build(
            &report::offers(judged, |_| None),
            &self.settings.pinned_skills,
            Budget::of(limits, &self.agent.skills_limits).within(chars),
            self.home.user_home(),
        )
    }

    /// Judges a catalog, and hands on the report and what the model is told. `version` is that of the snapshot.
    pub fn of<T>(
        &self,
        catalog: &Catalog,
        version: Option<u64>,
        then: impl FnOnce(&SkillsReport<'_>, &Prompt) -> T,
    ) -> T {
        self.rules(|rules| self.reported(catalog, version, rules, then))
    }

    fn reported<T>(
        &self,
        catalog: &Catalog,
        version: Option<u64>,
        rules: &Rules<'_>,
        then: impl FnOnce(&SkillsReport<'_>, &Prompt) -> T,
    ) -> T {
        let config = &self.config.view;
        let judged = report::judge_all(catalog, rules);
        let prompt = self.prompt(&judged, u32::MAX);
        let workspace = self.home.workspace(&config.agents, self.agent);
        let managed = roots::managed(self.home);
        let subject = Subject {
            agent_id: self.agent.id.as_str(),
            workspace_dir: &workspace,
            managed_skills_dir: &managed,
            version,
        };
        let policy = Skills::from_iter(report::at_hand(&judged)).policy(self.settings.enforcement);
        then(&report::report(&subject, catalog, judged, rules, &prompt, policy), &prompt)
    }
}
