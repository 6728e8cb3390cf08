//! The Application Manager: registry, launch policy, matching, launching and stopping, the conversation.
//!
//! Promises: the registry file is the one source of truth, read fresh each time and never half written; what the
//! policy of an app denies is not launched. Leaves to others: how it looks to people and to programs.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod access;
pub mod conversation;
pub mod desk;
mod entry;
mod find;
mod fold;
mod polite;
mod registry;
pub mod run;
mod shown;
mod suggest;
mod validate;

pub use access::{Allowed, AllowedLaunch, Denied, Stopper, Why, authorize_launch, may_launch, may_stop};
pub use entry::{AllowedAgents, Entry, LaunchPath, Mode, NotAMode, Policy};
pub use find::{Found, find};
pub use registry::{
    App, Change, Loaded, NameError, Patch, Proposal, Put, Registry, RegistryError, Saved, Seen, WrittenEntry,
};
pub use shown::quoted;
pub use validate::{Fields, Group, Reason, Verdict};
