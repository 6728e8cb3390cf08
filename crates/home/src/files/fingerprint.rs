//! The hash by which a client names the version of a file that it has seen, for compare-and-swap.
//!
//! Made with a key of this home, so that it tells nothing about what the file says.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::error::FileError;
use super::key::read_or_create_key;
use crate::Home;

/// Makes and compares the hashes of one home.
#[derive(Debug, Clone)]
pub struct Fingerprints {
    key: PathBuf,
}

impl Fingerprints {
    /// Those of a home. Touches no file.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        Self { key: home.hash_key_path() }
    }

    /// The hash of a file with these bytes; without any when there is none. Makes the key when it is missing.
    ///
    /// # Errors
    /// When the key cannot be read or made.
    pub fn hash(&self, bytes: &[u8]) -> Result<String, FileError> {
        let key = read_or_create_key(&self.key)?;
        // HMAC fills a key that is shorter than a block with zeros; a whole block cannot have a wrong length.
        let mut block = [0; 64];
        block[..key.len()].copy_from_slice(&key);
        let mac = Hmac::<Sha256>::new(&block.into()).chain_update(bytes);
        Ok(format!("hmac-sha256:v1:{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())))
    }

    /// Whether a hash that a client names is the one of these bytes.
    ///
    /// # Errors
    /// As [`Fingerprints::hash`].
    pub fn matches(&self, named: &str, bytes: &[u8]) -> Result<bool, FileError> {
        Ok(self.hash(bytes)?.as_bytes().ct_eq(named.as_bytes()).into())
    }
}
