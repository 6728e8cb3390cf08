//! The state of a session's conversation with the Application Manager, as opaque JSON.

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::Value;

use crate::error::{QueryError, StoreError};
use crate::names::SessionKey;
use crate::{session, sql};

/// Maximum bytes of a state as JSON.
const MAX_STATE_BYTES: usize = 1024 * 1024;

/// A stored conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct ConversationState {
    /// Opaque state.
    pub state: Value,
    /// Time of the last change in milliseconds since 1970.
    pub at_ms: i64,
}

/// Encodes a state for the store.
pub(crate) fn encode(state: &Value) -> Result<String, StoreError> {
    let json = state.to_string();
    if json.len() > MAX_STATE_BYTES {
        let limit = MAX_STATE_BYTES as u64;
        return Err(StoreError::TooLarge { what: "the state of the conversation", limit, unit: "bytes" });
    }
    Ok(json)
}

pub(crate) fn find(db: &Connection, key: &SessionKey) -> Result<Option<ConversationState>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT c.state, c.at_ms FROM conversations c JOIN sessions s ON s.id = c.session WHERE s.key = ?1",
    )?;
    let found = query.query_row([key.as_str()], |row| {
        Ok(ConversationState { state: sql::json_column(row, "state")?, at_ms: row.get("at_ms")? })
    });
    Ok(found.optional()?)
}

/// Stores the state; `None` ends the conversation.
pub(crate) fn set(
    db: &Connection,
    key: &SessionKey,
    state: Option<&str>,
    at_ms: i64,
) -> Result<(), QueryError> {
    let ids = session::find_ids(db, key)?.ok_or_else(|| StoreError::NoSession(key.clone()))?;
    match state {
        Some(state) => db
            .prepare_cached(
                "INSERT OR REPLACE INTO conversations (session, at_ms, state) VALUES (?1, ?2, ?3)",
            )?
            .execute(params![ids.session, at_ms, state])?,
        None => db.prepare_cached("DELETE FROM conversations WHERE session = ?1")?.execute([ids.session])?,
    };
    Ok(())
}
