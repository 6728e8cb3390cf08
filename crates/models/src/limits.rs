//! The limits of a request to a model.

use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelLimits {
    /// Until the connection is established.
    pub connect: Duration,
    /// From the request to the first byte of the response body.
    pub first_byte: Duration,
    /// Like `first_byte`, for local servers, which may have to load the model first.
    pub first_byte_loopback: Duration,
    /// Between two reads.
    pub idle: Duration,
    /// From the request to the last byte.
    pub total: Duration,
    pub answer_bytes: usize,
    /// Size of one server-sent event.
    pub event_bytes: usize,
    /// Size of the arguments of all calls together.
    pub arguments_bytes: usize,
    /// Number of tool calls.
    pub calls: usize,
    /// Bytes read of an error response.
    pub error_bytes: usize,
}

impl ModelLimits {
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

impl Default for ModelLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
