//! The skill scanner: bytes to findings.
//!
//! No network, no processes, no clock: the same bytes give the same findings. Work is linear in the text and bounded by
//! limits; whatever cannot be scanned is a finding. Only `inventory` opens files, and only below the given folder.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

mod blocks;
mod context;
mod decode;
mod document;
mod excerpt;
mod file_kind;
mod finding;
mod hash;
mod hosts;
mod inventory;
mod line_index;
mod look_alike;
mod mention;
mod name;
mod normalize;
mod order_words;
mod orders;
mod rule;
mod rules;
mod ruleset;
pub mod sarif;
mod scanner;
mod spans;
mod verdict;

pub use context::{SkillContext, apply_context, is_acceptable};
pub use inventory::{FileAnomaly, Inventory, ScanLimits};
pub use rule::{
    AddressCheck, ContextCheck, Detection, HiddenTextKind, MentionPolicy, Patterns, Rule, RuleFamily,
    RuleScope, SegmentSet,
};
pub use ruleset::Ruleset;
pub use scanner::Scanner;
