//! The schema: a list of steps, each of which creates the next version.
//!
//! A migration is applied as a whole or not at all, after a backup. A foreign or newer store is refused and left unchanged.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tarsus_home::files::{Lock, Locked, crash};

use crate::copy;
use crate::error::{QueryError, StoreError};

/// Step N creates version N + 1. Released steps never change.
pub(crate) const STEPS: &[&str] = &[
    include_str!("schema/v1.sql"),
    include_str!("schema/v2.sql"),
    include_str!("schema/v3.sql"),
    include_str!("schema/v4.sql"),
    include_str!("schema/v5.sql"),
    include_str!("schema/v6.sql"),
];

/// The schema version of this program.
pub const VERSION: u32 = STEPS.len() as u32;

/// SQLite application id of our databases: `Tars`.
const APPLICATION: u32 = 0x5461_7273;

/// A completed migration to the current version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    /// Previous version.
    pub from: u32,
    /// Path of the backup of the previous version.
    pub backup: PathBuf,
}

/// Reads the version of a store; 0 for an empty file.
///
/// # Errors
/// When the store is foreign, or newer than `steps`.
pub(crate) fn check_version(db: &Connection, path: &Path, steps: &[&str]) -> Result<u32, QueryError> {
    let application: i32 = db.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: i32 = db.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    let known = steps.len() as u32;
    match (application.cast_unsigned(), version.cast_unsigned(), tables) {
        (0, 0, 0) => Ok(0),
        (APPLICATION, found, _) if found > known => {
            Err(StoreError::Newer { path: path.to_path_buf(), found, known }.into())
        }
        (APPLICATION, found @ 1.., 1..) => Ok(found),
        _ => Err(StoreError::Foreign { path: path.to_path_buf() }.into()),
    }
}

/// The bytes of a new, empty store. Built in memory, so that it is written to disk at once and with one sync.
pub(crate) fn new_database(steps: &[&str]) -> Result<Vec<u8>, QueryError> {
    /// The header bytes with the write and read format.
    const FORMATS: std::ops::Range<usize> = 18..20;
    /// Write-ahead logging.
    const LOG_AHEAD: u8 = 2;

    let mut db = Connection::open_in_memory()?;
    apply_steps(&db, steps, steps.len())?;
    let mut file = db.serialize("main")?.to_vec();
    if let Some(formats) = file.get_mut(FORMATS) {
        formats.fill(LOG_AHEAD);
    }
    Ok(file)
}

/// Migrates a store from version `from` to the newest, after a backup unless the store is empty.
pub(crate) fn migrate(
    db: &Connection,
    from: u32,
    steps: &[&str],
    backups: &Path,
) -> Result<Option<Migration>, QueryError> {
    let missing = steps.get(from as usize..).unwrap_or_default();
    if missing.is_empty() {
        return Ok(None);
    }
    let backup = (from > 0).then(|| back_up(db, &backups.join(format!("store.db.v{from}")))).transpose()?;
    apply_steps(db, missing, steps.len())?;
    crash::point("store.migrated");
    Ok(backup.map(|backup| Migration { from, backup }))
}

/// Applies steps up to a version, all or none.
fn apply_steps(db: &Connection, missing: &[&str], version: usize) -> Result<(), QueryError> {
    let transaction = db.unchecked_transaction()?;
    for step in missing {
        transaction.execute_batch(step)?;
        crash::point("store.step.made");
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", version as u32)?;
    Ok(transaction.commit()?)
}

/// Copies the store before a migration. An incomplete copy is harmless: the store is still unchanged then, and the next
/// attempt replaces the copy.
fn back_up(db: &Connection, path: &Path) -> Result<PathBuf, QueryError> {
    let create_private_file = || {
        let folder = path.parent().unwrap_or(path);
        let locked = Locked::under(Lock::take(&folder.join(".lock"))?, path)?;
        locked.replace(b"").map(|()| locked)
    };
    let _locked = create_private_file().map_err(StoreError::from)?;
    copy::copy_database(db, path, &mut |_| {})?;
    Ok(path.to_path_buf())
}

#[cfg(test)]
mod tests;
