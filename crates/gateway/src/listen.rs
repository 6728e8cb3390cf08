//! Binds the port on loopback only: 127.0.0.1 always, [::1] if the machine has it.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tarsus_protocol::{ErrorCode, Problem};
use tokio::net::TcpListener;

/// The listening sockets: one port, one or two addresses.
#[derive(Debug)]
pub struct LoopbackListener {
    /// IPv4 first.
    pub sockets: Vec<TcpListener>,
    /// The shared port.
    pub port: u16,
    /// Why [::1] is not bound.
    pub without_ipv6: Option<String>,
}

impl LoopbackListener {
    /// Binds `port` on both loopback addresses; 0 selects a free one.
    ///
    /// # Errors
    /// If the port is in use on either address, or cannot be bound.
    pub async fn bind(port: u16) -> Result<Self, Problem> {
        let first = bind(Ipv4Addr::LOCALHOST.into(), port).await?;
        let port =
            first.local_addr().map_err(|error| refused(Ipv4Addr::LOCALHOST.into(), port, &error))?.port();
        let mut listening = Self { sockets: vec![first], port, without_ipv6: None };
        match TcpListener::bind(SocketAddr::new(Ipv6Addr::LOCALHOST.into(), port)).await {
            Ok(second) => listening.sockets.push(second),
            // Another program on [::1] would receive our requests when a browser opens `localhost`.
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                return Err(refused(Ipv6Addr::LOCALHOST.into(), port, &error));
            }
            Err(error) => listening.without_ipv6 = Some(error.to_string()),
        }
        Ok(listening)
    }

    /// The bound addresses.
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
        Problem::new(ErrorCode::Busy, format!("{address} is in use by another program"))
            .hint("stop that program, or choose another port: `tarsus up --port 0` uses a free one, `tarsus config set gateway.port N` is permanent")
    } else {
        Problem::new(ErrorCode::Io, format!("cannot listen on {address}: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(flavor = "current_thread")]
    async fn port_in_use_is_reported_with_a_hint() {
        let first = LoopbackListener::bind(0).await.unwrap();
        let problem = LoopbackListener::bind(first.port).await.unwrap_err();
        assert_eq!(problem.code, ErrorCode::Busy);
        assert_eq!(problem.message, format!("127.0.0.1:{} is in use by another program", first.port));
        assert!(problem.next_step().contains("--port 0"));
    }

    #[tokio::test(flavor = "current_thread")]
    async fn only_loopback_is_bound() {
        let listening = LoopbackListener::bind(0).await.unwrap();
        assert!(listening.addresses().iter().all(|address| address.ip().is_loopback()));
        assert!(listening.addresses().iter().all(|address| address.port() == listening.port));
    }
}
