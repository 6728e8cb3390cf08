//! The credentials of gateway clients: the configured token or password, else a token generated at the first start.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tarsus_protocol::hello::AuthMethod;
use tarsus_protocol::{ErrorCode, Problem, SourceLocation};

use crate::config::Lookup;
use crate::config::view::{AuthMode, Gateway, Mode, SecretInput};
use crate::files::{self, Locked};
use crate::random::random_bytes;
use crate::{Home, Secret};

const TOKEN_FILE_LIMIT: u64 = 4096;

/// The shared secret that a client must present.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// `gateway.auth.mode: none`: clients on this machine need no secret.
    None,
    Token(Secret),
    Password(Secret),
}

impl Credentials {
    /// Resolves the credentials in order: `gateway.auth`, else `gateway.remote`, else the token file.
    ///
    /// # Errors
    /// When a configured secret cannot be resolved, or the token file is needed and cannot be used.
    pub fn resolve(gateway: &Gateway, home: &Home, variables: Lookup<'_>) -> Result<Self, Problem> {
        match configured(gateway) {
            Configured::Nothing => Ok(Self::None),
            Configured::Token(input) => {
                require_nonempty("token", input.resolve(home, variables)?).map(Self::Token)
            }
            Configured::Password(input) => {
                require_nonempty("password", input.resolve(home, variables)?).map(Self::Password)
            }
            Configured::NoPassword => {
                let message = "gateway.auth.mode is password, but gateway.auth.password is not set";
                Err(Problem::new(ErrorCode::Malformed, message)
                    .hint("set the password, or remove the mode to use a token"))
            }
            Configured::TokenFile => stored_token(home)?.map(Self::Token).ok_or_else(|| {
                Problem::new(ErrorCode::NotFound, "the gateway has no token yet")
                    .hint("`tarsus up` creates one")
            }),
        }
    }

    #[must_use]
    pub const fn secret(&self) -> Option<&Secret> {
        match self {
            Self::None => None,
            Self::Token(secret) | Self::Password(secret) => Some(secret),
        }
    }

    #[must_use]
    pub const fn method(&self) -> AuthMethod {
        match self {
            Self::None => AuthMethod::None,
            Self::Token(_) => AuthMethod::Token,
            Self::Password(_) => AuthMethod::Password,
        }
    }
}

/// Rejects an empty secret: an empty variable must not open the gateway to everyone.
fn require_nonempty(what: &str, secret: Secret) -> Result<Secret, Problem> {
    if secret.expose().trim().is_empty() {
        let message = format!("the {what} of the gateway is empty");
        return Err(Problem::new(ErrorCode::Malformed, message).hint(
            "set gateway.auth, or the variable that it refers to; without both, a token is generated",
        ));
    }
    Ok(secret)
}

/// The configured source of the credentials.
enum Configured<'a> {
    Nothing,
    Token(&'a SecretInput),
    Password(&'a SecretInput),
    NoPassword,
    TokenFile,
}

fn configured(gateway: &Gateway) -> Configured<'_> {
    let (auth, remote) = (&gateway.auth, &gateway.remote);
    let token = auth.token.as_ref().map(Configured::Token);
    let password = auth.password.as_ref().map(Configured::Password);
    let own = match auth.mode {
        Some(AuthMode::None) => return Configured::Nothing,
        Some(AuthMode::Password) => password,
        Some(AuthMode::Token) => token,
        // Trusted proxies are not supported yet: their clients authenticate like all others.
        Some(AuthMode::TrustedProxy) | None => token.or(password),
    };
    // In any other mode `gateway.remote` holds the credentials of another machine's gateway.
    let remote = Some(remote).filter(|_| gateway.mode == Mode::Local);
    own.or_else(|| remote?.token.as_ref().map(Configured::Token))
        .or_else(|| remote?.password.as_ref().map(Configured::Password))
        .unwrap_or(if auth.mode == Some(AuthMode::Password) {
            Configured::NoPassword
        } else {
            Configured::TokenFile
        })
}

/// A warning about the configured authentication, if there is one.
#[must_use]
pub fn auth_warning(gateway: &Gateway) -> Option<&'static str> {
    let remote = &gateway.remote;
    let is =
        |input: &SecretInput, of: &Option<SecretInput>| of.as_ref().is_some_and(|of| std::ptr::eq(of, input));
    match configured(gateway) {
        Configured::Nothing => {
            Some("gateway.auth.mode is none: every program on this machine can use the gateway")
        }
        Configured::Token(input) if is(input, &remote.token) => {
            Some("gateway.remote.token is used to authenticate clients; set gateway.auth.token")
        }
        Configured::Password(input) if is(input, &remote.password) => {
            Some("gateway.remote.password is used to authenticate clients; set gateway.auth.password")
        }
        _ => None,
    }
}

/// The key of a setting for remote gateways that this version does not follow, and what that means.
#[must_use]
pub fn unused_remote_setting(gateway: &Gateway) -> Option<(&'static str, &'static str)> {
    if gateway.mode == Mode::Remote {
        return Some((
            "gateway.mode",
            "is remote: no gateway starts here, and none elsewhere is connected to",
        ));
    }
    let fingerprint = gateway.remote.tls_fingerprint.as_ref();
    fingerprint
        .map(|_| ("gateway.remote.tlsFingerprint", "is not used yet: no gateway elsewhere is connected to"))
}

