//! The conversation with a real registry file: screens, rules and properties.

mod fixture;
mod forms;
mod invariants;
mod menus;
mod outcomes;
mod proposals;
mod requests;
mod rules;
mod screens;
