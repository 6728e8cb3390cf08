//! Integration tests of the skill pipeline, in one binary.
#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "tests prepare files directly and stop at the first surprise"
)]

mod calls;
mod catalog;
mod discover;
#[cfg(unix)]
mod discover_corpus;
mod eligibility;
mod environment;
mod fixture;
mod gate;
mod install;
mod library_input;
mod parse_classes;
mod parse_corpus;
mod parse_invariants;
mod prompt;
mod report;
mod snapshot;
mod strict_corpus;
mod watch;
