//! Turns a proposed change into a change of the current registry, with its effect: what is shown is what a confirmation
//! saves.

use tarsus_protocol::Problem;
use tarsus_protocol::apps::{AppEntry, AppGroup, AppMode, AppPatch};
use tarsus_protocol::rpc::FieldChange;

use super::context::StepContext;
use super::state::{EntryAction, EntryField, ProposedChange};
use crate::registry::{App, Proposal, RegistryChange, RegistryError};

/// A proposed change, checked against the registry.
pub(super) enum Draft {
    /// The registry does not exist or cannot be read.
    NoRegistry,
    /// The app to change does not exist any more.
    Gone,
    /// The name of the new app is taken by this one.
    Taken(String),
    /// The entry still lacks this field.
    Lacks(EntryField),
    /// Nothing would change.
    Unchanged,
    /// The registry rejects the change.
    Rejected(Problem),
    /// The change, and its effect.
    Ready(RegistryChange, Box<Proposal>),
}

/// Applies a proposed change to the current registry, without saving.
pub(super) fn draft(proposed: &ProposedChange, context: &StepContext<'_>) -> Draft {
    let Some(loaded) = context.loaded() else { return Draft::NoRegistry };
    let name = proposed.name.clone();
    let change = match (proposed.action, context.app(&name)) {
        (EntryAction::Add, _) => match merge(&proposed.patch, None) {
            Ok(entry) => RegistryChange::Add { name, entry },
            Err(field) => return Draft::Lacks(field),
        },
        (_, None) => return Draft::Gone,
        (EntryAction::Delete, Some(_)) => RegistryChange::Delete { name },
        (EntryAction::Edit | EntryAction::Policy, Some(app)) => match merge(&proposed.patch, Some(app)) {
            Ok(entry) => RegistryChange::Edit { name, patch: complete_patch(&proposed.patch, app, entry) },
            Err(field) => return Draft::Lacks(field),
        },
    };
    match loaded.propose(&change) {
        Ok(proposal) if is_unchanged(&proposal) => Draft::Unchanged,
        Ok(proposal) => Draft::Ready(change, Box::new(proposal)),
        Err(RegistryError::NameTaken { taken_by, .. }) => Draft::Taken(taken_by),
        Err(error) => Draft::Rejected(error.into()),
    }
}

fn is_unchanged(proposal: &Proposal) -> bool {
    match (&proposal.before, &proposal.after) {
        (Some(before), Some(after)) => before.has_same_fields(after),
        (before, after) => before.is_none() && after.is_none(),
    }
}

/// The stored entry with the patch applied, or the first field that it lacks.
fn merge(patch: &AppPatch, stored: Option<&App>) -> Result<AppEntry, EntryField> {
    let optional = |change: &Option<FieldChange<String>>, stored: Option<&String>| match change {
        None => stored.cloned(),
        Some(FieldChange::Clear) => None,
        Some(FieldChange::Set(value)) => Some(value.clone()),
    };
    let stored_path = stored.and_then(|app| app.launch_path.clone());
    let launch_path = patch.launch_path.clone().or(stored_path);
    let mode = patch.mode.or(stored.and_then(|app| app.mode));
    let agents = patch.allowed_agents.clone();
    let entry = AppEntry {
        launch_path: launch_path.filter(|path| !path.trim().is_empty()).ok_or(EntryField::LaunchPath)?,
        runtime_exe: optional(&patch.runtime_exe, stored.and_then(|app| app.runtime_exe.as_ref())),
        process_name: optional(&patch.process_name, stored.and_then(|app| app.process_name.as_ref())),
        mode: mode.ok_or(EntryField::Mode)?,
        allowed_agents: agents.or_else(|| stored.map(|app| app.allowed_agents.clone())),
    };
    entry.checked().map_err(|_| EntryField::Agents)
}

/// The fields to write: the requested ones, or all of them if the stored entry is invalid, so that the saved one is valid.
fn complete_patch(patch: &AppPatch, app: &App, entry: AppEntry) -> AppPatch {
    let repair = app.group != AppGroup::Valid;
    let optional = |is_requested: bool, value: Option<String>| {
        (is_requested || repair).then(|| FieldChange::from(value))
    };
    let has_policy = patch.mode.is_some() || patch.allowed_agents.is_some() || repair;
    AppPatch {
        launch_path: (patch.launch_path.is_some() || repair).then_some(entry.launch_path),
        runtime_exe: optional(patch.runtime_exe.is_some(), entry.runtime_exe),
        process_name: optional(patch.process_name.is_some(), entry.process_name),
        mode: has_policy.then_some(entry.mode),
        allowed_agents: entry.allowed_agents.filter(|_| has_policy && entry.mode == AppMode::Allowlist),
    }
}
