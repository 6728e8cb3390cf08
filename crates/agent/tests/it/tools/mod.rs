//! The tools on real files, a real registry and a real store, behind guard.

mod apps;
#[cfg(unix)]
mod blocked_skills;
mod changes;
mod files;
mod guarded;
mod memory;
mod outside;
mod pictures;
#[cfg(target_os = "linux")]
mod race;
mod scene;
mod schemas;
mod sessions;
mod skills;
mod undo;
mod web;
#[cfg(unix)]
mod write_confinement;
