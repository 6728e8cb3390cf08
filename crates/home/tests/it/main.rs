//! Integration tests of the state folder, in one binary.
//!
//! Only `files_syncs` has a binary of its own: it counts syncs of the whole process.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests prepare files by hand and panic on the first unexpected result"
)]

mod config_file;
mod config_json5;
mod config_view;
mod files_confined;
mod files_growing;
mod files_locked;
mod files_plain;
#[cfg(unix)]
mod files_reach;
mod files_secrets;
mod files_settings;
mod files_skill_records;
mod json5_generator;
