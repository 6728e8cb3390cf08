//! Classifies addresses by the registries of special-purpose addresses. Pure; whatever is not known to be public is not.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The purpose of an address that is not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReservedRange {
    /// This machine.
    Loopback,
    /// A private network.
    Private,
    /// Carrier-grade NAT.
    SharedNat,
    /// The local link.
    LinkLocal,
    /// The metadata service of clouds, which hands out credentials.
    Metadata,
    /// The unspecified address.
    Unspecified,
    /// Multicast addresses.
    Multicast,
    /// The broadcast address.
    Broadcast,
    /// Addresses for documentation.
    Documentation,
    /// Addresses for benchmarks.
    Benchmarking,
    /// Tunnels such as 6to4 and Teredo.
    Tunnel,
    /// Unassigned or obsolete.
    Reserved,
}

impl fmt::Display for ReservedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Loopback => "this machine",
            Self::Private => "a private network",
            Self::SharedNat => "a provider's own network",
            Self::LinkLocal => "the local link",
            Self::Metadata => "a cloud metadata service",
            Self::Unspecified => "no machine",
            Self::Multicast => "many machines at once",
            Self::Broadcast => "every machine on the network",
            Self::Documentation => "documentation",
            Self::Benchmarking => "measuring equipment",
            Self::Tunnel => "a tunnel",
            Self::Reserved => "reserved use",
        })
    }
}

/// Metadata services of clouds; a few are outside every special range.
const METADATA_V4: [Ipv4Addr; 5] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];

/// The reserved range of an address, `None` when it is public.
#[must_use]
pub fn reserved_range(address: IpAddr) -> Option<ReservedRange> {
    match address {
        IpAddr::V4(address) => reserved_v4(address),
        IpAddr::V6(address) => reserved_v6(address),
    }
}

fn reserved_v4(address: Ipv4Addr) -> Option<ReservedRange> {
    if METADATA_V4.contains(&address) {
        return Some(ReservedRange::Metadata);
    }
    Some(match address.octets() {
        [0, ..] => ReservedRange::Unspecified,
        [127, ..] => ReservedRange::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => ReservedRange::Private,
        [100, 64..=127, ..] => ReservedRange::SharedNat,
        [169, 254, ..] => ReservedRange::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => ReservedRange::Documentation,
        [198, 18..=19, ..] => ReservedRange::Benchmarking,
        [192, 88, 99, _] => ReservedRange::Tunnel,
        [255, 255, 255, 255] => ReservedRange::Broadcast,
        [224..=239, ..] => ReservedRange::Multicast,
        [192, 0, 0, _] | [240..=255, ..] => ReservedRange::Reserved,
        _ => return None,
    })
}

