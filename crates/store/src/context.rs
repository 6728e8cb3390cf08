//! The part of a transcript that goes to the model: the newest summary and the items after it.
//!
//! Summaries never change or delete items; a summary and the remark about it are written in one transaction.

use rusqlite::{Connection, OptionalExtension, params};
use tarsus_protocol::Message;

use crate::error::{QueryError, StoreError};
use crate::names::RunId;
use crate::run::{self, Outcome};
use crate::sql;

/// Bytes of a summary.
pub(crate) const SUMMARY_BYTES: usize = 1024 * 1024;

/// What a model is told of a transcript.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Context {
    /// What it is told of the oldest items.
    pub summary: Option<Summary>,
    /// The number of the remark about that; 0 without a summary. What was counted before it counts no more.
    pub remark: u64,
    /// The items from the opening of the first turn on of which anything is told, the oldest first.
    pub items: Vec<ContextItem>,
}

/// What stands for the oldest items of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The number of the message that opens the first turn of which anything is still told.
    pub opening: u64,
    /// The number of the first item that is.
    pub first: u64,
    /// The words.
    pub text: String,
}

/// An item of a transcript, as far as a model is concerned.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextItem {
    /// Its number.
    pub number: u64,
    /// The run that it belongs to.
    pub run: Option<RunId>,
    /// The turn that took it in on its way.
    pub joined: Option<Joined>,
    /// What is said.
    pub message: Message,
}

/// Where a message is told that did not wait for a turn of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joined {
    /// In the turn of this run.
    pub run: RunId,
    /// After the item of this number.
    pub after: u64,
}

/// What is told of the transcript of a run; `None` when there is no such run.
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
            Some(run) => Some(Joined { run, after: sql::u64_column(row, 4)? }),
            None => None,
        };
        let (number, run) = (sql::u64_column(row, 0)?, sql::parsed_column(row, 1)?);
        Ok(ContextItem { number, run, joined, message: sql::json_column(row, 2)? })
    })?;
    let items = items.collect::<rusqlite::Result<Vec<_>>>()?;
    Ok(Some(Context { summary, remark: remark.unwrap_or_default(), items }))
}

/// Adds a summary to the transcript of a run, with the number of the remark about it.
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

/// Has the turn of one run take in the message of another, which is over with that.
pub(crate) fn join_message(
    db: &Connection,
    item: u64,
    from: &RunId,
    into: &Joined,
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
    run::finish(db, from, &Outcome::Finished, at_ms)?;
    Ok(())
}
