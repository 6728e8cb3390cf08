//! Integration tests of the agent on real files, a real registry and a real store.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops at the first surprise, and sets its own scene"
)]

mod runtime;
mod tools;
