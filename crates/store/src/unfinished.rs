//! Runs that the last process did not end: finding and closing them.
//!
//! Closing is atomic and needs a result for each open call; until then every `Store::open` finds the run again.

use rusqlite::{Connection, params};
use tarsus_protocol::Role;

use crate::call::{self, OpenCall};
use crate::draft::{self, Draft};
use crate::error::{CallChangeError, QueryError, StoreError};
use crate::message::Encoded;
use crate::names::RunId;
use crate::run::{self, Run};
use crate::sql;
use crate::transcript::{self, NewItem};

/// A run that the last process did not end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedRun {
    /// The run itself.
    pub run: Run,
    /// Streamed text that is not in the transcript yet.
    pub draft: Option<Draft>,
    /// Calls without a result, in the order of their requests.
    pub calls: Vec<OpenCall>,
}

/// Finds all unfinished runs, oldest first.
pub(crate) fn find_runs(db: &Connection) -> Result<Vec<UnfinishedRun>, QueryError> {
    let mut query = db.prepare("SELECT id FROM runs WHERE state = 'started' ORDER BY started_ms, id")?;
    let ids = query.query_map((), |row| sql::require(sql::parsed_column::<RunId>(row, "id")?, "id"))?;
    let ids = ids.collect::<rusqlite::Result<Vec<_>>>()?;
    let one = |id: &RunId| -> Result<Option<UnfinishedRun>, QueryError> {
        let Some(run) = run::find(db, id)? else { return Ok(None) };
        Ok(Some(UnfinishedRun { run, draft: draft::load(db, id)?, calls: call::open_calls(db, id)? }))
    };
    ids.iter().filter_map(|id| one(id).transpose()).collect()
}

/// Adds the closing items of a run, among them the results of its open calls, and marks it as interrupted.
pub(crate) fn close_run(
    db: &Connection,
    id: &RunId,
    items: &[(NewItem, Encoded)],
    at_ms: i64,
) -> Result<Vec<u64>, QueryError> {
    run::ensure_running(db, id)?;
    let add = |(new, message): &(NewItem, Encoded)| match &new.message.role {
        Role::ToolResult { tool_call_id, .. } => call::record_result(db, id, tool_call_id, new, message),
        _ => transcript::append(db, new, message),
    };
    let numbers = items.iter().map(add).collect::<Result<Vec<_>, _>>()?;
    if let Some(open) = call::open_calls(db, id)?.into_iter().next() {
        return Err(
            StoreError::Call { run: id.clone(), call: open.id, why: CallChangeError::StillOpen }.into()
        );
    }
    draft::clear(db, id)?;
    db.prepare_cached("UPDATE runs SET state = 'interrupted', ended_ms = max(started_ms, ?2) WHERE id = ?1")?
        .execute(params![id.as_str(), at_ms])?;
    Ok(numbers)
}
