//! The machine: programs and their process groups, the process list, PATH, the clock, outbound
//! requests, changes on disk, shutdown signals, and facts about the platform.
//!
//! No other crate starts, signals or lists processes, opens an outbound socket or reads the time. Policy is decided
//! elsewhere; this crate carries it out within limits.

#![warn(missing_docs)]
#![deny(unsafe_code)]

pub mod clock;
pub mod egress;
pub mod loopback;
pub mod path;
pub mod platform;
pub mod process;
pub mod processes;
pub mod signals;
pub mod watch;

#[cfg(windows)]
#[allow(unsafe_code, reason = "calls of the Windows API, each behind a safe function")]
mod sys;

pub use clock::Clock;
