//! The address and start time of the gateway in this process.

use std::net::SocketAddr;
use std::time::Instant;

use tarsus_protocol::report::GatewayStatus;

/// A gateway that runs in this process.
#[derive(Debug, Clone)]
pub struct RunningGateway {
    pub pid: u32,
    pub addresses: Vec<SocketAddr>,
    pub ready_at: Instant,
}

impl RunningGateway {
    /// Returns the gateway's part of a status report.
    #[must_use]
    pub fn status(&self, now: Instant) -> GatewayStatus {
        let uptime = now.saturating_duration_since(self.ready_at);
        GatewayStatus {
            running: true,
            pid: Some(self.pid),
            port: self.addresses.first().map(SocketAddr::port),
            addresses: self.addresses.iter().map(ToString::to_string).collect(),
            uptime_ms: Some(u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX)),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            config_reload: None,
        }
    }
}
