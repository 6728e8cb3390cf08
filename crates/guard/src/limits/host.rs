//! A host that a skill may ask, or all below one: `api.example.org`, `*.example.org`.

use std::fmt;
use std::net::Ipv6Addr;

/// A host, or all hosts below one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct HostRule {
    host: String,
    /// Whether those below are meant, and not the host itself.
    below: bool,
}

impl HostRule {
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let (below, host) = match text.strip_prefix("*.") {
            Some(host) => (true, host),
            None => (false, text),
        };
        let host = plain(host);
        let letters =
            host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        let name = letters && host.split('.').all(|label| !label.is_empty());
        if name || (!below && host.parse::<Ipv6Addr>().is_ok()) {
            Ok(Self { host, below })
        } else {
            Err("an entry is neither a host as `example.org` nor `*.example.org`".to_owned())
        }
    }

    /// Whether a host is meant. Hosts beyond ASCII have to come as addresses have them (`xn--…`).
    pub(super) fn covers(&self, host: &str) -> bool {
        let host = plain(host);
        if self.below {
            host.strip_suffix(&self.host).is_some_and(|start| start.len() > 1 && start.ends_with('.'))
        } else {
            host == self.host
        }
    }
}

/// In lower case, without the dot of the root and the brackets of an address.
fn plain(host: &str) -> String {
    let host = host.strip_suffix('.').unwrap_or(host);
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.to_ascii_lowercase()
}

impl fmt::Display for HostRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.below { "*." } else { "" }, self.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_covered_by_its_own_name_and_by_a_star_above_it() {
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
            assert_eq!(HostRule::read(rule).unwrap().covers(host), covered, "{rule} {host}");
        }
    }

    #[test]
    fn what_is_no_host_is_no_rule() {
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
            assert!(HostRule::read(text).is_err(), "{text}");
        }
    }
}
