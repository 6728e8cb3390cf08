//! Pages and searches against real servers on loopback.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops at the first surprise, and its servers listen on loopback"
)]

mod fetch;
mod hostile;
mod readable;
mod search;
mod server;
mod ssrf;
