//! Who may ask: the Host and Origin rules that keep web pages of others out, and the token.
//!
//! A browser sends requests for any page it shows. A page of another site may reach our port, and a name that its
//! owner points at 127.0.0.1 (DNS rebinding) makes them look like our own: so the name asked for and the page that
//! asks are checked on every request.

use std::net::SocketAddr;
use std::sync::{PoisonError, RwLock};

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, USER_AGENT};
use axum::http::{HeaderMap, HeaderName};

use tarsus_home::Secret;
use tarsus_protocol::hello::AuthMethod;

use tarsus_home::credentials::Credentials;

/// What something in between adds, beside everything that begins with `x-forwarded-`.
const FORWARDING: [&str; 6] =
    ["forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"];

/// Why a request was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// The name asked for is not this machine's own.
    Host,
    /// The page that asks is not ours.
    Origin,
    /// No token was given.
    TokenMissing,
    /// The token is not the one.
    TokenMismatch,
    /// No password was given.
    PasswordMissing,
    /// The password is not the one.
    PasswordMismatch,
    /// The device could not prove itself.
    Device,
    /// Too many attempts failed before.
    TooMany,
}

impl Refusal {
    /// The word for logs, answers and the audit.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host-not-allowed",
            Self::Origin => "origin-not-allowed",
            Self::TokenMissing => "token-missing",
            Self::TokenMismatch => "token-mismatch",
            Self::PasswordMissing => "password-missing",
            Self::PasswordMismatch => "password-mismatch",
            Self::Device => "device-not-proven",
            Self::TooMany => "too-many-failures",
        }
    }
}

/// The rules, for one port.
#[derive(Debug)]
pub struct Access {
    port: u16,
    rules: RwLock<Rules>,
}

/// What the configuration says of access; it may change while the gateway runs.
#[derive(Debug)]
struct Rules {
    allowed_origins: Vec<String>,
    door: Door,
}

/// What opens the gateway at one moment. Whoever comes in does so by one of these from beginning to end.
#[derive(Debug, Clone)]
pub struct Door {
    credentials: Credentials,
    /// How often what opens the gateway was replaced since the start.
    pub generation: u64,
}

impl Door {
    /// What clients are let in by.
    #[must_use]
    pub const fn method(&self) -> AuthMethod {
        self.credentials.method()
    }

    /// What all clients share; none when nothing is asked for.
    #[must_use]
    pub const fn secret(&self) -> Option<&Secret> {
        self.credentials.secret()
    }

    /// Checks what a client shows of what all clients share. A password may hold the token: people type it where
    /// they can.
    ///
    /// # Errors
    /// When it is missing or wrong.
    pub fn check_shared(
        &self,
        token: Option<&str>,
        password: Option<&str>,
        direct: bool,
    ) -> Result<AuthMethod, Refusal> {
        let (secret, missing, mismatch) = match &self.credentials {
            Credentials::None if direct => return Ok(AuthMethod::None),
            Credentials::None => return Err(Refusal::TokenMissing),
            Credentials::Token(secret) => (secret, Refusal::TokenMissing, Refusal::TokenMismatch),
            Credentials::Password(secret) => (secret, Refusal::PasswordMissing, Refusal::PasswordMismatch),
        };
        let given = [token, password].into_iter().flatten();
        let mut given = given.filter(|given| !given.is_empty()).peekable();
        if given.peek().is_none() {
            return Err(missing);
        }
        if given.any(|given| *secret == Secret::new(given)) { Ok(self.method()) } else { Err(mismatch) }
    }
}

/// The token of a request, where it has one.
#[must_use]
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    text(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "))
}

/// Whether a request comes straight from this machine: nothing in between forwarded it.
#[must_use]
pub fn is_direct(headers: &HeaderMap, peer: SocketAddr) -> bool {
    let was_forwarded = headers
        .keys()
        .map(HeaderName::as_str)
        .any(|name| name.starts_with("x-forwarded-") || FORWARDING.contains(&name));
    peer.ip().is_loopback() && !was_forwarded
}

impl Access {
    /// Rules for the port that was bound.
    #[must_use]
    pub fn new(port: u16, allowed_origins: Vec<String>, credentials: Credentials) -> Self {
        Self {
            port,
            rules: RwLock::new(Rules { allowed_origins, door: Door { credentials, generation: 0 } }),
        }
    }

