//! The state of an installation: the status overview, the checks of `doctor`, the security audit.
//!
//! Everything is read, nothing is changed. A file that cannot be used is part of a report, not an error.
#![forbid(unsafe_code)]

mod check;
pub mod doctor;
pub mod security;
pub mod status;

/// The message while enforcement is off.
pub const UNRESTRICTED: &str = "off: community skills can use every tool";
