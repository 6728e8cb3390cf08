//! The state on disk: the layout of the state folder, `openclaw.json`, Tarsus's own settings, secrets, and the file
//! primitives (bounded reads, atomic writes, locks, confined folders).
//!
//! A file is old or new, never partial; concurrent processes never lose each other's changes; secrets are never printed.
#![forbid(unsafe_code)]

pub mod config;
pub mod credentials;
pub mod files;
pub mod layout;
pub mod random;
pub mod runtime_lock;
pub mod secret;
pub mod secrets;
pub mod settings;

pub use layout::{Home, HomeOptions};
pub use secret::Secret;
pub use settings::Settings;
