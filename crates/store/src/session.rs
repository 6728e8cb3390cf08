//! Sessions: find, list, create, reset and delete.

use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use tarsus_home::config::AgentId;

use crate::error::QueryError;
use crate::names::{SessionId, SessionKey, SingleLine};
use crate::settings::SessionOverrides;
use crate::sql;

/// Maximum sessions on one page.
const MAX_LISTED: usize = 1_000;

/// A session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Session key.
    pub key: SessionKey,
    /// Session id, replaced by a reset.
    pub session_id: SessionId,
    /// Label given by a person.
    pub label: Option<SingleLine>,
    /// Settings that override the configuration.
    pub settings: SessionOverrides,
    /// Creation time in milliseconds since 1970.
    pub created_ms: i64,
    /// Time of the last write in milliseconds since 1970.
    pub updated_ms: i64,
    /// Number of items in the current transcript.
    pub items: u64,
}

/// A query for sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionQuery {
    /// Only sessions of this agent.
    pub agent: Option<AgentId>,
    /// Only sessions whose key or label contains this text; ASCII letters match in either case.
    pub search: Option<String>,
    /// Maximum number of sessions, at most 1,000.
    pub limit: usize,
    /// Number of sessions to skip.
    pub offset: usize,
}

impl Default for SessionQuery {
    fn default() -> Self {
        Self { agent: None, search: None, limit: 100, offset: 0 }
    }
}

/// A page of sessions, most recently written first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPage {
    /// Sessions on this page.
    pub sessions: Vec<Session>,
    /// Number of sessions on all pages.
    pub total: u64,
}

const COLUMNS: &str = "s.key, s.label, s.model, s.thinking_level, s.exec_host, s.exec_security, s.exec_ask, \
     s.reasoning, s.verbose, s.created_ms, s.updated_ms, t.session_id, t.items FROM sessions s JOIN transcripts t ON t.id = s.transcript";

fn session_from_row(row: &Row<'_>) -> rusqlite::Result<Session> {
    Ok(Session {
        key: sql::require(sql::parsed_column(row, "key")?, "key")?,
        session_id: SessionId(row.get("session_id")?),
        label: sql::parsed_column(row, "label")?,
        settings: SessionOverrides {
            model: sql::parsed_column(row, "model")?,
            thinking_level: sql::enum_column(row, "thinking_level")?,
            reasoning: sql::enum_column(row, "reasoning")?,
            verbose: sql::enum_column(row, "verbose")?,
            exec_host: sql::enum_column(row, "exec_host")?,
            exec_security: sql::enum_column(row, "exec_security")?,
            exec_ask: sql::enum_column(row, "exec_ask")?,
        },
        created_ms: row.get("created_ms")?,
        updated_ms: row.get("updated_ms")?,
        items: sql::u64_column(row, "items")?,
    })
}

pub(crate) fn find(db: &Connection, key: &SessionKey) -> Result<Option<Session>, QueryError> {
    let query = format!("SELECT {COLUMNS} WHERE s.key = ?1");
    Ok(db.prepare_cached(&query)?.query_row([key.as_str()], session_from_row).optional()?)
}

pub(crate) fn list(db: &Connection, query: &SessionQuery) -> Result<SessionPage, QueryError> {
    let agent = query.agent.as_ref().map(AgentId::as_str);
    let search = query.search.as_ref().map(|text| text.to_ascii_lowercase());
    // A separate query for each case, so that each can use its own index.
    let of_agent = if agent.is_some() { "s.agent = :agent" } else { ":agent IS NULL" };
    let with_text = match search {
        Some(_) => "(instr(lower(s.key), :search) > 0 OR instr(lower(s.label), :search) > 0)",
        None => ":search IS NULL",
    };
    let filter = format!("WHERE {of_agent} AND {with_text}");
    let mut listing = db.prepare_cached(&format!(
        "SELECT {COLUMNS} {filter} ORDER BY s.updated_ms DESC, s.id DESC LIMIT :limit OFFSET :offset"
    ))?;
    let limit = sql::to_i64(query.limit.min(MAX_LISTED) as u64);
    let offset = sql::to_i64(query.offset as u64);
    let found = listing.query_map(
        named_params! { ":agent": agent, ":search": search, ":limit": limit, ":offset": offset },
        session_from_row,
    )?;
    let sessions = found.collect::<rusqlite::Result<Vec<_>>>()?;
    let mut counting = db.prepare_cached(&format!("SELECT count(*) AS total FROM sessions s {filter}"))?;
    let total = counting.query_row(named_params! { ":agent": agent, ":search": search }, |row| {
        sql::u64_column(row, "total")
    })?;
    Ok(SessionPage { sessions, total })
}

