//! The streamed part of an answer that is not complete yet. It survives a crash and is cleared once the answer is
//! written or discarded. Appending takes constant time, however long the draft is.

use rusqlite::{Connection, OptionalExtension, params};

use crate::error::QueryError;
use crate::names::RunId;
use crate::run;

/// Maximum bytes of a draft that are read back; a longer one is truncated with a note.
const MAX_DRAFT_BYTES: usize = 4 * 1024 * 1024;

/// The streamed part of an incomplete answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Streamed text.
    pub text: String,
    /// Time of the last piece in milliseconds since 1970.
    pub at_ms: i64,
}

pub(crate) fn append(db: &Connection, run: &RunId, text: &str, at_ms: i64) -> Result<(), QueryError> {
    run::ensure_running(db, run)?;
    db.prepare_cached("INSERT INTO drafts (run, at_ms, text) VALUES (?1, ?2, ?3)")?.execute(params![
        run.as_str(),
        at_ms,
        text
    ])?;
    Ok(())
}

pub(crate) fn clear(db: &Connection, run: &RunId) -> Result<(), QueryError> {
    db.prepare_cached("DELETE FROM drafts WHERE run = ?1")?.execute([run.as_str()])?;
    Ok(())
}

pub(crate) fn load(db: &Connection, run: &RunId) -> Result<Option<Draft>, QueryError> {
    let mut newest =
        db.prepare_cached("SELECT at_ms FROM drafts WHERE run = ?1 ORDER BY number DESC LIMIT 1")?;
    let Some(at_ms) = newest.query_row([run.as_str()], |row| row.get(0)).optional()? else {
        return Ok(None);
    };
    let mut query = db.prepare_cached("SELECT text FROM drafts WHERE run = ?1 ORDER BY number")?;
    let mut rows = query.query([run.as_str()])?;
    let (mut text, mut cut) = (String::new(), 0);
    while let Some(row) = rows.next()? {
        let piece: String = row.get("text")?;
        let room = MAX_DRAFT_BYTES - text.len();
        let (kept, rest) = piece.split_at(piece.floor_char_boundary(if cut == 0 { room } else { 0 }));
        text.push_str(kept);
        cut += rest.len();
    }
    if cut > 0 {
        text.push_str(&format!(" … ({cut} more bytes were cut)"));
    }
    Ok(Some(Draft { text, at_ms }))
}
