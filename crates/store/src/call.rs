//! What the model asks tools to do: a row is written with the words that ask for it, before the tool runs once more,
//! and with its result.
//!
//! Promises: a call begins at most once and has one result; the result and the end of its call are written together.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tarsus_protocol::Role;

use crate::error::{CallFault, Fault, StoreError};
use crate::message::Encoded;
use crate::names::RunId;
use crate::transcript::{self, NewItem};
use crate::{draft, run, sql};

/// A call that the model has just asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCall {
    /// Its id, which no other call of the run has.
    pub id: String,
    /// The tool, as the model calls it.
    pub tool: String,
    /// Whether it begins at once: the same as [`Store::begin_call`](crate::Store::begin_call), without a sync of its own.
    pub begun: bool,
}

/// A call that has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenCall {
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Whether it has begun: then it may have run.
    pub begun: bool,
}

/// A call, as a run's record has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Its id.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// When it began, in milliseconds since 1970; `None` when it did not.
    pub begun_ms: Option<i64>,
    /// How it ended; `None` while it has not.
    pub ended: Option<CallEnd>,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallEnd {
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
    /// Whether its result says that it failed.
    pub failed: bool,
}

pub(crate) fn add(db: &Connection, run: &RunId, new: &NewCall, at_ms: i64) -> Result<(), Fault> {
    let added = db
        .prepare_cached("INSERT OR IGNORE INTO calls (run, id, tool, begun_ms) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![run.as_str(), new.id, new.tool, new.begun.then_some(at_ms)])?;
    match added {
        1 => Ok(()),
        _ => refused(run, &new.id, CallFault::Twice),
    }
}

pub(crate) fn begin(db: &Connection, run: &RunId, id: &str, at_ms: i64) -> Result<(), Fault> {
    run::goes_on(db, run)?;
    match find(db, run, id)? {
        Some(Call { ended: Some(_), .. }) => refused(run, id, CallFault::Ended),
        Some(Call { begun_ms: Some(_), .. }) => refused(run, id, CallFault::Begun),
        Some(_) => {
            db.prepare_cached("UPDATE calls SET begun_ms = ?3 WHERE run = ?1 AND id = ?2")?
                .execute(params![run.as_str(), id, at_ms])?;
            Ok(())
        }
        None => refused(run, id, CallFault::Unknown),
    }
}

/// Writes the result of a call and closes it; answers with the number of the item. A run that is over still takes the
/// results of what it began.
pub(crate) fn result(
    db: &Connection,
    run: &RunId,
    id: &str,
    new: &NewItem,
    message: &Encoded,
) -> Result<u64, Fault> {
    let failed = match &new.message.role {
        Role::ToolResult { tool_call_id, is_error, .. } if tool_call_id == id => *is_error,
        _ => return refused(run, id, CallFault::OtherResult),
    };
    match find(db, run, id)? {
        Some(Call { ended: None, .. }) => {}
        Some(_) => return refused(run, id, CallFault::Ended),
        None => return refused(run, id, CallFault::Unknown),
    }
    let number = transcript::append(db, new, message)?;
    db.prepare_cached("UPDATE calls SET ended_ms = ?3, failed = ?4 WHERE run = ?1 AND id = ?2")?
        .execute(params![run.as_str(), id, new.at_ms, failed])?;
    draft::clear(db, run)?;
    Ok(number)
}

fn refused<T>(run: &RunId, id: &str, why: CallFault) -> Result<T, Fault> {
    Err(StoreError::Call { run: run.clone(), call: id.to_owned(), why }.into())
}

const COLUMNS: &str = "id, tool, begun_ms, ended_ms, failed FROM calls WHERE run = ?1";

fn call(row: &Row<'_>) -> rusqlite::Result<Call> {
    let (at_ms, failed): (Option<i64>, Option<bool>) = (row.get("ended_ms")?, row.get("failed")?);
    let ended = at_ms.zip(failed).map(|(at_ms, failed)| CallEnd { at_ms, failed });
    Ok(Call { id: row.get("id")?, tool: row.get("tool")?, begun_ms: row.get("begun_ms")?, ended })
}

fn find(db: &Connection, run: &RunId, id: &str) -> Result<Option<Call>, Fault> {
    let mut query = db.prepare_cached(&format!("SELECT {COLUMNS} AND id = ?2"))?;
    Ok(query.query_row([run.as_str(), id], call).optional()?)
}

/// The calls of a run, in the order in which they were asked for.
pub(crate) fn of(db: &Connection, run: &RunId) -> Result<Vec<Call>, Fault> {
    let mut query = db.prepare_cached(&format!("SELECT {COLUMNS} ORDER BY number"))?;
    let calls = query.query_map([run.as_str()], call)?;
    Ok(calls.collect::<rusqlite::Result<_>>()?)
}

/// Those that have no result.
pub(crate) fn open_of(db: &Connection, run: &RunId) -> Result<Vec<OpenCall>, Fault> {
    let open = of(db, run)?.into_iter().filter(|call| call.ended.is_none());
    Ok(open.map(|call| OpenCall { id: call.id, tool: call.tool, begun: call.begun_ms.is_some() }).collect())
}

/// How many calls a run has asked for.
pub(crate) fn count(db: &Connection, run: &RunId) -> Result<u64, Fault> {
    let mut query = db.prepare_cached("SELECT count(*) AS calls FROM calls WHERE run = ?1")?;
    Ok(query.query_row([run.as_str()], |row| sql::count(row, "calls"))?)
}
