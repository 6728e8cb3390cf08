//! Integration tests of the gateway crate.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests work in folders of their own")]

#[cfg(unix)]
mod studio_build;
