//! Who may ask: the Host and Origin rules that keep web pages of others out, and the token.
//!
//! A browser sends requests for any page it shows. A page of another site may reach our port, and a name that its
//! owner points at 127.0.0.1 (DNS rebinding) makes them look like our own: so the name asked for and the page that
//! asks are checked on every request.

use std::net::SocketAddr;

use axum::http::header::{AUTHORIZATION, FORWARDED, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName};

use tarsus_home::Secret;

use crate::credentials::Credentials;

const FORWARDING: [HeaderName; 5] = [
    FORWARDED,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-forwarded-host"),
    HeaderName::from_static("x-forwarded-proto"),
    HeaderName::from_static("x-real-ip"),
];

/// Why a request was turned away.
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
        }
    }
}

/// The rules, for one port.
#[derive(Debug)]
pub struct Access {
    port: u16,
    allowed_origins: Vec<String>,
    credentials: Credentials,
}

impl Access {
    /// Rules for the port that was bound.
    #[must_use]
    pub fn new(port: u16, allowed_origins: Vec<String>, credentials: Credentials) -> Self {
        Self { port, allowed_origins, credentials }
    }

    /// Checks what every request must satisfy.
    ///
    /// # Errors
    /// The first rule that it breaks.
    pub fn check_source(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        let host = text(headers, &HOST).ok_or(Refusal::Host)?;
        if !self.is_own_host(host) {
            return Err(Refusal::Host);
        }
        match headers.get(ORIGIN) {
            None => Ok(()),
            Some(origin) => {
                let origin = origin.to_str().map_err(|_| Refusal::Origin)?;
                if self.is_allowed_origin(origin) { Ok(()) } else { Err(Refusal::Origin) }
            }
        }
    }

    /// Checks the token of a request for something private.
    ///
    /// # Errors
    /// When it is missing or wrong.
    pub fn check_token(&self, headers: &HeaderMap, peer: SocketAddr) -> Result<(), Refusal> {
        let direct = peer.ip().is_loopback() && !FORWARDING.iter().any(|name| headers.contains_key(name));
        let given = text(headers, &AUTHORIZATION).and_then(|value| value.strip_prefix("Bearer "));
        match &self.credentials {
            Credentials::None if direct => Ok(()),
            Credentials::None => Err(Refusal::TokenMissing),
            Credentials::Shared(secret) => match given {
                None => Err(Refusal::TokenMissing),
                Some(given) if *secret == Secret::new(given) => Ok(()),
                Some(_) => Err(Refusal::TokenMismatch),
            },
        }
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
                .allowed_origins
                .iter()
                .any(|allowed| allowed.trim_end_matches('/').eq_ignore_ascii_case(origin))
    }
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
    fn only_our_own_names_and_pages_may_ask() {
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
        ];
        for (given, expected) in table {
            assert_eq!(access.check_source(&headers(given)), *expected, "{given:?}");
        }
    }

    #[test]
    fn the_token_opens_and_nothing_else_does() {
        let here: SocketAddr = "127.0.0.1:5000".parse().unwrap();
        let shared = access(Credentials::Shared(Secret::new("correct horse")));
        let table: &[Case] = &[
            (&[("authorization", "Bearer correct horse")], Ok(())),
            (&[], Err(Refusal::TokenMissing)),
            (&[("authorization", "Basic correct horse")], Err(Refusal::TokenMissing)),
            (&[("authorization", "Bearer ")], Err(Refusal::TokenMismatch)),
            (&[("authorization", "Bearer correct horse2")], Err(Refusal::TokenMismatch)),
            (&[("authorization", "Bearer correct hors")], Err(Refusal::TokenMismatch)),
        ];
        for (given, expected) in table {
            assert_eq!(shared.check_token(&headers(given), here), *expected, "{given:?}");
        }
    }

    #[test]
    fn without_credentials_only_a_direct_local_caller_is_let_in() {
        let open = access(Credentials::None);
        let far: SocketAddr = "192.0.2.7:5000".parse().unwrap();
        let here: SocketAddr = "[::1]:5000".parse().unwrap();
        assert_eq!(open.check_token(&headers(&[]), here), Ok(()));
        assert_eq!(open.check_token(&headers(&[]), far), Err(Refusal::TokenMissing));
        let forwarded = headers(&[("x-forwarded-for", "192.0.2.7")]);
        assert_eq!(open.check_token(&forwarded, here), Err(Refusal::TokenMissing));
    }
}
