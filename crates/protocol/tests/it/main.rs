//! Integration tests of the wire, in one binary.
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests panic on the first unexpected result")]

mod frames;
mod messages;
mod methods;
mod shapes;
