//! Transcripts: append an item, read a page.
//!
//! Items are numbered 1, 2, 3, … across the whole store, in the order of writing. A page is bounded in items and bytes.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tarsus_protocol::Message;

use crate::error::{QueryError, StoreError};
use crate::message::{Encoded, Speaker};
use crate::names::{RunId, SessionId, SessionKey};
use crate::{run, session, sql};

/// Maximum items on one page.
const MAX_ITEMS: usize = 1_000;
/// Maximum bytes of messages on one page; a page has at least one item in any case.
const MAX_PAGE_BYTES: usize = 16 * 1024 * 1024;

/// An item to append.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// Session key.
    pub session: SessionKey,
    /// The run that writes it. The item goes to the transcript in which the run started, even after a reset.
    pub run: Option<RunId>,
    /// The message.
    pub message: Message,
    /// Time in milliseconds since 1970.
    pub at_ms: i64,
}

/// A transcript item.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Item number, the cursor for reading on.
    pub number: u64,
    /// The run that wrote it.
    pub run: Option<RunId>,
    /// The author of the item.
    pub speaker: Speaker,
    /// Time in milliseconds since 1970.
    pub at_ms: i64,
    /// The message.
    pub message: Message,
}

/// A query for items of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryQuery {
    /// Session key.
    pub session: SessionKey,
    /// Session id of an earlier transcript; `None` for the current one.
    pub session_id: Option<SessionId>,
    /// Start of the page.
    pub start: HistoryStart,
    /// Maximum number of items, at most 1,000.
    pub limit: usize,
}

impl HistoryQuery {
    /// The newest 50 items of a session.
    #[must_use]
    pub fn for_session(session: SessionKey) -> Self {
        Self { session, session_id: None, start: HistoryStart::Newest, limit: 50 }
    }
}

/// The start of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryStart {
    /// The newest items.
    Newest,
    /// The newest items before a number.
    Before(u64),
    /// The oldest items after a number.
    After(u64),
}

/// A page of a transcript, the oldest item first.
#[derive(Debug, Clone, PartialEq)]
pub struct HistoryPage {
    /// Session id of the transcript.
    pub session_id: SessionId,
    /// Items on this page.
    pub items: Vec<Item>,
    /// Number of items in the whole transcript.
    pub total: u64,
    /// Whether more items follow in the reading direction: newer ones after a number, else older ones.
    pub more: bool,
}

/// Adds an item and returns its number.
pub(crate) fn append(db: &Connection, new: &NewItem, message: &Encoded) -> Result<u64, QueryError> {
    let ids =
        session::find_ids(db, &new.session)?.ok_or_else(|| StoreError::NoSession(new.session.clone()))?;
    let transcript = match &new.run {
        Some(run) => {
            run::find_transcript(db, run, ids.session)?.ok_or_else(|| StoreError::NoRun(run.clone()))?
        }
        None => ids.transcript,
    };
    let number = insert_item(db, transcript, new.run.as_ref(), message, new.at_ms)?;
    session::touch(db, ids.session, new.at_ms)?;
    Ok(number)
}

pub(crate) fn insert_item(
    db: &Connection,
    transcript: i64,
    run: Option<&RunId>,
    message: &Encoded,
    at_ms: i64,
) -> Result<u64, QueryError> {
    db.prepare_cached(
        "INSERT INTO items (transcript, run, speaker, at_ms, message) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![
        transcript,
        run.map(RunId::as_str),
        sql::enum_to_text(message.speaker),
        at_ms,
        message.json
    ])?;
    let number = db.last_insert_rowid().cast_unsigned();
    db.prepare_cached("UPDATE transcripts SET items = items + 1 WHERE id = ?1")?.execute([transcript])?;
    Ok(number)
}

/// Loads a page; `None` if the session does not exist or never had that id.
pub(crate) fn load_page(db: &Connection, query: &HistoryQuery) -> Result<Option<HistoryPage>, QueryError> {
    let Some((transcript, session_id, total)) = find_transcript(db, query)? else { return Ok(None) };
    let (from, order) = match query.start {
        HistoryStart::Newest => (i64::MAX, "number < ?2 ORDER BY number DESC"),
        HistoryStart::Before(number) => (sql::to_i64(number), "number < ?2 ORDER BY number DESC"),
        HistoryStart::After(number) => (sql::to_i64(number), "number > ?2 ORDER BY number"),
    };
    let mut statement = db.prepare_cached(&format!(
        "SELECT number, run, speaker, at_ms, message FROM items WHERE transcript = ?1 AND {order}"
    ))?;
    let mut rows = statement.query([transcript, from])?;
    let limit = query.limit.min(MAX_ITEMS);
    let (mut items, mut bytes, mut more) = (Vec::new(), 0_usize, false);
    while let Some(row) = rows.next()? {
        bytes = bytes.saturating_add(row.get_ref("message")?.as_str().map_or(0, str::len));
        if items.len() == limit || (bytes > MAX_PAGE_BYTES && !items.is_empty()) {
            more = true;
            break;
        }
        items.push(item_from_row(row)?);
    }
    if !matches!(query.start, HistoryStart::After(_)) {
        items.reverse();
    }
    Ok(Some(HistoryPage { session_id, items, total, more }))
}

/// The messages of the model in a run, and with `results` those of its tools.
pub(crate) fn answers(db: &Connection, run: &RunId, results: bool) -> Result<Vec<Message>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT message FROM items
         WHERE transcript = (SELECT transcript FROM runs WHERE id = ?1) AND run = ?1
           AND (speaker = 'assistant' OR (?2 AND speaker = 'tool'))
         ORDER BY number",
    )?;
    let messages = query.query_map(params![run.as_str(), results], |row| sql::json_column(row, "message"))?;
    Ok(messages.collect::<rusqlite::Result<_>>()?)
}

fn find_transcript(
    db: &Connection,
    query: &HistoryQuery,
) -> Result<Option<(i64, SessionId, u64)>, QueryError> {
    let mut statement = db.prepare_cached(
        "SELECT t.id, t.session_id, t.items FROM sessions s JOIN transcripts t ON t.session = s.id
         WHERE s.key = ?1 AND iif(?2 IS NULL, t.id = s.transcript, t.session_id = ?2)",
    )?;
    let id = query.session_id.as_ref().map(SessionId::as_str);
    let found = statement.query_row(params![query.session.as_str(), id], |row| {
        Ok((row.get("id")?, SessionId(row.get("session_id")?), sql::u64_column(row, "items")?))
    });
    Ok(found.optional()?)
}

fn item_from_row(row: &Row<'_>) -> rusqlite::Result<Item> {
    Ok(Item {
        number: sql::u64_column(row, "number")?,
        run: sql::parsed_column(row, "run")?,
        speaker: sql::require(sql::enum_column(row, "speaker")?, "speaker")?,
        at_ms: row.get("at_ms")?,
        message: sql::json_column(row, "message")?,
    })
}
