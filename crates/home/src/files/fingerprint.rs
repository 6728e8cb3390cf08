//! Keyed hashes that identify the version of a file that a client has seen, for compare-and-swap.
//!
//! The key belongs to this home, so that a hash reveals nothing about the contents.

use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;

use super::error::FileError;
use super::key::read_or_create_key;
use crate::Home;

/// Computes and compares the hashes of one home.
#[derive(Debug, Clone)]
pub struct Fingerprints {
    key: PathBuf,
}

impl Fingerprints {
    /// Returns the fingerprints of a home. Does not access the disk.
    #[must_use]
    pub fn for_home(home: &Home) -> Self {
        Self { key: home.hash_key_path() }
    }

    /// Returns the hash of the contents of a file; pass no bytes for a missing file. Creates the key if missing.
    ///
    /// # Errors
    /// When the key cannot be read or created.
    pub fn hash(&self, bytes: &[u8]) -> Result<String, FileError> {
        let key = read_or_create_key(&self.key)?;
        // HMAC pads a short key with zeros; a full block cannot have a wrong length.
        let mut block = [0; 64];
        block[..key.len()].copy_from_slice(&key);
        let mac = Hmac::<Sha256>::new(&block.into()).chain_update(bytes);
        Ok(format!("hmac-sha256:v1:{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes())))
    }

    /// Compares a hash from a client with the hash of these bytes, in constant time.
    ///
    /// # Errors
    /// As [`Fingerprints::hash`].
    pub fn matches(&self, named: &str, bytes: &[u8]) -> Result<bool, FileError> {
        Ok(self.hash(bytes)?.as_bytes().ct_eq(named.as_bytes()).into())
    }
}
