//! Every bound of a request to a model, in one struct.

use std::time::Duration;

/// How long an answer may take, and how large it may get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Until the connection stands.
    pub connect: Duration,
    /// From the request to the first byte of the answer's body.
    pub first_byte: Duration,
    /// The same on this machine, where a model may have to be loaded first.
    pub first_byte_loopback: Duration,
    /// From one byte to the next.
    pub idle: Duration,
    /// From the request to the last byte.
    pub total: Duration,
    /// Bytes of an answer.
    pub answer_bytes: usize,
    /// Bytes of one event of an answer.
    pub event_bytes: usize,
    /// Bytes of the arguments of all calls of an answer.
    pub arguments_bytes: usize,
    /// Calls of an answer.
    pub calls: usize,
    /// Bytes that are read of an answer that says what went wrong.
    pub error_bytes: usize,
}

impl Limits {
    /// What holds unless a test says otherwise.
    pub const DEFAULT: Self = Self {
        connect: Duration::from_secs(10),
        first_byte: Duration::from_secs(120),
        first_byte_loopback: Duration::from_secs(600),
        idle: Duration::from_secs(60),
        total: Duration::from_secs(3_600),
        answer_bytes: 64 << 20,
        event_bytes: 16 << 20,
        arguments_bytes: 8 << 20,
        calls: 128,
        error_bytes: 64 << 10,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
