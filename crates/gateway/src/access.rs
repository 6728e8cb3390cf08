//! Access control: Host and Origin rules against foreign web pages, and the shared credentials.
//!
//! A browser sends requests for every page it shows. A page of another site can reach our port, and with DNS rebinding
//! (a host name that points to 127.0.0.1) its requests look like our own page's. Host and Origin are therefore checked
//! on every request.

use std::net::SocketAddr;
use std::sync::{PoisonError, RwLock};

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN, USER_AGENT};
use axum::http::uri::Scheme;
use axum::http::{HeaderMap, HeaderName, Uri};

use tarsus_home::Secret;
use tarsus_protocol::hello::AuthMethod;

use tarsus_home::credentials::Credentials;

/// Headers that proxies add, beside all that begin with `x-forwarded-`.
const FORWARDING: [&str; 6] =
    ["forwarded", "via", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip"];

/// Why a request was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessRefusal {
    /// The Host header does not name this machine.
    Host,
    /// The Origin header names a foreign page.
    Origin,
    TokenMissing,
    TokenMismatch,
    PasswordMissing,
    PasswordMismatch,
    /// The device's proof is not valid.
    Device,
    /// Too many failed attempts.
    TooMany,
}

impl AccessRefusal {
    /// The name in logs, responses and audit records.
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

/// The access rules of one port.
#[derive(Debug)]
pub struct Access {
    port: u16,
    rules: RwLock<Rules>,
}

/// The configured part of the rules; may change while the gateway runs.
#[derive(Debug)]
struct Rules {
    allowed_origins: Vec<String>,
    credentials: ActiveCredentials,
}

/// The credentials at one moment. A handshake uses one of these from beginning to end.
#[derive(Debug, Clone)]
pub struct ActiveCredentials {
    credentials: Credentials,
    /// Number of replacements since the start.
    pub generation: u64,
}

impl ActiveCredentials {
    #[must_use]
    pub const fn method(&self) -> AuthMethod {
        self.credentials.method()
    }

    /// The secret that all clients share, if one is required.
    #[must_use]
    pub const fn secret(&self) -> Option<&Secret> {
        self.credentials.secret()
    }

    /// Checks the shared secret that a client presents. It is accepted in either field, because people type the token
    /// where a password is asked for.
    ///
    /// # Errors
    /// When it is missing or wrong.
    pub fn check_shared(
        &self,
        token: Option<&str>,
        password: Option<&str>,
        direct: bool,
    ) -> Result<AuthMethod, AccessRefusal> {
        let (secret, missing, mismatch) = match &self.credentials {
            Credentials::None if direct => return Ok(AuthMethod::None),
            Credentials::None => return Err(AccessRefusal::TokenMissing),
            Credentials::Token(secret) => (secret, AccessRefusal::TokenMissing, AccessRefusal::TokenMismatch),
            Credentials::Password(secret) => {
                (secret, AccessRefusal::PasswordMissing, AccessRefusal::PasswordMismatch)
            }
        };
        let given = [token, password].into_iter().flatten();
        let mut given = given.filter(|given| !given.is_empty()).peekable();
        if given.peek().is_none() {
            return Err(missing);
        }
        if given.any(|given| *secret == Secret::new(given)) { Ok(self.method()) } else { Err(mismatch) }
    }
}

/// The bearer token of a request.
#[must_use]
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    text(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "))
}

/// Whether a request comes from this machine and no proxy forwarded it.
#[must_use]
pub fn is_direct(headers: &HeaderMap, peer: SocketAddr) -> bool {
    let was_forwarded = headers
        .keys()
        .map(HeaderName::as_str)
        .any(|name| name.starts_with("x-forwarded-") || FORWARDING.contains(&name));
    peer.ip().is_loopback() && !was_forwarded
}

impl Access {
    /// `port` is the bound port.
    #[must_use]
    pub fn new(port: u16, allowed_origins: Vec<String>, credentials: Credentials) -> Self {
        Self {
            port,
            rules: RwLock::new(Rules {
                allowed_origins,
                credentials: ActiveCredentials { credentials, generation: 0 },
            }),
        }
    }

    /// The bound port.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// Replaces the rules. The method (token, password or none) stays as it was at the start: no change of a file opens a
    /// running gateway.
    pub fn change(&self, allowed_origins: Vec<String>, credentials: Credentials) {
        let mut rules = self.rules.write().unwrap_or_else(PoisonError::into_inner);
        rules.allowed_origins = allowed_origins;
        let active = &mut rules.credentials;
        let is_other = credentials.secret() != active.secret();
        if is_other && credentials.method() == active.method() {
            *active = ActiveCredentials { credentials, generation: active.generation + 1 };
        }
    }

    /// The current credentials.
    #[must_use]
    pub fn credentials(&self) -> ActiveCredentials {
        self.rules().credentials.clone()
    }

