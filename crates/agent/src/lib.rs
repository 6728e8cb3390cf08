//! The prompt, the turn loop, the tools and memory.
//!
//! A [`Runtime`] takes what is said to an agent and tells what comes of it: one turn at a time in each session, in
//! order; each message once, however often it is sent. A slash command answers, else the Application Manager, else the
//! model. Promises: what is told was written before. Leaves to others: who may speak, and how
//! what is told gets to them.
#![forbid(unsafe_code)]

mod answer;
mod approvals;
pub mod attachments;
mod commands;
mod crash;
pub mod demo;
mod error;
pub mod guide;
mod lanes;
mod listeners;
mod manager;
mod model;
pub mod prompt;
mod recovery;
pub mod reply;
mod result;
mod runs;
mod runtime;
pub mod secrets;
mod skill_commands;
mod status;
mod told;
pub mod tools;
mod turn;
mod watches;

pub use crash::POINTS as CRASH_POINTS;
pub use error::RuntimeError;
pub use model::{Models, NoModels, Providers, Variables};
pub use recovery::close_left;
pub use result::result;
pub use runs::CalledOff;
pub use runtime::{Begin, Given, Inbound, Runtime, Sent, TURNS_WAITING};
pub use told::{Ending, Told, What};
