//! The tools on real files, a real registry and a real store, behind guard.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops at the first surprise, and sets its own scene"
)]

mod apps;
mod files;
mod guarded;
mod memory;
mod outside;
mod pictures;
#[cfg(target_os = "linux")]
mod race;
mod scene;
mod schemas;
mod sessions;
mod skills;
