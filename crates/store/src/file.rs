//! The database file and the connections to it.
//!
//! The file and those that SQLite adds beside it are private to the account from the start. A file that does not look
//! like ours is never written to.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use tarsus_home::files::{self, Lock, Locked, crash};

use crate::check;
use crate::error::{SqlError, SqlErrorKind, StoreError};

/// Wait for a lock of another process, such as a manual backup.
const BUSY_WAIT: Duration = Duration::from_secs(5);

/// Locks the store for this process, and creates the file from `fresh` if there is none. The lock lasts as long as the
/// returned value.
pub(crate) fn lock_or_create(
    path: &Path,
    fresh: impl FnOnce() -> Result<Vec<u8>, StoreError>,
) -> Result<Locked, StoreError> {
    let in_use = || StoreError::InUse { path: path.to_path_buf() };
    let lock = Lock::try_take(&sibling_path(path, ".", ".lock"))?.ok_or_else(in_use)?;
    let locked = Locked::under(lock, path)?;
    if find(path)?.bytes.is_none() {
        locked.replace(&fresh()?)?;
        crash::point("store.file.made");
    }
    Ok(locked)
}

/// What is at the path of a store.
pub(crate) struct Found {
    /// Size of the file; `None` if there is none.
    pub(crate) bytes: Option<u64>,
    /// Whether SQLite's log is beside it.
    pub(crate) has_log: bool,
}

/// Looks for the files of a store. Call it only while no connection is open.
///
/// # Errors
/// When the file is empty, or missing while its log is not. SQLite would treat it as new and remove the log, which may
/// hold all data.
pub(crate) fn find(path: &Path) -> Result<Found, StoreError> {
    let (bytes, log_bytes) = (file_size(path)?, file_size(&sibling_path(path, "", "-wal"))?);
    match (bytes, log_bytes.unwrap_or(0)) {
        (Some(0), 0) => Err(check::empty(path)),
        (None | Some(0), 1..) => {
            let failure = check::damaged("the file is empty or missing, but its log is not");
            Err(StoreError::Sql { path: path.to_path_buf(), failure })
        }
        _ => Ok(Found { bytes, has_log: log_bytes.is_some() }),
    }
}

/// The access mode of a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// Opens a connection without writing anything.
pub(crate) fn connect(path: &Path, access: Access) -> rusqlite::Result<Connection> {
    let mode = match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let db = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    db.busy_timeout(BUSY_WAIT)?;
    db.set_prepared_statement_cache_capacity(64);
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    // A foreign file stays unchanged, and so does its log.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // A foreign schema may call functions; `fullfsync` matters on macOS only.
    db.execute_batch(
        "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON;
         PRAGMA cache_size = -1024; PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON;",
    )?;
    Ok(db)
}

/// Opens a connection that creates no files. One without a log is read as it is: nobody has it open.
pub(crate) fn connect_unchanged(path: &Path, has_log: bool) -> rusqlite::Result<Connection> {
    if has_log {
        return connect(path, Access::Read);
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let db = Connection::open_with_flags(immutable_uri(path), flags)?;
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")?;
    Ok(db)
}

/// The URI of a file that nobody writes.
fn immutable_uri(path: &Path) -> String {
    let slashed = path.to_string_lossy().replace('\\', if cfg!(windows) { "/" } else { "\\" });
    let root = if slashed.starts_with('/') { "" } else { "/" };
    let mut uri = format!("file://{root}");
    for byte in slashed.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b':' => {
                uri.push(char::from(byte))
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri + "?immutable=1"
}

/// Prepares the writer's connection, to a file known to be ours.
///
/// # Errors
/// When the file system, such as a network share, does not support write-ahead logging.
pub(crate) fn enable_wal(db: &Connection) -> Result<(), SqlError> {
    let mode: String = db.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    if mode != "wal" {
        let text = format!("this file system does not support write-ahead logging (mode \"{mode}\")");
        return Err(SqlError { kind: SqlErrorKind::Other, text });
    }
    // After a large group the log is truncated to this size when it restarts.
    db.pragma_update_and_check(None, "journal_size_limit", 16 * 1024 * 1024, |row| row.get::<_, i64>(0))?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(())
}

/// Size of a regular file, if it exists. Call it only while no connection is open: closing a file releases the locks that
/// this process holds on it.
fn file_size(path: &Path) -> Result<Option<u64>, StoreError> {
    let file = files::open(path)?;
    let read = files::FileError::system(files::FileOperation::Read, path);
    Ok(file.map(|file| file.metadata()).transpose().map_err(read)?.map(|found| found.len()))
}

fn sibling_path(path: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(path.file_name().unwrap_or_default());
    name.push(after);
    path.with_file_name(name)
}
