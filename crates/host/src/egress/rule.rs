//! Destination rules of requests: checked on the URL, and on every address before it is connected to.

use std::collections::BTreeSet;
use std::net::IpAddr;

use url::{Host, Url};

use super::address::{ReservedRange, reserved_range};
use super::exceptions::EgressExceptions;

/// Ports of protocols that could mistake a request for their own: mail, shells, files, databases.
const REFUSED_PORTS: [u16; 36] = [
    0, 1, 7, 9, 19, 21, 22, 23, 25, 53, 69, 79, 110, 111, 119, 135, 139, 143, 161, 389, 445, 465, 514, 515,
    587, 636, 993, 995, 2049, 3306, 5432, 5060, 6379, 6667, 11211, 27017,
];

/// The allowed destinations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EgressRule {
    /// Public addresses only: for requests of a model or a page.
    Public,
    /// Public addresses, with the owner's exceptions.
    PublicExcept(Box<EgressExceptions>),
    /// This machine only: for a local model server.
    Loopback,
    /// These hosts only, as the owner named them; they may be public or private.
    Only(BTreeSet<Host>),
}

/// The reason why a destination is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EgressRefusal {
    /// Neither `http` nor `https`.
    #[error("the scheme {scheme} is not supported; use http or https")]
    Scheme {
        /// The scheme.
        scheme: String,
    },
    /// Credentials inside the URL.
    #[error("a URL must not contain a user name or password")]
    UserInfo,
    /// No host.
    #[error("the URL has no host")]
    NoHost,
    /// A port of another protocol.
    #[error("port {port} belongs to another protocol")]
    Port {
        /// The port.
        port: u16,
    },
    /// A host that is not on the list.
    #[error("{host} is not one of the hosts allowed here")]
    Host {
        /// The host.
        host: String,
    },
    /// A host that the owner has blocked.
    #[error("{host} is a blocked host")]
    Blocked {
        /// The host.
        host: String,
    },
    /// The caller does not allow it.
    #[error("{reason}")]
    Caller {
        /// The reason.
        reason: String,
    },
    /// The host is, or resolves only to, addresses that are not allowed.
    #[error("{host} is at {address}, {}", match kind {
        Some(kind) => format!("which is for {kind}"),
        None => "which is not on this machine".to_owned(),
    })]
    Address {
        /// The host as in the URL.
        host: String,
        /// Its address.
        address: IpAddr,
        /// The reserved range of the address; `None` if it is public.
        kind: Option<ReservedRange>,
    },
}

