//! The skills of each agent as of one moment, and the library that replaces them when files or settings change.
//!
//! A [`SkillsSnapshot`] is immutable, and readers never wait for a refresh. A version identifies one content and one
//! evaluation of it; versions only increase.

mod changes;
mod community_files;
mod evaluation;
mod guard_inputs;
mod inputs;
mod library;
mod link_index;
mod sources;
mod version;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use tarsus_home::config::view::{Agent, AgentId};
use tarsus_protocol::skills::SkillsReport;

pub use changes::SkillChange;
pub use community_files::{BlockReason, CommunityFiles, CommunityFolder};
pub use evaluation::{EvaluatedSkill, Evaluation};
pub use inputs::EvaluationInputs;
pub use library::{ChangesByAgent, Library};
pub(crate) use sources::Sources;

use crate::Catalog;
use crate::environment::SkillEnvironment;
use crate::prompt::SkillsPrompt;
use crate::prompt::text::units;

/// The skills of one agent as of one moment.
#[derive(Debug)]
pub struct SkillsSnapshot {
    /// Higher than the version of every earlier snapshot with other contents; 0 if no library keeps it.
    pub version: u64,
    /// All discovered skills.
    pub catalog: Arc<Catalog>,
    agent: Agent,
    inputs: Arc<EvaluationInputs>,
    evaluation: OnceLock<Evaluation>,
    report_json: OnceLock<Arc<str>>,
    community_files: OnceLock<CommunityFiles>,
    /// The last result of `prompt_within` with its limit.
    last_prompt: Mutex<Option<(u32, Arc<SkillsPrompt>)>>,
}

impl SkillsSnapshot {
    pub(crate) fn new(
        agent: Agent,
        version: u64,
        catalog: Arc<Catalog>,
        inputs: Arc<EvaluationInputs>,
    ) -> Self {
        Self {
            version,
            catalog,
            agent,
            inputs,
            evaluation: OnceLock::new(),
            report_json: OnceLock::new(),
            community_files: OnceLock::new(),
            last_prompt: Mutex::default(),
        }
    }

    /// Returns the agent that the snapshot belongs to.
    #[must_use]
    pub fn agent(&self) -> &AgentId {
        &self.agent.id
    }

    /// Whether the PATH folders are unchanged since the evaluation.
    #[must_use]
    pub fn is_path_unchanged(&self) -> bool {
        self.inputs.machine.programs.is_unchanged()
    }

    /// Returns the evaluation, which is computed once, on first use.
    #[must_use]
    pub fn evaluation(&self) -> &Evaluation {
        self.evaluation.get_or_init(|| {
            let version = (self.version > 0).then_some(self.version);
            Evaluation::new(
                &self.catalog,
                &self.inputs.rules(&self.agent),
                self.inputs.prompt_options(&self.agent, u32::MAX),
                &self.inputs.report_context(&self.agent, version),
            )
        })
    }

    /// Returns the folders of the community skills.
    #[must_use]
    pub fn community_files(&self) -> &CommunityFiles {
        self.community_files.get_or_init(|| {
            CommunityFiles::new(&self.catalog, self.evaluation(), &self.inputs.settings.skills)
        })
    }

    /// Resolves the variables that the ready skills set for the tools of a turn. Secrets may be read from disk.
    #[must_use]
    pub fn environment(&self) -> SkillEnvironment {
        SkillEnvironment::resolve(self.evaluation(), &self.inputs.rules(&self.agent))
    }

    /// Returns the report on all skills.
    #[must_use]
    pub fn report(&self) -> &SkillsReport {
        &self.evaluation().report
    }

    /// Returns the report as JSON, which is serialized once.
    #[must_use]
    pub fn report_json(&self) -> Arc<str> {
        // Strings, numbers and lists always serialize.
        let serialize = || serde_json::to_string(self.report()).unwrap_or_default().into();
        Arc::clone(self.report_json.get_or_init(serialize))
    }

    /// Returns the prompt block in at most `chars` characters, unshortened if it fits. The last result is cached.
    #[must_use]
    pub fn prompt_within(&self, chars: u32) -> Arc<SkillsPrompt> {
        let mut last = self.last_prompt.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, prompt)) = last.as_ref().filter(|(limit, _)| *limit == chars) {
            return Arc::clone(prompt);
        }
        let evaluation = self.evaluation();
        let full = &evaluation.prompt;
        let prompt = match units(&full.text) <= chars as usize {
            true => full.clone(),
            false => evaluation.build_prompt(self.inputs.prompt_options(&self.agent, chars)),
        };
        let prompt = Arc::new(prompt);
        *last = Some((chars, Arc::clone(&prompt)));
        prompt
    }

    /// Changes the version without another evaluation.
    fn with_version(mut self, version: u64) -> Self {
        self.version = version;
        self.report_json = OnceLock::new();
        if let Some(evaluation) = self.evaluation.get_mut() {
            evaluation.report.version = Some(version);
        }
        self
    }

    /// Whether report (version included), prompt and filter are equal. The folder's hash counts for skills that are held
    /// to their capabilities.
    fn is_equivalent_to(&self, other: &Self) -> bool {
        let (ours, theirs) = (self.evaluation(), other.evaluation());
        ours.prompt == theirs.prompt
            && ours.filter == theirs.filter
            && (ours.report == theirs.report
                || without_own_hashes(&ours.report) == without_own_hashes(&theirs.report))
    }
}

fn without_own_hashes(report: &SkillsReport) -> SkillsReport {
    let mut report = report.clone();
    for skill in &mut report.skills {
        if !skill.capabilities.as_ref().is_some_and(|capabilities| capabilities.enforced) {
            skill.scan.hash = None;
        }
    }
    report
}
