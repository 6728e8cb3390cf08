//! The registry file: one JSON object of apps by name, read fresh each time and changed under its lock.
//!
//! Promises: a change is compared with what was seen, keeps everything that it is not about as it was written, and is
//! whole or not made. A file that is not what it has to be is reported with its place and left alone. Leaves to
//! others: asking before a change, and writing it down.

mod change;
mod error;
mod layout;
mod restore;

use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tarsus_home::Home;
use tarsus_home::config::json5::{self, Dialect, Document, MAX_BYTES, Member, Node, Span, Text};
use tarsus_home::files::{self, Fingerprints, Locked};

pub(crate) use change::check_name;
pub use change::{Change, Patch, Put};
pub use error::{NameError, RegistryError};
pub use restore::WrittenEntry;

use crate::entry::Entry;
use crate::validate::{self, Fields, Verdict};

/// What a registry without apps says.
const EMPTY: &[u8] = b"{}\n";

/// The registry of one home.
#[derive(Debug, Clone)]
pub struct Registry {
    path: PathBuf,
    fingerprints: Fingerprints,
}

/// The registry as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The file.
    pub path: PathBuf,
    /// The hash of this version of the file; none when there is no file.
    pub hash: Option<String>,
    /// The apps, in the order of the file.
    pub apps: Vec<App>,
    text: Arc<Text>,
}

/// One app as the file has it, whether it can be used or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// Its name, the key in the file.
    pub name: String,
    /// The entry, byte for byte as it is written.
    pub written: Written,
    /// What can be understood of it.
    pub fields: Fields,
    /// How it stands.
    pub verdict: Verdict,
}

/// A piece of the file. The pieces of one version share its text.
#[derive(Clone)]
pub struct Written {
    file: Arc<Text>,
    place: Span,
}

impl Deref for Written {
    type Target = str;

    fn deref(&self) -> &str {
        &self.file[self.place.start..self.place.end]
    }
}

impl PartialEq for Written {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Written {}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// Which version of the file a change was proposed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seen<'a> {
    /// No matter which: the change is made to what is there.
    Any,
    /// There was no file.
    NoFile,
    /// The file with this hash.
    Hash(&'a str),
}

/// What a change does to its app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The app before; none when it is new.
    pub before: Option<App>,
    /// The app after; none when it is deleted.
    pub after: Option<App>,
}

/// A change that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// What it did.
    pub proposal: Proposal,
    /// Whether the file is another one now; not when it said the same before.
    pub changed: bool,
    /// The hash of the file now.
    pub hash: String,
}

impl App {
    /// The entry, when it can be relied on: it is valid, or has agents left over that its mode does not ask for.
    #[must_use]
    pub fn entry(&self) -> Option<Entry> {
        validate::understood(&self.fields, &self.verdict)
    }

    fn of(file: &Arc<Text>, name: String, node: Node) -> Self {
        let written = Written { file: Arc::clone(file), place: node.span };
        let (fields, verdict) = validate::read(node);
        Self { name, written, fields, verdict }
    }
}

