//! SKILL.md to entry to eligibility to snapshot to prompt block, with a reason for everything left out.
//!
//! [`parse`] turns the bytes of one file into a [`Skill`]; [`discover`] finds the files of all six sources, and a
//! [`Catalog`] settles which of several with one name counts; [`eligibility`] says what each one misses on this machine
//! and for this agent; [`prompt`] writes what the model sees. A [`Library`] holds a [`SkillsSnapshot`] of all this for each
//! agent, and a [`Watcher`] has it replaced when files change. Nothing is dropped silently: what was skipped, shadowed,
//! shortened or cut is a value with its reason.
#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod activation;
pub mod block_audit;
pub mod bundled;
mod catalog;
mod check_line;
pub mod commands;
pub mod decide;
pub mod discover;
pub mod eligibility;
pub mod entry;
pub mod environment;
pub mod filter;
pub mod gate;
pub mod install;
pub mod last_refresh;
pub mod loader;
pub mod lookup;
pub mod parse;
pub mod prompt;
pub mod removal;
pub mod report;
pub mod roots;
pub mod snapshot;
pub mod source;
pub mod strict;
pub mod trash;
pub mod watch;

pub use catalog::{Catalog, Changes, Shadowed};
pub use check_line::check_line;
pub use discover::{DiscoveredRoot, Limit, LimitReached, SkillFile, SkipReason, Skipped, Stat};
pub use entry::{
    About, Dependency, Diagnostic, Dispatch, EnvVar, Frontmatter, Install, InstallExtra, InstallKind,
    Invocation, Links, Metadata, ParseError, Parsed, Requires, Skill, VendorMetadata,
};
pub use loader::SkillsLoader;
pub use parse::parse;
pub use roots::{Limits, LinkPolicy, Root, Roots};
pub use snapshot::{Library, SkillsSnapshot};
pub use source::Source;
pub use watch::Watcher;
