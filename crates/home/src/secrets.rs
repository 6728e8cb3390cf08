//! The secret store: `tarsus/secrets.json`, one value an id, private to the account (0600; on Windows the
//! access list of the profile folder protects it).
//!
//! Promises: a change is whole or did not happen; removing works on a full disk; no error carries a value.
//! Leaves to others: who may read which secret, and recording that one changed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsus_protocol::{ErrorCode, Place, Problem};
use zeroize::Zeroizing;

use crate::files::{self, FileError, Locked, Reserve};
use crate::{Home, Secret};

/// A removal on a full disk writes the whole store anew into the space of the reserve (64 KiB).
const MOST_BYTES: usize = 48 * 1024;
const LONGEST_ID: usize = 256;

/// Where a secret that a configuration refers to is kept.
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
    /// The reference to a secret in this store.
    pub fn stored(id: impl Into<String>) -> Self {
        Self { source: SecretSource::File, provider: "tarsus".to_owned(), id: id.into() }
    }

    /// Whether it refers to this store.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        self.source == SecretSource::File && self.provider == "tarsus"
    }
}

/// The store could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SecretsError {
    /// The file itself.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is not a store.
    #[error("{}:{line}:{column}: {why}", path.display())]
    Malformed {
        /// The store.
        path: PathBuf,
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
        /// What is wrong, without quoting the file.
        why: &'static str,
    },
    /// An id that cannot be one.
    #[error("a secret's id has 1 to {LONGEST_ID} bytes and no control characters")]
    BadId,
    /// No room for another secret.
    #[error("the secret store holds at most {MOST_BYTES} bytes")]
    Full {
        /// The store.
        path: PathBuf,
    },
}

impl From<SecretsError> for Problem {
    fn from(error: SecretsError) -> Self {
        let message = error.to_string();
        match error {
            SecretsError::File(error) => error.into(),
            SecretsError::Malformed { path, line, column, why } => {
                let place = Place { path, line: Some(line), column: Some(column), excerpt: None };
                Self::new(ErrorCode::Malformed, "the secret store cannot be read").note(why).at(place)
            }
            SecretsError::BadId => Self::new(ErrorCode::Usage, message),
            SecretsError::Full { path } => Self::new(ErrorCode::TooLarge, message)
                .at(Place::file(path))
                .hint("nothing was changed; remove a secret that is no longer used"),
        }
    }
}

type Stored = BTreeMap<String, Secret>;

/// An id, and the secret that is to be there or was there.
pub type Swapped = (String, Option<Secret>);

/// The store of one state folder.
#[derive(Debug, Clone)]
pub struct Secrets {
    path: PathBuf,
    reserve: Reserve,
}

impl Secrets {
    /// The store of `home`. Touches no file.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self { path: home.secrets_path(), reserve: Reserve::at(home.reserve_path()) }
    }

    /// One secret, if it is there.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn get(&self, id: &str) -> Result<Option<Secret>, SecretsError> {
        Ok(self.parse(files::read(&self.path, MOST_BYTES as u64)?)?.remove(id))
    }

    /// The ids of all secrets, sorted.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn ids(&self) -> Result<Vec<String>, SecretsError> {
        Ok(self.parse(files::read(&self.path, MOST_BYTES as u64)?)?.into_keys().collect())
    }

    /// All secrets, in the order of their ids.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn all(&self) -> Result<Vec<Secret>, SecretsError> {
        Ok(self.parse(files::read(&self.path, MOST_BYTES as u64)?)?.into_values().collect())
    }

    /// Puts a secret in, in place of an earlier one of that id.
    ///
    /// # Errors
    /// When the id cannot be one, the store has no room, or it cannot be read or written.
    pub fn set(&self, id: &str, secret: Secret) -> Result<(), SecretsError> {
        self.swap(vec![(id.to_owned(), Some(secret))]).map(|_| ())
    }

    /// Puts secrets in, and takes out those without a value, all or none. Says what was there before: swapped once more,
    /// that undoes it.
    ///
    /// # Errors
    /// As [`Secrets::set`]. Nothing is changed then.
    pub fn swap(&self, secrets: Vec<Swapped>) -> Result<Vec<Swapped>, SecretsError> {
        let is_id = |id: &str| !id.is_empty() && id.len() <= LONGEST_ID && !id.chars().any(char::is_control);
        if !secrets.iter().all(|(id, _)| is_id(id)) {
            return Err(SecretsError::BadId);
        }
        if secrets.is_empty() {
            return Ok(secrets);
        }
        let locked = Locked::take(&self.path)?;
        let mut stored = self.parse(locked.read(MOST_BYTES as u64)?)?;
        let mut before = Vec::with_capacity(secrets.len());
        let mut is_same = true;
        for (id, secret) in secrets {
            let old = match secret.clone() {
                Some(secret) => stored.insert(id.clone(), secret),
                None => stored.remove(&id),
            };
            is_same &= old == secret;
            before.push((id, old));
        }
        if !is_same {
            self.write(&locked, &stored)?;
        }
        // The other way round, so that the first value of an id that comes twice is the last again.
        before.reverse();
        Ok(before)
    }

    /// The same with what is kept back for a full disk, for what must not fail there: taking secrets out, and undoing.
    ///
    /// # Errors
    /// As [`Secrets::swap`].
    pub fn swap_on_a_full_disk(&self, secrets: &[Swapped]) -> Result<Vec<Swapped>, SecretsError> {
        let is_full = |error: &SecretsError| matches!(error, SecretsError::File(e) if e.is_disk_full());
        self.reserve.spend_on(is_full, || self.swap(secrets.to_vec()))
    }

    /// Takes a secret out, also on a full disk. True when it was there.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn remove(&self, id: &str) -> Result<bool, SecretsError> {
        let before = self.swap_on_a_full_disk(&[(id.to_owned(), None)])?;
        Ok(before.iter().any(|(_, secret)| secret.is_some()))
    }

    fn parse(&self, bytes: Option<Vec<u8>>) -> Result<Stored, SecretsError> {
        let Some(bytes) = bytes.map(Zeroizing::new) else {
            return Ok(Stored::new());
        };
        serde_json::from_slice(&bytes).map_err(|error| SecretsError::Malformed {
            path: self.path.clone(),
            line: u32::try_from(error.line()).unwrap_or(u32::MAX),
            // The parser counts from 0 where the file is empty.
            column: u32::try_from(error.column().max(1)).unwrap_or(u32::MAX),
            // Its own words may quote a value.
            why: match error.classify() {
                serde_json::error::Category::Data => "it has to be one object of ids and texts",
                serde_json::error::Category::Eof => "it ends too early",
                _ => "it is not valid JSON",
            },
        })
    }

    fn write(&self, locked: &Locked, stored: &Stored) -> Result<(), SecretsError> {
        let exposed: BTreeMap<&str, &str> =
            stored.iter().map(|(id, secret)| (id.as_str(), secret.expose())).collect();
        let mut bytes = Zeroizing::new(Vec::with_capacity(MOST_BYTES));
        // Writing texts into memory fails only for want of it.
        let full = || SecretsError::Full { path: self.path.clone() };
        serde_json::to_writer_pretty(&mut *bytes, &exposed).map_err(|_| full())?;
        bytes.push(b'\n');
        if bytes.len() > MOST_BYTES {
            return Err(full());
        }
        Ok(locked.replace(&bytes)?)
    }
}
