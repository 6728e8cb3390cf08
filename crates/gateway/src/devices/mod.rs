//! The devices that were let in, and the tokens that open the gateway for them.
//!
//! Promises: a token is kept as its hash alone, compared in constant time, and can be told again to the same device
//! because it is made from a key of this home; it opens nothing any more once it is taken back or what all clients
//! share is replaced; nothing is written when a known device comes back. Leaves to others: whether a device may be let in.

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
use tarsus_protocol::scope::{Role, Scope, allows};
use tarsus_protocol::{ErrorCode, Place, Problem};

pub use proof::{NotProven, prove};

/// At most so many devices are remembered; the one that was let in first makes room.
const MOST_DEVICES: usize = 1_000;

/// At most so many bytes are read.
const MOST_BYTES: u64 = 4 * 1024 * 1024;

/// The devices of one home.
#[derive(Debug)]
pub struct Devices {
    path: PathBuf,
    key: PathBuf,
    /// How many tokens were taken back by this process.
    revocations: AtomicU64,
}

/// A device that comes with what all clients share.
#[derive(Debug, Clone, Copy)]
pub struct Coming<'a> {
    /// Its id.
    pub id: &'a str,
    /// The program that it runs.
    pub client: &'a ClientInfo,
    /// What it wants to be.
    pub role: Role,
    /// What it wants to do.
    pub scopes: &'a [Scope],
    /// When, in milliseconds since 1970.
    pub now_ms: i64,
}

/// What a device was given.
#[derive(Debug, Clone)]
pub struct Grant {
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// What opens the gateway for it.
    pub token: Secret,
    /// Since when, in milliseconds since 1970.
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
    roles: BTreeMap<Role, Approved>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Approved {
    scopes: Vec<Scope>,
    token_sha256: String,
    issued_at_ms: i64,
    /// What stood for the secret of all clients then; what is written without one is of no use.
    #[serde(default)]
    paired_under: String,
}

impl Devices {
    /// Those of a home. Touches no file.
    #[must_use]
    pub fn of(home: &Home) -> Self {
        let own = home.own_dir();
        Self { path: own.join("devices.json"), key: own.join("devices.key"), revocations: AtomicU64::new(0) }
    }

    /// What a device was given, if this is its token and it was given under the secret that all clients share now.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn opened_by(
        &self,
        id: &str,
        role: Role,
        token: &str,
        shared: Option<&Secret>,
    ) -> Result<Option<Grant>, Problem> {
        let stored = self.read(files::read(&self.path, MOST_BYTES)?.as_deref())?;
        let Some(approved) = stored.devices.get(id).and_then(|device| device.roles.get(&role)) else {
            return Ok(None);
        };
        if approved.paired_under != self.stands_for(shared)? {
            return Ok(None);
        }
        let same: bool = hash(token.as_bytes()).as_bytes().ct_eq(approved.token_sha256.as_bytes()).into();
        Ok(same.then(|| Grant {
            scopes: approved.scopes.clone(),
            token: Secret::new(token),
            issued_at_ms: approved.issued_at_ms,
        }))
    }

    /// Lets a device in with these scopes, in addition to what it has under the same secret.
    ///
    /// One that is new, or is to have more, is first written down by `record`.
    ///
    /// # Errors
    /// When the file or its key cannot be read or written, or `record` fails. Nothing is changed then.
    pub fn admit(
        &self,
        coming: &Coming<'_>,
        shared: Option<&Secret>,
        record: impl FnOnce() -> Result<(), Problem>,
    ) -> Result<Grant, Problem> {
        let Coming { id, client, role, scopes, now_ms } = *coming;
        let under = self.stands_for(shared)?;
        // Most devices are known: those are found without waiting for the lock.
        let stored = self.read(files::read(&self.path, MOST_BYTES)?.as_deref())?;
        if let Some(grant) = self.known(&stored, id, role, scopes, &under)? {
            return Ok(grant);
        }
        let file = Locked::take(&self.path)?;
        let mut stored = self.read(file.read(MOST_BYTES)?.as_deref())?;
        if let Some(grant) = self.known(&stored, id, role, scopes, &under)? {
            return Ok(grant);
        }
        make_room(&mut stored, id);
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
        let approved = Approved { scopes: all, token_sha256, issued_at_ms, paired_under: under };
        device.roles.insert(role, approved);
        let text = written(&stored)?;
        record()?;
        file.replace(text.as_bytes())?;
        Ok(Grant { scopes: scopes.to_vec(), token, issued_at_ms })
    }

