//! Runs agents: the prompt, the turn loop and the tools.
//!
//! A [`Runtime`] accepts messages and publishes the events of their runs: one turn at a time in each session, in order,
//! and each message once however often it is sent. A slash command answers, else the Application Manager, else the model.
//! An event is published only after its durable part is in the store.
#![forbid(unsafe_code)]

mod approvals;
pub mod attachments;
mod commands;
mod crash;
pub mod demo;
pub mod file_changes;
pub mod guide;
mod lanes;
mod manager;
mod model;
pub mod prompt;
mod recovery;
pub mod reply;
mod route;
mod run_end;
mod run_event;
mod run_result;
mod runs;
mod runtime;
pub mod secrets;
mod services;
mod session_settings;
mod session_status;
mod skill_commands;
mod skill_references;
mod skills_refresh;
pub mod tools;
mod turn;
mod turn_context;
mod watch_cache;

pub use crash::POINTS as CRASH_POINTS;
pub use model::{EnvLookup, ModelSource, NoModelSource, ProviderModels};
pub use prompt::chat::Channel;
pub use recovery::close_interrupted_runs;
pub use run_event::{RunEvent, RunEventKind, RunOutcome};
pub use runs::AbortedRuns;
pub use runtime::{AcceptedRun, Inbound, MAX_WAITING_TURNS, Runtime, RuntimeError};
pub use services::{RuntimeHost, Services};
pub use turn_context::{TurnContext, TurnError};
