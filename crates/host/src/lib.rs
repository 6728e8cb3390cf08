//! The machine: programs and their process groups, the process list, PATH, the clock, outbound
//! requests, changes on disk, the end of this process, and facts about the platform.
//!
//! Nobody else starts, signals or lists processes, opens an outbound socket or reads the time. What
//! may be started or asked for is decided elsewhere; this room carries it out within bounds.

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
