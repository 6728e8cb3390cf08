//! The secret store: `tarsus/secrets.json`, one value per id, private to the account (0600; on Windows the access list
//! of the profile folder protects it).
//!
//! Changes are atomic, removal works on a full disk, and errors never contain a value. Callers check access and record
//! changes in the audit chain.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};
use zeroize::Zeroizing;

use crate::files::{self, FileError, Locked, Reserve};
use crate::{Home, Secret};

/// Smaller than the reserve (64 KiB): a removal on a full disk rewrites the whole store into that space.
const MAX_BYTES: usize = 48 * 1024;
const MAX_ID_BYTES: usize = 256;

/// The source of a secret that a configuration refers to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SecretRef {
    /// The kind of place.
    pub source: SecretSource,
    /// Which one of that kind; ours is `tarsus`.
    pub provider: String,
    /// Which secret there, such as `skills/weather/apiKey`.
    pub id: String,
}

/// The kinds of place that a reference can name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SecretSource {
    /// An environment variable.
    Env,
    /// A file; the provider `tarsus` is this store.
    File,
    /// The output of a program.
    Exec,
}

impl SecretRef {
    /// Returns a reference to a secret in this store.
    pub fn stored(id: impl Into<String>) -> Self {
        Self { source: SecretSource::File, provider: "tarsus".to_owned(), id: id.into() }
    }

    /// True if it refers to this store.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        self.source == SecretSource::File && self.provider == "tarsus"
    }
}

/// The store could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// Access to the file failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not a valid store.
    #[error("{}:{line}:{column}: {why}", path.display())]
    Malformed {
        /// Path of the store.
        path: PathBuf,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
        /// The reason, without quoting the file.
        why: &'static str,
    },
    /// The id is invalid.
    #[error("a secret's id has 1 to {MAX_ID_BYTES} bytes and no control characters")]
    BadId,
    /// The store would exceed its size limit.
    #[error("the secret store is limited to {MAX_BYTES} bytes")]
    Full {
        /// Path of the store.
        path: PathBuf,
    },
}

impl From<SecretsError> for Problem {
    fn from(error: SecretsError) -> Self {
        let message = error.to_string();
        match error {
            SecretsError::File(error) => error.into(),
            SecretsError::Malformed { path, line, column, why } => {
                let place = SourceLocation { path, line: Some(line), column: Some(column), excerpt: None };
                Self::new(ErrorCode::Malformed, "the secret store cannot be read").note(why).at(place)
            }
            SecretsError::BadId => Self::new(ErrorCode::Usage, message),
            SecretsError::Full { path } => Self::new(ErrorCode::TooLarge, message)
                .at(SourceLocation::file(path))
                .hint("nothing was changed; remove a secret that is no longer used"),
        }
    }
}

type SecretMap = BTreeMap<String, Secret>;

/// An id with its secret; `None` for a missing or removed one.
pub type SecretEntry = (String, Option<Secret>);

/// The store of one state folder.
#[derive(Debug, Clone)]
pub struct SecretStore {
    path: PathBuf,
    reserve: Reserve,
}

impl SecretStore {
    /// Returns the store of `home`. Does not access the disk.
    #[must_use]
    pub fn for_home(home: &Home) -> Self {
        Self { path: home.secrets_path(), reserve: Reserve::at(home.reserve_path()) }
    }

