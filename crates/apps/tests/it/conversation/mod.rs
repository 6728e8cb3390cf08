//! The conversation against a real registry file: its screens, its rules, its laws.

mod desk;
mod forms;
mod laws;
mod menus;
mod outcomes;
mod proposals;
mod requests;
mod rules;
mod screens;
