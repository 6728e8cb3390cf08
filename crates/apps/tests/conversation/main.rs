//! The conversation against a real registry file: its screens, its rules, its laws.
#![allow(clippy::disallowed_methods, clippy::unwrap_used, reason = "tests set the scene by hand")]

mod desk;
mod forms;
mod laws;
mod outcomes;
mod proposals;
mod requests;
mod rules;
mod screens;