impl EgressRule {
    /// Only these hosts: names, IPv4 addresses, or IPv6 addresses in brackets.
    ///
    /// # Errors
    /// The first invalid host.
    pub fn only<'a>(hosts: impl IntoIterator<Item = &'a str>) -> Result<Self, EgressRefusal> {
        let parse = |host: &str| Host::parse(host).map_err(|_| EgressRefusal::Host { host: host.into() });
        hosts.into_iter().map(parse).collect::<Result<_, _>>().map(Self::Only)
    }

    /// Checks everything in a URL that needs no name lookup.
    pub(super) fn check_url(&self, url: &Url) -> Result<(), EgressRefusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(EgressRefusal::Scheme { scheme: url.scheme().to_owned() });
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(EgressRefusal::UserInfo);
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if REFUSED_PORTS.contains(&port) {
            return Err(EgressRefusal::Port { port });
        }
        let host = url.host().ok_or(EgressRefusal::NoHost)?.to_owned();
        if let Self::Only(hosts) = self
            && !hosts.contains(&host)
        {
            return Err(EgressRefusal::Host { host: host.to_string() });
        }
        if let Self::PublicExcept(exceptions) = self
            && exceptions.blocks(&host)
        {
            return Err(EgressRefusal::Blocked { host: host.to_string() });
        }
        match host {
            Host::Domain(_) => Ok(()),
            Host::Ipv4(address) => self.check_address(&host.to_string(), address.into()),
            Host::Ipv6(address) => self.check_address(&host.to_string(), address.into()),
        }
    }

    /// Checks an address of `host`.
    pub(super) fn check_address(&self, host: &str, address: IpAddr) -> Result<(), EgressRefusal> {
        let kind = reserved_range(address);
        let allowed = match self {
            Self::Public => kind.is_none(),
            Self::PublicExcept(exceptions) => exceptions.allows(host, address, kind),
            Self::Loopback => kind == Some(ReservedRange::Loopback),
            Self::Only(_) => {
                matches!(
                    kind,
                    None | Some(ReservedRange::Loopback | ReservedRange::Private | ReservedRange::SharedNat)
                )
            }
        };
        if allowed {
            return Ok(());
        }
        Err(EgressRefusal::Address { host: host.to_owned(), address, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(rule: &EgressRule, url: &str) -> Option<EgressRefusal> {
        rule.check_url(&Url::parse(url).unwrap()).err()
    }

    fn at(host: &str, address: &str, kind: Option<ReservedRange>) -> Option<EgressRefusal> {
        Some(EgressRefusal::Address { host: host.into(), address: address.parse().unwrap(), kind })
    }

    #[test]
    fn every_spelling_of_an_address_is_checked() {
        for url in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://0x7f.1/",
            "http://017700000001/",
            "http://127.0.0.1./",
            "http://%31%32%37.0.0.1/",
            "http://１２７.０.０.１/",
            "http://127。0。0。1/",
            "http:\\\\127.0.0.1\\",
            "http:127.0.0.1",
            "HTTP://127.0.0.1:8080/x",
        ] {
            let expected = at("127.0.0.1", "127.0.0.1", Some(ReservedRange::Loopback));
            assert_eq!(refused(&EgressRule::Public, url), expected, "{url}");
        }
        for (url, host, kind) in [
            ("http://[::1]/", "::1", ReservedRange::Loopback),
            ("http://[0:0:0:0:0:ffff:7f00:1]/", "::ffff:127.0.0.1", ReservedRange::Loopback),
            ("http://[::ffff:169.254.169.254]/", "::ffff:169.254.169.254", ReservedRange::Metadata),
            ("http://[fd00:ec2::254]/", "fd00:ec2::254", ReservedRange::Metadata),
            ("http://169.254.169.254/latest", "169.254.169.254", ReservedRange::Metadata),
            ("http://0/", "0.0.0.0", ReservedRange::Unspecified),
            ("http://10.1/", "10.0.0.1", ReservedRange::Private),
            ("http://[2002:7f00:1::]/", "2002:7f00:1::", ReservedRange::Tunnel),
        ] {
            let shown = Url::parse(url).unwrap().host().unwrap().to_string();
            assert_eq!(refused(&EgressRule::Public, url), at(&shown, host, Some(kind)), "{url}");
        }
    }

    #[test]
    fn invalid_urls_are_rejected() {
        for url in [
            "http://[fe80::1%25eth0]/",
            "http://[fe80::1%eth0]/",
            "http://256.1.1.1/",
            "http://1.2.3.4.5/",
            "http:///",
            "//example.com/",
            "http://a b/",
            "http://exa\u{0}mple/",
            "http://[::1",
            "http://x:99999/",
        ] {
            assert!(Url::parse(url).is_err(), "{url}");
        }
    }

    #[test]
    fn foreign_schemes_credentials_and_ports_are_refused() {
        for (url, expected) in [
            ("ftp://example.com/", Some(EgressRefusal::Scheme { scheme: "ftp".into() })),
            ("file:///etc/passwd", Some(EgressRefusal::Scheme { scheme: "file".into() })),
            ("data:text/plain,x", Some(EgressRefusal::Scheme { scheme: "data".into() })),
            ("http://user@example.com/", Some(EgressRefusal::UserInfo)),
            ("http://:pass@example.com/", Some(EgressRefusal::UserInfo)),
            ("http://example.com:25/", Some(EgressRefusal::Port { port: 25 })),
            ("https://example.com:6379/", Some(EgressRefusal::Port { port: 6379 })),
            ("http://example.com:0/", Some(EgressRefusal::Port { port: 0 })),
            ("https://example.com:8443/", None),
            ("https://例子.测试/", None),
            ("http://8.8.8.8/", None),
        ] {
            assert_eq!(refused(&EgressRule::Public, url), expected, "{url}");
        }
    }

    #[test]
    fn rules_allow_only_the_named_hosts() {
        assert_eq!(refused(&EgressRule::Loopback, "http://127.0.0.1:11434/"), None);
        assert_eq!(refused(&EgressRule::Loopback, "http://[::1]:11434/"), None);
        assert_eq!(refused(&EgressRule::Loopback, "http://8.8.8.8/"), at("8.8.8.8", "8.8.8.8", None));

        let only = EgressRule::only(["Example.com", "192.168.1.5", "169.254.169.254"]).unwrap();
        assert_eq!(refused(&only, "https://EXAMPLE.com/"), None);
        assert_eq!(refused(&only, "http://192.168.1.5:8080/"), None);
        let refusal = Some(EgressRefusal::Host { host: "www.example.com".into() });
        assert_eq!(refused(&only, "https://www.example.com/"), refusal);
        let metadata = at("169.254.169.254", "169.254.169.254", Some(ReservedRange::Metadata));
        assert_eq!(refused(&only, "http://169.254.169.254/"), metadata, "not even when named");
        assert_eq!(EgressRule::only(["a b"]), Err(EgressRefusal::Host { host: "a b".into() }));
    }

    #[test]
    fn refusal_names_the_address() {
        let refused = refused(&EgressRule::Public, "http://10.1/").unwrap();
        assert_eq!(refused.to_string(), "10.0.0.1 is at 10.0.0.1, which is for a private network");
        let refusal = EgressRule::Loopback.check_address("a.example", "8.8.8.8".parse().unwrap());
        let text = "a.example is at 8.8.8.8, which is not on this machine";
        assert_eq!(refusal.unwrap_err().to_string(), text);
    }
}
