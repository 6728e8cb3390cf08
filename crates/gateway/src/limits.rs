//! Every bound and time-out of the server, in one place. ARCHITECTURE.md shows the same values; a test compares them.

use std::time::Duration;

/// What a client may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; further ones wait to be accepted.
    pub connections: usize,
    /// Time to send a request's head.
    pub request_head: Duration,
    /// Bytes of a request's head.
    pub request_head_bytes: usize,
    /// Bytes of a request's body.
    pub request_body_bytes: usize,
    /// Time for running requests after a stop was asked for.
    pub shutdown: Duration,
    /// Addresses whose failed attempts are counted apart; the rest share one count.
    pub failing_addresses: usize,
}

impl Limits {
    /// The values in force.
    pub const DEFAULT: Self = Self {
        connections: 256,
        request_head: Duration::from_secs(10),
        request_head_bytes: 16 * 1024,
        request_body_bytes: 64 * 1024,
        shutdown: Duration::from_secs(10),
        failing_addresses: 256,
    };
}
