//! The permissions of the skills of a snapshot, and the tools that they restrict.

use std::collections::{BTreeMap, BTreeSet};

use tarsus_home::settings::Enforcement;
use tarsus_protocol::capability::Capability;
use tarsus_protocol::grants::PolicyReport;

use crate::activation::{Activation, SkillId};
use crate::restricting_skill::{self, RestrictingSkill};
use crate::sanitize::sanitize;
use crate::skill_permissions::SkillPermissions;
use tarsus_protocol::tool::{ToolId, ToolTier};

/// Skills that a report names for one tool.
const MAX_NAMED: usize = 20;

/// The skills that can enter the prompt, by name. Blocked, disabled and shadowed skills are not included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillSet {
    by_name: BTreeMap<String, SkillPermissions>,
}

impl FromIterator<SkillPermissions> for SkillSet {
    fn from_iter<T: IntoIterator<Item = SkillPermissions>>(skills: T) -> Self {
        Self { by_name: skills.into_iter().map(|skill| (skill.name.clone(), skill)).collect() }
    }
}

impl SkillSet {
    /// The skill with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&SkillPermissions> {
        self.by_name.get(name)
    }

    /// The skill, if its folder still has the same hash.
    pub(crate) fn get_same(&self, skill: &SkillId) -> Option<&SkillPermissions> {
        self.get(&skill.name).filter(|now| skill.hash.is_some() && now.hash == skill.hash)
    }

    /// The community skills, which are held to their capabilities.
    pub fn community(&self) -> impl Iterator<Item = &SkillPermissions> {
        self.by_name.values().filter(|skill| skill.is_enforced())
    }

    /// The names of the skills whose settings reach the tools of a session: the active ones while a community skill is
    /// active, as they were when they became active. `None` if it is all skills.
    #[must_use]
    pub fn exclusive_names(&self, active: &Activation) -> Option<BTreeSet<String>> {
        let restricting = restricting_skill::restricting_skills(self, active);
        if restricting.is_empty() {
            return None;
        }
        let is_gone = |name: &str| {
            restricting.iter().any(|skill| matches!(skill, RestrictingSkill::Gone(gone) if *gone == name))
        };
        let names = active.skills().map(|(id, _)| id.name.as_str());
        Some(names.filter(|name| self.get(name).is_some() && !is_gone(name)).map(str::to_owned).collect())
    }

    /// Reports the tools that community skills restrict: in the mode `active` while they are active, in `loaded` always.
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
        for tool in ToolId::ALL {
            let (list, skills) = match tool.tier() {
                ToolTier::Denied => (&mut report.denied, self.community().collect()),
                ToolTier::Needs(capability) => (&mut report.gated, self.lacking(capability, enforcement)),
                ToolTier::Allowed => continue,
            };
            if !skills.is_empty() {
                list.push(tool.name().to_owned());
                report.because.insert(tool.name().to_owned(), names(&skills));
            }
        }
        report
    }

    /// The community skills that lack a capability, so that calls that need it are denied.
    fn lacking(&self, capability: Capability, enforcement: Enforcement) -> Vec<&SkillPermissions> {
        let has = |skill: &&SkillPermissions| skill.effective.contains(&capability);
        if enforcement == Enforcement::Loaded && self.community().any(|skill| has(&skill)) {
            return Vec::new();
        }
        self.community().filter(|skill| !has(skill)).collect()
    }
}

/// Sanitized names; beyond `MAX_NAMED` the last entry counts the rest.
fn names(skills: &[&SkillPermissions]) -> Vec<String> {
    let mut names: Vec<String> = skills.iter().take(MAX_NAMED).map(|skill| sanitize(&skill.name)).collect();
    if skills.len() > MAX_NAMED {
        names.push(format!("and {} more", skills.len() - MAX_NAMED));
    }
    names
}
