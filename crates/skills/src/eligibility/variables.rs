//! Which variables of a skill are not set, neither in the environment nor by its settings, and why its settings do not
//! help.

use std::fmt;

use tarsus_home::config::view::{SecretInput, SkillEntry};
use tarsus_protocol::skills::Names;

use super::{Rules, those};
use crate::Metadata;
use crate::environment::{declares, is_set, may_set};

/// A variable that its settings do not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmet {
    /// The variable.
    pub variable: String,
    /// Why not.
    pub why: String,
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the setting for {} has no effect: {}", self.variable, self.why)
    }
}

/// The needed variables that are not set, and those whose secret cannot be had: a skill that was given a key is not
/// used without it.
pub(super) fn missing<'a>(
    needed: &Names<'a>,
    metadata: &Metadata,
    settings: &SkillEntry,
    rules: &Rules<'_>,
) -> (Names<'a>, Vec<Unmet>) {
    let primary = metadata.primary_env.as_deref();
    let mut given: Vec<(&str, &SecretInput)> =
        settings.env.iter().map(|(name, input)| (name.as_str(), input)).collect();
    if let (Some(primary), Some(key)) = (primary, &settings.api_key)
        && !settings.env.contains_key(primary)
    {
        given.push((primary, key));
    }
    given.retain(|(name, _)| !is_set(name, rules.machine.variables));

    let mut met = Vec::new();
    let mut unmet = Vec::new();
    let mut without_key = Vec::new();
    for (name, input) in given {
        if let Err(refusal) = may_set(name, declares(metadata, name)) {
            unmet.push(Unmet { variable: name.to_owned(), why: refusal.to_string() });
            continue;
        }
        match (rules.secrets)(input) {
            Ok(secret) if secret.expose().trim().is_empty() => {}
            Ok(_) => met.push(name),
            Err(problem) => {
                unmet.push(Unmet { variable: name.to_owned(), why: problem.to_string() });
                without_key.push(name);
            }
        }
    }
    let mut missing =
        those(needed, |name| !is_set(name, rules.machine.variables) && !met.contains(&name.as_str()));
    without_key.retain(|name| !missing.iter().any(|missing| missing == name));
    if !without_key.is_empty() {
        missing.to_mut().extend(without_key.into_iter().map(str::to_owned));
    }
    (missing, unmet)
}
