//! Bytes to findings: what a skill's files contain.
//!
//! Promises: no network, no processes, no clock; the same bytes give the same findings; work grows with the text and
//! stays within limits; what cannot be looked into is a finding. Only `inventory` opens files, and only below the folder
//! that it is given. Leaves to others: what may load and what may run.
#![forbid(unsafe_code)]

mod blocks;
mod decode;
mod document;
mod excerpt;
mod finding;
mod hash;
mod hosts;
mod inventory;
mod judge;
mod kind;
mod look_alike;
mod mention;
mod name;
mod normal;
mod place;
mod rule;
mod rules;
mod ruleset;
pub mod sarif;
mod scanner;
mod settle;
mod spans;

pub use inventory::{Inventory, Limits, Oddity};
pub use rule::{Check, Family, How, OnMention, Outside, Patterns, Places, Rule, Scope, Trick};
pub use ruleset::Ruleset;
pub use scanner::Scanner;
pub use settle::{Surroundings, acceptable, settle};
