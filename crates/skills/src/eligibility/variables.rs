//! The variables that the settings of a skill set, those that it requires and nothing sets, and the settings without
//! effect.

use std::fmt;

use tarsus_home::Secret;
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

/// The variables that the settings of a skill set, and the settings that have no effect.
pub(crate) struct ConfiguredVariables {
    pub(crate) set: Vec<(String, Secret)>,
    pub(super) ineffective: Vec<IneffectiveSetting>,
    /// Variables whose secret cannot be resolved.
    unresolved: Vec<String>,
}

/// Resolves the settings of a skill. A variable that the environment has is not set.
pub(crate) fn resolve_settings(
    metadata: &Metadata,
    settings: &SkillEntry,
    rules: &EligibilityRules<'_>,
) -> ConfiguredVariables {
    let mut configured: Vec<(&str, &SecretInput)> =
        settings.env.iter().map(|(name, input)| (name.as_str(), input)).collect();
    if let (Some(primary), Some(key)) = (metadata.primary_env.as_deref(), &settings.api_key)
        && !settings.env.contains_key(primary)
    {
        configured.push((primary, key));
    }
    configured.retain(|(name, _)| !is_set(name, &*rules.machine.variables));

    let mut result = ConfiguredVariables { set: Vec::new(), ineffective: Vec::new(), unresolved: Vec::new() };
    for (name, input) in configured {
        let mut add_ineffective = |reason| {
            result.ineffective.push(IneffectiveSetting { variable: name.to_owned(), reason });
        };
        if let Err(refusal) = may_set(name, declares(metadata, name)) {
            add_ineffective(refusal.to_string());
            continue;
        }
        match (rules.secrets)(input) {
            Ok(secret) if secret.expose().trim().is_empty() => {}
            Ok(secret) => result.set.push((name.to_owned(), secret)),
            Err(problem) => {
                add_ineffective(problem.to_string());
                result.unresolved.push(name.to_owned());
            }
        }
    }
    result
}

/// Returns the required variables that are not set, and those whose configured secret cannot be resolved: a skill with
/// a configured key is not used without it.
pub(super) fn missing(
    required: &[String],
    metadata: &Metadata,
    settings: &SkillEntry,
    rules: &EligibilityRules<'_>,
) -> (Vec<String>, Vec<IneffectiveSetting>) {
    let ConfiguredVariables { set, ineffective, unresolved } = resolve_settings(metadata, settings, rules);
    let is_missing = |name: &&String| {
        !is_set(name, &*rules.machine.variables) && !set.iter().any(|(known, _)| known == *name)
    };
    let mut missing: Vec<String> = required.iter().filter(is_missing).cloned().collect();
    for name in unresolved {
        if !missing.contains(&name) {
            missing.push(name);
        }
    }
    (missing, ineffective)
}
