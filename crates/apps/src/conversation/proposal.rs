//! From answers to a change of the registry, and what that change would do.
//!
//! Promises: made from the registry as it was just read, so what is shown is what a yes would save; what others changed
//! meanwhile in fields that nobody asked for is kept.

use tarsus_protocol::Problem;

use super::state::{Action, Answers, Field, Wanted, Wish};
use super::world::World;
use crate::registry::{App, Change, Patch, Proposal, Put, RegistryError};
use crate::validate::{Fields, Group};
use crate::{Entry, LaunchPath, Policy};

/// What became of a wish when it met the registry.
pub(super) enum Draft {
    /// The registry cannot be read, or is not there.
    NoRegistry,
    /// The entry to change is gone.
    Gone,
    /// The name to add is taken, by this entry.
    Taken(String),
    /// The entry would still lack this.
    Lacks(Field),
    /// Nothing would change.
    Same,
    /// The registry does not take it.
    Impossible(Problem),
    /// This change, which does this.
    Ready(Change, Box<Proposal>),
}

/// Puts a wish on top of what is stored now.
pub(super) fn draft(wanted: &Wanted, world: &World<'_>) -> Draft {
    let Some(loaded) = world.loaded() else { return Draft::NoRegistry };
    let name = wanted.name.clone();
    let change = match (wanted.action, world.app(&name)) {
        (Action::Add, _) => match merged(&wanted.answers, Fields::default()) {
            Ok(entry) => Change::Add { name, entry },
            Err(field) => return Draft::Lacks(field),
        },
        (_, None) => return Draft::Gone,
        (Action::Delete, Some(_)) => Change::Delete { name },
        (Action::Edit | Action::Policy, Some(app)) => match merged(&wanted.answers, app.fields.clone()) {
            Ok(entry) => Change::Edit { name, patch: patch(&wanted.answers, app, entry) },
            Err(field) => return Draft::Lacks(field),
        },
    };
    match loaded.propose(&change) {
        Ok(proposal) if is_same(&proposal) => Draft::Same,
        Ok(proposal) => Draft::Ready(change, Box::new(proposal)),
        Err(RegistryError::NameTaken { taken_by, .. }) => Draft::Taken(taken_by),
        Err(error) => Draft::Impossible(error.into()),
    }
}

fn is_same(proposal: &Proposal) -> bool {
    let meaning = |app: &App| (app.fields.clone(), app.verdict.clone());
    proposal.before.as_ref().map(meaning) == proposal.after.as_ref().map(meaning)
}

/// The entry that the answers make of the stored fields.
fn merged(answers: &Answers, stored: Fields) -> Result<Entry, Field> {
    let optional = |wish: &Option<Wish>, stored: Option<String>| match wish {
        None => stored,
        Some(Wish::Clear) => None,
        Some(Wish::Set(value)) => Some(value.clone()),
    };
    let launch_path = answers.launch_path.clone().or(stored.launch_path);
    let mode = answers.mode.or(stored.mode);
    let agents = answers.agents.clone().unwrap_or(stored.allowed_agents);
    Ok(Entry {
        launch_path: launch_path.and_then(LaunchPath::new).ok_or(Field::LaunchPath)?,
        runtime_exe: optional(&answers.runtime_exe, stored.runtime_exe),
        process_name: optional(&answers.process_name, stored.process_name),
        policy: Policy::new(mode.ok_or(Field::Mode)?, agents).ok_or(Field::Agents)?,
    })
}

/// The fields to write: those that were asked for; all of them when the stored entry is not valid, so that the saved one is.
fn patch(answers: &Answers, app: &App, entry: Entry) -> Patch {
    let repair = app.verdict.group != Group::Valid;
    let put = |asked: bool, value: Option<String>| match value {
        _ if !asked && !repair => Put::Keep,
        Some(value) => Put::Value(value),
        None => Put::Clear,
    };
    Patch {
        launch_path: (answers.launch_path.is_some() || repair).then_some(entry.launch_path),
        runtime_exe: put(answers.runtime_exe.is_some(), entry.runtime_exe),
        process_name: put(answers.process_name.is_some(), entry.process_name),
        policy: (answers.mode.is_some() || answers.agents.is_some() || repair).then_some(entry.policy),
    }
}
