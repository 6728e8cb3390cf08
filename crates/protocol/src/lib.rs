//! The wire and the words that every room shares: error codes, problems as people see them, messages,
//! frames and reports.
//!
//! Promises: every public type serialises, deserialises and describes itself (serde and schemars).
//! Leaves to others: all input and output.
#![forbid(unsafe_code)]

pub mod error;
pub mod frame;
pub mod message;
pub mod report;

pub use error::{ErrorCode, Excerpt, ExitCode, Place, Problem, RpcCode};

/// What stands in place of a secret wherever a configuration is shown; accepted back on a write,
/// where it means "keep what is stored".
pub const REDACTED: &str = "__OPENCLAW_REDACTED__";
