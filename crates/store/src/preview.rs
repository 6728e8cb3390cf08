//! The newest messages of sessions, shortened for lists.

use rusqlite::Connection;
use tarsus_protocol::Message;
use tarsus_protocol::message::Visibility;

use crate::error::{QueryError, StoreError};
use crate::message::Speaker;
use crate::names::SessionKey;
use crate::{session, sql};

/// Maximum sessions of one request.
pub const MAX_PREVIEW_KEYS: usize = 64;
/// Maximum items read of each session, with text or without.
const MAX_SCANNED_ITEMS: usize = 64;
/// Maximum bytes read of each session; the newest message is read in any case.
const MAX_SCANNED_BYTES: usize = 1024 * 1024;

/// The newest messages of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Session key.
    pub key: SessionKey,
    /// Newest items with text, oldest first; `None` if the session does not exist.
    pub items: Option<Vec<ItemPreview>>,
}

/// The beginning of an item's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemPreview {
    /// Item number.
    pub number: u64,
    /// The author of the message.
    pub speaker: Speaker,
    /// Shortened text.
    pub text: String,
    /// Whether the text was shortened.
    pub cut: bool,
    /// Time in milliseconds since 1970.
    pub at_ms: i64,
}

pub(crate) fn load(
    db: &Connection,
    keys: &[SessionKey],
    limit: usize,
    max_chars: usize,
) -> Result<Vec<Preview>, QueryError> {
    if keys.len() > MAX_PREVIEW_KEYS {
        let limit = MAX_PREVIEW_KEYS as u64;
        return Err(StoreError::TooLarge { what: "the list of sessions", limit, unit: "keys" }.into());
    }
    let one = |key: &SessionKey| {
        let ids = session::find_ids(db, key)?;
        let settings = session::find(db, key)?.map(|session| session.settings).unwrap_or_default();
        let items = ids.map(|ids| recent_items(db, ids.transcript, limit, max_chars, settings.visibility()));
        let items = items.transpose()?;
        Ok(Preview { key: key.clone(), items })
    };
    keys.iter().map(one).collect()
}

fn recent_items(
    db: &Connection,
    transcript: i64,
    limit: usize,
    max_chars: usize,
    visibility: Visibility,
) -> Result<Vec<ItemPreview>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT number, speaker, at_ms, message FROM items WHERE transcript = ?1 ORDER BY number DESC LIMIT ?2",
    )?;
    let mut rows = query.query([transcript, sql::to_i64(MAX_SCANNED_ITEMS as u64)])?;
    let (mut items, mut bytes) = (Vec::new(), 0_usize);
    while items.len() < limit
        && let Some(row) = rows.next()?
    {
        let first = bytes == 0;
        bytes = bytes.saturating_add(row.get_ref("message")?.as_str().map_or(0, str::len));
        if bytes > MAX_SCANNED_BYTES && !first {
            break;
        }
        let text = visibility.apply(sql::json_column::<Message>(row, "message")?).text();
        if text.is_empty() {
            continue;
        }
        let end = text.char_indices().nth(max_chars).map(|(end, _)| end);
        items.push(ItemPreview {
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
