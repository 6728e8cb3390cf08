//! The prompt, the turn loop, the tools and memory.
//!
//! A [`Runtime`] takes what is said to an agent and tells what comes of it: one turn at a time in each session, in
//! order; each message once, however often it is sent. A slash command answers, else the Application Manager, else
//! nobody yet: no model is called. Promises: what is told was written before. Leaves to others: who may speak, and how
//! what is told gets to them.
#![forbid(unsafe_code)]

mod answer;
mod commands;
mod error;
mod lanes;
mod manager;
mod runs;
mod runtime;
mod told;
mod turn;

pub use error::RuntimeError;
pub use runs::CalledOff;
pub use runtime::{Begin, Given, Inbound, Runtime, Sent, TURNS_WAITING};
pub use told::{Ending, Told, What};
