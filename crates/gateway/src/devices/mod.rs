//! Paired devices and their tokens.
//!
//! Only the hash of a token is stored, and it is compared in constant time. Tokens derive from a key of this home, so
//! that a known device gets the same one again without a write. A token is invalid once it is revoked or the shared
//! secret changes.

mod proof;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use tarsus_home::files::{self, Locked};
use tarsus_home::{Home, Secret};
use tarsus_protocol::connect::ClientInfo;
use tarsus_protocol::scope::{ClientRole, Scope, allows};
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

pub use proof::{ProofError, verify_proof};

/// Paired devices; beyond, the oldest one is removed.
const MAX_DEVICES: usize = 1_000;

const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The devices of one home.
#[derive(Debug)]
pub struct Devices {
    path: PathBuf,
    key: PathBuf,
    /// Tokens revoked by this process.
    revocations: AtomicU64,
}

/// A device that presents the shared secret.
#[derive(Debug, Clone, Copy)]
pub struct PairingRequest<'a> {
    pub id: &'a str,
    pub client: &'a ClientInfo,
    pub role: ClientRole,
    pub scopes: &'a [Scope],
    pub now_ms: i64,
}

/// The scopes and token of a device.
#[derive(Debug, Clone)]
pub struct Grant {
    pub scopes: Vec<Scope>,
    pub token: Secret,
    pub issued_at_ms: i64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Stored {
    devices: BTreeMap<String, Device>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Device {
    client_id: String,
    platform: String,
    paired_at_ms: i64,
    roles: BTreeMap<ClientRole, StoredGrant>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredGrant {
    scopes: Vec<Scope>,
    token_sha256: String,
    issued_at_ms: i64,
    /// Fingerprint of the shared secret at pairing; an entry without one is never valid.
    #[serde(default)]
    paired_under: String,
}

impl Devices {
    /// The device list of a home. Touches no file.
    #[must_use]
    pub fn for_home(home: &Home) -> Self {
        let own = home.own_dir();
        Self { path: own.join("devices.json"), key: own.join("devices.key"), revocations: AtomicU64::new(0) }
    }

    /// Returns the grant if the token is valid and was issued under the current shared secret.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn grant_for_token(
        &self,
        id: &str,
        role: ClientRole,
        token: &str,
        shared: Option<&Secret>,
    ) -> Result<Option<Grant>, Problem> {
        let stored = self.read(files::read(&self.path, MAX_BYTES)?.as_deref())?;
        let Some(approved) = stored.devices.get(id).and_then(|device| device.roles.get(&role)) else {
            return Ok(None);
        };
        if approved.paired_under != self.secret_fingerprint(shared)? {
            return Ok(None);
        }
        let same: bool = hash(token.as_bytes()).as_bytes().ct_eq(approved.token_sha256.as_bytes()).into();
        Ok(same.then(|| Grant {
            scopes: approved.scopes.clone(),
            token: Secret::new(token),
            issued_at_ms: approved.issued_at_ms,
        }))
    }

    /// Pairs a device, adding these scopes to those it has under the same secret.
    ///
    /// `record` runs before a new device or new scopes are written.
    ///
    /// # Errors
    /// When the file or its key cannot be read or written, or `record` fails. Nothing is changed then.
    pub fn admit(
        &self,
        request: &PairingRequest<'_>,
        shared: Option<&Secret>,
        record: impl FnOnce() -> Result<(), Problem>,
    ) -> Result<Grant, Problem> {
        let PairingRequest { id, client, role, scopes, now_ms } = *request;
        let under = self.secret_fingerprint(shared)?;
        // Most devices are known: those are found without waiting for the lock.
        let stored = self.read(files::read(&self.path, MAX_BYTES)?.as_deref())?;
        if let Some(grant) = self.find_known(&stored, id, role, scopes, &under)? {
            return Ok(grant);
        }
        let file = Locked::take(&self.path)?;
        let mut stored = self.read(file.read(MAX_BYTES)?.as_deref())?;
        if let Some(grant) = self.find_known(&stored, id, role, scopes, &under)? {
            return Ok(grant);
        }
        evict_oldest(&mut stored, id);
        let device = stored.devices.entry(id.to_owned()).or_insert_with(|| Device {
            client_id: client.id.as_str().to_owned(),
            platform: client.platform.chars().take(100).collect(),
            paired_at_ms: now_ms,
            roles: BTreeMap::new(),
        });
        let (mut all, issued_at_ms) = match device.roles.get(&role) {
            Some(approved) if approved.paired_under == under => {
                (approved.scopes.clone(), approved.issued_at_ms)
            }
            _ => (Vec::new(), now_ms),
        };
        for scope in scopes {
            if !all.contains(scope) {
                all.push(*scope);
            }
        }
        let token = self.token(id, role, issued_at_ms, &under)?;
        let token_sha256 = hash(token.expose().as_bytes());
        let approved = StoredGrant { scopes: all, token_sha256, issued_at_ms, paired_under: under };
        device.roles.insert(role, approved);
        let text = serialize_devices(&stored)?;
        record()?;
        file.replace(text.as_bytes())?;
        Ok(Grant { scopes: scopes.to_vec(), token, issued_at_ms })
    }

    /// Revokes a device's token for a role; returns whether there was one. Durable once this returns.
    ///
    /// # Errors
    /// When the file cannot be read or written. The token stays then.
    pub fn revoke(&self, id: &str, role: ClientRole) -> Result<bool, Problem> {
        let file = Locked::take(&self.path)?;
        let mut stored = self.read(file.read(MAX_BYTES)?.as_deref())?;
        let Some(device) = stored.devices.get_mut(id) else { return Ok(false) };
        let was_there = device.roles.remove(&role).is_some();
        if device.roles.is_empty() {
            stored.devices.remove(id);
        }
        if was_there {
            file.replace(serialize_devices(&stored)?.as_bytes())?;
            self.revocations.fetch_add(1, Ordering::SeqCst);
        }
        Ok(was_there)
    }

    /// Number of revocations by this process.
    #[must_use]
    pub fn revocations(&self) -> u64 {
        self.revocations.load(Ordering::SeqCst)
    }

    fn find_known(
        &self,
        stored: &Stored,
        id: &str,
        role: ClientRole,
        scopes: &[Scope],
        under: &str,
    ) -> Result<Option<Grant>, Problem> {
        let approved = stored.devices.get(id).and_then(|device| device.roles.get(&role));
        match approved {
            Some(approved)
                if approved.paired_under == under
                    && scopes.iter().all(|scope| allows(&approved.scopes, *scope)) =>
            {
                let issued_at_ms = approved.issued_at_ms;
                let token = self.token(id, role, issued_at_ms, under)?;
                // If the key changed, the derived token would not match the stored hash.
                let is_it = hash(token.expose().as_bytes()) == approved.token_sha256;
                Ok(is_it.then(|| Grant { scopes: scopes.to_vec(), token, issued_at_ms }))
            }
            _ => Ok(None),
        }
    }

    fn token(&self, id: &str, role: ClientRole, issued_at_ms: i64, under: &str) -> Result<Secret, Problem> {
        self.compute_mac(&format!("{id}|{}|{issued_at_ms}|{under}", role.as_str())).map(Secret::new)
    }

    /// Keyed fingerprint of the shared secret; reveals nothing without the key.
    fn secret_fingerprint(&self, shared: Option<&Secret>) -> Result<String, Problem> {
        let shared = shared.map_or("", Secret::expose);
        self.compute_mac(&format!("shared|{shared}"))
    }

    fn compute_mac(&self, message: &str) -> Result<String, Problem> {
        let key = files::read_or_create_key(&self.key)?;
        // HMAC fills a key that is shorter than a block with zeros; a whole block cannot have a wrong length.
        let mut block = [0; 64];
        block[..key.len()].copy_from_slice(&key);
        let mac = Hmac::<Sha256>::new(&block.into()).chain_update(message);
        Ok(URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
    }

    fn read(&self, bytes: Option<&[u8]>) -> Result<Stored, Problem> {
        let Some(bytes) = bytes else { return Ok(Stored::default()) };
        serde_json::from_slice(bytes).map_err(|error| {
            Problem::new(ErrorCode::Malformed, format!("the list of devices is not valid: {error}"))
                .at(SourceLocation::file(&self.path))
                .hint("fix or remove the file; devices can pair again with the token")
        })
    }
}

fn serialize_devices(stored: &Stored) -> Result<String, Problem> {
    serde_json::to_string_pretty(stored)
        .map_err(|error| Problem::new(ErrorCode::Failed, format!("cannot write the devices: {error}")))
}

fn evict_oldest(stored: &mut Stored, id: &str) {
    if stored.devices.contains_key(id) || stored.devices.len() < MAX_DEVICES {
        return;
    }
    let first = stored.devices.iter().min_by_key(|(_, device)| device.paired_at_ms).map(|(id, _)| id.clone());
    if let Some(first) = first {
        tracing::warn!(device = first, "the oldest device is removed: too many are paired");
        stored.devices.remove(&first);
    }
}

/// SHA-256 in hexadecimal. Tokens are random and long, so a slow hash is not needed.
fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
