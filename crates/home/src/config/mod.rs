//! `openclaw.json`: lenient reading, redacted views, edits in place.
//!
//! An invalid value falls back to its default and does not affect others. An edit touches only its own lines, and
//! concurrent writers never lose each other's edits. Secrets are redacted in everything that clients see.

mod agents;
mod backups;
mod check;
mod client_view;
mod config_file;
mod diff;
mod error;
pub mod json5;
mod redact;
mod secret_heuristics;
mod shape;
mod substitute;
pub mod view;

pub use check::{Checked, check, issues_added, origin_fault};
pub use client_view::{PatchedView, merge_patch, shown, shown_text};
pub use config_file::{CRASH_POINTS, ConfigFile, Edited, LoadedConfig, MAX_EDITS};
pub use diff::{ViewError, changes};
pub use error::ConfigError;
pub use redact::{SecretChange, secrets_changed, secrets_in};
pub use secret_heuristics::names_a_secret;
pub use shape::schema;
pub use substitute::Lookup;
pub use view::{AgentId, Config};
