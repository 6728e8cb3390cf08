//! The configuration file: read whole, changed by edits under its lock.
//!
//! Promises: a change is compared with what the caller saw, checked before it is written, and whole or not made;
//! the version before it is kept. Leaves to others: telling those who have read the file that it changed.

use std::path::{self, PathBuf};

use tarsus_protocol::Problem;
use tarsus_protocol::report::ConfigIssue;

use super::backups::Backups;
use super::check::{check, issues_added};
use super::error::ConfigError;
use super::json5::{Dialect, Document, Edit, MAX_BYTES, Path};
use super::looks;
use super::shape;
use super::substitute::Lookup;
use super::view::Config;
use crate::Home;
use crate::files::{self, Fingerprints, Locked, crash};

/// The steps of a change at which a test may end the process.
pub const CRASH_POINTS: &[&str] = &[
    "config.locked",
    "config.read",
    "config.backup.written",
    "config.replaced",
    "config.good.written",
    "config.backups.pruned",
];

/// At most so many edits in one change: each reads the text again.
pub const MOST_EDITS: usize = 1_000;

/// Keys of our own settings in sections that OpenClaw has: it would refuse the whole file for one of them.
const OWN_KEYS: [(&str, &str); 3] =
    [("skills.security", "security"), ("skills.pinned", "pinned"), ("skills.load.lenient", "lenient")];

/// What a file says that does not exist yet.
const NOTHING: &[u8] = b"{}\n";

/// `openclaw.json` of one home.
pub struct ConfigFile {
    path: PathBuf,
    fingerprints: Fingerprints,
    backups: Backups,
}

/// The file as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// Whether there is a file.
    pub exists: bool,
    /// Its text and values; an empty object when there is no file.
    pub document: Document,
    /// What it says, as types.
    pub view: Config,
    /// What is wrong in it. Everything else holds.
    pub issues: Vec<ConfigIssue>,
    /// Keys that nobody knows.
    pub warnings: Vec<ConfigIssue>,
}

/// The file after a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// Whether the text is another one now.
    pub changed: bool,
    /// The text and values now.
    pub document: Document,
    /// The hash of the file now.
    pub hash: String,
    /// What could not be done once the change was made: remembering it as good, removing old backups.
    pub left_undone: Vec<Problem>,
}

impl ConfigFile {
    /// The configuration of a home. Touches no file.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        let path = home.config_path().to_path_buf();
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self { path, fingerprints: Fingerprints::of(home), backups: Backups::new(home.backups_dir(), name) }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &path::Path {
        &self.path
    }

    /// Reads it. Writes nothing.
    ///
    /// # Errors
    /// When it cannot be read or is not JSON5; a wrong value is an issue, not an error.
    pub fn load(&self, variables: Lookup<'_>) -> Result<Loaded, ConfigError> {
        let bytes = files::read(&self.path, MAX_BYTES)?;
        let document = self.parse(bytes.as_deref())?;
        let checked = check(&document, Some(variables));
        Ok(Loaded {
            exists: bytes.is_some(),
            document,
            view: checked.view,
            issues: checked.issues,
            warnings: checked.warnings,
        })
    }

    /// The hash that a client names when it changes what it has seen. Made with a key of this home, so that it tells
    /// nothing about the secrets in the file.
    ///
    /// # Errors
    /// When the key cannot be read or made.
    pub fn hash(&self, loaded: &Loaded) -> Result<String, ConfigError> {
        let text = if loaded.exists { loaded.document.text() } else { "" };
        Ok(self.fingerprints.hash(text.as_bytes())?)
    }

    /// The hash of the file, whether it is valid or not; `None` when there is none.
    ///
    /// # Errors
    /// When the file or the key cannot be read.
    pub fn hash_as_it_is(&self) -> Result<Option<String>, ConfigError> {
        let bytes = files::read(&self.path, MAX_BYTES)?;
        Ok(bytes.map(|bytes| self.fingerprints.hash(&bytes)).transpose()?)
    }

    /// Makes the edits, all or none. With `base_hash` only if the file is still the one of that hash.
    ///
    /// # Errors
    /// When the file is another one by now, is not valid, or would have a wrong value that it does not have yet.
    pub fn edit(&self, base_hash: Option<&str>, edits: &[Edit]) -> Result<Edited, ConfigError> {
        self.edit_if(base_hash, edits, |_, _| Ok(()))
    }

