//! The steps of this room at which a test can end the process (see `tarsus_home::files::crash`).

/// Every step, in the order in which a first change passes them; the last two belong to a migration.
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
