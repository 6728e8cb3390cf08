//! What opens the gateway: the configured token or password, else one that is made at the first start.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tarsus_home::config::Lookup;
use tarsus_home::config::view::{AuthMode, Gateway, Mode, SecretInput};
use tarsus_home::files::{self, Locked};
use tarsus_home::{Home, Secret};
use tarsus_protocol::hello::AuthMethod;
use tarsus_protocol::{ErrorCode, Place, Problem};

const TOKEN_FILE_LIMIT: u64 = 4096;

/// What a client has to show.
#[derive(Debug, Clone)]
pub enum Credentials {
    /// `gateway.auth.mode: none`: nothing, from this machine.
    None,
    /// A token that all clients share.
    Token(Secret),
    /// A password that all clients share.
    Password(Secret),
}

impl Credentials {
    /// The order of the configuration: `gateway.auth`, else `gateway.remote`, else the token file.
    ///
    /// # Errors
    /// When what is configured cannot be found, or the token file is needed and cannot be used.
    pub fn choose(gateway: &Gateway, home: &Home, variables: Lookup<'_>) -> Result<Self, Problem> {
        match configured(gateway) {
            Configured::Nothing => Ok(Self::None),
            Configured::Token(input) => not_empty("token", input.resolve(home, variables)?).map(Self::Token),
            Configured::Password(input) => {
                not_empty("password", input.resolve(home, variables)?).map(Self::Password)
            }
            Configured::NoPassword => {
                let message = "gateway.auth.mode is password, but gateway.auth.password is not set";
                Err(Problem::new(ErrorCode::Malformed, message)
                    .hint("set the password, or remove the mode: then a token opens the gateway"))
            }
            Configured::TokenFile => stored_token(home)?.map(Self::Token).ok_or_else(|| {
                Problem::new(ErrorCode::NotFound, "the gateway has no token yet")
                    .hint("`tarsus up` makes one at its first start")
            }),
        }
    }

    /// What all clients share; none when nothing is asked for.
    #[must_use]
    pub const fn secret(&self) -> Option<&Secret> {
        match self {
            Self::None => None,
            Self::Token(secret) | Self::Password(secret) => Some(secret),
        }
    }

    /// What clients are let in by.
    #[must_use]
    pub const fn method(&self) -> AuthMethod {
        match self {
            Self::None => AuthMethod::None,
            Self::Token(_) => AuthMethod::Token,
            Self::Password(_) => AuthMethod::Password,
        }
    }
}

/// A variable that is set to nothing must not open the gateway for everybody.
fn not_empty(what: &str, secret: Secret) -> Result<Secret, Problem> {
    if secret.expose().trim().is_empty() {
        let message = format!("the {what} of the gateway is empty");
        return Err(Problem::new(ErrorCode::Malformed, message)
            .hint("set gateway.auth, or the variable that it names; without both, a token is made"));
    }
    Ok(secret)
}

/// What the configuration says of credentials.
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
        // A proxy is not known yet; until then its clients show what everybody shows.
        Some(AuthMode::TrustedProxy) | None => token.or(password),
    };
    // In any other mode that is what opens another machine's gateway.
    let remote = Some(remote).filter(|_| gateway.mode == Mode::Local);
    own.or_else(|| remote?.token.as_ref().map(Configured::Token))
        .or_else(|| remote?.password.as_ref().map(Configured::Password))
        .unwrap_or(if auth.mode == Some(AuthMode::Password) {
            Configured::NoPassword
        } else {
            Configured::TokenFile
        })
}

/// What the owner should know of how the gateway is opened.
#[must_use]
pub fn hint(gateway: &Gateway) -> Option<&'static str> {
    let remote = &gateway.remote;
    let is =
        |input: &SecretInput, of: &Option<SecretInput>| of.as_ref().is_some_and(|of| std::ptr::eq(of, input));
    match configured(gateway) {
        Configured::Nothing => {
            Some("gateway.auth.mode is none: every program of this machine may use the gateway")
        }
        Configured::Token(input) if is(input, &remote.token) => {
            Some("gateway.remote.token opens the gateway; set gateway.auth.token")
        }
        Configured::Password(input) if is(input, &remote.password) => {
            Some("gateway.remote.password opens the gateway; set gateway.auth.password")
        }
        _ => None,
    }
}

/// What clients are asked for.
#[must_use]
pub fn method(gateway: &Gateway) -> AuthMethod {
    match configured(gateway) {
        Configured::Nothing => AuthMethod::None,
        Configured::Password(_) | Configured::NoPassword => AuthMethod::Password,
        Configured::Token(_) | Configured::TokenFile => AuthMethod::Token,
    }
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
    write_new_token(&file)?;
    Ok(true)
}

/// Puts a new token in the place of the old one, whatever the file holds. At every moment there is one token, or the
/// other.
///
/// # Errors
/// When the file cannot be written, or there is no source of randomness. The old token stays then.
pub fn renew_token(home: &Home) -> Result<(), Problem> {
    write_new_token(&Locked::take(&home.token_path())?)
}

/// The file is made anew, private to the account.
fn write_new_token(file: &Locked) -> Result<(), Problem> {
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|error| {
        Problem::new(ErrorCode::Failed, format!("cannot make a token without randomness: {error}"))
    })?;
    Ok(file.replace(format!("{}\n", URL_SAFE_NO_PAD.encode(random)).as_bytes())?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "a test makes the files that it is about")]

    use tarsus_home::Choice;
    use tarsus_home::config::ConfigFile;

    use super::*;

    #[test]
    fn a_new_token_takes_the_place_of_any_file_and_is_private() {
        let folder = tempfile::tempdir().unwrap();
        let choice = Choice { state_flag: Some(folder.path().to_path_buf()), ..Choice::default() };
        let home = Home::locate(&choice).unwrap();
        let stored = || stored_token(&home).unwrap().map(|token| token.expose().to_owned());
        assert!(ensure_token(&home).unwrap());
        let first = stored().unwrap();
        assert!(!ensure_token(&home).unwrap());
        assert_eq!(stored(), Some(first.clone()), "a token that is there stays");
        renew_token(&home).unwrap();
        let second = stored().unwrap();
        assert_ne!(second, first);
        std::fs::write(home.token_path(), " \n").unwrap();
        open_to_all(&home.token_path());
        assert_eq!(stored_token(&home).unwrap_err().code, ErrorCode::Malformed);
        renew_token(&home).unwrap();
        assert!(stored().is_some_and(|third| third != first && third != second));
        assert_eq!(files::open_to_others(&home.token_path()).unwrap(), None, "nobody else may read it");
    }

    #[test]
    fn what_is_configured_counts_in_its_order_and_what_is_empty_opens_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let choice = Choice { state_flag: Some(folder.path().to_path_buf()), ..Choice::default() };
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
            let gateway = ConfigFile::of(&home).load(&variables).unwrap().view.gateway;
            let chosen = Credentials::choose(&gateway, &home, &variables);
            let chosen = chosen.map_err(|problem| problem.code).map(|chosen| match chosen {
                Credentials::None => "nothing".to_owned(),
                Credentials::Token(secret) => format!("token {}", secret.expose()),
                Credentials::Password(secret) => format!("password {}", secret.expose()),
            });
            assert_eq!(chosen, expected.map(str::to_owned), "{text}");
            assert_eq!(hint(&gateway).is_some(), hinted, "{text}");
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
