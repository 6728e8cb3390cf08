//! The skills of each agent as of one moment, and the library that replaces them when files or settings change.
//!
//! Promises: a [`Snapshot`] never changes; readers wait for no scan; a version stands for one content and one
//! judgement of it, and a later one has a higher version. Leaves to others: who watches the files.

mod basis;
mod calls;
mod library;
mod version;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tarsus_home::config::view::{Agent, AgentId};
use tarsus_protocol::report::SkillsStatus;
use tarsus_protocol::skills::{SkillState, SkillsReport};

pub use basis::{Basis, Surroundings, Variables};
pub use library::{Different, Library};

use crate::filter::AgentFilter;
use crate::prompt::Prompt;
use crate::prompt::text::units;
use crate::view::View;
use crate::{Catalog, Found, report};

/// The skills of one agent as of one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// Higher than that of every snapshot before that says something else.
    pub version: u64,
    /// Everything that was found.
    pub catalog: Arc<Catalog>,
    agent: Agent,
    basis: Arc<Basis>,
    judgement: OnceLock<Judgement>,
    /// What the model is told in so many characters, as it was asked for last.
    told: Mutex<Option<(u32, Arc<Prompt>)>>,
}

/// What came of judging the skills of a snapshot.
#[derive(Debug)]
pub struct Judgement {
    /// The report on all skills, as it is sent: a `SkillsReport` in JSON.
    pub report: Arc<str>,
    /// How many skills stand how.
    pub counts: SkillsStatus,
    /// What the model is told.
    pub prompt: Prompt,
    /// The skills that the agent can use, in the order of the catalog.
    pub ready: Vec<ReadySkill>,
    /// The skills that the agent may use.
    pub filter: AgentFilter,
}

/// A skill that an agent can use.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadySkill {
    /// Its name, key and file.
    pub found: Arc<Found>,
    /// The variable that its one key goes to.
    pub primary_env: Option<String>,
    /// The variables that it needs.
    pub required_env: Vec<String>,
}

impl Snapshot {
    fn new(agent: Agent, version: u64, catalog: Arc<Catalog>, basis: Arc<Basis>) -> Self {
        Self { version, catalog, agent, basis, judgement: OnceLock::new(), told: Mutex::default() }
    }

    /// Whose skills these are.
    #[must_use]
    pub fn agent(&self) -> &AgentId {
        &self.agent.id
    }

    /// Whether the programs of this machine are those that the skills were judged by, as far as the folders of PATH
    /// tell.
    #[must_use]
    pub fn programs_are_as_seen(&self) -> bool {
        self.basis.surroundings.programs.is_as_seen()
    }

    /// How the skills stand. They are judged when this is first asked; after that the answer is kept.
    #[must_use]
    pub fn judgement(&self) -> &Judgement {
        self.judgement.get_or_init(|| {
            let Basis { home, config, settings, surroundings } = &*self.basis;
            let machine = surroundings.machine();
            let view = View { home, config, settings, agent: &self.agent, machine: &machine };
            view.of(&self.catalog, Some(self.version), |report, prompt| Judgement {
                // Texts, numbers and lists can always be written.
                report: serde_json::to_string(report).unwrap_or_default().into(),
                counts: report::counted(report, &self.catalog),
                prompt: prompt.clone(),
                ready: ready(report, &self.catalog),
                filter: AgentFilter::of(&config.view.agents, &self.agent),
            })
        })
    }

    /// What the model is told in at most so many characters: all of it where that is short enough. The last answer is
    /// kept.
    #[must_use]
    pub fn prompt_within(&self, chars: u32) -> Arc<Prompt> {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prompt)) = told.as_ref().filter(|(asked, _)| *asked == chars) {
            return Arc::clone(prompt);
        }
        let all = &self.judgement().prompt;
        let prompt =
            if units(&all.text) <= chars as usize { all.clone() } else { self.shorter_prompt(chars) };
        let prompt = Arc::new(prompt);
        *told = Some((chars, Arc::clone(&prompt)));
        prompt
    }

    fn shorter_prompt(&self, chars: u32) -> Prompt {
        let Basis { home, config, settings, surroundings } = &*self.basis;
        let machine = surroundings.machine();
        let view = View { home, config, settings, agent: &self.agent, machine: &machine };
        view.prompt_within(&self.catalog, chars)
    }

    /// Whether both say the same to everyone, version included.
    fn says_the_same_as(&self, other: &Self) -> bool {
        let (own, others) = (self.judgement(), other.judgement());
        own.report == others.report && own.prompt == others.prompt && own.filter == others.filter
    }
}

/// The report has a row for each entry, and rows of shadowed ones between them.
fn ready(report: &SkillsReport<'_>, catalog: &Catalog) -> Vec<ReadySkill> {
    let rows = report.skills.iter().filter(|row| row.shadowed_by.is_none());
    let ready = rows.zip(&catalog.entries).filter(|(row, _)| row.status == SkillState::Ready);
    ready
        .map(|(row, found)| ReadySkill {
            found: Arc::clone(found),
            primary_env: row.primary_env.as_deref().map(str::to_owned),
            required_env: row.requirements.env.to_vec(),
        })
        .collect()
}
