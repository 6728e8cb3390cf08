//! Skills: from SKILL.md files to a snapshot with a report and a prompt block for each agent.
//!
//! [`parse`] parses one file into a [`Skill`]. [`discover`] finds the files of the six sources, and a [`Catalog`] picks one
//! skill for each name. [`eligibility`] decides whether a skill can be used on this machine by this agent, and [`prompt`]
//! writes what the model sees. A [`Library`] keeps a [`SkillsSnapshot`] for each agent, and a [`SkillsWatcher`] refreshes it when
//! files change. Everything that is skipped, shadowed, shortened or left out is reported with its reason.
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

pub use catalog::{Catalog, CatalogChanges, Shadowed};
pub use check_line::check_line;
pub use discover::{DiscoveredRoot, DiscoveryLimit, LimitReached, SkillFile, SkipReason, Skipped, Stat};
pub use entry::{
    About, Dependency, Diagnostic, Dispatch, EnvVar, Frontmatter, InstallExtra, InstallKind, InstallSpec,
    Invocation, Links, Metadata, ParseError, Parsed, Requires, Skill, VendorMetadata,
};
pub use loader::SkillsLoader;
pub use parse::parse;
pub use roots::{DiscoveryLimits, LinkPolicy, SkillRoot, SkillRoots};
pub use snapshot::{Library, SkillsSnapshot};
pub use source::SkillSource;
pub use watch::SkillsWatcher;
