//! Changes of the registry, from document to document.
//!
//! Promises: a change touches only the fields that it is about; fields that nobody knows, other entries, the order of
//! keys and the spelling of numbers stay as they are written. A name, once there, is never changed.

use std::path::Path as FilePath;

use serde_json::{Map, Value};
use tarsus_home::config::json5::{Dialect, Document, Edit, EditError, Kind, Node, Path};

use super::error::{NameError, RegistryError};
use super::restore::{self, WrittenEntry};
use super::{EMPTY, layout};
use crate::entry::{Entry, LaunchPath, Policy};
use crate::fold::fold;
use crate::validate::{self, key};

/// At most so many characters in the name of a new app.
const LONGEST_NAME: usize = 200;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Makes the file, without apps.
    Create,
    /// Adds an app, after all others.
    Add {
        /// Its name; white space around it is left out.
        name: String,
        /// What it is.
        entry: Entry,
    },
    /// Changes some fields of an app.
    Edit {
        /// The app.
        name: String,
        /// The fields.
        patch: Patch,
    },
    /// Takes an app out.
    Delete {
        /// The app.
        name: String,
    },
    /// Puts an app that was taken out back as it was.
    Restore {
        /// The app.
        name: String,
        /// Its entry.
        written: WrittenEntry,
        /// The app that it stood in front of; it goes last without one.
        before: Option<String>,
    },
}

/// New values for some fields of an app; what is not named stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// What is launched.
    pub launch_path: Option<LaunchPath>,
    /// The program that really runs.
    pub runtime_exe: Put,
    /// The name of its process.
    pub process_name: Put,
    /// Mode and allowed agents, which only change together.
    pub policy: Option<Policy>,
}

/// What happens to an optional field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Put {
    /// It stays as it is.
    #[default]
    Keep,
    /// It is taken out.
    Clear,
    /// It gets this value; a blank one takes it out.
    Value(String),
}

impl Change {
    /// A new policy for an app.
    pub fn policy(name: impl Into<String>, policy: Policy) -> Self {
        Self::Edit { name: name.into(), patch: Patch { policy: Some(policy), ..Patch::default() } }
    }

    /// Whether it can be made at all, whatever the file says.
    ///
    /// # Errors
    /// When no app may have the name of the new one.
    pub fn check(&self) -> Result<(), NameError> {
        match self {
            Self::Add { name, .. } => check_name(name.trim()),
            // What comes back had its name before.
            Self::Create | Self::Edit { .. } | Self::Delete { .. } | Self::Restore { .. } => Ok(()),
        }
    }

    /// The app that it is about; none when it is about the file.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Create => None,
            Self::Add { name, .. } => Some(name.trim()),
            Self::Edit { name, .. } | Self::Delete { name } | Self::Restore { name, .. } => Some(name),
        }
    }

    /// The document after this change; without a document there is no file yet.
    pub(super) fn made_to(
        &self,
        before: Option<&Document>,
        path: &FilePath,
    ) -> Result<Document, RegistryError> {
        self.check()?;
        let missing = || RegistryError::Missing { path: path.to_path_buf() };
        let edits = match (self, before) {
            (Self::Restore { name, written, before: next }, Some(before)) => {
                is_free(before, name)?;
                return restore::restored(before, name, written, next.as_deref());
            }
            (Self::Create, None) => {
                return Document::parse_object(EMPTY, Dialect::Json)
                    .map_err(|error| RegistryError::Syntax { path: path.to_path_buf(), error });
            }
            (Self::Create, Some(_)) => return Err(RegistryError::AlreadyThere { path: path.to_path_buf() }),
            (Self::Add { name, entry }, Some(before)) => added(before, name.trim(), entry)?,
            (Self::Edit { name, patch }, Some(before)) => patched(before, name, patch)?,
            (Self::Delete { name }, Some(before)) => {
                entry_of(before, name)?;
                vec![Edit::Remove { path: Path::key(name) }]
            }
            (_, None) => return Err(missing()),
        };
        let before = before.ok_or_else(missing)?;
        let after = before.edited_all(&edits)?;
        match layout::better(&after) {
            Some(text) if after.text() != before.text() => {
                Document::parse_object(text.as_bytes(), Dialect::Json)
                    .map_err(|error| RegistryError::Edit(EditError::Beyond(error)))
            }
            _ => Ok(after),
        }
    }
}

fn added(before: &Document, name: &str, entry: &Entry) -> Result<Vec<Edit>, RegistryError> {
    is_free(before, name)?;
    Ok(vec![Edit::set(Path::key(name), whole(entry))])
}

