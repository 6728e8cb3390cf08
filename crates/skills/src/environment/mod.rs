//! The environment variables that the settings of skills set for a turn, and those that none may set.

mod lists;
mod policy;
mod turn;

use serde_json::Value;
use tarsus_home::Secret;
use tarsus_home::config::Lookup;
use tarsus_home::config::json5::Path as ConfigPath;
use tarsus_home::config::view::SecretInput;
use tarsus_protocol::Problem;

pub use policy::{VariableGroup, VariableRefusal, may_set};
pub use turn::SkillEnvironment;

use crate::Metadata;

/// Resolves the secrets of settings.
pub type SecretResolver<'a> = Box<dyn Fn(&SecretInput) -> Result<Secret, Problem> + 'a>;

/// Returns the variables in `skills.entries.*.env` of a configuration that no skill may set: the path of each, its name
/// and the reason. They have no effect.
pub fn refused_in_config(config: &Value) -> Vec<(ConfigPath, String, VariableRefusal)> {
    let entries = config.pointer("/skills/entries").and_then(Value::as_object).into_iter().flatten();
    let variables = entries.flat_map(|(key, entry)| {
        let env = entry.get("env").and_then(Value::as_object).into_iter().flatten();
        env.map(move |(name, _)| (key, name))
    });
    let refused = variables.filter_map(|(key, name)| {
        let path = ConfigPath::key("skills").join("entries").join(key).join("env").join(name);
        Some((path, name.clone(), may_set(name, true).err()?))
    });
    refused.collect()
}

/// Whether a skill declares a variable as its own.
pub(crate) fn declares(metadata: &Metadata, name: &str) -> bool {
    let required =
        metadata.requires.as_ref().is_some_and(|requires| requires.env.iter().any(|env| env == name));
    required || metadata.primary_env.as_deref() == Some(name)
}

/// Whether a variable has a value; white space counts as none.
pub(crate) fn is_set(name: &str, variables: Lookup<'_>) -> bool {
    variables(name).is_some_and(|value| !value.trim().is_empty())
}
