//! Decides which environment variables the settings of a skill may set.

mod lists;
mod policy;

use tarsus_home::Secret;
use tarsus_home::config::Lookup;
use tarsus_home::config::view::SecretInput;
use tarsus_protocol::Problem;

pub use policy::{VariableGroup, VariableRefusal, may_set};

use crate::Metadata;

/// Resolves the secrets of settings.
pub type SecretResolver<'a> = Box<dyn Fn(&SecretInput) -> Result<Secret, Problem> + 'a>;

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