fn reserved_v6(address: Ipv6Addr) -> Option<ReservedRange> {
    if METADATA_V6.contains(&address) {
        return Some(ReservedRange::Metadata);
    }
    Some(match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => ReservedRange::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => ReservedRange::Loopback,
        // IPv4-mapped, IPv4-compatible and NAT64 addresses.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            return reserved_v4(Ipv4Addr::new(a, b, c, d));
        }
        [0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, ..] => ReservedRange::Tunnel,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => ReservedRange::Private,
        [0xfe80..=0xfebf, ..] => ReservedRange::LinkLocal,
        [0xff00..=0xffff, ..] => ReservedRange::Multicast,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => ReservedRange::Documentation,
        [0x2001, 2, 0, ..] => ReservedRange::Benchmarking,
        [0x2001, 0, ..] | [0x2002, ..] => ReservedRange::Tunnel,
        [0x2001, 1..=0x1ff, ..] => ReservedRange::Reserved,
        [0x2000..=0x3fff, ..] => return None,
        _ => ReservedRange::Reserved,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TABLE: &[(Option<ReservedRange>, &[&str])] = &[
        (
            None,
            &[
                "1.1.1.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "93.184.216.34",
                "100.63.255.255",
                "100.128.0.0",
                "126.255.255.255",
                "128.0.0.0",
                "169.253.255.255",
                "169.255.0.0",
                "172.15.255.255",
                "172.32.0.0",
                "192.0.1.0",
                "192.0.3.0",
                "192.88.98.255",
                "192.88.100.0",
                "192.167.255.255",
                "192.169.0.0",
                "198.17.255.255",
                "198.20.0.0",
                "198.51.99.255",
                "203.0.112.255",
                "203.0.114.0",
                "223.255.255.255",
                "2000::1",
                "2001:200::1",
                "2001:4860:4860::8888",
                "2001:db7:ffff::1",
                "2001:db9::",
                "2003::1",
                "2606:4700:4700::1111",
                "2a00:1450:4001::1",
                "3ffe::1",
                "3fff:1000::1",
                "::ffff:8.8.8.8",
                "64:ff9b::8.8.8.8",
            ],
        ),
        (
            Some(ReservedRange::Loopback),
            &["127.0.0.1", "127.255.255.255", "127.1.2.3", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"],
        ),
        (
            Some(ReservedRange::Private),
            &[
                "10.0.0.0",
                "10.255.255.255",
                "172.16.0.0",
                "172.31.255.255",
                "192.168.0.0",
                "192.168.255.255",
                "::ffff:10.0.0.1",
                "::ffff:c0a8:1",
                "64:ff9b::192.168.1.1",
                "fc00::",
                "fc00::1",
                "fd12:3456::1",
                "fdff:ffff::1",
                "fec0::1",
                "feff::1",
            ],
        ),
        (Some(ReservedRange::SharedNat), &["100.64.0.0", "100.127.255.255", "::ffff:100.64.0.1"]),
        (
            Some(ReservedRange::LinkLocal),
            &["169.254.0.1", "169.254.255.255", "fe80::1", "febf::1", "::ffff:169.254.1.1"],
        ),
        (
            Some(ReservedRange::Metadata),
            &[
                "169.254.169.254",
                "169.254.170.2",
                "100.100.100.200",
                "168.63.129.16",
                "192.0.0.192",
                "fd00:ec2::254",
                "fd20:ce::254",
                "::ffff:169.254.169.254",
                "::ffff:a9fe:a9fe",
                "64:ff9b::a9fe:a9fe",
            ],
        ),
        (Some(ReservedRange::Unspecified), &["0.0.0.0", "0.0.0.1", "0.255.255.255", "::", "::ffff:0.0.0.0"]),
        (Some(ReservedRange::Multicast), &["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1", "ff00::"]),
        (Some(ReservedRange::Broadcast), &["255.255.255.255", "::ffff:255.255.255.255"]),
        (
            Some(ReservedRange::Documentation),
            &["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1", "3fff:fff::1"],
        ),
        (Some(ReservedRange::Benchmarking), &["198.18.0.0", "198.19.255.255", "2001:2::1"]),
        (
            Some(ReservedRange::Tunnel),
            &[
                "192.88.99.1",
                "::127.0.0.1",
                "::8.8.8.8",
                "::ffff:0:127.0.0.1",
                "64:ff9b:1::10.0.0.1",
                "64:ff9b:1::8.8.8.8",
                "2002:7f00:1::",
                "2002:c0a8:101::1",
                "2002:808:808::1",
                "2001::1",
                "2001:0:4136:e378:8000:63bf:3fff:fdd2",
            ],
        ),
        (
            Some(ReservedRange::Reserved),
            &[
                "192.0.0.1",
                "240.0.0.1",
                "255.255.255.254",
                "100::1",
                "2001:10::1",
                "2001:20::1",
                "2001:1::1",
                "200::1",
                "400::1",
                "1fff::1",
                "4000::1",
                "5f00::1",
                "fe00::1",
                "fe7f::1",
            ],
        ),
    ];

    #[test]
    fn reserved_ranges_have_exact_borders() {
        for (expected, addresses) in TABLE {
            for address in *addresses {
                assert_eq!(reserved_range(address.parse().unwrap()), *expected, "{address}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn embedded_ipv4_addresses_are_classified_as_ipv4(bits: u32) {
            let plain = Ipv4Addr::from(bits);
            let mapped = reserved_range(IpAddr::V6(plain.to_ipv6_mapped()));
            prop_assert_eq!(mapped, reserved_range(IpAddr::V4(plain)));
            prop_assert!(reserved_range(IpAddr::V6(Ipv6Addr::from(u128::from(bits)))).is_some());
        }

        #[test]
        fn only_global_unicast_is_public(bits: u128) {
            let address = Ipv6Addr::from(bits);
            if reserved_range(IpAddr::V6(address)).is_none() {
                prop_assert_eq!(address.segments()[0] >> 13, 1, "{}", address);
            }
        }
    }
}
