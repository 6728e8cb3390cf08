//! Runs that have not ended: finding and closing them.
//!
//! Closing is atomic and needs a result for each open call; until then every `Store::open` finds the run again.

use rusqlite::Connection;
use tarsus_protocol::Role;

use crate::call::{self, OpenCall};
use crate::draft::{self, Draft};
use crate::error::{CallChangeError, QueryError, StoreError};
use crate::message::Encoded;
use crate::names::RunId;
use crate::run::{self, Run, RunEnd, RunState};
use crate::sql;
use crate::transcript::{self, NewItem};

/// A run that has not ended.
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
    ids.iter().filter_map(|id| find_run(db, id).transpose()).collect()
}

/// Finds an unfinished run; `None` if it has ended or does not exist.
pub(crate) fn find_run(db: &Connection, id: &RunId) -> Result<Option<UnfinishedRun>, QueryError> {
    match run::find(db, id)?.filter(|run| run.state == RunState::Started) {
        Some(run) => {
            Ok(Some(UnfinishedRun { run, draft: draft::load(db, id)?, calls: call::open_calls(db, id)? }))
        }
        None => Ok(None),
    }
}

/// Adds the closing items of a run, among them the results of its open calls, and ends it.
pub(crate) fn close_run(
    db: &Connection,
    id: &RunId,
    items: &[(NewItem, Encoded)],
    end: &RunEnd,
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
    run::finish(db, id, end, at_ms)?;
    Ok(numbers)
}
