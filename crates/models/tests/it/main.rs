//! Integration tests of the crate, one binary.
#![allow(clippy::unwrap_used, reason = "tests stop at the first failure")]

mod recorded;
mod requests;
