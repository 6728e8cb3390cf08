//! The variables that skills' settings add to the programs of one run.
//!
//! Promises: a value computed for one run and given to its children; the environment of this process is neither read
//! nor changed here, so that runs at the same time cannot meet. What is not set is a value with its reason. Leaves to
//! others: which skills a run may use.

mod lists;
mod policy;

use std::collections::BTreeMap;
use std::fmt;

use tarsus_home::Secret;
use tarsus_home::config::Lookup;
use tarsus_home::config::view::{SecretInput, SkillEntry};
use tarsus_host::process::Env;
use tarsus_protocol::Problem;

pub use policy::{Group, Refusal, Unusual, may_set};

use crate::Metadata;

/// Where the secrets of settings are looked up.
pub type Secrets<'a> = &'a dyn Fn(&SecretInput) -> Result<Secret, Problem>;

/// A skill of a run, with its settings.
#[derive(Debug, Clone, Copy)]
pub struct Equipped<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it declares.
    pub metadata: Option<&'a Metadata>,
    /// What `skills.entries` says about it.
    pub settings: &'a SkillEntry,
}

/// The variables that skills add to the programs of one run.
#[derive(Debug, Default, PartialEq)]
pub struct RunEnvironment {
    variables: BTreeMap<String, Set>,
    /// What was not set, or is unusual.
    pub remarks: Vec<Remark>,
}

#[derive(Debug, PartialEq)]
struct Set {
    name: String,
    value: Secret,
    skill: String,
}

/// Something about one variable of one skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Remark {
    /// The skill.
    pub skill: String,
    /// The variable.
    pub variable: String,
    /// What is to be said.
    pub what: What,
}

/// What is to be said about a variable.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// It is not set: it may not be.
    Refused(Refusal),
    /// It is not set: its secret cannot be had.
    Unresolved(Problem),
    /// It is not set: it has a value already, which holds.
    SetOutside,
    /// It is not set: another skill of the run has set it.
    SetBy(String),
    /// It is set.
    Unusual(Unusual),
}

impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { skill, variable, what } = self;
        match what {
            What::Refused(why) => write!(f, "{variable} is not set for {skill}: {why}"),
            What::Unresolved(why) => write!(f, "{variable} is not set for {skill}: {why}"),
            What::SetOutside => write!(f, "{variable} is not set for {skill}: it has a value already"),
            What::SetBy(other) => write!(f, "{variable} is not set for {skill}: {other} has set it"),
            What::Unusual(what) => write!(f, "{variable} is set for {skill}, but {what}"),
        }
    }
}

impl RunEnvironment {
    /// What these skills add, where an earlier one wins over a later one, and `variables`, which the children have
    /// anyway, over all.
    #[must_use]
    pub fn of<'a>(
        skills: impl IntoIterator<Item = Equipped<'a>>,
        variables: Lookup<'_>,
        secrets: Secrets<'_>,
    ) -> Self {
        let mut environment = Self::default();
        for skill in skills.into_iter().filter(|skill| skill.settings.enabled != Some(false)) {
            for (name, input) in &skill.settings.env {
                environment.take(&skill, name, input, variables, secrets);
            }
            let primary = skill.metadata.and_then(|metadata| metadata.primary_env.as_deref());
            if let (Some(primary), Some(key)) = (primary, &skill.settings.api_key)
                && !skill.settings.env.contains_key(primary)
            {
                environment.take(&skill, primary, key, variables, secrets);
            }
        }
        environment
    }

    fn take(
        &mut self,
        skill: &Equipped<'_>,
        name: &str,
        input: &SecretInput,
        variables: Lookup<'_>,
        secrets: Secrets<'_>,
    ) {
        let what = match self.value(skill, name, input, variables, secrets) {
            Ok((value, unusual)) => {
                let set = Set { name: name.to_owned(), value, skill: skill.name.to_owned() };
                self.variables.insert(key(name), set);
                unusual.map(What::Unusual)
            }
            Err(what) => Some(what),
        };
        let remark = |what| Remark { skill: skill.name.to_owned(), variable: name.to_owned(), what };
        self.remarks.extend(what.map(remark));
    }

    fn value(
        &self,
        skill: &Equipped<'_>,
        name: &str,
        input: &SecretInput,
        variables: Lookup<'_>,
        secrets: Secrets<'_>,
    ) -> Result<(Secret, Option<Unusual>), What> {
        may_set(name, skill.metadata.is_some_and(|metadata| declares(metadata, name)))
            .map_err(What::Refused)?;
        if is_set(name, variables) {
            return Err(What::SetOutside);
        }
        if let Some(set) = self.variables.get(&key(name)) {
            return Err(What::SetBy(set.skill.clone()));
        }
        let value = secrets(input).map_err(What::Unresolved)?;
        let unusual = policy::check_value(value.expose()).map_err(What::Refused)?;
        Ok((value, unusual))
    }

    /// The names that are set, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.values().map(|set| set.name.as_str())
    }

    /// Adds the variables to those of a program that is about to be started.
    pub fn add_to(&self, env: &mut Env) {
        for set in self.variables.values() {
            env.set(set.name.as_str(), set.value.expose());
        }
    }
}

/// Whether a skill names a variable as its own.
pub(crate) fn declares(metadata: &Metadata, name: &str) -> bool {
    let required =
        metadata.requires.as_ref().is_some_and(|requires| requires.env.iter().any(|env| env == name));
    required || metadata.primary_env.as_deref() == Some(name)
}

/// Whether a variable has a value; white space is none.
pub(crate) fn is_set(name: &str, variables: Lookup<'_>) -> bool {
    variables(name).is_some_and(|value| !value.trim().is_empty())
}

/// How names are compared: Windows does not mind upper and lower case.
fn key(name: &str) -> String {
    if cfg!(windows) { name.to_ascii_uppercase() } else { name.to_owned() }
}
