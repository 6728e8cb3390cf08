//! The evaluation of a catalog for one agent: state, report and prompt of every skill, computed together.

use std::sync::Arc;

use tarsus_guard::{SkillPermissions, SkillSet};
use tarsus_protocol::report::SkillsStatus;
use tarsus_protocol::skills::{SkillState, SkillsReport};

use crate::eligibility::EligibilityRules;
use crate::filter::AgentFilter;
use crate::prompt::{self, Offer, PromptOptions, SkillsPrompt};
use crate::report::{self, ReportContext};
use crate::{Catalog, SkillFile};

/// The evaluation of one agent's catalog.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// The skill of each name, in catalog order.
    pub skills: Vec<EvaluatedSkill>,
    /// Skills that lost their name to another one, in catalog order.
    pub shadowed: Vec<EvaluatedSkill>,
    /// The prompt block for the model.
    pub prompt: SkillsPrompt,
    /// The report that every surface shows.
    pub report: SkillsReport,
    /// Number of skills by state.
    pub counts: SkillsStatus,
    /// The agent's allowlist of skills.
    pub filter: AgentFilter,
}

/// A skill with the result of its evaluation. Its row in the report has the details.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluatedSkill {
    /// The discovered file.
    pub file: Arc<SkillFile>,
    /// Trust tier and grants.
    pub permissions: SkillPermissions,
    /// Why it is or is not used.
    pub state: SkillState,
    /// Whether it may be offered to the model.
    pub model_visible: bool,
}

impl EvaluatedSkill {
    /// Whether the agent can use it.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.state == SkillState::Ready
    }
}

impl Evaluation {
    /// Evaluates every skill of a catalog once.
    #[must_use]
    pub fn new(
        catalog: &Catalog,
        rules: &EligibilityRules<'_>,
        prompt: PromptOptions<'_>,
        context: &ReportContext<'_>,
    ) -> Self {
        let mut skills = Vec::with_capacity(catalog.entries.len());
        let mut shadowed = Vec::with_capacity(catalog.shadowed.len());
        let mut rows = Vec::with_capacity(catalog.entries.len() + catalog.shadowed.len());
        let mut shadows = catalog.shadowed.iter().peekable();
        for file in &catalog.entries {
            let (skill, row) = report::evaluate(file, rules);
            skills.push(skill);
            rows.push(row);
            while let Some(shadow) = shadows.next_if(|shadow| Arc::ptr_eq(&shadow.winner, file)) {
                let (skill, row) = report::evaluate_shadowed(shadow, rules);
                shadowed.push(skill);
                rows.push(row);
            }
        }
        let prompt = build_prompt(&skills, prompt);
        let usable = skills.iter().filter(|skill| skill.is_ready()).map(|skill| skill.permissions.clone());
        let policy = SkillSet::from_iter(usable).policy(context.enforcement);
        let diagnostics = report::diagnostics(catalog, &rules.filter);
        let report = report::assemble(context, rows, diagnostics, &prompt, policy);
        let counts = report::count_states(&report, catalog.limits.len());
        Self { skills, shadowed, prompt, report, counts, filter: rules.filter.clone() }
    }

    /// Returns the skills that the agent can use, in catalog order.
    pub fn ready(&self) -> impl Iterator<Item = &EvaluatedSkill> {
        self.skills.iter().filter(|skill| skill.is_ready())
    }

    /// Builds the prompt block again with other options.
    #[must_use]
    pub fn build_prompt(&self, options: PromptOptions<'_>) -> SkillsPrompt {
        build_prompt(&self.skills, options)
    }
}

fn build_prompt(skills: &[EvaluatedSkill], options: PromptOptions<'_>) -> SkillsPrompt {
    let visible = skills.iter().filter(|skill| skill.model_visible);
    let offers: Vec<Offer<'_>> =
        visible.filter_map(|skill| Offer::from_file(&skill.file, skill.permissions.tier)).collect();
    prompt::build(&offers, options)
}
