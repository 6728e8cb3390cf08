//! Collects the known secrets, which are redacted everywhere: those of the configuration, the secret store, the
//! environment, and the gateway's token.

use std::ffi::OsString;

use tarsus_home::config::json5::Document;
use tarsus_home::config::{Lookup, names_a_secret, secrets_in};
use tarsus_home::secrets::SecretStore;
use tarsus_home::{Home, Secret, files};

/// Shorter values are ignored, as they occur in ordinary text.
const MIN_SECRET_BYTES: usize = 6;
/// Maximum bytes of the gateway's token file.
const TOKEN_BYTES: u64 = 4 * 1024;

/// All known secrets. Unreadable sources are logged and skipped.
#[must_use]
pub fn known(
    home: &Home,
    config: &Document,
    environment: &[(OsString, OsString)],
    lookup: Lookup<'_>,
) -> Vec<Secret> {
    let mut known = secrets_in(config, lookup);
    known.extend(stored(home));
    let named = environment.iter().filter(|(name, _)| name.to_str().is_some_and(names_a_secret));
    known.extend(named.filter_map(|(_, value)| value.to_str().map(Secret::new)));
    known.retain(|secret| secret.expose().trim().len() >= MIN_SECRET_BYTES);
    known
}

fn stored(home: &Home) -> Vec<Secret> {
    let unreadable = |error: &dyn std::error::Error| {
        tracing::warn!(%error, "secrets cannot be read, so they are not redacted");
    };
    let mut stored =
        SecretStore::for_home(home).all().inspect_err(|error| unreadable(error)).unwrap_or_default();
    let token = files::read(&home.token_path(), TOKEN_BYTES).inspect_err(|error| unreadable(error));
    let token = token.ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok());
    stored.extend(token.map(|token| Secret::new(token.trim())));
    stored
}
