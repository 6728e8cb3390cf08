//! Reads and edits the configuration file, under its lock.
//!
//! A change is compared with the caller's base hash, validated before it is written, and atomic; the previous version
//! is kept as a backup. Readers are not notified.

use std::path::{self, PathBuf};

use tarsus_protocol::Problem;
use tarsus_protocol::report::ConfigIssue;

use super::backups::Backups;
use super::check::{check, issues_added};
use super::error::ConfigError;
use super::json5::{Document, Edit, JsonDialect, MAX_BYTES, Path};
use super::secret_heuristics;
use super::shape;
use super::substitute::Lookup;
use super::view::Config;
use crate::Home;
use crate::files::{self, Fingerprints, Locked, crash};

/// Crash points of a change, for tests.
pub const CRASH_POINTS: &[&str] = &[
    "config.locked",
    "config.read",
    "config.backup.written",
    "config.replaced",
    "config.good.written",
    "config.backups.pruned",
];

/// Maximum number of edits in one change: each one parses the text again.
pub const MAX_EDITS: usize = 1_000;

/// Keys of `tarsus.json5` that do not belong here: OpenClaw would reject the whole file because of them.
const OWN_KEYS: [(&str, &str); 3] =
    [("skills.security", "security"), ("skills.pinned", "pinned"), ("skills.load.lenient", "lenient")];

/// Contents of a file that does not exist yet.
const EMPTY_FILE: &[u8] = b"{}\n";

/// `openclaw.json` of one home.
pub struct ConfigFile {
    path: PathBuf,
    fingerprints: Fingerprints,
    backups: Backups,
}

/// The configuration as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadedConfig {
    /// False if there is no file.
    pub exists: bool,
    /// Its text and values; an empty object when there is no file.
    pub document: Document,
    /// The typed configuration.
    pub view: Config,
    /// Invalid values. All others are in effect.
    pub issues: Vec<ConfigIssue>,
    /// Unknown keys.
    pub warnings: Vec<ConfigIssue>,
}

impl LoadedConfig {
    fn new(document: Document, exists: bool, variables: Lookup<'_>) -> Self {
        let checked = check(&document, Some(variables));
        Self { exists, document, view: checked.view, issues: checked.issues, warnings: checked.warnings }
    }
}

/// The result of a change.
#[derive(Debug, Clone, PartialEq)]
pub struct Edited {
    /// True if the text changed.
    pub changed: bool,
    /// The document after the change.
    pub document: Document,
    /// Hash of the file after the change.
    pub hash: String,
    /// Failures after the change was made: storing the good version, pruning backups.
    pub left_undone: Vec<Problem>,
}

impl ConfigFile {
    /// Returns the configuration file of a home. Does not access the disk.
    #[must_use]
    pub fn for_home(home: &Home) -> Self {
        let path = home.config_path().to_path_buf();
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Self {
            path,
            fingerprints: Fingerprints::for_home(home),
            backups: Backups::new(home.backups_dir(), name),
        }
    }

    #[must_use]
    pub fn path(&self) -> &path::Path {
        &self.path
    }

    /// Reads and checks the file. Writes nothing.
    ///
    /// # Errors
    /// When it cannot be read or is not JSON5; a wrong value is an issue, not an error.
    pub fn load(&self, variables: Lookup<'_>) -> Result<LoadedConfig, ConfigError> {
        let bytes = files::read(&self.path, MAX_BYTES)?;
        let document = self.parse(bytes.as_deref())?;
        Ok(LoadedConfig::new(document, bytes.is_some(), variables))
    }

    /// Reads the newest good version, or the defaults if there is none, in place of a file that cannot be read.
    ///
    /// # Errors
    /// When a stored version cannot be read.
    pub fn load_good(&self, variables: Lookup<'_>) -> Result<LoadedConfig, ConfigError> {
        let good = self.last_good()?;
        let exists = good.is_some();
        Ok(LoadedConfig::new(good.map_or_else(|| self.parse(None), Ok)?, exists, variables))
    }

    /// Returns the base hash for a later change. It is keyed, so it reveals nothing about the secrets in the file.
    ///
    /// # Errors
    /// When the key cannot be read or created.
    pub fn hash(&self, loaded: &LoadedConfig) -> Result<String, ConfigError> {
        let text = if loaded.exists { loaded.document.text() } else { "" };
        Ok(self.fingerprints.hash(text.as_bytes())?)
    }

    /// Returns the hash of the file, valid or not; `None` if there is no file.
    ///
    /// # Errors
    /// When the file or the key cannot be read.
    pub fn hash_as_it_is(&self) -> Result<Option<String>, ConfigError> {
        let bytes = files::read(&self.path, MAX_BYTES)?;
        Ok(bytes.map(|bytes| self.fingerprints.hash(&bytes)).transpose()?)
    }

    /// Applies the edits atomically. With `base_hash`, only if the file still has that hash.
    ///
    /// # Errors
    /// When the hash does not match, the file is invalid, or an edit would add an invalid value.
    pub fn edit(&self, base_hash: Option<&str>, edits: &[Edit]) -> Result<Edited, ConfigError> {
        self.edit_if(base_hash, edits, |_, _| Ok(()))
    }

    /// Like [`ConfigFile::edit`], but calls `agree` with the old and new document after all other checks, under the lock.
    /// Its error cancels the change.
    ///
    /// # Errors
    /// As [`ConfigFile::edit`], and `NotAgreed` with the error of `agree`.
    pub fn edit_if(
        &self,
        base_hash: Option<&str>,
        edits: &[Edit],
        agree: impl FnOnce(&Document, &Document) -> Result<(), Problem>,
    ) -> Result<Edited, ConfigError> {
        if edits.len() > MAX_EDITS {
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
            reject_new_issues(&before, &document)?;
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
        if changed || self.backups.exist() {
            // Also without a change: completes what a killed process left unfinished.
            let after = [self.backups.save_good(new), self.backups.prune()];
            left_undone.extend(after.into_iter().filter_map(Result::err).map(Problem::from));
        }
        Ok(Edited { changed, document, hash, left_undone })
    }

    /// Stores a version that proved to work, for [`ConfigFile::last_good`].
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn remember(&self, loaded: &LoadedConfig) -> Result<(), ConfigError> {
        if loaded.exists {
            let _locked = Locked::take(&self.path)?;
            self.backups.save_good(loaded.document.text().as_bytes())?;
        }
        Ok(())
    }

    /// Returns the newest good version, as a fallback for a broken file.
    ///
    /// # Errors
    /// When a stored version cannot be read.
    pub fn last_good(&self) -> Result<Option<Document>, ConfigError> {
        Ok(self.backups.last_good()?)
    }

    fn parse(&self, bytes: Option<&[u8]>) -> Result<Document, ConfigError> {
        let bytes = bytes.unwrap_or(EMPTY_FILE);
        Document::parse_object(bytes, JsonDialect::Json5).map_err(|error| {
            // The excerpt may contain a secret.
            let error = error.with_masked_line(bytes, secret_heuristics::mask_line);
            ConfigError::Syntax { path: self.path.clone(), error }
        })
    }
}

/// Rejects a change that adds an issue. Issues that were there before are ignored.
fn reject_new_issues(before: &Document, after: &Document) -> Result<(), ConfigError> {
    for (name, _) in after.root().members() {
        if before.root().member(name).is_none() && !shape::is_section(name) {
            let nearest = shape::closest_section(name);
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
