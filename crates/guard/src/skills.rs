//! The skills of a snapshot as far as calls are concerned, and what they change for tools.

use std::collections::BTreeMap;

use tarsus_home::settings::Enforcement;
use tarsus_protocol::capability::Capability;
use tarsus_protocol::grants::PolicyReport;

use crate::activation::{Activation, SkillId};
use crate::shown::shown;
use crate::standing::Standing;
use crate::tools::{Tier, Tool};
use crate::voices;

/// At most so many skills are named for one tool in a report.
const MOST_NAMED: usize = 20;

/// The skills that can enter the prompt, by name: what is blocked, disabled or shadowed is not among them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skills {
    by_name: BTreeMap<String, Standing>,
}

impl FromIterator<Standing> for Skills {
    fn from_iter<T: IntoIterator<Item = Standing>>(skills: T) -> Self {
        Self { by_name: skills.into_iter().map(|skill| (skill.name.clone(), skill)).collect() }
    }
}

impl Skills {
    /// The skill of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Standing> {
        self.by_name.get(name)
    }

    /// The skill, if its folder is still the same.
    pub(crate) fn same(&self, skill: &SkillId) -> Option<&Standing> {
        self.get(&skill.name).filter(|standing| skill.hash.is_some() && standing.hash == skill.hash)
    }

    /// Those that are held to their capabilities.
    pub fn community(&self) -> impl Iterator<Item = &Standing> {
        self.by_name.values().filter(|skill| skill.is_enforced())
    }

    /// Whether the keys of a skill may be given to child processes: while a community skill has a say, only those of
    /// skills that have one and are still the same.
    #[must_use]
    pub fn may_have_keys(&self, name: &str, active: &Activation) -> bool {
        let has_a_say = || {
            let mut of_the_name = active.skills().filter(|(skill, _)| skill.name == name);
            of_the_name.any(|(skill, say)| voices::is_here(skill, say, self))
        };
        voices::active(self, active).is_empty() || has_a_say()
    }

    /// What they change for tools: with `active`, while one of them has a say; with `loaded`, always.
    #[must_use]
    pub fn policy(&self, enforcement: Enforcement) -> PolicyReport {
        let mut report = PolicyReport {
            enforcement: enforcement.name().to_owned(),
            denied: Vec::new(),
            gated: Vec::new(),
            because: BTreeMap::new(),
        };
        if enforcement == Enforcement::Off || self.community().next().is_none() {
            return report;
        }
        for tool in Tool::ALL {
            let (list, skills) = match tool.tier() {
                Tier::Denied => (&mut report.denied, self.community().collect()),
                Tier::Needs(capability) => (&mut report.gated, self.lacking(capability, enforcement)),
                Tier::Allowed => continue,
            };
            if !skills.is_empty() {
                list.push(tool.name().to_owned());
                report.because.insert(tool.name().to_owned(), names(&skills));
            }
        }
        report
    }

    /// Those that stand in the way of a capability.
    fn lacking(&self, capability: Capability, enforcement: Enforcement) -> Vec<&Standing> {
        let has = |skill: &&Standing| skill.effective.contains(&capability);
        if enforcement == Enforcement::Loaded && self.community().any(|skill| has(&skill)) {
            return Vec::new();
        }
        self.community().filter(|skill| !has(skill)).collect()
    }
}

/// Their names, fit to be shown; when they are many, the last entry says how many more there are.
fn names(skills: &[&Standing]) -> Vec<String> {
    let mut names: Vec<String> = skills.iter().take(MOST_NAMED).map(|skill| shown(&skill.name)).collect();
    if skills.len() > MOST_NAMED {
        names.push(format!("and {} more", skills.len() - MOST_NAMED));
    }
    names
}
