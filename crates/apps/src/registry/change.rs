//! Changes of the registry, applied document to document. A change touches only its own fields: unknown fields, other
//! entries, the order of keys and the spelling of numbers stay as they are written. An app is never renamed.

use std::path::Path as FilePath;

use serde_json::{Map, Value};
use tarsus_home::config::json5::{Document, Edit, EditError, JsonDialect, Node, NodeKind, Path};
use tarsus_protocol::apps::{AppEntry, AppMode, AppPatch};
use tarsus_protocol::rpc::FieldChange;

use super::error::{AppNameError, RegistryError};
use super::restore::{self, RawEntry};
use super::{EMPTY, layout};
use crate::fold::fold;
use crate::validate::{self, key};

/// Longest name of a new app, in characters.
const MAX_NAME_CHARS: usize = 200;

/// A change of the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegistryChange {
    /// Creates the file, without apps.
    Create,
    /// Adds an app after all others.
    Add {
        /// Its name; surrounding white space is trimmed.
        name: String,
        /// Its entry.
        entry: AppEntry,
    },
    /// Changes some fields of an app.
    Edit {
        /// Name of the app.
        name: String,
        /// The changed fields.
        patch: AppPatch,
    },
    /// Deletes an app.
    Delete {
        /// Name of the app.
        name: String,
    },
    /// Restores a deleted app as it was.
    Restore {
        /// Name of the app.
        name: String,
        /// Its entry.
        entry: RawEntry,
        /// Name of the app to insert it before; without one it goes last.
        before: Option<String>,
    },
}

impl RegistryChange {
    /// A new launch policy for an app.
    pub fn policy<I: Into<String>>(
        name: impl Into<String>,
        mode: AppMode,
        agents: impl IntoIterator<Item = I>,
    ) -> Self {
        Self::Edit { name: name.into(), patch: AppPatch::policy(mode, agents) }
    }

    /// Checks the parts that do not depend on the file.
    ///
    /// # Errors
    /// If the name of a new app is not allowed.
    pub fn check(&self) -> Result<(), AppNameError> {
        match self {
            Self::Add { name, .. } => check_name(name.trim()),
            // A restored app had its name before.
            Self::Create | Self::Edit { .. } | Self::Delete { .. } | Self::Restore { .. } => Ok(()),
        }
    }

    /// The app that is changed; `None` for the file itself.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Create => None,
            Self::Add { name, .. } => Some(name.trim()),
            Self::Edit { name, .. } | Self::Delete { name } | Self::Restore { name, .. } => Some(name),
        }
    }

    /// The document after this change. `before` is `None` if there is no file yet.
    pub(super) fn apply(
        &self,
        before: Option<&Document>,
        path: &FilePath,
    ) -> Result<Document, RegistryError> {
        self.check()?;
        let missing = || RegistryError::Missing { path: path.to_path_buf() };
        let edits = match (self, before) {
            (Self::Restore { name, entry, before: next }, Some(before)) => {
                check_is_free(before, name)?;
                return restore::restore(before, name, entry, next.as_deref());
            }
            (Self::Create, None) => {
                return Document::parse_object(EMPTY, JsonDialect::Json)
                    .map_err(|error| RegistryError::Syntax { path: path.to_path_buf(), error });
            }
            (Self::Create, Some(_)) => return Err(RegistryError::AlreadyThere { path: path.to_path_buf() }),
            (Self::Add { name, entry }, Some(before)) => insert_edits(before, name.trim(), entry)?,
            (Self::Edit { name, patch }, Some(before)) => patch_edits(before, name, patch)?,
            (Self::Delete { name }, Some(before)) => {
                find_entry(before, name)?;
                vec![Edit::Remove { path: Path::key(name) }]
            }
            (_, None) => return Err(missing()),
        };
        let before = before.ok_or_else(missing)?;
        let after = before.edited_all(&edits)?;
        match layout::reformat(&after) {
            Some(text) if after.text() != before.text() => {
                Document::parse_object(text.as_bytes(), JsonDialect::Json)
                    .map_err(|error| RegistryError::Edit(EditError::Beyond(error)))
            }
            _ => Ok(after),
        }
    }
}

