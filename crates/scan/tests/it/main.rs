//! Integration tests of the scanner.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests create and read files directly and may stop at the first failure"
)]

mod bundled;
mod context;
mod corpus;
mod folder;
mod invariants;
mod orders;
mod sarif;
mod variations;
