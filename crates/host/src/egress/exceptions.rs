//! Exceptions that the owner makes to the rule for public addresses. No exception covers the metadata services of clouds.

use std::net::{IpAddr, Ipv6Addr};

use url::Host;

use super::address::ReservedRange;
use super::rule::EgressRefusal;

/// Exceptions to [`super::EgressRule::Public`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct EgressExceptions {
    private_network: bool,
    benchmark_range: bool,
    unique_local_range: bool,
    allowed: Vec<HostPattern>,
    blocked: Vec<HostPattern>,
}

/// A host, all hosts below it, or every host.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum HostPattern {
    Host(Host),
    /// The part after `*`, with its dot.
    Below(String),
    Every,
}

impl HostPattern {
    fn parse(text: &str) -> Result<Self, EgressRefusal> {
        let parse = |host: &str| {
            Host::parse(host.trim_end_matches('.')).map_err(|_| EgressRefusal::Host { host: text.to_owned() })
        };
        match text.trim().strip_prefix('*') {
            Some("") => Ok(Self::Every),
            Some(rest) => match rest.strip_prefix('.').map(parse) {
                Some(Ok(Host::Domain(host))) => Ok(Self::Below(format!(".{host}"))),
                _ => Err(EgressRefusal::Host { host: text.to_owned() }),
            },
            None => parse(text.trim()).map(Self::Host),
        }
    }

    fn matches(&self, host: &Host) -> bool {
        match (self, host) {
            (Self::Every, _) => true,
            (Self::Host(one), other) => one == other,
            (Self::Below(end), Host::Domain(name)) => name.len() > end.len() && name.ends_with(end.as_str()),
            (Self::Below(_), _) => false,
        }
    }
}

impl EgressExceptions {
    /// Allows this machine, private networks and the local link.
    #[must_use]
    pub fn with_private_network(self, allowed: bool) -> Self {
        Self { private_network: allowed, ..self }
    }

    /// Allows 198.18.0.0/15.
    #[must_use]
    pub fn with_benchmark_range(self, allowed: bool) -> Self {
        Self { benchmark_range: allowed, ..self }
    }

    /// Allows fc00::/7.
    #[must_use]
    pub fn with_unique_local_range(self, allowed: bool) -> Self {
        Self { unique_local_range: allowed, ..self }
    }

    /// Allows hosts to be at a private address; `*.example.org` stands for the hosts below it.
    ///
    /// # Errors
    /// The first invalid host.
    pub fn with_allowed<'a>(self, hosts: impl IntoIterator<Item = &'a str>) -> Result<Self, EgressRefusal> {
        let allowed = hosts.into_iter().map(HostPattern::parse).collect::<Result<_, _>>()?;
        Ok(Self { allowed, ..self })
    }

    /// Refuses hosts whatever else allows them; `*` stands for every host.
    ///
    /// # Errors
    /// The first invalid host.
    pub fn with_blocked<'a>(self, hosts: impl IntoIterator<Item = &'a str>) -> Result<Self, EgressRefusal> {
        let blocked = hosts.into_iter().map(HostPattern::parse).collect::<Result<_, _>>()?;
        Ok(Self { blocked, ..self })
    }

    pub(super) fn blocks(&self, host: &Host) -> bool {
        let host = without_dot(host);
        self.blocked.iter().any(|pattern| pattern.matches(&host))
    }

    /// Whether an address in a reserved range is allowed for a host. Its address may be blocked under another name.
    pub(super) fn allows(&self, host: &str, address: IpAddr, range: Option<ReservedRange>) -> bool {
        let literal = match address {
            IpAddr::V4(address) => Host::Ipv4(address),
            IpAddr::V6(address) => Host::Ipv6(address),
        };
        if self.blocks(&literal) {
            return false;
        }
        let is_private = |range| {
            matches!(
                range,
                ReservedRange::Loopback
                    | ReservedRange::Private
                    | ReservedRange::SharedNat
                    | ReservedRange::LinkLocal
                    | ReservedRange::Benchmarking
            )
        };
        let named = || {
            Host::parse(host).is_ok_and(|host| {
                let host = without_dot(&host);
                self.allowed.iter().any(|pattern| pattern.matches(&host))
            })
        };
        match range {
            None => true,
            Some(ReservedRange::Benchmarking) if self.benchmark_range => true,
            Some(ReservedRange::Private) if self.unique_local_range && is_unique_local(address) => true,
            Some(range) => is_private(range) && (self.private_network || named()),
        }
    }
}