    /// The same, if `agree` says so, which is asked when everything else is checked: it sees the file before and after
    /// the change, and nobody else changes the file meanwhile.
    ///
    /// # Errors
    /// As [`ConfigFile::edit`], and `NotAgreed` with what `agree` said.
    pub fn edit_if(
        &self,
        base_hash: Option<&str>,
        edits: &[Edit],
        agree: impl FnOnce(&Document, &Document) -> Result<(), Problem>,
    ) -> Result<Edited, ConfigError> {
        if edits.len() > MOST_EDITS {
            return Err(ConfigError::TooManyEdits(edits.len()));
        }
        let locked = Locked::take(&self.path)?;
        crash::point("config.locked");
        let old = locked.read(MAX_BYTES)?;
        crash::point("config.read");
        if let Some(base) = base_hash
            && !self.fingerprints.matches(base, old.as_deref().unwrap_or_default())?
        {
            return Err(ConfigError::Stale);
        }
        let before = self.parse(old.as_deref())?;
        let document = before.edited_all(edits)?;
        let changed = document.text() != before.text();
        let exists = changed || old.is_some();
        let hash = self.fingerprints.hash(if exists { document.text().as_bytes() } else { b"" })?;
        let new = document.text().as_bytes();
        if changed {
            refuse_new_issues(&before, &document)?;
        }
        agree(&before, &document).map_err(|problem| ConfigError::NotAgreed(Box::new(problem)))?;
        if changed {
            if let Some(old) = &old {
                self.backups.add(old)?;
            }
            locked.replace(new)?;
            crash::point("config.replaced");
        }
        let mut left_undone = Vec::new();
        if changed || self.backups.begun() {
            // Without a change too: what a killed process left half done here is finished.
            let after = [self.backups.remember(new), self.backups.prune()];
            left_undone.extend(after.into_iter().filter_map(Result::err).map(Problem::from));
        }
        Ok(Edited { changed, document, hash, left_undone })
    }

    /// Remembers a version that proved to work, for [`ConfigFile::last_good`].
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn remember(&self, loaded: &Loaded) -> Result<(), ConfigError> {
        if loaded.exists {
            let _locked = Locked::take(&self.path)?;
            self.backups.remember(loaded.document.text().as_bytes())?;
        }
        Ok(())
    }

    /// The newest version that was good, for when the present one is broken.
    ///
    /// # Errors
    /// When a version is there and cannot be read.
    pub fn last_good(&self) -> Result<Option<Document>, ConfigError> {
        Ok(self.backups.last_good()?)
    }

    fn parse(&self, bytes: Option<&[u8]>) -> Result<Document, ConfigError> {
        let bytes = bytes.unwrap_or(NOTHING);
        Document::parse_object(bytes, Dialect::Json5).map_err(|error| {
            // The line at fault may hold a secret.
            let error = error.covered(bytes, looks::cover);
            ConfigError::Syntax { path: self.path.clone(), error }
        })
    }
}

/// A change may not add what is wrong. What was wrong before does not stand in its way.
fn refuse_new_issues(before: &Document, after: &Document) -> Result<(), ConfigError> {
    for (name, _) in after.root().members() {
        if before.root().member(name).is_none() && !shape::is_section(name) {
            let nearest = shape::nearest_section(name);
            return Err(ConfigError::UnknownSection { name: name.to_owned(), nearest });
        }
    }
    for (path, name) in OWN_KEYS {
        let has = |document: &Document| path.parse().is_ok_and(|path: Path| document.get(&path).is_some());
        if has(after) && !has(before) {
            let message = format!("Unrecognized key: \"{name}\"; it is one of tarsus.json5");
            let path = path.rsplit_once('.').map_or("", |(section, _)| section).to_owned();
            let issue = ConfigIssue { path, message, line: None, column: None, code: None };
            return Err(ConfigError::Invalid { issue });
        }
    }
    let added = issues_added(&check(before, None).issues, check(after, None).issues);
    match added.into_iter().next() {
        Some(issue) => Err(ConfigError::Invalid { issue }),
        None => Ok(()),
    }
}
