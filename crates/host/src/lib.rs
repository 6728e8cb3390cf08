//! The machine: programs and their process groups, the process list, PATH, the clock, outbound
//! requests, changes on disk, shutdown signals, facts about the platform, and the mark on processes of agents.
//!
//! No other crate starts, signals or lists processes, opens an outbound socket or reads the time. Policy is decided
//! elsewhere; this crate carries it out within limits.

#![warn(missing_docs)]
#![deny(unsafe_code)]

pub mod agent_mark;
pub mod clock;
pub mod egress;
pub mod loopback;
pub mod memory;
pub mod path;
pub mod peer;
pub mod platform;
pub mod process;
pub mod processes;
pub mod signals;
pub mod watch;

#[allow(unsafe_code, reason = "system calls, each behind a safe function")]
mod sys;

pub use clock::Clock;
