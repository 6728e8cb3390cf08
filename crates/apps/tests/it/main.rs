//! Integration tests of the Application Manager.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests make files and programs of their own, and may stop at a surprise"
)]

mod access;
mod conversation;
mod find;
mod manager;
#[cfg(target_os = "linux")]
mod proof;
mod registry;
#[cfg(target_os = "linux")]
mod run_linux;
mod run_plan;
