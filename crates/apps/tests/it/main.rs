//! Integration tests of the Application Manager.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests make files and programs of their own, and may stop at a surprise"
)]

mod access;
#[cfg(target_os = "linux")]
mod allow;
mod conversation;
mod desk;
mod find;
mod registry;
#[cfg(target_os = "linux")]
mod run_linux;
mod run_plan;
