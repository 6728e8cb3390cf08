//! Taking the port, on loopback only: 127.0.0.1 always, [::1] where the machine has it. What is bound is said.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tarsus_protocol::{ErrorCode, Problem};
use tokio::net::TcpListener;

/// The listening sockets: one port, one or two addresses.
#[derive(Debug)]
pub struct Listening {
    /// IPv4 first.
    pub sockets: Vec<TcpListener>,
    /// The port they share.
    pub port: u16,
    /// Why [::1] is not among them.
    pub without_ipv6: Option<String>,
}

impl Listening {
    /// Takes `port` on both loopback addresses; 0 takes any free one.
    ///
    /// # Errors
    /// When the port is taken on either address, or cannot be used at all.
    pub async fn bind(port: u16) -> Result<Self, Problem> {
        let first = bind(Ipv4Addr::LOCALHOST.into(), port).await?;
        let port =
            first.local_addr().map_err(|error| refused(Ipv4Addr::LOCALHOST.into(), port, &error))?.port();
        let mut listening = Self { sockets: vec![first], port, without_ipv6: None };
        match TcpListener::bind(SocketAddr::new(Ipv6Addr::LOCALHOST.into(), port)).await {
            Ok(second) => listening.sockets.push(second),
            // Somebody else on [::1] would receive what is meant for us when a browser opens `localhost`.
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                return Err(refused(Ipv6Addr::LOCALHOST.into(), port, &error));
            }
            Err(error) => listening.without_ipv6 = Some(error.to_string()),
        }
        Ok(listening)
    }

    /// The addresses that are bound.
    #[must_use]
    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.sockets.iter().filter_map(|socket| socket.local_addr().ok()).collect()
    }
}

async fn bind(address: IpAddr, port: u16) -> Result<TcpListener, Problem> {
    TcpListener::bind(SocketAddr::new(address, port)).await.map_err(|error| refused(address, port, &error))
}

fn refused(address: IpAddr, port: u16, error: &io::Error) -> Problem {
    let address = SocketAddr::new(address, port);
    if error.kind() == io::ErrorKind::AddrInUse {
        Problem::new(ErrorCode::Busy, format!("{address} is taken by another program"))
            .hint("stop that program, or choose another port: `tarsus up --port 0` takes a free one, `tarsus config set gateway.port N` keeps it")
    } else {
        Problem::new(ErrorCode::Io, format!("cannot listen on {address}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn a_taken_port_is_named_with_a_way_out() {
        let first = Listening::bind(0).await.unwrap();
        let problem = Listening::bind(first.port).await.unwrap_err();
        assert_eq!(problem.code, ErrorCode::Busy);
        assert_eq!(problem.message, format!("127.0.0.1:{} is taken by another program", first.port));
        assert!(problem.next_step().contains("--port 0"));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn only_loopback_is_bound() {
        let listening = Listening::bind(0).await.unwrap();
        assert!(listening.addresses().iter().all(|address| address.ip().is_loopback()));
        assert!(listening.addresses().iter().all(|address| address.port() == listening.port));
    }
}
