//! What is on disk: where the state folder is, `openclaw.json`, our own settings, secrets, and the pieces
//! that every file goes through (bounded reads, atomic writes, locks, confined folders).
//!
//! Promises: a file is old or new, never half; two processes never lose each other's change; a secret is
//! never printed. Leaves to others: what the values mean.
#![forbid(unsafe_code)]

pub mod config;
pub mod files;
pub mod layout;
pub mod runtime_lock;
pub mod secret;
pub mod secrets;
pub mod settings;

pub use layout::{Choice, Home};
pub use secret::Secret;
pub use settings::Settings;
