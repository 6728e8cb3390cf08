//! Fuzz targets for everything that reads outside input. Each target is a plain function that takes any bytes,
//! never panics on invalid input, and asserts the invariants of the reader.
//!
//! `tests/driver.rs` runs every target on fixed mutations of its seeds; any fuzzer can call the
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

/// A fuzz target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    pub name: &'static str,
    /// Panics if an invariant is violated.
    pub run: fn(&[u8]),
    /// The initial inputs.
    pub seeds: &'static [&'static [u8]],
}

/// All fuzz targets.
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
