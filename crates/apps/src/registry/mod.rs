//! The registry file: one JSON object of apps by name, read on every use and changed under its lock.
//!
//! A change is compared with the version that it is based on, keeps everything else as it was written, and is applied
//! completely or not at all. An invalid file is reported with the position of the fault and never touched.

mod change;
mod error;
mod layout;
mod restore;

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_home::Home;
use tarsus_home::config::json5::{self, Document, JsonDialect, MAX_BYTES, Member, Node, SourceText, Span};
use tarsus_home::files::{self, Fingerprints, Locked};
use tarsus_protocol::apps::{AppEntry, AppGroup, AppMode};
use tarsus_protocol::apps_fault::AppFault;

pub use change::RegistryChange;
pub(crate) use change::check_name;
pub use error::{AppNameError, RegistryError, UnreadableRegistry};
pub use restore::RawEntry;

use crate::fold::fold;
use crate::validate::{self, ValidatedFields};

/// An empty registry.
const EMPTY: &[u8] = b"{}\n";

/// The registry of one state folder.
#[derive(Debug, Clone)]
pub struct Registry {
    path: PathBuf,
    fingerprints: Fingerprints,
}

/// One version of the registry.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedRegistry {
    /// Path of the file.
    pub path: PathBuf,
    /// Hash of this version; `None` if there is no file.
    pub hash: Option<String>,
    /// All apps, in the order of the file.
    pub apps: Vec<App>,
    text: Arc<SourceText>,
}

/// A stored entry, valid or not, with all fields that could be read. [`App::entry`] is the valid entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// Name of the app, its key in the file.
    pub name: String,
    /// The JSON of the entry, byte for byte.
    pub json: JsonSlice,
    /// `launch_path`.
    pub launch_path: Option<String>,
    /// `runtime_exe`.
    pub runtime_exe: Option<String>,
    /// `process_name`.
    pub process_name: Option<String>,
    /// `mode`.
    pub mode: Option<AppMode>,
    /// The strings in `allowed_agents`.
    pub allowed_agents: Vec<String>,
    /// The first group that applies.
    pub group: AppGroup,
    /// Every fault; empty if the entry is valid.
    pub faults: Vec<AppFault>,
}

/// A part of the file. All parts of one version share its text.
#[derive(Clone)]
pub struct JsonSlice {
    file: Arc<SourceText>,
    span: Span,
}

impl Deref for JsonSlice {
    type Target = str;

    fn deref(&self) -> &str {
        &self.file[self.span.start..self.span.end]
    }
}

impl PartialEq for JsonSlice {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for JsonSlice {}

impl fmt::Debug for JsonSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// The version of the file that a change is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaseVersion<'a> {
    /// Any version: the change applies to the current file.
    Any,
    /// There was no file.
    NoFile,
    /// The file with this hash.
    Hash(&'a str),
}

/// The app before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The app before the change; `None` if it is new.
    pub before: Option<App>,
    /// The app after the change; `None` if it is deleted.
    pub after: Option<App>,
}

/// A change that was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedChange {
    /// The app before and after the change.
    pub proposal: Proposal,
    /// Whether the file changed; false if it already had these values.
    pub changed: bool,
    /// Hash of the file after the change.
    pub hash: String,
}

impl App {
    /// The entry, if its launch policy is clear. Superfluous agents under `full` and `off` do not make it unclear.
    #[must_use]
    pub fn entry(&self) -> Option<AppEntry> {
        if !self.group.has_clear_policy() {
            return None;
        }
        let entry = AppEntry {
            launch_path: self.launch_path.clone()?,
            runtime_exe: self.runtime_exe.clone(),
            process_name: self.process_name.clone(),
            mode: self.mode?,
            allowed_agents: Some(self.allowed_agents.clone()),
        };
        entry.checked().ok()
    }

    /// Whether two entries have the same known fields and faults.
    pub(crate) fn has_same_fields(&self, other: &Self) -> bool {
        let fields = |app: &Self| Self { json: self.json.clone(), ..app.clone() };
        fields(self) == fields(other)
    }

    fn parse(file: &Arc<SourceText>, name: String, node: Node) -> Self {
        let json = JsonSlice { file: Arc::clone(file), span: node.span };
        let ValidatedFields { launch_path, runtime_exe, process_name, mode, allowed_agents, faults } =
            validate::validate(node);
        let group = validate::group_of(&faults);
        Self { name, json, launch_path, runtime_exe, process_name, mode, allowed_agents, group, faults }
    }
}

impl Registry {
    /// The registry of a state folder. Reads no file.
    #[must_use]
    pub fn for_home(home: &Home) -> Self {
        let path = home.state_dir().join("registries").join("application_registry.json");
        Self { path, fingerprints: Fingerprints::for_home(home) }
    }

    /// Path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file. A missing file is not an error.
    ///
    /// # Errors
    /// If it cannot be read, or is not a JSON object without repeated keys.
    pub fn load(&self) -> Result<LoadedRegistry, RegistryError> {
        let bytes = files::read(&self.path, MAX_BYTES).map_err(RegistryError::Unreadable)?;
        self.parse(bytes)
    }

