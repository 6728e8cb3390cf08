//! The part of a transcript that goes to the model: the newest summary and the items after it.
//!
//! Summaries never change or delete items; a summary and the remark about it are written in one transaction.

use rusqlite::{Connection, OptionalExtension, params};
use tarsus_protocol::Message;

use crate::error::{QueryError, StoreError};
use crate::names::RunId;
use crate::run::{self, RunEnd};
use crate::sql;

/// Maximum bytes of a summary.
pub(crate) const MAX_SUMMARY_BYTES: usize = 1024 * 1024;

/// The part of a transcript that a model gets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// The newest summary, which replaces the oldest items.
    pub summary: Option<Summary>,
    /// Number of the remark about the summary, 0 without one. Token counts from before it are obsolete.
    pub remark: u64,
    /// The items from the opening of the first turn that is not summarised completely, oldest first.
    pub items: Vec<ContextItem>,
}

/// A summary of the oldest items of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Number of the message that opens the first turn that is not summarised completely.
    pub opening: u64,
    /// Number of the first item that is not summarised.
    pub first: u64,
    /// The summary itself.
    pub text: String,
}

/// A transcript item for a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextItem {
    /// Item number.
    pub number: u64,
    /// The run that wrote it.
    pub run: Option<RunId>,
    /// Set when another run's turn took this message in.
    pub joined: Option<JoinPoint>,
    /// The message.
    pub message: Message,
}

/// The point in another run's turn at which a message joined it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinPoint {
    /// The run whose turn it joined.
    pub run: RunId,
    /// Number of the item that it follows.
    pub after: u64,
}

/// Loads the context of a run; `None` if the run does not exist.
pub(crate) fn load(db: &Connection, run: &RunId) -> Result<Option<Context>, QueryError> {
    let mut query = db.prepare_cached("SELECT transcript FROM runs WHERE id = ?1")?;
    let found = query.query_row([run.as_str()], |row| row.get::<_, i64>(0)).optional()?;
    let Some(transcript) = found else { return Ok(None) };
    let mut query = db.prepare_cached(
        "SELECT opening, first, remark, text FROM summaries WHERE transcript = ?1 ORDER BY number DESC LIMIT 1",
    )?;
    let summary = query.query_row([transcript], |row| {
        let (opening, first) = (sql::u64_column(row, "opening")?, sql::u64_column(row, "first")?);
        Ok((Summary { opening, first, text: row.get("text")? }, sql::u64_column(row, "remark")?))
    });
    let (summary, remark) = summary.optional()?.unzip();
    let from = summary.as_ref().map_or(0, |summary| sql::to_i64(summary.opening));
    let mut query = db.prepare_cached(
        "SELECT i.number, i.run, i.message, j.run, j.after
         FROM items i LEFT JOIN joined j ON j.item = i.number
         WHERE i.transcript = ?1 AND i.number >= ?2 ORDER BY i.number",
    )?;
    let items = query.query_map([transcript, from], |row| {
        let joined = match sql::parsed_column(row, 3)? {
            Some(run) => Some(JoinPoint { run, after: sql::u64_column(row, 4)? }),
            None => None,
        };
        let (number, run) = (sql::u64_column(row, 0)?, sql::parsed_column(row, 1)?);
        Ok(ContextItem { number, run, joined, message: sql::json_column(row, 2)? })
    })?;
    let items = items.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(Some(Context { summary, remark: remark.unwrap_or_default(), items }))
}

/// Adds a summary to the transcript of a run; `remark` is the number of the item about it.
pub(crate) fn insert_summary(
    db: &Connection,
    run: &RunId,
    summary: &Summary,
    remark: u64,
    at_ms: i64,
) -> Result<(), QueryError> {
    db.prepare_cached(
        "INSERT INTO summaries (transcript, at_ms, opening, first, remark, text)
         SELECT transcript, ?2, ?3, ?4, ?5, ?6 FROM runs WHERE id = ?1",
    )?
    .execute(params![
        run.as_str(),
        at_ms,
        sql::to_i64(summary.opening),
        sql::to_i64(summary.first),
        sql::to_i64(remark),
        summary.text
    ])?;
    Ok(())
}

/// Moves a waiting message into the turn of another run and ends its own run.
pub(crate) fn join_message(
    db: &Connection,
    item: u64,
    from: &RunId,
    into: &JoinPoint,
    at_ms: i64,
) -> Result<(), QueryError> {
    run::ensure_running(db, from)?;
    run::ensure_running(db, &into.run)?;
    let added = db
        .prepare_cached(
            "INSERT INTO joined (item, run, after) SELECT number, ?3, ?4 FROM items WHERE number = ?1 AND run = ?2",
        )?
        .execute(params![sql::to_i64(item), from.as_str(), into.run.as_str(), sql::to_i64(into.after)])?;
    if added == 0 {
        return Err(StoreError::NoRun(from.clone()).into());
    }
    run::finish(db, from, &RunEnd::Finished, at_ms)?;
    Ok(())
}