    /// Returns a secret, if it exists.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn get(&self, id: &str) -> Result<Option<Secret>, SecretsError> {
        Ok(self.parse(files::read(&self.path, MAX_BYTES as u64)?)?.remove(id))
    }

    /// Returns the ids of all secrets, sorted.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn ids(&self) -> Result<Vec<String>, SecretsError> {
        Ok(self.parse(files::read(&self.path, MAX_BYTES as u64)?)?.into_keys().collect())
    }

    /// Returns all secrets, in the order of their ids.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn all(&self) -> Result<Vec<Secret>, SecretsError> {
        Ok(self.parse(files::read(&self.path, MAX_BYTES as u64)?)?.into_values().collect())
    }

    /// Stores a secret, replacing one with the same id.
    ///
    /// # Errors
    /// When the id is invalid, the store is full, or it cannot be read or written.
    pub fn set(&self, id: &str, secret: Secret) -> Result<(), SecretsError> {
        self.swap(vec![(id.to_owned(), Some(secret))]).map(|_| ())
    }

    /// Stores secrets and removes those without a value, atomically. Returns the previous entries; passing them to `swap`
    /// again undoes the change.
    ///
    /// # Errors
    /// As [`SecretStore::set`]. Nothing is changed then.
    pub fn swap(&self, secrets: Vec<SecretEntry>) -> Result<Vec<SecretEntry>, SecretsError> {
        let is_valid_id =
            |id: &str| !id.is_empty() && id.len() <= MAX_ID_BYTES && !id.chars().any(char::is_control);
        if !secrets.iter().all(|(id, _)| is_valid_id(id)) {
            return Err(SecretsError::BadId);
        }
        if secrets.is_empty() {
            return Ok(secrets);
        }
        let locked = Locked::take(&self.path)?;
        let mut stored = self.parse(locked.read(MAX_BYTES as u64)?)?;
        let mut before = Vec::with_capacity(secrets.len());
        let mut is_unchanged = true;
        for (id, secret) in secrets {
            let old = match secret.clone() {
                Some(secret) => stored.insert(id.clone(), secret),
                None => stored.remove(&id),
            };
            is_unchanged &= old == secret;
            before.push((id, old));
        }
        if !is_unchanged {
            self.write(&locked, &stored)?;
        }
        // Reversed, so that undoing restores the first value of an id that occurs twice.
        before.reverse();
        Ok(before)
    }

    /// Like [`SecretStore::swap`], but releases the reserve on a full disk. For removals and for undoing.
    ///
    /// # Errors
    /// As [`SecretStore::swap`].
    pub fn swap_on_a_full_disk(&self, secrets: &[SecretEntry]) -> Result<Vec<SecretEntry>, SecretsError> {
        let is_full = |error: &SecretsError| matches!(error, SecretsError::File(e) if e.is_disk_full());
        self.reserve.spend_on(is_full, || self.swap(secrets.to_vec()))
    }

    /// Removes a secret, also on a full disk. Returns true if it existed.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn remove(&self, id: &str) -> Result<bool, SecretsError> {
        let before = self.swap_on_a_full_disk(&[(id.to_owned(), None)])?;
        Ok(before.iter().any(|(_, secret)| secret.is_some()))
    }

    fn parse(&self, bytes: Option<Vec<u8>>) -> Result<SecretMap, SecretsError> {
        let Some(bytes) = bytes.map(Zeroizing::new) else {
            return Ok(SecretMap::new());
        };
        serde_json::from_slice(&bytes).map_err(|error| SecretsError::Malformed {
            path: self.path.clone(),
            line: u32::try_from(error.line()).unwrap_or(u32::MAX),
            // The parser counts from 0 where the file is empty.
            column: u32::try_from(error.column().max(1)).unwrap_or(u32::MAX),
            // The parser's own message may quote a value.
            why: match error.classify() {
                serde_json::error::Category::Data => "expected an object of ids and strings",
                serde_json::error::Category::Eof => "it ends too early",
                _ => "it is not valid JSON",
            },
        })
    }

    fn write(&self, locked: &Locked, stored: &SecretMap) -> Result<(), SecretsError> {
        let exposed: BTreeMap<&str, &str> =
            stored.iter().map(|(id, secret)| (id.as_str(), secret.expose())).collect();
        let mut bytes = Zeroizing::new(Vec::with_capacity(MAX_BYTES));
        // Serialising strings to memory does not fail otherwise.
        let full = || SecretsError::Full { path: self.path.clone() };
        serde_json::to_writer_pretty(&mut *bytes, &exposed).map_err(|_| full())?;
        bytes.push(b'\n');
        if bytes.len() > MAX_BYTES {
            return Err(full());
        }
        Ok(locked.replace(&bytes)?)
    }
}