    /// Number of replaced credentials since the start. Clients of an earlier generation have to reconnect.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.rules().credentials.generation
    }

    #[must_use]
    pub fn method(&self) -> AuthMethod {
        self.rules().credentials.method()
    }

    fn rules(&self) -> std::sync::RwLockReadGuard<'_, Rules> {
        self.rules.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks the target of a request. It is a path; if it names a host too, then the one of the Host header.
    ///
    /// # Errors
    /// If it names another host, or in another way.
    pub fn check_target(&self, target: &Uri, headers: &HeaderMap) -> Result<(), AccessRefusal> {
        let host = text(headers, &HOST);
        let is_same = match target.authority() {
            None => target.scheme().is_none(),
            Some(named) => target.scheme() == Some(&Scheme::HTTP) && host == Some(named.as_str()),
        };
        if is_same { Ok(()) } else { Err(AccessRefusal::Host) }
    }

    /// Checks Host and Origin.
    ///
    /// # Errors
    /// The first violated rule.
    pub fn check_source(&self, headers: &HeaderMap) -> Result<(), AccessRefusal> {
        // Of a repeated header, a proxy may use the other value.
        let once = |name| headers.get_all(name).iter().nth(1).is_none();
        match text(headers, &HOST) {
            Some(host) if once(&HOST) && self.is_own_host(host) => {}
            _ => return Err(AccessRefusal::Host),
        }
        match headers.contains_key(ORIGIN) {
            false if is_embedded_by_other_site(headers) => Err(AccessRefusal::Origin),
            false => Ok(()),
            true => match text(headers, &ORIGIN) {
                Some(origin) if once(&ORIGIN) && self.is_allowed_origin(origin) => Ok(()),
                _ => Err(AccessRefusal::Origin),
            },
        }
    }

    /// Rejects a browser without an Origin header: browsers always send it when a page opens a socket.
    ///
    /// # Errors
    /// If there are headers of a browser, but no Origin.
    pub fn check_browser(&self, headers: &HeaderMap) -> Result<(), AccessRefusal> {
        let is_browser = headers.keys().any(|name| name.as_str().starts_with("sec-fetch-"))
            || text(headers, &USER_AGENT).is_some_and(|agent| agent.starts_with("Mozilla/"));
        if is_browser && !headers.contains_key(ORIGIN) { Err(AccessRefusal::Origin) } else { Ok(()) }
    }

    /// Whether a host is one of ours, written as we write it: a number has other forms that other parsers may take for
    /// another host.
    fn is_own_host(&self, host: &str) -> bool {
        let port = self.port.to_string();
        let (name, port_is_ours) = match host.rsplit_once(':') {
            Some((name, given)) if !given.ends_with(']') => (name, given == port),
            // Without a port, HTTP's default.
            _ => (host, self.port == 80),
        };
        port_is_ours && ["127.0.0.1", "[::1]", "localhost"].iter().any(|own| name.eq_ignore_ascii_case(own))
    }

    fn is_allowed_origin(&self, origin: &str) -> bool {
        // `null` and `*` name no page, whatever the configuration says.
        if !origin.contains("://") {
            return false;
        }
        origin.strip_prefix("http://").is_some_and(|host| self.is_own_host(host))
            || self
                .rules()
                .allowed_origins
                .iter()
                .any(|allowed| allowed.trim_end_matches('/').eq_ignore_ascii_case(origin))
    }
}

