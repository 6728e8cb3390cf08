//! A rule for hosts that a skill may contact: `api.example.org`, `*.example.org`.

use std::fmt;
use std::net::Ipv6Addr;

/// A host, or all its subdomains.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HostRule {
    host: String,
    /// Matches the subdomains, but not the host itself.
    subdomains: bool,
}

impl HostRule {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (subdomains, host) = match text.strip_prefix("*.") {
            Some(host) => (true, host),
            None => (false, text),
        };
        let host = normalize(host);
        let letters =
            host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        let name = letters && host.split('.').all(|label| !label.is_empty());
        if name || (!subdomains && host.parse::<Ipv6Addr>().is_ok()) {
            Ok(Self { host, subdomains })
        } else {
            Err("an entry is neither a host as `example.org` nor `*.example.org`".to_owned())
        }
    }

    /// Whether the rule covers a host. Non-ASCII hosts must be punycode (`xn--…`).
    pub(super) fn covers(&self, host: &str) -> bool {
        let host = normalize(host);
        if self.subdomains {
            host.strip_suffix(&self.host).is_some_and(|start| start.len() > 1 && start.ends_with('.'))
        } else {
            host == self.host
        }
    }
}

/// Lowercases and strips the trailing dot and the brackets of an IPv6 address.
fn normalize(host: &str) -> String {
    let host = host.strip_suffix('.').unwrap_or(host);
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.to_ascii_lowercase()
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.subdomains { "*." } else { "" }, self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_rule_covers_the_host_or_its_subdomains() {
        let table = [
            ("api.example.org", "api.example.org", true),
            ("API.Example.org.", "api.example.org", true),
            ("api.example.org", "API.EXAMPLE.ORG.", true),
            ("example.org", "api.example.org", false),
            ("example.org", "badexample.org", false),
            ("example.org", "example.org.evil.test", false),
            ("*.example.org", "api.example.org", true),
            ("*.example.org", "a.b.example.org", true),
            ("*.example.org", "example.org", false),
            ("*.example.org", ".example.org", false),
            ("*.example.org", "badexample.org", false),
            ("127.0.0.1", "127.0.0.1", true),
            ("::1", "[::1]", true),
            ("example.org", "", false),
        ];
        for (rule, host, covered) in table {
            assert_eq!(HostRule::parse(rule).unwrap().covers(host), covered, "{rule} {host}");
        }
    }

    #[test]
    fn invalid_hosts_are_rejected() {
        for text in [
            "*",
            "*.",
            "https://example.org",
            "example.org/a",
            "example.org:443",
            "a b",
            "*.*.org",
            "exämple.org",
            "a..b",
        ] {
            assert!(HostRule::parse(text).is_err(), "{text}");
        }
    }
}