    /// Puts new rules in force. Whether a token, a password or nothing is asked for stays as it was at the start: no
    /// change of a file opens a gateway that runs.
    pub fn change(&self, allowed_origins: Vec<String>, credentials: Credentials) {
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        rules.allowed_origins = allowed_origins;
        let door = &mut rules.door;
        let is_other = credentials.secret() != door.secret();
        if is_other && credentials.method() == door.method() {
            *door = Door { credentials, generation: door.generation + 1 };
        }
    }

    /// What opens the gateway now.
    #[must_use]
    pub fn door(&self) -> Door {
        self.rules().door.clone()
    }

    /// How often what opens the gateway was replaced since the start. Whoever was let in before has to come in again.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.rules().door.generation
    }

    /// What clients are let in by.
    #[must_use]
    pub fn method(&self) -> AuthMethod {
        self.rules().door.method()
    }

    fn rules(&self) -> std::sync::RwLockReadGuard<'_, Rules> {
        self.rules.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks what every request must satisfy.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check_source(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        // Said twice, either may be the one that somebody in between goes by.
        let once = |name| headers.get_all(name).iter().nth(1).is_none();
        match text(headers, &HOST) {
            Some(host) if once(&HOST) && self.is_own_host(host) => {}
            _ => return Err(Refusal::Host),
        }
        match headers.contains_key(ORIGIN) {
            false if is_used_by_another_page(headers) => Err(Refusal::Origin),
            false => Ok(()),
            true => match text(headers, &ORIGIN) {
                Some(origin) if once(&ORIGIN) && self.is_allowed_origin(origin) => Ok(()),
                _ => Err(Refusal::Origin),
            },
        }
    }

    /// Refuses a browser that does not say which page asks: a page always says so when it opens a socket.
    ///
    /// # Errors
    /// When there is no Origin and a browser's own headers.
    pub fn check_browser(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let is_browser = headers.keys().any(|name| name.as_str().starts_with("sec-fetch-"))
            || text(headers, &USER_AGENT).is_some_and(|agent| agent.starts_with("Mozilla/"));
        if is_browser && !headers.contains_key(ORIGIN) { Err(Refusal::Origin) } else { Ok(()) }
    }

    fn is_own_host(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            // No port stands for HTTP's own.
            _ => (host, Some(80)),
        };
        port == Some(self.port)
            && ["127.0.0.1", "[::1]", "localhost"].iter().any(|own| name.eq_ignore_ascii_case(own))
    }

    fn is_allowed_origin(&self, origin: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|host| self.is_own_host(host))
            || self
                .rules()
                .allowed_origins
                .iter()
                .any(|allowed| allowed.trim_end_matches('/').eq_ignore_ascii_case(origin))
    }
}