/// Row ids of a session and its current transcript.
#[derive(Clone, Copy)]
pub(crate) struct SessionIds {
    pub(crate) session: i64,
    pub(crate) transcript: i64,
}

pub(crate) fn find_ids(db: &Connection, key: &SessionKey) -> Result<Option<SessionIds>, QueryError> {
    let mut query = db.prepare_cached("SELECT id, transcript FROM sessions WHERE key = ?1")?;
    let ids = |row: &Row<'_>| Ok(SessionIds { session: row.get(0)?, transcript: row.get(1)? });
    Ok(query.query_row([key.as_str()], ids).optional()?)
}

/// Returns the row ids of a session, creating it if needed.
pub(crate) fn find_or_create_ids(
    db: &Connection,
    key: &SessionKey,
    at_ms: i64,
) -> Result<SessionIds, QueryError> {
    if let Some(ids) = find_ids(db, key)? {
        return Ok(ids);
    }
    // The transcript is set below; the reference is checked at the end of the transaction.
    db.prepare_cached(
        "INSERT INTO sessions (key, agent, transcript, created_ms, updated_ms) VALUES (?1, ?2, 0, ?3, ?3)",
    )?
    .execute(params![key.as_str(), key.agent().as_str(), at_ms])?;
    let session = db.last_insert_rowid();
    let transcript = begin_transcript(db, session, at_ms)?;
    Ok(SessionIds { session, transcript })
}

fn begin_transcript(db: &Connection, session: i64, at_ms: i64) -> Result<i64, QueryError> {
    db.prepare_cached(
        "INSERT INTO transcripts (session, session_id, begun_ms) VALUES (?1, lower(hex(randomblob(16))), ?2)",
    )?
    .execute([session, at_ms])?;
    let transcript = db.last_insert_rowid();
    db.prepare_cached("UPDATE sessions SET transcript = ?2 WHERE id = ?1")?.execute([session, transcript])?;
    Ok(transcript)
}

/// Updates the time of the last write. It never goes back, even if the clock does.
pub(crate) fn touch(db: &Connection, session: i64, at_ms: i64) -> Result<(), QueryError> {
    db.prepare_cached("UPDATE sessions SET updated_ms = max(updated_ms, ?2) WHERE id = ?1")?
        .execute([session, at_ms])?;
    Ok(())
}

/// Starts a new transcript under a new id. Label and settings stay; an open conversation ends.
pub(crate) fn reset(db: &Connection, key: &SessionKey, at_ms: i64) -> Result<(), QueryError> {
    match find_ids(db, key)? {
        None => {
            find_or_create_ids(db, key, at_ms)?;
        }
        Some(SessionIds { session, .. }) => {
            begin_transcript(db, session, at_ms)?;
            db.prepare_cached("DELETE FROM conversations WHERE session = ?1")?.execute([session])?;
            touch(db, session, at_ms)?;
        }
    }
    Ok(())
}

/// Deletes a session with everything except its usage. Returns whether it existed.
pub(crate) fn delete(db: &Connection, key: &SessionKey) -> Result<bool, QueryError> {
    Ok(db.prepare_cached("DELETE FROM sessions WHERE key = ?1")?.execute([key.as_str()])? > 0)
}

/// A transcript of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transcript {
    /// Session id of this transcript.
    pub session_id: SessionId,
    /// Creation time in milliseconds since 1970.
    pub begun_ms: i64,
    /// Number of items.
    pub items: u64,
}

/// Lists the transcripts of a session, oldest first.
pub(crate) fn transcripts(db: &Connection, key: &SessionKey) -> Result<Vec<Transcript>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT t.session_id, t.begun_ms, t.items FROM sessions s JOIN transcripts t ON t.session = s.id
         WHERE s.key = ?1 ORDER BY t.id",
    )?;
    let found = query.query_map([key.as_str()], |row| {
        Ok(Transcript {
            session_id: SessionId(row.get("session_id")?),
            begun_ms: row.get("begun_ms")?,
            items: sql::u64_column(row, "items")?,
        })
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}