impl Registry {
    /// The registry of a home. Touches no file.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        let path = home.state_dir().join("registries").join("application_registry.json");
        Self { path, fingerprints: Fingerprints::of(home) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads it. That there is no file is not an error.
    ///
    /// # Errors
    /// When it cannot be read, or is not a JSON object without repeated keys.
    pub fn load(&self) -> Result<Loaded, RegistryError> {
        let bytes = files::read(&self.path, MAX_BYTES).map_err(RegistryError::Unreadable)?;
        self.loaded(bytes)
    }

    /// Makes a change to the file as it is now, provided that it is the version that was seen. Permanent when this
    /// returns; on an error nothing was changed.
    ///
    /// # Errors
    /// `Stale`, with what is there now, when it is another version; when the change cannot be made; when the file is
    /// not what it has to be, or cannot be written.
    pub fn save(&self, change: &Change, seen: Seen<'_>) -> Result<Saved, RegistryError> {
        let locked = Locked::take(&self.path)?;
        let bytes = locked.read(MAX_BYTES).map_err(RegistryError::Unreadable)?;
        let is_seen = match (seen, &bytes) {
            (Seen::Any, _) | (Seen::NoFile, None) => true,
            (Seen::Hash(hash), Some(bytes)) => self.fingerprints.matches(hash, bytes)?,
            (Seen::NoFile, Some(_)) | (Seen::Hash(_), None) => false,
        };
        let loaded = self.loaded(bytes)?;
        if !is_seen {
            let (name, current) = (change.name().map(str::to_owned), Box::new(loaded));
            return Err(RegistryError::Stale { name, current });
        }
        let after = loaded.made(change)?;
        let hash = self.fingerprints.hash(after.text().as_bytes())?;
        let changed = loaded.hash.as_ref() != Some(&hash);
        if changed {
            locked.replace(after.text().as_bytes())?;
        }
        Ok(Saved { proposal: loaded.between(after, change), changed, hash })
    }

    fn loaded(&self, bytes: Option<Vec<u8>>) -> Result<Loaded, RegistryError> {
        let hash = bytes.as_deref().map(|bytes| self.fingerprints.hash(bytes)).transpose()?;
        Loaded::read(&self.path, bytes.unwrap_or_else(|| EMPTY.to_vec()), hash)
    }
}

impl Loaded {
    /// The registry that a file at `path` with these bytes is. Without a hash there is no file yet. Touches no file.
    ///
    /// # Errors
    /// When the bytes are not a JSON object without repeated keys.
    pub fn read(path: &Path, bytes: Vec<u8>, hash: Option<String>) -> Result<Self, RegistryError> {
        let read = || {
            let text = Arc::new(Text::new(bytes)?);
            let taken = |member: Member| App::of(&text, member.key.name, member.value);
            let apps = json5::read_members(&text, Dialect::Json, taken, |app| &app.name)?;
            Ok((apps, text))
        };
        match read() {
            Ok((apps, text)) => Ok(Self { path: path.to_path_buf(), hash, apps, text }),
            Err(error) => Err(RegistryError::Syntax { path: path.to_path_buf(), error }),
        }
    }

    /// Whether there is a file.
    #[must_use]
    pub fn exists(&self) -> bool {
        self.hash.is_some()
    }

    /// The app of exactly this name.
    #[must_use]
    pub fn app(&self, name: &str) -> Option<&App> {
        self.apps.iter().find(|app| app.name == name)
    }

    /// The name of the app that comes after the one of exactly this name.
    #[must_use]
    pub fn after(&self, name: &str) -> Option<&str> {
        self.names().skip_while(|other| *other != name).nth(1)
    }

    /// The names, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.apps.iter().map(|app| app.name.as_str())
    }

    /// This version, for [`Registry::save`].
    #[must_use]
    pub fn seen(&self) -> Seen<'_> {
        self.hash.as_deref().map_or(Seen::NoFile, Seen::Hash)
    }

    /// What a change would do, to be shown before it is asked for. Saves nothing.
    ///
    /// # Errors
    /// When the change cannot be made.
    pub fn propose(&self, change: &Change) -> Result<Proposal, RegistryError> {
        Ok(self.between(self.made(change)?, change))
    }

    /// The text of the file after a change. Saves nothing.
    ///
    /// # Errors
    /// When the change cannot be made.
    pub fn text_after(&self, change: &Change) -> Result<String, RegistryError> {
        Ok(self.made(change)?.text().to_owned())
    }

    fn made(&self, change: &Change) -> Result<Document, RegistryError> {
        let document = Document::parse_object(self.text.as_bytes(), Dialect::Json)
            .map_err(|error| RegistryError::Syntax { path: self.path.clone(), error })?;
        change.made_to(self.exists().then_some(&document), &self.path)
    }

    fn between(&self, after: Document, change: &Change) -> Proposal {
        let name = change.name();
        let changed = name.and_then(|name| Some((name.to_owned(), after.root().member(name)?.clone())));
        let text = Arc::new(after.into_text());
        Proposal {
            before: name.and_then(|name| self.app(name)).cloned(),
            after: changed.map(|(name, node)| App::of(&text, name, node)),
        }
    }
}
