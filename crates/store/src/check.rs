//! Whether the store of a state folder can be used. Nothing is changed.

use std::path::Path;

use rusqlite::Connection;
use tarsus_home::Home;

use crate::error::{QueryError, SqlError, SqlErrorKind, StoreError};
use crate::file::{self, Found};
use crate::schema::{self, STEPS};

/// How much of the store is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckExtent {
    /// Every page.
    Full,
    /// Every page of a store of at most 64 MiB; of a larger one only the first.
    Quick,
}

/// The largest store of which a quick check reads every page.
const QUICK_BYTES: u64 = 64 * 1024 * 1024;

impl CheckExtent {
    pub(crate) fn covers(self, bytes: u64) -> bool {
        self == Self::Full || bytes <= QUICK_BYTES
    }
}

/// Checks the store, also while another process uses it. Returns whether there is one.
///
/// Call it only in a process that has not opened the store: [`Store::check`](crate::Store::check) is for the others.
///
/// # Errors
/// When it is damaged, foreign, newer or not readable.
pub fn check(home: &Home, extent: CheckExtent) -> Result<bool, StoreError> {
    let path = home.store_path();
    let Found { bytes, has_log } = file::find(&path)?;
    let Some(bytes) = bytes else { return Ok(false) };
    let read = || {
        let db = file::connect_unchanged(&path, has_log)?;
        schema::check_version(&db, &path, STEPS)?;
        if extent.covers(bytes) { check_pages(&db) } else { Ok(()) }
    };
    read().map_err(|error: QueryError| error.with_path(&path))?;
    Ok(true)
}

/// Checks the structure of every page.
pub(crate) fn check_pages(db: &Connection) -> Result<(), QueryError> {
    let found: String = db.query_row("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    match found.as_str() {
        "ok" => Ok(()),
        // The first line names the table, the second the damage.
        _ => Err(damaged(found.replace('\n', " ")).into()),
    }
}

pub(crate) fn damaged(text: impl Into<String>) -> SqlError {
    SqlError { kind: SqlErrorKind::Damaged, text: text.into() }
}

/// The error of a store whose file is empty.
pub(crate) fn empty(path: &Path) -> StoreError {
    StoreError::Sql { path: path.to_path_buf(), failure: damaged("the file is empty (0 bytes)") }
}
