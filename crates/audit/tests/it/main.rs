//! Integration tests of the audit chain, in one binary.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests prepare files by hand and panic on the first unexpected result"
)]

mod chain;
mod tampering;
