//! Integration tests of the crate, one binary.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests stop at the first failure and use files, sockets and processes directly"
)]

mod backup;
mod context;
mod durable;
mod fixture;
mod fixtures;
mod model;
mod sessions;
mod turns;