    /// Takes back what a device was given in a role; says whether there was anything. It opens nothing once this
    /// returns, also after a crash.
    ///
    /// # Errors
    /// When the file cannot be read or written. The token stays then.
    pub fn revoke(&self, id: &str, role: Role) -> Result<bool, Problem> {
        let file = Locked::take(&self.path)?;
        let mut stored = self.read(file.read(MOST_BYTES)?.as_deref())?;
        let Some(device) = stored.devices.get_mut(id) else { return Ok(false) };
        let was_there = device.roles.remove(&role).is_some();
        if device.roles.is_empty() {
            stored.devices.remove(id);
        }
        if was_there {
            file.replace(written(&stored)?.as_bytes())?;
            self.revocations.fetch_add(1, Ordering::SeqCst);
        }
        Ok(was_there)
    }

    /// How many tokens were taken back so far.
    #[must_use]
    pub fn revocations(&self) -> u64 {
        self.revocations.load(Ordering::SeqCst)
    }

    fn known(
        &self,
        stored: &Stored,
        id: &str,
        role: Role,
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
                // With another key than then, it would be told a token that opens nothing.
                let is_it = hash(token.expose().as_bytes()) == approved.token_sha256;
                Ok(is_it.then(|| Grant { scopes: scopes.to_vec(), token, issued_at_ms }))
            }
            _ => Ok(None),
        }
    }

    fn token(&self, id: &str, role: Role, issued_at_ms: i64, under: &str) -> Result<Secret, Problem> {
        self.keyed(&format!("{id}|{}|{issued_at_ms}|{under}", role.as_str())).map(Secret::new)
    }

    /// What stands for the secret of all clients in the file. Tells nothing about it without the key.
    fn stands_for(&self, shared: Option<&Secret>) -> Result<String, Problem> {
        let shared = shared.map_or("", Secret::expose);
        self.keyed(&format!("shared|{shared}"))
    }

    fn keyed(&self, said: &str) -> Result<String, Problem> {
        let key = files::read_or_create_key(&self.key)?;
        // HMAC fills a key that is shorter than a block with zeros; a whole block cannot have a wrong length.
        let mut block = [0; 64];
        block[..key.len()].copy_from_slice(&key);
        let mac = Hmac::<Sha256>::new(&block.into()).chain_update(said);
        Ok(URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
    }

    fn read(&self, bytes: Option<&[u8]>) -> Result<Stored, Problem> {
        let Some(bytes) = bytes else { return Ok(Stored::default()) };
        serde_json::from_slice(bytes).map_err(|error| {
            Problem::new(ErrorCode::Malformed, format!("the list of devices is not valid: {error}"))
                .at(Place::file(&self.path))
                .hint("fix or remove the file; devices are let in again with the token")
        })
    }
}

fn written(stored: &Stored) -> Result<String, Problem> {
    serde_json::to_string_pretty(stored)
        .map_err(|error| Problem::new(ErrorCode::Failed, format!("cannot write the devices: {error}")))
}

fn make_room(stored: &mut Stored, id: &str) {
    if stored.devices.contains_key(id) || stored.devices.len() < MOST_DEVICES {
        return;
    }
    let first = stored.devices.iter().min_by_key(|(_, device)| device.paired_at_ms).map(|(id, _)| id.clone());
    if let Some(first) = first {
        tracing::warn!(device = first, "a device is forgotten: there are too many");
        stored.devices.remove(&first);
    }
}

/// SHA-256 in hexadecimal. A token is random and long, so that nothing slower is needed.
fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
