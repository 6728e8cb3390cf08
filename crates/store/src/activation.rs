//! The skills activated in a transcript, as an opaque text that `guard` interprets. A reset starts without any.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::{QueryError, StoreError};
use crate::names::RunId;

/// Maximum bytes of the stored text.
pub(crate) const MAX_ACTIVATION_BYTES: usize = 256 * 1024;

/// Returns the activation text of a run's transcript.
pub(crate) fn load(db: &Connection, run: &RunId) -> Result<Option<String>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT t.activation FROM runs r JOIN transcripts t ON t.id = r.transcript WHERE r.id = ?1",
    )?;
    Ok(query.query_row([run.as_str()], |row| row.get(0)).optional()?.flatten())
}

pub(crate) fn set(db: &Connection, run: &RunId, activation: &str) -> Result<(), QueryError> {
    let found = db
        .prepare_cached(
            "UPDATE transcripts SET activation = ?2 WHERE id = (SELECT transcript FROM runs WHERE id = ?1)",
        )?
        .execute(params![run.as_str(), activation])?;
    if found == 0 { Err(StoreError::NoRun(run.clone()).into()) } else { Ok(()) }
}
