//! Bytes to findings: what a skill's files contain. Pure: no disk, no network, no clock.
//!
//! An empty room: its purpose is fixed, its code has not been written yet.
#![forbid(unsafe_code)]
