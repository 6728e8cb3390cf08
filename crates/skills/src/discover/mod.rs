//! Discovers the skills below a root and records why anything was skipped.
//!
//! The result is deterministic on any number of threads. Nothing outside a root is read unless its link policy allows
//! it. Unchanged files are not read again. [`Catalog`](crate::Catalog) resolves name conflicts.

mod discovered_root;
mod folder;
mod order;
mod origin;
mod parallel;
mod read;
mod skill_file;
mod walk;

pub use discovered_root::DiscoveredRoot;
pub(crate) use folder::stat_of;
pub use origin::ORIGIN_FILE;
pub(crate) use origin::is_third_party;
pub(crate) use parallel::map_in_order;
pub use skill_file::{DiscoveryLimit, LimitReached, SkillFile, SkipReason, Skipped, Stat};
