//! Transcripts: adding an item, and reading a page of them.
//!
//! Promises: items are numbered 1, 2, 3, … over the whole store in the order in which they were written; a page is
//! bounded in items and bytes and says whether there is more.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tarsus_protocol::Message;

use crate::error::{QueryError, StoreError};
use crate::message::{Encoded, Speaker};
use crate::names::{RunId, SessionId, SessionKey};
use crate::{run, session, sql};

/// Items on one page.
const MOST_ITEMS: usize = 1_000;
/// Bytes of messages on one page, which has at least one item all the same.
const PAGE_BYTES: usize = 16 * 1024 * 1024;

/// An item to be added.
#[derive(Debug, Clone, PartialEq)]
pub struct NewItem {
    /// The session.
    pub session: SessionKey,
    /// The run that it belongs to. Its item goes to the transcript that the run began in, also after a reset.
    pub run: Option<RunId>,
    /// What is said.
    pub message: Message,
    /// When, in milliseconds since 1970.
    pub at_ms: i64,
}

/// An item of a transcript.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its number, by which reading goes on after it.
    pub number: u64,
    /// The run that it belongs to.
    pub run: Option<RunId>,
    /// Who speaks.
    pub speaker: Speaker,
    /// When it was written.
    pub at_ms: i64,
    /// What is said.
    pub message: Message,
}

/// Which items are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct History {
    /// The session.
    pub session: SessionKey,
    /// The id that it had; without one, its present transcript.
    pub session_id: Option<SessionId>,
    /// Where to start.
    pub start: Start,
    /// At most so many; never more than 1,000.
    pub limit: usize,
}

impl History {
    /// The newest 50 items of a session.
    #[must_use]
    pub fn of(session: SessionKey) -> Self {
        Self { session, session_id: None, start: Start::Newest, limit: 50 }
    }
}

/// Where a page starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
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
    /// Whose transcript it is.
    pub session_id: SessionId,
    /// The items.
    pub items: Vec<Item>,
    /// How many items the whole transcript has.
    pub total: u64,
    /// Whether there are more in the direction of reading: newer ones after a number, else older ones.
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

/// A page; `None` when there is no such session, or it never had that id.
pub(crate) fn load_page(db: &Connection, wanted: &History) -> Result<Option<HistoryPage>, QueryError> {
    let Some((transcript, session_id, total)) = find_transcript(db, wanted)? else { return Ok(None) };
    let (from, order) = match wanted.start {
        Start::Newest => (i64::MAX, "number < ?2 ORDER BY number DESC"),
        Start::Before(number) => (sql::to_i64(number), "number < ?2 ORDER BY number DESC"),
        Start::After(number) => (sql::to_i64(number), "number > ?2 ORDER BY number"),
    };
    let mut query = db.prepare_cached(&format!(
        "SELECT number, run, speaker, at_ms, message FROM items WHERE transcript = ?1 AND {order}"
    ))?;
    let mut rows = query.query([transcript, from])?;
    let limit = wanted.limit.min(MOST_ITEMS);
    let (mut items, mut bytes, mut more) = (Vec::new(), 0_usize, false);
    while let Some(row) = rows.next()? {
        bytes = bytes.saturating_add(row.get_ref("message")?.as_str().map_or(0, str::len));
        if items.len() == limit || (bytes > PAGE_BYTES && !items.is_empty()) {
            more = true;
            break;
        }
        items.push(item_from_row(row)?);
    }
    if !matches!(wanted.start, Start::After(_)) {
        items.reverse();
    }
    Ok(Some(HistoryPage { session_id, items, total, more }))
}

/// What a model said last in a run. Its items are looked for among the newest of its transcript.
pub(crate) fn last_assistant_message(db: &Connection, run: &RunId) -> Result<Option<Message>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT message FROM items
         WHERE transcript = (SELECT transcript FROM runs WHERE id = ?1) AND run = ?1 AND speaker = 'assistant'
         ORDER BY number DESC LIMIT 1",
    )?;
    Ok(query.query_row([run.as_str()], |row| sql::json_column(row, "message")).optional()?)
}

fn find_transcript(db: &Connection, wanted: &History) -> Result<Option<(i64, SessionId, u64)>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT t.id, t.session_id, t.items FROM sessions s JOIN transcripts t ON t.session = s.id
         WHERE s.key = ?1 AND iif(?2 IS NULL, t.id = s.transcript, t.session_id = ?2)",
    )?;
    let id = wanted.session_id.as_ref().map(SessionId::as_str);
    let found = query.query_row(params![wanted.session.as_str(), id], |row| {
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