/// Whether no app has this name, letter case, kind of character and white space aside.
fn is_free(before: &Document, name: &str) -> Result<(), RegistryError> {
    let folded = fold(name);
    match before.root().members().find(|(taken, _)| fold(taken) == folded) {
        None => Ok(()),
        Some((taken_by, _)) => {
            Err(RegistryError::NameTaken { name: name.to_owned(), taken_by: taken_by.to_owned() })
        }
    }
}

/// Whether a new app may be called so.
pub(crate) fn check_name(name: &str) -> Result<(), NameError> {
    if fold(name).is_empty() {
        return Err(NameError::Empty);
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(NameError::TooLong { most: LONGEST_NAME });
    }
    match name.chars().find(|char| char.is_control()) {
        Some(char) => Err(NameError::Control(char)),
        None => Ok(()),
    }
}

fn entry_of<'d>(document: &'d Document, name: &str) -> Result<&'d Node, RegistryError> {
    let entry = document.root().member(name);
    entry.ok_or_else(|| RegistryError::NotRegistered { name: name.to_owned() })
}

fn patched(before: &Document, name: &str, patch: &Patch) -> Result<Vec<Edit>, RegistryError> {
    let node = entry_of(before, name)?;
    let path = Path::key(name);
    if !matches!(node.kind, Kind::Object(_)) {
        // There are no fields to keep: only a whole entry can take its place.
        let found = node.described();
        let entry =
            patch.as_entry().ok_or_else(|| RegistryError::NotAnObject { name: name.to_owned(), found })?;
        return Ok(vec![Edit::set(path, whole(&entry))]);
    }
    let mut edits = Vec::new();
    if let Some(launch_path) = &patch.launch_path {
        edits.push(Edit::set(path.join(key::LAUNCH_PATH), launch_path.as_str()));
    }
    for (field, put) in [(key::RUNTIME_EXE, &patch.runtime_exe), (key::PROCESS_NAME, &patch.process_name)] {
        // An empty text is as good as none.
        let is_there = node.member(field).is_some_and(|value| !validate::is_blank(value));
        match (put, put.value()) {
            (_, Some(text)) => edits.push(Edit::set(path.join(field), text)),
            (Put::Clear | Put::Value(_), None) if is_there => {
                edits.push(Edit::Remove { path: path.join(field) });
            }
            (Put::Keep | Put::Clear | Put::Value(_), None) => {}
        }
    }
    if let Some(policy) = &patch.policy {
        edits.push(Edit::set(path.join(key::MODE), policy.mode().as_str()));
        edits.push(Edit::set(path.join(key::ALLOWED_AGENTS), policy.agents().to_vec()));
    }
    Ok(edits)
}

impl Put {
    fn value(&self) -> Option<&str> {
        match self {
            Self::Value(text) if !text.trim().is_empty() => Some(text),
            Self::Value(_) | Self::Keep | Self::Clear => None,
        }
    }
}

/// Makes an app exactly this, save for fields that nobody knows.
impl From<Entry> for Patch {
    fn from(entry: Entry) -> Self {
        let put = |text: Option<String>| text.map_or(Put::Clear, Put::Value);
        Self {
            launch_path: Some(entry.launch_path),
            runtime_exe: put(entry.runtime_exe),
            process_name: put(entry.process_name),
            policy: Some(entry.policy),
        }
    }
}

impl Patch {
    /// The entry that this patch makes of nothing, when it names all that an entry needs.
    fn as_entry(&self) -> Option<Entry> {
        Some(Entry {
            launch_path: self.launch_path.clone()?,
            runtime_exe: self.runtime_exe.value().map(str::to_owned),
            process_name: self.process_name.value().map(str::to_owned),
            policy: self.policy.clone()?,
        })
    }
}

/// An entry as it is written when it is new: a field that is not known is left out.
fn whole(entry: &Entry) -> Value {
    let mut fields = Map::new();
    fields.insert(key::LAUNCH_PATH.to_owned(), entry.launch_path.as_str().into());
    for (field, text) in [(key::RUNTIME_EXE, &entry.runtime_exe), (key::PROCESS_NAME, &entry.process_name)] {
        if let Some(text) = text.as_ref().filter(|text| !text.trim().is_empty()) {
            fields.insert(field.to_owned(), text.as_str().into());
        }
    }
    fields.insert(key::MODE.to_owned(), entry.policy.mode().as_str().into());
    fields.insert(key::ALLOWED_AGENTS.to_owned(), entry.policy.agents().to_vec().into());
    Value::Object(fields)
}
