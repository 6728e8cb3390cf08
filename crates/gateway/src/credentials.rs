//! What opens the gateway: the configured token or password, else one that is made at the first start.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tarsus_home::config::Lookup;
use tarsus_home::config::view::{AuthMode, Gateway, SecretInput};
use tarsus_home::files::{self, Locked};
use tarsus_home::{Home, Secret};
use tarsus_protocol::{ErrorCode, Place, Problem};

const TOKEN_FILE_LIMIT: u64 = 4096;

/// What a client has to show.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// `gateway.auth.mode: none`: nothing, from this machine.
    None,
    /// One token or password that all clients share.
    Shared(Secret),
}

impl Credentials {
    /// The order of the configuration: `gateway.auth`, else `gateway.remote`, else the token file.
    ///
    /// # Errors
    /// When what is configured cannot be found, or the token file is needed and cannot be used.
    pub fn choose(gateway: &Gateway, home: &Home, variables: Lookup<'_>) -> Result<Self, Problem> {
        match configured(gateway) {
            Configured::Nothing => Ok(Self::None),
            Configured::Shared(input) => Ok(Self::Shared(input.resolve(home, variables)?)),
            Configured::TokenFile => stored_token(home)?.map(Self::Shared).ok_or_else(|| {
                Problem::new(ErrorCode::NotFound, "the gateway has no token yet")
                    .hint("`tarsus up` makes one at its first start")
            }),
        }
    }
}

/// What the configuration says of credentials.
enum Configured<'a> {
    Nothing,
    Shared(&'a SecretInput),
    TokenFile,
}

fn configured(gateway: &Gateway) -> Configured<'_> {
    let (auth, remote) = (&gateway.auth, &gateway.remote);
    let own = match auth.mode {
        Some(AuthMode::None) => return Configured::Nothing,
        Some(AuthMode::Password) => auth.password.as_ref(),
        Some(AuthMode::Token) => auth.token.as_ref(),
        // A proxy is not known yet; until then its clients show what everybody shows.
        Some(AuthMode::TrustedProxy) | None => auth.token.as_ref().or(auth.password.as_ref()),
    };
    own.or(remote.token.as_ref())
        .or(remote.password.as_ref())
        .map_or(Configured::TokenFile, Configured::Shared)
}

/// Whether clients show the token of the token file.
#[must_use]
pub fn uses_token_file(gateway: &Gateway) -> bool {
    matches!(configured(gateway), Configured::TokenFile)
}

/// The token that an earlier start made.
///
/// # Errors
/// When the file is there and holds no token.
pub fn stored_token(home: &Home) -> Result<Option<Secret>, Problem> {
    let path = home.token_path();
    let Some(bytes) = files::read(&path, TOKEN_FILE_LIMIT)? else { return Ok(None) };
    let token = String::from_utf8(bytes).ok().map(|text| text.trim().to_owned());
    match token.filter(|token| !token.is_empty()) {
        Some(token) => Ok(Some(Secret::new(token))),
        None => Err(Problem::new(ErrorCode::Malformed, "the gateway's token file holds no token")
            .at(Place::file(path))
            .hint("remove the file; the next `tarsus up` makes a new token")),
    }
}

/// Makes the token file when there is none. Says whether it was made.
///
/// # Errors
/// When the file cannot be written, or there is no source of randomness.
pub fn ensure_token(home: &Home) -> Result<bool, Problem> {
    let file = Locked::take(&home.token_path())?;
    if stored_token(home)?.is_some() {
        return Ok(false);
    }
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|error| {
        Problem::new(ErrorCode::Failed, format!("cannot make a token without randomness: {error}"))
    })?;
    file.replace(format!("{}\n", URL_SAFE_NO_PAD.encode(random)).as_bytes())?;
    Ok(true)
}
