//! Tool calls of a run: stored with the message that requests them, updated before the tool runs and with its result.
//!
//! A call starts at most once. Its one result is written in the same transaction as its end.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tarsus_protocol::Role;

use crate::error::{CallChangeError, QueryError, StoreError};
use crate::message::Encoded;
use crate::names::RunId;
use crate::transcript::{self, NewItem};
use crate::{draft, run, sql};

/// A call that the model requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCall {
    /// Call id, unique in the run.
    pub id: String,
    /// Tool name as the model wrote it.
    pub tool: String,
    /// Whether it starts with this write, like [`Store::begin_call`](crate::Store::begin_call) without a second sync.
    pub begun: bool,
}

/// A call without a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// Call id.
    pub id: String,
    /// Tool name.
    pub tool: String,
    /// Whether it has started, and so may have run.
    pub begun: bool,
}

/// A recorded call of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCall {
    /// Call id.
    pub id: String,
    /// Tool name.
    pub tool: String,
    /// Start time in milliseconds since 1970, if it has started.
    pub begun_ms: Option<i64>,
    /// Its end, if it has ended.
    pub ended: Option<CallEnd>,
}

/// The end of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallEnd {
    /// Time in milliseconds since 1970.
    pub at_ms: i64,
    /// Whether its result is an error.
    pub failed: bool,
}

pub(crate) fn insert(db: &Connection, run: &RunId, new: &NewCall, at_ms: i64) -> Result<(), QueryError> {
    let added = db
        .prepare_cached("INSERT OR IGNORE INTO calls (run, id, tool, begun_ms) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![run.as_str(), new.id, new.tool, new.begun.then_some(at_ms)])?;
    match added {
        1 => Ok(()),
        _ => call_error(run, &new.id, CallChangeError::Duplicate),
    }
}

pub(crate) fn mark_started(db: &Connection, run: &RunId, id: &str, at_ms: i64) -> Result<(), QueryError> {
    run::ensure_running(db, run)?;
    match find(db, run, id)? {
        Some(RecordedCall { ended: Some(_), .. }) => call_error(run, id, CallChangeError::AlreadyFinished),
        Some(RecordedCall { begun_ms: Some(_), .. }) => call_error(run, id, CallChangeError::AlreadyStarted),
        Some(_) => {
            db.prepare_cached("UPDATE calls SET begun_ms = ?3 WHERE run = ?1 AND id = ?2")?
                .execute(params![run.as_str(), id, at_ms])?;
            Ok(())
        }
        None => call_error(run, id, CallChangeError::Unknown),
    }
}

/// Writes the result of a call, closes the call and returns the item's number. A run that has ended still accepts results
/// of calls that it started.
pub(crate) fn record_result(
    db: &Connection,
    run: &RunId,
    id: &str,
    new: &NewItem,
    message: &Encoded,
) -> Result<u64, QueryError> {
    let failed = match &new.message.role {
        Role::ToolResult { tool_call_id, is_error, .. } if tool_call_id == id => *is_error,
        _ => return call_error(run, id, CallChangeError::ResultMismatch),
    };
    match find(db, run, id)? {
        Some(RecordedCall { ended: None, .. }) => {}
        Some(_) => return call_error(run, id, CallChangeError::AlreadyFinished),
        None => return call_error(run, id, CallChangeError::Unknown),
    }
    let number = transcript::append(db, new, message)?;
    db.prepare_cached("UPDATE calls SET ended_ms = ?3, failed = ?4 WHERE run = ?1 AND id = ?2")?
        .execute(params![run.as_str(), id, new.at_ms, failed])?;
    draft::clear(db, run)?;
    Ok(number)
}

fn call_error<T>(run: &RunId, id: &str, why: CallChangeError) -> Result<T, QueryError> {
    Err(StoreError::Call { run: run.clone(), call: id.to_owned(), why }.into())
}

const COLUMNS: &str = "id, tool, begun_ms, ended_ms, failed FROM calls WHERE run = ?1";

fn call_from_row(row: &Row<'_>) -> rusqlite::Result<RecordedCall> {
    let (at_ms, failed): (Option<i64>, Option<bool>) = (row.get("ended_ms")?, row.get("failed")?);
    let ended = at_ms.zip(failed).map(|(at_ms, failed)| CallEnd { at_ms, failed });
    Ok(RecordedCall { id: row.get("id")?, tool: row.get("tool")?, begun_ms: row.get("begun_ms")?, ended })
}

fn find(db: &Connection, run: &RunId, id: &str) -> Result<Option<RecordedCall>, QueryError> {
    let mut query = db.prepare_cached(&format!("SELECT {COLUMNS} AND id = ?2"))?;
    Ok(query.query_row([run.as_str(), id], call_from_row).optional()?)
}

/// Lists the calls of a run in the order of their requests.
pub(crate) fn list(db: &Connection, run: &RunId) -> Result<Vec<RecordedCall>, QueryError> {
    let mut query = db.prepare_cached(&format!("SELECT {COLUMNS} ORDER BY number"))?;
    let calls = query.query_map([run.as_str()], call_from_row)?;
    Ok(calls.collect::<rusqlite::Result<_>>()?)
}

/// Lists the calls without a result.
pub(crate) fn open_calls(db: &Connection, run: &RunId) -> Result<Vec<OpenCall>, QueryError> {
    let open = list(db, run)?.into_iter().filter(|call| call.ended.is_none());
    Ok(open.map(|call| OpenCall { id: call.id, tool: call.tool, begun: call.begun_ms.is_some() }).collect())
}

/// Counts the calls of a run.
pub(crate) fn count_for_run(db: &Connection, run: &RunId) -> Result<u64, QueryError> {
    let mut query = db.prepare_cached("SELECT count(*) AS calls FROM calls WHERE run = ?1")?;
    Ok(query.query_row([run.as_str()], |row| sql::u64_column(row, "calls"))?)
}
