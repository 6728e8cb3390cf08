//! The points of a turn at which a test can end the process (see `tarsus_home::files::crash`).

/// All points, in the order in which a turn with calls passes them.
pub const POINTS: &[&str] = &[
    "turn.delta.written",
    "turn.answer.written",
    "turn.reads.done",
    "turn.call.begun",
    "files.kept",
    "files.recorded",
    "files.changed",
    "turn.call.ran",
    "turn.results.written",
    "turn.concluded",
    "turn.recovered",
    "undo.changed",
    "undo.recorded",
];
