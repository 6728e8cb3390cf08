//! Which addresses are public, and what the others are for. A pure function over the registries of
//! special addresses; whatever is not known to be public is not.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What an address that is not public is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Special {
    /// This machine.
    Loopback,
    /// A private network.
    Private,
    /// The customers of one provider behind one public address.
    SharedNat,
    /// The same cable.
    LinkLocal,
    /// The service that gives cloud machines their keys.
    Metadata,
    /// No address at all.
    Unspecified,
    /// Many machines at once.
    Multicast,
    /// Every machine on the network.
    Broadcast,
    /// Examples in texts.
    Documentation,
    /// Measuring equipment.
    Benchmarking,
    /// Tunnels that carry one kind of address inside another.
    Tunnel,
    /// Nothing yet, or something of the past.
    Reserved,
}

impl fmt::Display for Special {
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

/// Where the clouds have their metadata services: a few lie outside every special range.
const METADATA_V4: [Ipv4Addr; 5] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(192, 0, 0, 192),
];
const METADATA_V6: [Ipv6Addr; 2] =
    [Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)];

/// What the address is for, or nothing when it is public.
#[must_use]
pub fn special(address: IpAddr) -> Option<Special> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

fn special_v4(address: Ipv4Addr) -> Option<Special> {
    if METADATA_V4.contains(&address) {
        return Some(Special::Metadata);
    }
    Some(match address.octets() {
        [0, ..] => Special::Unspecified,
        [127, ..] => Special::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Special::Private,
        [100, 64..=127, ..] => Special::SharedNat,
        [169, 254, ..] => Special::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Special::Documentation,
        [198, 18..=19, ..] => Special::Benchmarking,
        [192, 88, 99, _] => Special::Tunnel,
        [255, 255, 255, 255] => Special::Broadcast,
        [224..=239, ..] => Special::Multicast,
        [192, 0, 0, _] | [240..=255, ..] => Special::Reserved,
        _ => return None,
    })
}

fn special_v6(address: Ipv6Addr) -> Option<Special> {
    if METADATA_V6.contains(&address) {
        return Some(Special::Metadata);
    }
    Some(match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Special::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => Special::Loopback,
        // An IPv4 address in another spelling, and the way to one from a network without IPv4.
        [0, 0, 0, 0, 0, 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            let [a, b] = high.to_be_bytes();
            let [c, d] = low.to_be_bytes();
            return special_v4(Ipv4Addr::new(a, b, c, d));
        }
        [0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, ..] => Special::Tunnel,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Special::Private,
        [0xfe80..=0xfebf, ..] => Special::LinkLocal,
        [0xff00..=0xffff, ..] => Special::Multicast,
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => Special::Documentation,
        [0x2001, 2, 0, ..] => Special::Benchmarking,
        [0x2001, 0, ..] | [0x2002, ..] => Special::Tunnel,
        [0x2001, 1..=0x1ff, ..] => Special::Reserved,
        [0x2000..=0x3fff, ..] => return None,
        _ => Special::Reserved,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TABLE: &[(Option<Special>, &[&str])] = &[
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
            Some(Special::Loopback),
            &["127.0.0.1", "127.255.255.255", "127.1.2.3", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"],
        ),
        (
            Some(Special::Private),
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
        (Some(Special::SharedNat), &["100.64.0.0", "100.127.255.255", "::ffff:100.64.0.1"]),
        (
            Some(Special::LinkLocal),
            &["169.254.0.1", "169.254.255.255", "fe80::1", "febf::1", "::ffff:169.254.1.1"],
        ),
        (
            Some(Special::Metadata),
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
        (Some(Special::Unspecified), &["0.0.0.0", "0.0.0.1", "0.255.255.255", "::", "::ffff:0.0.0.0"]),
        (Some(Special::Multicast), &["224.0.0.1", "239.255.255.255", "ff02::1", "ff0e::1", "ff00::"]),
        (Some(Special::Broadcast), &["255.255.255.255", "::ffff:255.255.255.255"]),
        (
            Some(Special::Documentation),
            &["192.0.2.1", "198.51.100.1", "203.0.113.255", "2001:db8::1", "3fff::1", "3fff:fff::1"],
        ),
        (Some(Special::Benchmarking), &["198.18.0.0", "198.19.255.255", "2001:2::1"]),
        (
            Some(Special::Tunnel),
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
            Some(Special::Reserved),
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
    fn every_kind_of_address_is_known_by_its_borders() {
        for (expected, addresses) in TABLE {
            for address in *addresses {
                assert_eq!(special(address.parse().unwrap()), *expected, "{address}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn an_ipv4_address_in_ipv6_clothes_is_judged_as_what_it_is(bits: u32) {
            let plain = Ipv4Addr::from(bits);
            let mapped = special(IpAddr::V6(plain.to_ipv6_mapped()));
            prop_assert_eq!(mapped, special(IpAddr::V4(plain)));
            prop_assert!(special(IpAddr::V6(Ipv6Addr::from(u128::from(bits)))).is_some());
        }

        #[test]
        fn only_global_unicast_and_ipv4_in_disguise_can_be_public(bits: u128) {
            let address = Ipv6Addr::from(bits);
            if special(IpAddr::V6(address)).is_none() {
                prop_assert_eq!(address.segments()[0] >> 13, 1, "{}", address);
            }
        }
    }
}
