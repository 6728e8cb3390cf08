//! Which skills have had a say in a transcript. A reset begins one in which none has.
//!
//! Promises: kept as it was written. Leaves to others: what it means (`guard`).

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{Fault, StoreError};
use crate::names::RunId;

/// Bytes of what is kept.
pub(crate) const ACTIVATION_BYTES: usize = 256 * 1024;

/// What was written for the transcript of a run.
pub(crate) fn of(db: &Connection, run: &RunId) -> Result<Option<String>, Fault> {
    let mut query = db.prepare_cached(
        "SELECT t.activation FROM runs r JOIN transcripts t ON t.id = r.transcript WHERE r.id = ?1",
    )?;
    Ok(query.query_row([run.as_str()], |row| row.get(0)).optional()?.flatten())
}

pub(crate) fn set(db: &Connection, run: &RunId, activation: &str) -> Result<(), Fault> {
    let found = db
        .prepare_cached(
            "UPDATE transcripts SET activation = ?2 WHERE id = (SELECT transcript FROM runs WHERE id = ?1)",
        )?
        .execute(params![run.as_str(), activation])?;
    if found == 0 { Err(StoreError::NoRun(run.clone()).into()) } else { Ok(()) }
}
