//! All limits and timeouts of the server. docs/dev/tables.md lists the same values; a test compares them.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections of known clients; further ones are refused.
    pub connections: usize,
    /// Connections that have not authenticated; for a further one the oldest is closed.
    pub unauthenticated_connections: usize,
    /// Time that a connection has before it can be closed for a newer one.
    pub eviction_age: Duration,
    /// Time to authenticate, counted from when the connection is accepted.
    pub authentication: Duration,
    /// Time to send a request's head.
    pub request_head: Duration,
    /// Lifetime of a known client's connection that does not become a socket.
    pub connection: Duration,
    /// Bytes of a request's head.
    pub request_head_bytes: usize,
    /// Bytes of a request's body.
    pub request_body_bytes: usize,
    /// Bytes of the body of a request with messages for an agent.
    pub message_body_bytes: usize,
    /// Bytes of the bodies of all requests that are being read; beyond, a request is refused with 503.
    pub all_body_bytes: usize,
    /// Time for running requests after a stop was requested.
    pub shutdown: Duration,
    /// Addresses whose failed attempts are counted separately; the rest share one count.
    pub failing_addresses: usize,
    /// Failed attempts per minute after which an address has to wait.
    pub failed_attempts: u64,
    /// Allowed difference between the time of a device's signature and ours.
    pub signature_skew: Duration,
    /// Time between ticks.
    pub tick: Duration,
    /// Concurrent requests of one socket; the next one is not read until one is done.
    pub requests_in_flight: usize,
    /// Concurrent requests of all sockets that use the disk, separately for reads and writes; the others wait.
    pub workers: usize,
    /// Concurrent requests of all sockets that launch or stop an app; the others wait.
    pub acting: usize,
    /// Bytes queued for one socket; beyond, it is closed with 1013.
    pub waiting_bytes: usize,
    /// Bytes queued for all sockets; beyond, the one with the most is closed with 1013.
    pub all_waiting_bytes: usize,
    /// Time for a client to receive the last frames when its socket is closed.
    pub farewell: Duration,
}

impl Limits {
    /// The values of the product.
    pub const DEFAULT: Self = Self {
        connections: 512,
        unauthenticated_connections: 128,
        eviction_age: Duration::from_millis(100),
        authentication: Duration::from_secs(6),
        request_head: Duration::from_secs(5),
        connection: Duration::from_secs(60),
        request_head_bytes: 16 * 1024,
        request_body_bytes: 64 * 1024,
        message_body_bytes: 4 * 1024 * 1024,
        all_body_bytes: 32 * 1024 * 1024,
        shutdown: Duration::from_secs(10),
        failing_addresses: 256,
        failed_attempts: 10,
        signature_skew: Duration::from_secs(120),
        tick: Duration::from_secs(30),
        requests_in_flight: 32,
        workers: 4,
        acting: 16,
        waiting_bytes: 50 * 1024 * 1024,
        all_waiting_bytes: 256 * 1024 * 1024,
        farewell: Duration::from_secs(5),
    };
}