fn insert_edits(before: &Document, name: &str, entry: &AppEntry) -> Result<Vec<Edit>, RegistryError> {
    check_is_free(before, name)?;
    Ok(vec![Edit::set(Path::key(name), entry_json(&entry.clone().checked()?))])
}

/// Fails if an app has this name; letter case, compatible characters and white space aside.
fn check_is_free(before: &Document, name: &str) -> Result<(), RegistryError> {
    let folded = fold(name);
    match before.root().members().find(|(taken, _)| fold(taken) == folded) {
        None => Ok(()),
        Some((taken_by, _)) => {
            Err(RegistryError::NameTaken { name: name.to_owned(), taken_by: taken_by.to_owned() })
        }
    }
}

/// Checks the name of a new app.
pub(crate) fn check_name(name: &str) -> Result<(), AppNameError> {
    if fold(name).is_empty() {
        return Err(AppNameError::Empty);
    }
    if name.chars().count() > MAX_NAME_CHARS {
        return Err(AppNameError::TooLong { most: MAX_NAME_CHARS });
    }
    match name.chars().find(|char| char.is_control()) {
        Some(char) => Err(AppNameError::Control(char)),
        None => Ok(()),
    }
}

fn find_entry<'d>(document: &'d Document, name: &str) -> Result<&'d Node, RegistryError> {
    let entry = document.root().member(name);
    entry.ok_or_else(|| RegistryError::NotRegistered { name: name.to_owned() })
}

fn patch_edits(before: &Document, name: &str, patch: &AppPatch) -> Result<Vec<Edit>, RegistryError> {
    let node = find_entry(before, name)?;
    let patch = patch.clone().checked()?;
    let path = Path::key(name);
    if !matches!(node.kind, NodeKind::Object(_)) {
        // There are no fields to keep: only a complete entry can replace it.
        let found = node.described();
        let entry =
            patch.to_entry().ok_or_else(|| RegistryError::NotAnObject { name: name.to_owned(), found })?;
        return Ok(vec![Edit::set(path, entry_json(&entry))]);
    }
    let mut edits = Vec::new();
    if let Some(launch_path) = &patch.launch_path {
        edits.push(Edit::set(path.join(key::LAUNCH_PATH), launch_path.as_str()));
    }
    for (field, change) in [(key::RUNTIME_EXE, &patch.runtime_exe), (key::PROCESS_NAME, &patch.process_name)]
    {
        // An empty text counts as absent, so there is nothing to remove.
        let is_there = node.member(field).is_some_and(|value| !validate::is_blank(value));
        match change {
            Some(FieldChange::Set(text)) => edits.push(Edit::set(path.join(field), text.as_str())),
            Some(FieldChange::Clear) if is_there => edits.push(Edit::Remove { path: path.join(field) }),
            Some(FieldChange::Clear) | None => {}
        }
    }
    if let Some(mode) = patch.mode {
        edits.push(Edit::set(path.join(key::MODE), mode.as_str()));
        edits.push(Edit::set(path.join(key::ALLOWED_AGENTS), patch.allowed_agents.unwrap_or_default()));
    }
    Ok(edits)
}

/// The JSON of a new entry. Optional fields without a value are left out.
fn entry_json(entry: &AppEntry) -> Value {
    let mut fields = Map::new();
    fields.insert(key::LAUNCH_PATH.to_owned(), entry.launch_path.as_str().into());
    for (field, text) in [(key::RUNTIME_EXE, &entry.runtime_exe), (key::PROCESS_NAME, &entry.process_name)] {
        if let Some(text) = text {
            fields.insert(field.to_owned(), text.as_str().into());
        }
    }
    fields.insert(key::MODE.to_owned(), entry.mode.as_str().into());
    fields.insert(key::ALLOWED_AGENTS.to_owned(), entry.allowed_agents().to_vec().into());
    Value::Object(fields)
}
