//! The file of the store and the connections to it.
//!
//! Promises: the file is private to the account from its first moment, and so is what SQLite puts beside it; a file
//! that does not look like ours is not written to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tarsus_home::files::{self, Lock, Locked, crash};

use crate::error::{SqlError, SqlErrorKind, StoreError};

/// How long SQLite waits for a lock of another process, such as a backup made by hand.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// Takes the store for this process, after making the file with what `fresh` gives when there is none. The lock holds
/// as long as the value.
pub(crate) fn lock_or_create(
    path: &Path,
    fresh: impl FnOnce() -> Result<Vec<u8>, StoreError>,
) -> Result<Locked, StoreError> {
    let in_use = || StoreError::InUse { path: path.to_path_buf() };
    let lock = Lock::try_take(&sibling_path(path, ".", ".lock"))?.ok_or_else(in_use)?;
    let locked = Locked::under(lock, path)?;
    let length = file_size(path)?;
    // SQLite would take an empty file for a new one and remove the log beside it, where everything may be.
    if length.unwrap_or(0) == 0 && file_size(&sibling_path(path, "", "-wal"))?.unwrap_or(0) > 0 {
        let failure = SqlError {
            kind: SqlErrorKind::Damaged,
            text: "it is empty or gone, but its log is not".to_owned(),
        };
        return Err(StoreError::Sql { path: path.to_path_buf(), failure });
    }
    if length.is_none() {
        locked.replace(&fresh()?)?;
        crash::point("store.file.made");
    }
    Ok(locked)
}

/// What a connection is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Opens a connection. Nothing is written yet.
pub(crate) fn connect(path: &Path, access: Access) -> rusqlite::Result<Connection> {
    let mode = match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let db = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(BUSY_WAIT)?;
    db.set_prepared_statement_cache_capacity(64);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // A file that turns out not to be ours stays as it is, its log too.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // A file from elsewhere may hold a schema that calls functions; `fullfsync` matters on macOS only.
    db.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;
         PRAGMA cache_size = -1024; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;",
    )?;
    Ok(db)
}

/// Turns a connection that may write, to a file known to be ours, into the writer's.
///
/// # Errors
/// When the file system, such as one on another machine, does not allow a log beside the file.
pub(crate) fn enable_wal(db: &Connection) -> Result<(), SqlError> {
    let mode: String = db.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    if mode != "wal" {
        let text = format!("this file system does not allow a log beside the store (it is \"{mode}\")");
        return Err(SqlError { kind: SqlErrorKind::Other, text });
    }
    // After a large group the log is cut back to this when it is begun anew.
    db.pragma_update_and_check(None, "journal_size_limit", 16 * 1024 * 1024, |row| row.get::<_, i64>(0))?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(())
}

/// Bytes of a regular file; `None` when there is none. Only while no connection is open: closing a file frees the
/// locks that this process has on it.
fn file_size(path: &Path) -> Result<Option<u64>, StoreError> {
    let file = files::open(path)?;
    let read = files::FileError::system(files::Doing::Read, path);
    Ok(file.map(|file| file.metadata()).transpose().map_err(read)?.map(|found| found.len()))
}

fn sibling_path(path: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(path.file_name().unwrap_or_default());
    name.push(after);
    path.with_file_name(name)
}
