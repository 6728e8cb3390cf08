//! Which variables of a skill are not set, neither in the environment nor by its settings, and which settings have no
//! effect.

use std::fmt;

use tarsus_home::config::view::{SecretInput, SkillEntry};

use super::EligibilityRules;
use crate::Metadata;
use crate::environment::{declares, is_set, may_set};

/// A setting that does not set its variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IneffectiveSetting {
    /// The variable.
    pub variable: String,
    /// Why the setting has no effect.
    pub reason: String,
}

impl fmt::Display for IneffectiveSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the setting for {} has no effect: {}", self.variable, self.reason)
    }
}

/// Returns the required variables that are not set, and those whose configured secret cannot be resolved: a skill with
/// a configured key is not used without it.
pub(super) fn missing(
    required: &[String],
    metadata: &Metadata,
    settings: &SkillEntry,
    rules: &EligibilityRules<'_>,
) -> (Vec<String>, Vec<IneffectiveSetting>) {
    let is_in_environment = |name: &str| is_set(name, &*rules.machine.variables);
    let primary = metadata.primary_env.as_deref();
    let mut configured: Vec<(&str, &SecretInput)> =
        settings.env.iter().map(|(name, input)| (name.as_str(), input)).collect();
    if let (Some(primary), Some(key)) = (primary, &settings.api_key)
        && !settings.env.contains_key(primary)
    {
        configured.push((primary, key));
    }
    configured.retain(|(name, _)| !is_in_environment(name));

    let mut met = Vec::new();
    let mut ineffective = Vec::new();
    let mut unresolved = Vec::new();
    for (name, input) in configured {
        if let Err(refusal) = may_set(name, declares(metadata, name)) {
            ineffective.push(IneffectiveSetting { variable: name.to_owned(), reason: refusal.to_string() });
            continue;
        }
        match (rules.secrets)(input) {
            Ok(secret) if secret.expose().trim().is_empty() => {}
            Ok(_) => met.push(name),
            Err(problem) => {
                let reason = problem.to_string();
                ineffective.push(IneffectiveSetting { variable: name.to_owned(), reason });
                unresolved.push(name);
            }
        }
    }
    let is_missing = |name: &&String| !is_in_environment(name) && !met.contains(&name.as_str());
    let mut missing: Vec<String> = required.iter().filter(is_missing).cloned().collect();
    for name in unresolved {
        if !missing.iter().any(|missing| missing == name) {
            missing.push(name.to_owned());
        }
    }
    (missing, ineffective)
}
