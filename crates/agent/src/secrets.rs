//! The secrets that are known, so that nobody is shown one: those of the configuration, of the secret store, of the
//! environment, and the gateway's own.

use std::ffi::OsString;

use tarsus_home::config::json5::Document;
use tarsus_home::config::{Lookup, names_a_secret, secrets_in};
use tarsus_home::secrets::Secrets;
use tarsus_home::{Home, Secret, files};

/// A text that is shorter is no secret: it would be found in every sentence.
const SHORTEST: usize = 6;
/// The most that is read of the file with the gateway's token.
const TOKEN_BYTES: u64 = 4 * 1024;

/// Every secret that is known. What cannot be read is no secret that anybody could say, and is in the log.
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
    known.retain(|secret| secret.expose().trim().len() >= SHORTEST);
    known
}

fn stored(home: &Home) -> Vec<Secret> {
    let unreadable = |error: &dyn std::error::Error| {
        tracing::warn!(%error, "secrets cannot be read, and so not be kept out of what is said");
    };
    let mut stored = Secrets::of(home).all().inspect_err(|error| unreadable(error)).unwrap_or_default();
    let token = files::read(&home.token_path(), TOKEN_BYTES).inspect_err(|error| unreadable(error));
    let token = token.ok().flatten().and_then(|bytes| String::from_utf8(bytes).ok());
    stored.extend(token.map(|token| Secret::new(token.trim())));
    stored
}
