//! Integration tests of the guard.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests set up files by hand and may stop at the first failure"
)]

mod activation;
mod change;
mod decisions;
mod declaration;
mod fixture;
mod invariants;
mod matrix;
mod settings_audit;
mod skill_detector;
mod skill_permissions;
