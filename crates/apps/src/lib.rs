//! The Application Manager: registry, launch policy, app search, launching and stopping, the conversation.
//!
//! The registry file is read on every use and never half written. An app that its launch policy denies is not launched.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod access;
pub mod conversation;
mod filler;
mod find;
mod fold;
pub mod manager;
mod quote;
mod registry;
pub mod run;
mod suggest;
mod validate;

pub use access::{
    AccessDenied, AllowedLaunch, AllowedStop, DenialReason, Stopper, authorize_launch, authorize_stop,
};
pub use find::{AppMatch, find_app};
pub use quote::quoted;
pub use registry::{
    App, AppNameError, BaseVersion, LoadedRegistry, Proposal, RawEntry, Registry, RegistryChange,
    RegistryError, SavedChange, UnreadableRegistry,
};
pub use tarsus_protocol::apps::{AppEntry, AppGroup, AppMode, AppPatch};
pub use tarsus_protocol::apps_fault::AppFault;
pub use validate::impossible_agent_ids;