/// Whether a browser says that a page of another site has this as a part of it: a picture, a script. Following a link is
/// something else.
fn is_used_by_another_page(headers: &HeaderMap) -> bool {
    let says = |name: &'static str| text(headers, &HeaderName::from_static(name));
    matches!(says("sec-fetch-site"), Some("cross-site" | "same-site"))
        && says("sec-fetch-mode") != Some("navigate")
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use tarsus_home::Secret;

    use super::*;

    /// Header lines, and what becomes of them.
    type Case = (&'static [(&'static str, &'static str)], Result<(), Refusal>);

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    fn access(credentials: Credentials) -> Access {
        Access::new(18789, vec!["https://studio.example/".to_owned()], credentials)
    }

    #[test]
    fn only_own_hosts_and_origins_are_allowed() {
        let access = access(Credentials::None);
        let table: &[Case] = &[
            (&[("host", "127.0.0.1:18789")], Ok(())),
            (&[("host", "LocalHost:18789")], Ok(())),
            (&[("host", "[::1]:18789")], Ok(())),
            (&[], Err(Refusal::Host)),
            (&[("host", "127.0.0.1")], Err(Refusal::Host)),
            (&[("host", "[::1]")], Err(Refusal::Host)),
            (&[("host", "127.0.0.1:80")], Err(Refusal::Host)),
            (&[("host", "rebound.example:18789")], Err(Refusal::Host)),
            (&[("host", "localhost.rebound.example:18789")], Err(Refusal::Host)),
            (&[("host", "127.0.0.1:18789"), ("origin", "http://localhost:18789")], Ok(())),
            (&[("host", "127.0.0.1:18789"), ("origin", "https://studio.example")], Ok(())),
            (&[("host", "127.0.0.1:18789"), ("origin", "https://127.0.0.1:18789")], Err(Refusal::Origin)),
            (&[("host", "127.0.0.1:18789"), ("origin", "http://localhost:3000")], Err(Refusal::Origin)),
            (&[("host", "127.0.0.1:18789"), ("origin", "null")], Err(Refusal::Origin)),
            (&[("host", "127.0.0.1:18789"), ("sec-fetch-site", "cross-site")], Err(Refusal::Origin)),
            (
                &[
                    ("host", "127.0.0.1:18789"),
                    ("sec-fetch-site", "cross-site"),
                    ("sec-fetch-mode", "navigate"),
                ],
                Ok(()),
            ),
            (&[("host", "127.0.0.1:18789"), ("sec-fetch-site", "same-origin")], Ok(())),
        ];
        let mut twice = headers(&[("host", "127.0.0.1:18789"), ("origin", "http://localhost:18789")]);
        assert_eq!(access.check_source(&twice), Ok(()));
        twice.append(ORIGIN, "http://localhost:18789".parse().unwrap());
        assert_eq!(access.check_source(&twice), Err(Refusal::Origin));
        twice.append(HOST, "127.0.0.1:18789".parse().unwrap());
        assert_eq!(access.check_source(&twice), Err(Refusal::Host));
        for (given, expected) in table {
            assert_eq!(access.check_source(&headers(given)), *expected, "{given:?}");
        }
    }

    #[test]
    fn only_the_token_is_accepted() {
        let shared = access(Credentials::Token(Secret::new("correct horse")));
        let table: &[Case] = &[
            (&[("authorization", "Bearer correct horse")], Ok(())),
            (&[], Err(Refusal::TokenMissing)),
            (&[("authorization", "Basic correct horse")], Err(Refusal::TokenMissing)),
            (&[("authorization", "Bearer ")], Err(Refusal::TokenMissing)),
            (&[("authorization", "Bearer correct horse2")], Err(Refusal::TokenMismatch)),
            (&[("authorization", "Bearer correct hors")], Err(Refusal::TokenMismatch)),
        ];
        for (given, expected) in table {
            let checked = shared.door().check_shared(bearer(&headers(given)), None, true).map(|_| ());
            assert_eq!(checked, *expected, "{given:?}");
        }
    }

    #[test]
    fn generation_changes_with_the_secret_only() {
        let token = |text: &str| Credentials::Token(Secret::new(text));
        let access = access(token("one"));
        for (credentials, generation, opens) in [
            (token("one"), 0, "one"),
            (Credentials::None, 0, "one"),
            (Credentials::Password(Secret::new("two")), 0, "one"),
            (token("two"), 1, "two"),
            (token("two"), 1, "two"),
            (token("one"), 2, "one"),
        ] {
            access.change(Vec::new(), credentials);
            assert_eq!(
                (access.generation(), access.door().secret()),
                (generation, Some(&Secret::new(opens)))
            );
            assert_eq!(access.door().check_shared(Some(opens), None, true), Ok(AuthMethod::Token));
        }
        assert_eq!(access.door().check_shared(Some(""), Some(""), true), Err(Refusal::TokenMissing));
    }

    #[test]
    fn without_credentials_only_direct_local_is_admitted() {
        let open = access(Credentials::None);
        let far: SocketAddr = "192.0.2.7:5000".parse().unwrap();
        let here: SocketAddr = "[::1]:5000".parse().unwrap();
        let check =
            |headers: &HeaderMap, peer| open.door().check_shared(None, None, is_direct(headers, peer));
        assert_eq!(check(&headers(&[]), here), Ok(AuthMethod::None));
        assert_eq!(check(&headers(&[]), far), Err(Refusal::TokenMissing));
        for name in ["x-forwarded-for", "x-forwarded-port", "forwarded", "via", "x-real-ip"] {
            let forwarded = headers(&[(name, "192.0.2.7")]);
            assert_eq!(check(&forwarded, here), Err(Refusal::TokenMissing), "{name}");
        }
    }
}
