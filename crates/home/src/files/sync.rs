//! Syncs files and folders. Counts every sync of the process, so that tests can check the cost of an operation.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// Durability of a write, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// Survives a crash of the process. Enough for data that can be recreated.
    KillSafe,
    /// Survives a power cut: synced to disk.
    PowerSafe,
}

static SYNCS: AtomicU64 = AtomicU64::new(0);

/// Returns the number of syncs of this process so far.
#[must_use]
pub fn syncs() -> u64 {
    SYNCS.load(Ordering::Relaxed)
}

/// Syncs contents and length of a file.
pub(super) fn file(file: &File) -> io::Result<()> {
    SYNCS.fetch_add(1, Ordering::Relaxed);
    file.sync_all()
}

/// Syncs the entries of a folder. Not needed on Windows, where renames are written through.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { file(&File::open(path)?) } else { Ok(()) }
}
