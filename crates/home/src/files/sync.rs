//! What a change survives. Every sync of the process goes through here and is counted, so that the cost of an operation
//! can be shown.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How much something survives once it is written; the stronger is the greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Durability {
    /// The death of the process: it is written. Enough for what can be made again.
    KillSafe,
    /// The death of the machine: it is synced.
    PowerSafe,
}

static SYNCS: AtomicU64 = AtomicU64::new(0);

/// How many times this process has asked the disk to make something permanent.
#[must_use]
pub fn syncs() -> u64 {
    SYNCS.load(Ordering::Relaxed)
}

/// Contents and length of a file.
pub(super) fn file(file: &File) -> io::Result<()> {
    SYNCS.fetch_add(1, Ordering::Relaxed);
    file.sync_all()
}

/// The names in a folder. Windows has no such call and needs none: a rename is written through there.
pub(super) fn folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { file(&File::open(path)?) } else { Ok(()) }
}
