//! What comes from outside, thrown at the code that reads it. Each target is a plain function that takes any bytes,
//! never panics on what is only wrong, and asserts the laws of what it reads.
//!
//! `tests/driver.rs` runs every target on mutations of its seeds, the same ones each time; any fuzzer can call the
//! same functions.
#![forbid(unsafe_code)]

mod archive;
mod audit;
mod capability;
mod config;
mod frames;
mod models;
mod registry;
mod scan;
mod skills;

pub use archive::archive;
pub use audit::audit;
pub use capability::capability;
pub use config::{config, config_edit};
pub use frames::frames;
pub use models::models;
pub use registry::registry;
pub use scan::scan;
pub use skills::{skill, skill_metadata};

/// One target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// The function; panics when a law does not hold.
    pub run: fn(&[u8]),
    /// Bytes to begin with.
    pub seeds: &'static [&'static [u8]],
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target { name: "config", run: config, seeds: config::SEEDS },
    Target { name: "config_edit", run: config_edit, seeds: config::SEEDS },
    Target { name: "archive", run: archive, seeds: archive::SEEDS },
    Target { name: "audit", run: audit, seeds: audit::SEEDS },
    Target { name: "capability", run: capability, seeds: capability::SEEDS },
    Target { name: "frames", run: frames, seeds: frames::SEEDS },
    Target { name: "models", run: models, seeds: models::SEEDS },
    Target { name: "registry", run: registry, seeds: registry::SEEDS },
    Target { name: "scan", run: scan, seeds: scan::SEEDS },
    Target { name: "skill", run: skill, seeds: skills::SEEDS },
    Target { name: "skill_metadata", run: skill_metadata, seeds: skills::METADATA_SEEDS },
];
