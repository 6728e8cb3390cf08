//! Which kind of process is at the other end of a loopback connection: whether an agent started it.
//!
//! Meant to be called once for each connection, on a blocking thread. A connection is ordinary only while a process without
//! a mark holds it: an agent's process may send what it wants and end before anybody looks.

use std::net::SocketAddr;

use crate::agent_mark::AgentMark;

/// The process at the other end of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerOrigin {
    /// No process of an agent.
    Ordinary,
    /// A process with this mark.
    Marked(AgentMark),
    /// It cannot be excluded that it is, or was, a process with a mark.
    Unknown,
}

/// Finds out who connected from `peer` to our port `port`.
#[must_use]
pub fn peer_origin(peer: SocketAddr, port: u16) -> PeerOrigin {
    #[cfg(target_os = "linux")]
    return linux::origin(peer, port);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (peer, port);
        PeerOrigin::Ordinary
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashSet;
    use std::fs::File;
    use std::io::{self, BufRead, BufReader};
    use std::net::{IpAddr, SocketAddr};
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use super::PeerOrigin;
    use crate::agent_mark::AgentMark;
    use crate::processes;

    /// Descriptors looked at for one connection. Beyond it the process counts as unknown.
    const MAX_DESCRIPTORS: usize = 250_000;

    /// Listings of the processes, as long as some end before they are looked at.
    const MAX_LISTINGS: usize = 10;

    struct Socket {
        inode: u64,
        user: u32,
    }

    pub(super) fn origin(peer: SocketAddr, port: u16) -> PeerOrigin {
        let Ok(Census { pids, marked, is_complete }) = Census::take() else { return PeerOrigin::Unknown };
        let Some(socket) = find_socket(peer, port) else { return PeerOrigin::Unknown };
        let mut search = Search { name: format!("socket:[{}]", socket.inode), looked_at: 0 };
        let mut holders = marked.iter().filter(|(pid, _)| search.is_held_by(*pid)).map(|(_, mark)| *mark);
        if let Some(mark) = holders.next() {
            let is_one = holders.all(|other| other == mark);
            return if is_one { PeerOrigin::Marked(mark) } else { PeerOrigin::Unknown };
        }
        let ours = rustix::process::geteuid();
        if !ours.is_root() && socket.user != ours.as_raw() {
            // We cannot see the descriptors of another account, as that of a proxy. The processes of agents have our
            // account, unless one of them got another.
            let is_foreign = |pid: u32| processes::effective_user(pid) != Some(ours.as_raw());
            let has_foreign = marked.iter().any(|(pid, _)| is_foreign(*pid));
            return if has_foreign { PeerOrigin::Unknown } else { PeerOrigin::Ordinary };
        }
        // The owner's command has just been started, so the newest processes come first.
        let ordinary = pids.iter().rev().filter(|&pid| marked.iter().all(|(other, _)| other != pid));
        let is_ordinary = |pid: u32| matches!(processes::agent_mark(pid), Ok(None));
        let mut holders =
            ordinary.clone().copied().filter(|pid| search.is_held_by(*pid) && is_ordinary(*pid));
        if holders.next().is_some() {
            return PeerOrigin::Ordinary;
        }
        // An SSH tunnel: its process has our account, and hides its descriptors from us.
        let mut tunnels = ordinary.filter(|pid| is_tunnel(**pid));
        let is_excluded = marked.is_empty() && is_complete;
        if is_excluded && tunnels.next().is_some() { PeerOrigin::Ordinary } else { PeerOrigin::Unknown }
    }

    fn is_tunnel(pid: u32) -> bool {
        let descriptors = Path::new("/proc").join(pid.to_string()).join("fd");
        processes::short_name(pid).is_some_and(|name| name.starts_with(b"sshd"))
            && descriptors.read_dir().is_err()
    }

    /// All processes, and those with a mark.
    struct Census {
        pids: Vec<u32>,
        marked: Vec<(u32, AgentMark)>,
        /// Whether no process ended before it was looked at: it may have left a child that was not listed yet.
        is_complete: bool,
    }

    impl Census {
        fn take() -> io::Result<Self> {
            let (mut marked, mut seen) = (Vec::new(), HashSet::new());
            let mut is_complete = false;
            let mut pids = Vec::new();
            for _ in 0..MAX_LISTINGS {
                pids = processes::pids()?;
                is_complete = true;
                for &pid in pids.iter().filter(|pid| seen.insert(**pid)) {
                    match processes::agent_mark(pid) {
                        Ok(Some(mark)) => marked.push((pid, mark)),
                        Ok(None) => {}
                        Err(_) => is_complete = false,
                    }
                }
                if is_complete {
                    break;
                }
            }
            Ok(Self { pids, marked, is_complete })
        }
    }

    struct Search {
        name: String,
        looked_at: usize,
    }

    impl Search {
        /// Whether a process has the socket open, as far as its descriptors can be read.
        fn is_held_by(&mut self, pid: u32) -> bool {
            let Ok(descriptors) = Path::new("/proc").join(pid.to_string()).join("fd").read_dir() else {
                return false;
            };
            for descriptor in descriptors.flatten() {
                self.looked_at += 1;
                if self.looked_at > MAX_DESCRIPTORS {
                    return false;
                }
                let target = std::fs::read_link(descriptor.path());
                if target.is_ok_and(|target| target.as_os_str().as_bytes() == self.name.as_bytes()) {
                    return true;
                }
            }
            false
        }
    }

    /// Finds the client's end of the connection in the system's tables.
    fn find_socket(peer: SocketAddr, port: u16) -> Option<Socket> {
        ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| {
            let lines = BufReader::new(File::open(table).ok()?).lines().skip(1);
            lines.map_while(Result::ok).find_map(|line| parse_line(&line, peer, port))
        })
    }

    /// Reads `SLOT LOCAL REMOTE STATE QUEUES TIMER RETRANSMITS USER TIMEOUT INODE …`. The inode is 0 once no process has
    /// the socket.
    fn parse_line(line: &str, peer: SocketAddr, port: u16) -> Option<Socket> {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let (local, remote) = (parse_address(fields.get(1)?)?, parse_address(fields.get(2)?)?);
        let is_ours = local.ip().to_canonical() == peer.ip().to_canonical()
            && local.port() == peer.port()
            && remote.port() == port;
        let socket = Socket { user: fields.get(7)?.parse().ok()?, inode: fields.get(9)?.parse().ok()? };
        (is_ours && socket.inode != 0).then_some(socket)
    }

    /// Parses `0100007F:1F90`: words of 32 bits in the machine's byte order, then the port.
    fn parse_address(text: &str) -> Option<SocketAddr> {
        let (address, port) = text.split_once(':')?;
        let word = |index: usize| {
            let digits = address.get(index * 8..index * 8 + 8)?;
            Some(u32::from_str_radix(digits, 16).ok()?.to_ne_bytes())
        };
        let ip = match address.len() {
            8 => IpAddr::from(word(0)?),
            32 => {
                let mut bytes = [0; 16];
                for (index, bytes) in bytes.chunks_exact_mut(4).enumerate() {
                    bytes.copy_from_slice(&word(index)?);
                }
                IpAddr::from(bytes)
            }
            _ => return None,
        };
        Some(SocketAddr::new(ip, u16::from_str_radix(port, 16).ok()?))
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[cfg(target_endian = "little")]
        #[test]
        fn addresses_of_the_system_tables_are_parsed() {
            let cases = [
                ("0100007F:1F90", Some("127.0.0.1:8080")),
                ("00000000000000000000000001000000:0050", Some("[::1]:80")),
                ("0000000000000000FFFF00000100007F:0050", Some("[::ffff:127.0.0.1]:80")),
                ("0100007F", None),
                ("0100007:1F90", None),
                ("0100007F:1F90F", None),
                ("é100007:1F90", None),
            ];
            for (text, expected) in cases {
                assert_eq!(parse_address(text), expected.map(|address| address.parse().unwrap()), "{text}");
            }
        }

        #[cfg(target_endian = "little")]
        #[test]
        fn only_the_clients_end_of_a_connection_is_found() {
            let line = |local, remote, inode| {
                format!(
                    "   0: {local} {remote} 01 00000000:00000000 00:00000000 00000000  1000        0 {inode} 1"
                )
            };
            let peer = "127.0.0.1:8080".parse().unwrap();
            let find = |line: &str| parse_line(line, peer, 80).map(|found| (found.inode, found.user));
            assert_eq!(find(&line("0100007F:1F90", "0100007F:0050", 7)), Some((7, 1000)));
            assert_eq!(
                find(&line("0000000000000000FFFF00000100007F:1F90", "0100007F:0050", 7)),
                Some((7, 1000))
            );
            assert_eq!(find(&line("0100007F:0050", "0100007F:1F90", 7)), None);
            assert_eq!(find(&line("0100007F:1F90", "0100007F:0051", 7)), None);
            assert_eq!(find(&line("0100007F:1F90", "0100007F:0050", 0)), None);
            assert_eq!(find("sl local_address"), None);
        }
    }
}