/// The configured authentication method; reads no secret.
#[must_use]
pub fn auth_method(gateway: &Gateway) -> AuthMethod {
    match configured(gateway) {
        Configured::Nothing => AuthMethod::None,
        Configured::Password(_) | Configured::NoPassword => AuthMethod::Password,
        Configured::Token(_) | Configured::TokenFile => AuthMethod::Token,
    }
}

/// Whether clients present the token of the token file.
#[must_use]
pub fn uses_token_file(gateway: &Gateway) -> bool {
    matches!(configured(gateway), Configured::TokenFile)
}

/// Reads the token file; `None` if there is none.
///
/// # Errors
/// When the file cannot be read or holds no token.
pub fn stored_token(home: &Home) -> Result<Option<Secret>, Problem> {
    let path = home.token_path();
    let Some(bytes) = files::read(&path, TOKEN_FILE_LIMIT)? else { return Ok(None) };
    let token = String::from_utf8(bytes).ok().map(|text| text.trim().to_owned());
    match token.filter(|token| !token.is_empty()) {
        Some(token) => Ok(Some(Secret::new(token))),
        None => Err(Problem::new(ErrorCode::Malformed, "the gateway's token file is empty")
            .at(SourceLocation::file(path))
            .hint("remove the file; the next `tarsus up` creates a new token")),
    }
}

/// Creates the token file if it is missing. Returns true if it was created.
///
/// # Errors
/// When the file cannot be read or written, or the system's random source fails.
pub fn ensure_token(home: &Home) -> Result<bool, Problem> {
    let file = Locked::take(&home.token_path())?;
    if stored_token(home)?.is_some() {
        return Ok(false);
    }
    write_new_token(&file)?;
    Ok(true)
}

/// Replaces the token, whatever the file holds. At every moment the file has the old or the new token.
///
/// # Errors
/// When the file cannot be written, or the system's random source fails; the old token stays.
pub fn replace_token(home: &Home) -> Result<(), Problem> {
    write_new_token(&Locked::take(&home.token_path())?)
}

/// Replaces the file, so that the new one is private to the account.
fn write_new_token(file: &Locked) -> Result<(), Problem> {
    let token = URL_SAFE_NO_PAD.encode(random_bytes::<32>()?);
    Ok(file.replace(format!("{token}\n").as_bytes())?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "the tests create files")]

    use super::*;
    use crate::HomeOptions;
    use crate::config::ConfigFile;

    #[test]
    fn a_replaced_token_is_new_and_private() {
        let folder = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(folder.path().to_path_buf()), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        let stored = || stored_token(&home).unwrap().map(|token| token.expose().to_owned());
        assert!(ensure_token(&home).unwrap());
        let first = stored().unwrap();
        assert!(!ensure_token(&home).unwrap());
        assert_eq!(stored(), Some(first.clone()), "an existing token stays");
        replace_token(&home).unwrap();
        let second = stored().unwrap();
        assert_ne!(second, first);
        std::fs::write(home.token_path(), " \n").unwrap();
        open_to_all(&home.token_path());
        assert_eq!(stored_token(&home).unwrap_err().code, ErrorCode::Malformed);
        replace_token(&home).unwrap();
        assert!(stored().is_some_and(|third| third != first && third != second));
        assert_eq!(files::open_to_others(&home.token_path()).unwrap(), None, "only the owner can read it");
    }

    #[test]
    fn configured_secrets_have_precedence_and_must_not_be_empty() {
        let folder = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(folder.path().to_path_buf()), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        ensure_token(&home).unwrap();
        let file = stored_token(&home).unwrap().unwrap();
        let file = format!("token {}", file.expose());
        let far = "remote: { token: 'far' }";
        let table = [
            ("", Ok(file.as_str()), false),
            ("auth: { token: 'a', password: 'b' }", Ok("token a"), false),
            ("auth: { mode: 'password', token: 'a', password: 'b' }", Ok("password b"), false),
            ("auth: { mode: 'none', token: 'a' }", Ok("nothing"), true),
            ("auth: { token: '${SET}' }", Ok("token from outside"), false),
            (far, Ok("token far"), true),
            ("mode: 'remote', remote: { token: 'far' }", Ok(file.as_str()), false),
            (
                "auth: { token: { source: 'file', provider: 'tarsus', id: 'x' } }",
                Err(ErrorCode::NotFound),
                false,
            ),
            ("auth: { mode: 'password' }", Err(ErrorCode::Malformed), false),
            ("auth: { token: '' }", Err(ErrorCode::Malformed), false),
            ("auth: { token: '${EMPTY}' }", Err(ErrorCode::Malformed), false),
            ("auth: { mode: 'password', password: ' ' }", Err(ErrorCode::Malformed), false),
        ];
        let variables = |name: &str| match name {
            "SET" => Some("from outside".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        for (text, expected, hinted) in table {
            std::fs::write(home.config_path(), format!("{{ gateway: {{ {text} }} }}")).unwrap();
            let gateway = ConfigFile::for_home(&home).load(&variables).unwrap().view.gateway;
            let chosen = Credentials::resolve(&gateway, &home, &variables);
            let chosen = chosen.map_err(|problem| problem.code).map(|chosen| match chosen {
                Credentials::None => "nothing".to_owned(),
                Credentials::Token(secret) => format!("token {}", secret.expose()),
                Credentials::Password(secret) => format!("password {}", secret.expose()),
            });
            assert_eq!(chosen, expected.map(str::to_owned), "{text}");
            assert_eq!(auth_warning(&gateway).is_some(), hinted, "{text}");
        }
    }

    fn open_to_all(path: &std::path::Path) {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
        }
        #[cfg(not(unix))]
        let _ = path;
    }
}