fn is_unique_local(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if Ipv6Addr::is_unique_local(&address))
}

/// A name with the dot of the root is the same host.
fn without_dot(host: &Host) -> Host {
    match host {
        Host::Domain(name) => Host::Domain(name.trim_end_matches('.').to_owned()),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::address::reserved_range;
    use super::*;

    fn allows(exceptions: &EgressExceptions, host: &str, address: &str) -> bool {
        let address = address.parse().unwrap();
        exceptions.allows(host, address, reserved_range(address))
    }

    #[test]
    fn each_exception_allows_its_own_range_only() {
        let none = EgressExceptions::default;
        let private = none().with_private_network(true);
        let benchmark = none().with_benchmark_range(true);
        let unique_local = none().with_unique_local_range(true);
        let named = none().with_allowed(["nas.lan", "*.home.arpa"]).unwrap();
        for (address, expected) in [
            ("93.184.216.34", [true, true, true, true]),
            ("127.0.0.1", [true, false, false, true]),
            ("192.168.0.1", [true, false, false, true]),
            ("169.254.1.1", [true, false, false, true]),
            ("100.64.0.1", [true, false, false, true]),
            ("198.18.0.1", [true, true, false, true]),
            ("fd12::1", [true, false, true, true]),
            ("fec0::1", [true, false, false, true]),
            ("::1", [true, false, false, true]),
            ("169.254.169.254", [false; 4]),
            ("fd00:ec2::254", [false; 4]),
            ("::ffff:169.254.169.254", [false; 4]),
            ("0.0.0.0", [false; 4]),
            ("224.0.0.1", [false; 4]),
            ("255.255.255.255", [false; 4]),
        ] {
            let found =
                [&private, &benchmark, &unique_local, &named].map(|one| allows(one, "nas.lan", address));
            assert_eq!(found, expected, "{address}");
            assert_eq!(
                allows(&none(), "nas.lan", address),
                reserved_range(address.parse().unwrap()).is_none()
            );
        }
        for (host, expected) in [
            ("NAS.lan.", true),
            ("a.home.arpa", true),
            ("home.arpa", false),
            ("xnas.lan", false),
            ("", false),
        ] {
            assert_eq!(allows(&named, host, "10.0.0.1"), expected, "{host}");
        }
    }

    #[test]
    fn blocked_hosts_take_precedence() {
        let blocked = ["ads.example", "*.tracker.example", "8.8.8.8", "[::1]"];
        let exceptions =
            EgressExceptions::default().with_private_network(true).with_blocked(blocked).unwrap();
        for (host, expected) in [
            ("ads.example", true),
            ("ADS.example.", true),
            ("a.ads.example", false),
            ("tracker.example", false),
            ("a.b.tracker.example", true),
            ("xtracker.example", false),
            ("8.8.8.8", true),
            ("134744072", true),
            ("[::1]", true),
            ("8.8.4.4", false),
        ] {
            assert_eq!(exceptions.blocks(&Host::parse(host).unwrap()), expected, "{host}");
        }
        assert!(!allows(&exceptions, "dns.example", "8.8.8.8"), "an address is blocked under every name");
        let all = EgressExceptions::default().with_blocked(["*"]).unwrap();
        assert!(all.blocks(&Host::parse("example.org").unwrap()));
        for text in ["", "a b", "*x", "*.", "*.1.2.3.4", "https://x"] {
            assert!(EgressExceptions::default().with_blocked([text]).is_err(), "{text}");
        }
    }
}
