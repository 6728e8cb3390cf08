//! The points at which a test can end the process (see `tarsus_home::files::crash`).

/// All points, in the order in which the first change of a new store passes them; the last two belong to a migration.
pub const POINTS: &[&str] = &[
    "store.file.made",
    "store.opened",
    "store.group.taken",
    "store.change.made",
    "store.group.made",
    "store.group.written",
    "store.answered",
    "store.step.made",
    "store.migrated",
];
