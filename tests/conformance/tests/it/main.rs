//! Conformance tests of our own gateway, in one binary so that it is linked once.

mod agent_files;
mod approvals;
mod changed_secrets;
mod chat;
mod common;
mod devices;
mod doors;
mod ending;
mod file_changes;
mod front_ends;
mod handshake;
mod install;
mod load;
mod methods;
mod reload;
mod secrets;
mod skills;
mod sources;
mod stalls;
mod strangers;
mod suite;
mod turn_events;
mod wild;
