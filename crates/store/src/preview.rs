//! The last words of sessions, for lists.

use rusqlite::Connection;
use tarsus_protocol::Message;

use crate::error::{QueryError, StoreError};
use crate::message::Speaker;
use crate::names::SessionKey;
use crate::{session, sql};

/// Sessions in one request.
pub const MOST_KEYS: usize = 64;
/// Items that are looked at in each session, whether they have text or not.
const MOST_LOOKED_AT: usize = 64;
/// Bytes of messages that are looked at in each session; the newest one is looked at in any case.
const MOST_BYTES: usize = 1024 * 1024;

/// The last words of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The session.
    pub key: SessionKey,
    /// Its newest items that have text, the oldest of them first; `None` when there is no such session.
    pub items: Option<Vec<PreviewItem>>,
}

/// A few words of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewItem {
    /// The number of the item.
    pub number: u64,
    /// Who speaks.
    pub speaker: Speaker,
    /// The beginning of the text.
    pub text: String,
    /// Whether the text goes on.
    pub cut: bool,
    /// When it was written, in milliseconds since 1970.
    pub at_ms: i64,
}

pub(crate) fn load(
    db: &Connection,
    keys: &[SessionKey],
    limit: usize,
    max_chars: usize,
) -> Result<Vec<Preview>, QueryError> {
    if keys.len() > MOST_KEYS {
        let limit = MOST_KEYS as u64;
        return Err(StoreError::TooLarge { what: "the list of sessions", limit, unit: "keys" }.into());
    }
    let one = |key: &SessionKey| {
        let ids = session::find_ids(db, key)?;
        let items = ids.map(|ids| recent_items(db, ids.transcript, limit, max_chars)).transpose()?;
        Ok(Preview { key: key.clone(), items })
    };
    keys.iter().map(one).collect()
}

fn recent_items(
    db: &Connection,
    transcript: i64,
    limit: usize,
    max_chars: usize,
) -> Result<Vec<PreviewItem>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT number, speaker, at_ms, message FROM items WHERE transcript = ?1 ORDER BY number DESC LIMIT ?2",
    )?;
    let mut rows = query.query([transcript, sql::to_i64(MOST_LOOKED_AT as u64)])?;
    let (mut items, mut bytes) = (Vec::new(), 0_usize);
    while items.len() < limit
        && let Some(row) = rows.next()?
    {
        let first = bytes == 0;
        bytes = bytes.saturating_add(row.get_ref("message")?.as_str().map_or(0, str::len));
        if bytes > MOST_BYTES && !first {
            break;
        }
        let text = sql::json_column::<Message>(row, "message")?.text();
        if text.is_empty() {
            continue;
        }
        let end = text.char_indices().nth(max_chars).map(|(end, _)| end);
        items.push(PreviewItem {
            number: sql::u64_column(row, "number")?,
            speaker: sql::require(sql::enum_column(row, "speaker")?, "speaker")?,
            text: text[..end.unwrap_or(text.len())].to_owned(),
            cut: end.is_some(),
            at_ms: row.get("at_ms")?,
        });
    }
    items.reverse();
    Ok(items)
}