/// Whether a page of another site embeds this as an image, a script or the like. A link that is followed is not
/// embedded.
fn is_embedded_by_other_site(headers: &HeaderMap) -> bool {
    let header = |name: &'static str| text(headers, &HeaderName::from_static(name));
    matches!(header("sec-fetch-site"), Some("cross-site" | "same-site"))
        && header("sec-fetch-mode") != Some("navigate")
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

#[cfg(test)]
mod tests {
    use tarsus_home::Secret;

    use super::*;

    /// Headers and the expected result.
    type Case = (&'static [(&'static str, &'static str)], Result<(), AccessRefusal>);

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap())).collect()
    }

    fn access(credentials: Credentials) -> Access {
        let origins = ["https://studio.example/", "null", "*"].map(str::to_owned);
        Access::new(18789, origins.into(), credentials)
    }

    #[test]
    fn target_names_no_other_host() {
        let access = access(Credentials::None);
        let host = headers(&[("host", "127.0.0.1:18789")]);
        for (target, expected) in [
            ("/healthz", Ok(())),
            ("http://127.0.0.1:18789/healthz", Ok(())),
            ("https://127.0.0.1:18789/healthz", Err(AccessRefusal::Host)),
            ("http://localhost:18789/healthz", Err(AccessRefusal::Host)),
            ("http://127.0.0.1/healthz", Err(AccessRefusal::Host)),
            ("http://rebound.example:18789/healthz", Err(AccessRefusal::Host)),
            ("http://ada@127.0.0.1:18789/healthz", Err(AccessRefusal::Host)),
            ("127.0.0.1:18789", Err(AccessRefusal::Host)),
        ] {
            assert_eq!(access.check_target(&target.parse().unwrap(), &host), expected, "{target}");
        }
    }

    #[test]
    fn only_own_hosts_and_origins_are_allowed() {
        let access = access(Credentials::None);
        let table: &[Case] = &[
            (&[("host", "127.0.0.1:18789")], Ok(())),
            (&[("host", "LocalHost:18789")], Ok(())),
            (&[("host", "[::1]:18789")], Ok(())),
            (&[], Err(AccessRefusal::Host)),
            (&[("host", "127.0.0.1")], Err(AccessRefusal::Host)),
            (&[("host", "[::1]")], Err(AccessRefusal::Host)),
            (&[("host", "127.0.0.1:80")], Err(AccessRefusal::Host)),
            (&[("host", "127.0.0.1:+18789")], Err(AccessRefusal::Host)),
            (&[("host", "127.0.0.1:018789")], Err(AccessRefusal::Host)),
            (&[("host", "127.0.0.1:")], Err(AccessRefusal::Host)),
            (&[("host", "[::1]:+18789")], Err(AccessRefusal::Host)),
            (
                &[("host", "127.0.0.1:18789"), ("origin", "http://localhost:+18789")],
                Err(AccessRefusal::Origin),
            ),
            (&[("host", "127.0.0.1:18789"), ("origin", "*")], Err(AccessRefusal::Origin)),
            (&[("host", "rebound.example:18789")], Err(AccessRefusal::Host)),
            (&[("host", "localhost.rebound.example:18789")], Err(AccessRefusal::Host)),
            (&[("host", "127.0.0.1:18789"), ("origin", "http://localhost:18789")], Ok(())),
            (&[("host", "127.0.0.1:18789"), ("origin", "https://studio.example")], Ok(())),
            (
                &[("host", "127.0.0.1:18789"), ("origin", "https://127.0.0.1:18789")],
                Err(AccessRefusal::Origin),
            ),
            (&[("host", "127.0.0.1:18789"), ("origin", "http://localhost:3000")], Err(AccessRefusal::Origin)),
            (&[("host", "127.0.0.1:18789"), ("origin", "null")], Err(AccessRefusal::Origin)),
            (&[("host", "127.0.0.1:18789"), ("sec-fetch-site", "cross-site")], Err(AccessRefusal::Origin)),
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
        assert_eq!(access.check_source(&twice), Err(AccessRefusal::Origin));
        twice.append(HOST, "127.0.0.1:18789".parse().unwrap());
        assert_eq!(access.check_source(&twice), Err(AccessRefusal::Host));
        for (given, expected) in table {
            assert_eq!(access.check_source(&headers(given)), *expected, "{given:?}");
        }
    }

    #[test]
    fn only_the_token_is_accepted() {
        let shared = access(Credentials::Token(Secret::new("correct horse")));
        let table: &[Case] = &[
            (&[("authorization", "Bearer correct horse")], Ok(())),
            (&[], Err(AccessRefusal::TokenMissing)),
            (&[("authorization", "Basic correct horse")], Err(AccessRefusal::TokenMissing)),
            (&[("authorization", "Bearer ")], Err(AccessRefusal::TokenMissing)),
            (&[("authorization", "Bearer correct horse2")], Err(AccessRefusal::TokenMismatch)),
            (&[("authorization", "Bearer correct hors")], Err(AccessRefusal::TokenMismatch)),
        ];
        for (given, expected) in table {
            let checked = shared.credentials().check_shared(bearer(&headers(given)), None, true).map(|_| ());
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
                (access.generation(), access.credentials().secret()),
                (generation, Some(&Secret::new(opens)))
            );
            assert_eq!(access.credentials().check_shared(Some(opens), None, true), Ok(AuthMethod::Token));
        }
        assert_eq!(
            access.credentials().check_shared(Some(""), Some(""), true),
            Err(AccessRefusal::TokenMissing)
        );
    }

    #[test]
    fn without_credentials_only_direct_local_is_admitted() {
        let open = access(Credentials::None);
        let far: SocketAddr = "192.0.2.7:5000".parse().unwrap();
        let here: SocketAddr = "[::1]:5000".parse().unwrap();
        let check =
            |headers: &HeaderMap, peer| open.credentials().check_shared(None, None, is_direct(headers, peer));
        assert_eq!(check(&headers(&[]), here), Ok(AuthMethod::None));
        assert_eq!(check(&headers(&[]), far), Err(AccessRefusal::TokenMissing));
        for name in ["x-forwarded-for", "x-forwarded-port", "forwarded", "via", "x-real-ip"] {
            let forwarded = headers(&[(name, "192.0.2.7")]);
            assert_eq!(check(&forwarded, here), Err(AccessRefusal::TokenMissing), "{name}");
        }
    }
}
