//! `openclaw.json`: read leniently, shown without secrets, changed in place.
//!
//! Promises: a wrong value costs only itself; a change touches only its own lines; a secret is shown to nobody;
//! two writers never lose each other's change. Leaves to others: what the values lead to.

mod agents;
mod backups;
mod check;
mod diff;
mod error;
pub mod json5;
mod looks;
mod redact;
mod shape;
mod shown;
mod store;
mod substitute;
pub mod view;

pub use check::{Checked, check, issues_added};
pub use diff::{ViewError, changes};
pub use error::ConfigError;
pub use looks::names_a_secret;
pub use redact::{SecretChange, secrets_changed, secrets_in};
pub use shape::schema;
pub use shown::{Patched, merge_patch, shown, shown_text};
pub use store::{CRASH_POINTS, ConfigFile, Edited, Loaded, MOST_EDITS};
pub use substitute::Lookup;
pub use view::{AgentId, Config};
