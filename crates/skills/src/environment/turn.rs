//! The variables that skills set for the tools of one turn.
//!
//! The environment of this process is never changed, so they are gone when the turn is over.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use tarsus_home::Secret;
use tarsus_home::config::view::SkillEntry;

use crate::Metadata;
use crate::eligibility::{EligibilityRules, declared, resolve_settings};
use crate::snapshot::Evaluation;

/// The variables of an agent's ready skills. None of them is set in the environment of this process.
#[derive(Clone, Default)]
pub struct SkillEnvironment {
    /// Each ready skill with variables, in catalog order.
    skills: Arc<[SkillVariables]>,
    /// The skills that count; `None` if all do.
    only: Option<BTreeSet<String>>,
}

struct SkillVariables {
    skill: String,
    variables: BTreeMap<String, Secret>,
}

impl SkillEnvironment {
    /// Resolves the settings of the ready skills.
    pub(crate) fn resolve(evaluation: &Evaluation, rules: &EligibilityRules<'_>) -> Self {
        let (no_metadata, no_settings) = (Metadata::default(), SkillEntry::default());
        let variables = |file: &crate::SkillFile| {
            let skill = file.skill()?;
            let metadata = declared(skill, rules.lenient).unwrap_or(&no_metadata);
            let settings = rules.skills.entries.get(&*file.key()).unwrap_or(&no_settings);
            let variables: BTreeMap<_, _> =
                resolve_settings(metadata, settings, rules).set.into_iter().collect();
            let has_some = !variables.is_empty();
            has_some.then(|| SkillVariables { skill: skill.name.clone(), variables })
        };
        let skills = evaluation.ready().filter_map(|ready| variables(&ready.file)).collect();
        Self { skills, only: None }
    }

    /// Leaves out the variables of all skills but these.
    pub fn restrict_to(&mut self, skills: BTreeSet<String>) {
        self.only = Some(skills);
    }

    /// The value of a variable. Of several skills that set it, the first in catalog order counts.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Secret> {
        let counts =
            |skill: &&SkillVariables| self.only.as_ref().is_none_or(|only| only.contains(&skill.skill));
        self.skills.iter().filter(counts).find_map(|skill| skill.variables.get(name))
    }
}

/// Shows names only.
impl fmt::Debug for SkillEnvironment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = |skill: &SkillVariables| (skill.skill.clone(), skill.variables.keys().cloned().collect());
        let skills: Vec<(String, Vec<String>)> = self.skills.iter().map(names).collect();
        f.debug_struct("SkillEnvironment").field("skills", &skills).field("only", &self.only).finish()
    }
}
