//! Runs: one for each accepted message, identified by its idempotency key.
//!
//! A key starts at most one run. A run ends once: later outcomes are ignored. Runs cut by a crash: `unfinished`.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use tarsus_protocol::Message;

use crate::error::{QueryError, StoreError};
use crate::message::Encoded;
use crate::names::{RunId, SessionId, SessionKey, SingleLine};
use crate::run_note::{self, TriedModel};
use crate::{call, draft, session, sql, transcript};

/// A message that starts a run.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMessage {
    /// Session, created if needed.
    pub session: SessionKey,
    /// Idempotency key, which becomes the run id.
    pub run: RunId,
    /// The message.
    pub message: Message,
    /// Time in milliseconds since 1970.
    pub at_ms: i64,
}

/// The result of accepting a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accepted {
    /// It was stored, and its run started.
    New {
        /// Item number.
        number: u64,
        /// The new run.
        run: Run,
    },
    /// A message with this key was accepted before. This one was not stored.
    Already(Run),
}

/// A run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Run id.
    pub id: RunId,
    /// Session key.
    pub session: SessionKey,
    /// Session id at the start of the run.
    pub session_id: SessionId,
    /// Current state.
    pub state: RunState,
    /// Start time in milliseconds since 1970.
    pub started_ms: i64,
    /// End time in milliseconds since 1970, if it has ended.
    pub ended_ms: Option<i64>,
    /// Reason of a failure.
    pub error: Option<String>,
    /// The model that answered, as `provider/model`.
    pub model: Option<SingleLine>,
    /// Models that failed to answer, in order.
    pub tried: Vec<TriedModel>,
    /// Version of the skills that the model was given.
    pub skills_version: Option<SingleLine>,
    /// Number of tool calls.
    pub tool_calls: u64,
    /// Id of the message that the reply refers to.
    pub reply_to: Option<SingleLine>,
    /// Whether the agent chose to send nothing.
    pub is_silent: bool,
}

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    /// In progress.
    Started,
    /// Ended normally.
    Finished,
    /// Ended with an error.
    Failed,
    /// Aborted by a client or a command.
    Aborted,
    /// The process ended first.
    Interrupted,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// Ended normally.
    Finished,
    /// Failed, with a short reason.
    Failed(String),
    /// Aborted by a client or a command.
    Aborted,
    /// The process ended first.
    Interrupted,
}

impl RunEnd {
    fn state_and_error(&self) -> (RunState, Option<String>) {
        match self {
            Self::Finished => (RunState::Finished, None),
            Self::Failed(error) => (RunState::Failed, Some(sql::truncate_reason(error))),
            Self::Aborted => (RunState::Aborted, None),
            Self::Interrupted => (RunState::Interrupted, None),
        }
    }
}

impl Run {
    /// The run as it is once this end is stored.
    #[must_use]
    pub fn with_end(self, end: &RunEnd, at_ms: i64) -> Self {
        let (state, error) = end.state_and_error();
        Self { state, error, ended_ms: Some(at_ms.max(self.started_ms)), ..self }
    }
}

const COLUMNS: &str = "r.id, s.key, t.session_id, r.state, r.started_ms, r.ended_ms, r.error, r.model, \
     r.skills_version, r.reply_to, r.silent FROM runs r JOIN transcripts t ON t.id = r.transcript JOIN sessions s ON s.id = t.session";

fn run_from_row(row: &Row<'_>) -> rusqlite::Result<Run> {
    Ok(Run {
        id: sql::require(sql::parsed_column(row, "id")?, "id")?,
        session: sql::require(sql::parsed_column(row, "key")?, "key")?,
        session_id: SessionId(row.get("session_id")?),
        state: sql::require(sql::enum_column(row, "state")?, "state")?,
        started_ms: row.get("started_ms")?,
        ended_ms: row.get("ended_ms")?,
        error: row.get("error")?,
        model: sql::parsed_column(row, "model")?,
        reply_to: sql::parsed_column(row, "reply_to")?,
        is_silent: row.get("silent")?,
        tried: Vec::new(),
        skills_version: sql::parsed_column(row, "skills_version")?,
        tool_calls: 0,
    })
}

pub(crate) fn find(db: &Connection, id: &RunId) -> Result<Option<Run>, QueryError> {
    let query = format!("SELECT {COLUMNS} WHERE r.id = ?1");
    let found = db.prepare_cached(&query)?.query_row([id.as_str()], run_from_row).optional()?;
    let Some(run) = found else { return Ok(None) };
    Ok(Some(Run { tried: run_note::tried_models(db, id)?, tool_calls: call::count_for_run(db, id)?, ..run }))
}

/// The runs of a session's transcript that have not ended: the one in progress and those that wait.
pub(crate) fn count_open(db: &Connection, key: &SessionKey) -> Result<u64, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT count(*) AS open FROM runs
         WHERE state = 'started' AND transcript = (SELECT transcript FROM sessions WHERE key = ?1)",
    )?;
    Ok(query.query_row([key.as_str()], |row| sql::u64_column(row, "open"))?)
}

/// Returns an error unless the run exists and has not ended.
pub(crate) fn ensure_running(db: &Connection, id: &RunId) -> Result<(), QueryError> {
    let mut query = db.prepare_cached("SELECT state = 'started' FROM runs WHERE id = ?1")?;
    match query.query_row([id.as_str()], |row| row.get(0)).optional()? {
        Some(true) => Ok(()),
        Some(false) => Err(StoreError::RunEnded(id.clone()).into()),
        None => Err(StoreError::NoRun(id.clone()).into()),
    }
}

/// Row id of the transcript that a run writes to.
pub(crate) fn find_transcript(db: &Connection, id: &RunId, session: i64) -> Result<Option<i64>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT t.id FROM runs r JOIN transcripts t ON t.id = r.transcript WHERE r.id = ?1 AND t.session = ?2",
    )?;
    Ok(query.query_row(params![id.as_str(), session], |row| row.get(0)).optional()?)
}

pub(crate) fn accept(db: &Connection, new: &NewMessage, message: &Encoded) -> Result<Accepted, QueryError> {
    if let Some(run) = find(db, &new.run)? {
        return if run.session == new.session {
            Ok(Accepted::Already(run))
        } else {
            Err(StoreError::RunElsewhere { run: run.id, session: run.session }.into())
        };
    }
    let ids = session::find_or_create_ids(db, &new.session, new.at_ms)?;
    db.prepare_cached("INSERT INTO runs (id, transcript, state, started_ms) VALUES (?1, ?2, 'started', ?3)")?
        .execute(params![new.run.as_str(), ids.transcript, new.at_ms])?;
    let number = transcript::insert_item(db, ids.transcript, Some(&new.run), message, new.at_ms)?;
    session::touch(db, ids.session, new.at_ms)?;
    let run = find(db, &new.run)?.ok_or_else(|| StoreError::NoRun(new.run.clone()))?;
    Ok(Accepted::New { number, run })
}

/// Ends a run and returns it. A run that has ended already stays unchanged.
pub(crate) fn finish(db: &Connection, id: &RunId, end: &RunEnd, at_ms: i64) -> Result<Run, QueryError> {
    let (state, error) = end.state_and_error();
    db.prepare_cached(
        "UPDATE runs SET state = ?2, ended_ms = max(started_ms, ?3), error = ?4
         WHERE id = ?1 AND state = 'started'",
    )?
    .execute(params![id.as_str(), sql::enum_to_text(state), at_ms, error])?;
    draft::clear(db, id)?;
    Ok(find(db, id)?.ok_or_else(|| StoreError::NoRun(id.clone()))?)
}