    /// Applies a change, if the file is still the version that it is based on. Durable when this returns; on an error
    /// nothing was changed.
    ///
    /// # Errors
    /// `Stale`, with the current registry, if the file is another version; if the change cannot be applied; if the file
    /// is invalid or cannot be written.
    pub fn save(&self, change: &RegistryChange, base: BaseVersion<'_>) -> Result<SavedChange, RegistryError> {
        let locked = Locked::take(&self.path)?;
        let bytes = locked.read(MAX_BYTES).map_err(RegistryError::Unreadable)?;
        let is_current = match (base, &bytes) {
            (BaseVersion::Any, _) | (BaseVersion::NoFile, None) => true,
            (BaseVersion::Hash(hash), Some(bytes)) => self.fingerprints.matches(hash, bytes)?,
            (BaseVersion::NoFile, Some(_)) | (BaseVersion::Hash(_), None) => false,
        };
        let loaded = self.parse(bytes)?;
        if !is_current {
            let (name, current) = (change.name().map(str::to_owned), Box::new(loaded));
            return Err(RegistryError::Stale { name, current });
        }
        let after = loaded.apply(change)?;
        let hash = self.fingerprints.hash(after.text().as_bytes())?;
        let changed = loaded.hash.as_ref() != Some(&hash);
        if changed {
            locked.replace(after.text().as_bytes())?;
        }
        Ok(SavedChange { proposal: loaded.compare(after, change), changed, hash })
    }

    fn parse(&self, bytes: Option<Vec<u8>>) -> Result<LoadedRegistry, RegistryError> {
        let hash = bytes.as_deref().map(|bytes| self.fingerprints.hash(bytes)).transpose()?;
        LoadedRegistry::parse(&self.path, bytes.unwrap_or_else(|| EMPTY.to_vec()), hash)
    }
}

impl LoadedRegistry {
    /// Parses the bytes of the file at `path`. Without a hash there is no file yet. Reads no file.
    ///
    /// # Errors
    /// If the bytes are not a JSON object without repeated keys.
    pub fn parse(path: &Path, bytes: Vec<u8>, hash: Option<String>) -> Result<Self, RegistryError> {
        let parse = || {
            let text = Arc::new(SourceText::new(bytes)?);
            let app = |member: Member| App::parse(&text, member.key.name, member.value);
            let apps = json5::read_members(&text, JsonDialect::Json, app, |app| &app.name)?;
            Ok((apps, text))
        };
        match parse() {
            Ok((apps, text)) => Ok(Self { path: path.to_path_buf(), hash, apps, text }),
            Err(error) => Err(RegistryError::Syntax { path: path.to_path_buf(), error }),
        }
    }

    /// Whether the file exists.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.hash.is_some()
    }

    /// The app of exactly this name.
    #[must_use]
    pub fn app(&self, name: &str) -> Option<&App> {
        self.apps.iter().find(|app| app.name == name)
    }

    /// The app of exactly this name.
    ///
    /// # Errors
    /// If the file or the app does not exist.
    pub fn require_app(&self, name: &str) -> Result<&App, RegistryError> {
        if !self.exists() {
            return Err(RegistryError::Missing { path: self.path.clone() });
        }
        self.app(name).ok_or_else(|| RegistryError::NotRegistered { name: name.to_owned() })
    }

    /// The app of this name; letter case, compatible characters and white space aside.
    #[must_use]
    pub fn app_ignoring_case(&self, name: &str) -> Option<&App> {
        self.app(name).or_else(|| {
            let folded = fold(name);
            self.apps.iter().find(|app| fold(&app.name) == folded)
        })
    }

    /// The name of the app after the one of exactly this name.
    #[must_use]
    pub fn name_after(&self, name: &str) -> Option<&str> {
        self.names().skip_while(|other| *other != name).nth(1)
    }

    /// All names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.apps.iter().map(|app| app.name.as_str())
    }

    /// This version, for [`Registry::save`].
    #[must_use]
    pub fn version(&self) -> BaseVersion<'_> {
        self.hash.as_deref().map_or(BaseVersion::NoFile, BaseVersion::Hash)
    }

    /// The effect of a change, to be shown before confirmation. Saves nothing.
    ///
    /// # Errors
    /// If the change cannot be applied.
    pub fn propose(&self, change: &RegistryChange) -> Result<Proposal, RegistryError> {
        Ok(self.compare(self.apply(change)?, change))
    }

    /// The text of the file after a change. Saves nothing.
    ///
    /// # Errors
    /// If the change cannot be applied.
    pub fn text_after(&self, change: &RegistryChange) -> Result<String, RegistryError> {
        Ok(self.apply(change)?.text().to_owned())
    }

    fn apply(&self, change: &RegistryChange) -> Result<Document, RegistryError> {
        let document = Document::parse_object(self.text.as_bytes(), JsonDialect::Json)
            .map_err(|error| RegistryError::Syntax { path: self.path.clone(), error })?;
        change.apply(self.exists().then_some(&document), &self.path)
    }

    fn compare(&self, after: Document, change: &RegistryChange) -> Proposal {
        let name = change.name();
        let changed = name.and_then(|name| Some((name.to_owned(), after.root().member(name)?.clone())));
        let text = Arc::new(after.into_text());
        Proposal {
            before: name.and_then(|name| self.app(name)).cloned(),
            after: changed.map(|(name, node)| App::parse(&text, name, node)),
        }
    }
}
