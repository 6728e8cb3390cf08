//! The files that a run changed: one row for each, written before the file is, so that an undo knows what to expect
//! whatever happens in between.

use rusqlite::{Connection, OptionalExtension, Row, params};
use tarsus_protocol::rpc::files::UndoState;

use crate::error::{QueryError, StoreError};
use crate::names::{RunId, SessionKey};
use crate::{run, sql};

/// A change of a file that is about to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFileChange {
    /// Real path of the file.
    pub path: String,
    /// Real path of the writable folder around it.
    pub root: String,
    /// The path as people see it.
    pub shown: String,
    /// The path that it is moved from, as people see it.
    pub moved_from: Option<String>,
    /// Hash of the content before this change; `None` if there is no such file.
    pub prior: Option<String>,
    /// Permissions before this change.
    pub prior_mode: Option<u32>,
    /// Hash of the content after it; `None` if the file is deleted.
    pub after: Option<String>,
    /// Bytes of the kept contents.
    pub bytes: u64,
    /// Lines that the run added, if it is text.
    pub added: Option<u64>,
    /// Lines that the run removed, if it is text.
    pub removed: Option<u64>,
    /// Number of folders that are created for it.
    pub folders: u32,
    /// Whether the earlier content is kept.
    pub is_kept: bool,
}

/// What a run did with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedChange {
    /// The run.
    pub run: RunId,
    /// Session of the run.
    pub session: SessionKey,
    /// Time of the last change in milliseconds since 1970.
    pub at_ms: i64,
    /// Real path of the file.
    pub path: String,
    /// Real path of the writable folder around it.
    pub root: String,
    /// The path as people see it.
    pub shown: String,
    /// The path that it was moved from, as people see it.
    pub moved_from: Option<String>,
    /// Hash of the content before the run; `None` if there was no such file.
    pub before: Option<String>,
    /// Permissions before the run.
    pub before_mode: Option<u32>,
    /// Hash before the last change of the run.
    pub prior: Option<String>,
    /// Hash after it; `None` if the file was deleted.
    pub after: Option<String>,
    /// Added lines, if it is text.
    pub added: Option<u64>,
    /// Removed lines, if it is text.
    pub removed: Option<u64>,
    /// Number of folders that were created for it.
    pub folders: u32,
    /// Whether it can be undone.
    pub state: UndoState,
}

/// The skills that shaped the content of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileMark {
    /// Real path of the file.
    pub path: String,
    /// Hash of the content.
    pub hash: String,
    /// The skills, in guard's words.
    pub activation: String,
}

/// Records changes of a run in progress: all or none. A file that the run changed before keeps what it was before the run.
pub(crate) fn record(
    db: &Connection,
    run: &RunId,
    changes: &[NewFileChange],
    at_ms: i64,
) -> Result<(), QueryError> {
    run::ensure_running(db, run)?;
    // Somebody else changed it in between, unless it is as this run left it or as a change of it that failed left it.
    let mut insert = db.prepare_cached(
        "INSERT INTO file_changes (run, at_ms, path, root, shown, moved_from, before_hash, before_mode, prior_hash,
           after_hash, bytes, added, removed, folders, state)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?7, ?9, ?10, ?11, ?12, ?13, ?14)
         ON CONFLICT (run, path) DO UPDATE SET
           at_ms = excluded.at_ms, moved_from = ifnull(moved_from, excluded.moved_from),
           state = CASE
             WHEN state != 'possible' THEN state
             WHEN excluded.prior_hash IS after_hash OR excluded.prior_hash IS prior_hash THEN state
             ELSE 'changed-meanwhile' END,
           prior_hash = excluded.prior_hash, after_hash = excluded.after_hash, bytes = bytes + excluded.bytes,
           added = excluded.added, removed = excluded.removed, folders = folders + excluded.folders",
    )?;
    for change in changes {
        let state = if change.is_kept { UndoState::Possible } else { UndoState::TooLarge };
        insert.execute(params![
            run.as_str(),
            at_ms,
            change.path,
            change.root,
            change.shown,
            change.moved_from,
            change.prior,
            change.prior_mode,
            change.after,
            sql::to_i64(change.bytes),
            change.added.map(sql::to_i64),
            change.removed.map(sql::to_i64),
            change.folders,
            sql::enum_to_text(state),
        ])?;
    }
    Ok(())
}

/// Sets the undo state of files of a run.
pub(crate) fn set_state(
    db: &Connection,
    run: &RunId,
    paths: &[String],
    state: UndoState,
) -> Result<(), QueryError> {
    let mut update = db.prepare_cached("UPDATE file_changes SET state = ?3 WHERE run = ?1 AND path = ?2")?;
    for path in paths {
        update.execute(params![run.as_str(), path, sql::enum_to_text(state)])?;
    }
    Ok(())
}

/// Gives up the contents of changes before a time and, beyond a number of bytes, of the oldest ones. Returns whether there
/// were any.
pub(crate) fn expire(db: &Connection, before_ms: i64, max_bytes: u64) -> Result<bool, QueryError> {
    let expired = db
        .prepare_cached(
            "UPDATE file_changes SET state = CASE state WHEN 'possible' THEN 'expired' ELSE state END, bytes = 0
             WHERE bytes > 0 AND (at_ms < ?1 OR number IN (
               SELECT number FROM (
                 SELECT number, sum(bytes) OVER (ORDER BY at_ms DESC, number DESC) AS newer FROM file_changes
                 WHERE bytes > 0)
               WHERE newer > ?2))",
        )?
        .execute(params![before_ms, sql::to_i64(max_bytes)])?;
    Ok(expired > 0)
}

/// The hashes of the contents that are still needed.
pub(crate) fn kept_hashes(db: &Connection) -> Result<Vec<String>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT before_hash AS hash FROM file_changes WHERE bytes > 0 AND before_hash IS NOT NULL
         UNION SELECT after_hash FROM file_changes WHERE bytes > 0 AND after_hash IS NOT NULL",
    )?;
    let hashes = query.query_map((), |row| row.get("hash"))?;
    Ok(hashes.collect::<rusqlite::Result<_>>()?)
}

const COLUMNS: &str = "c.run, s.key, c.at_ms, c.path, c.root, c.shown, c.moved_from, c.before_hash, c.before_mode, \
     c.prior_hash, c.after_hash, c.added, c.removed, c.folders, c.state \
     FROM file_changes c JOIN runs r ON r.id = c.run JOIN transcripts t ON t.id = r.transcript \
     JOIN sessions s ON s.id = t.session";

fn change_from_row(row: &Row<'_>) -> rusqlite::Result<RecordedChange> {
    let lines = |column: &str| row.get::<_, Option<i64>>(column).map(|lines| lines.map(i64::unsigned_abs));
    Ok(RecordedChange {
        run: sql::require(sql::parsed_column(row, "run")?, "run")?,
        session: sql::require(sql::parsed_column(row, "key")?, "key")?,
        at_ms: row.get("at_ms")?,
        path: row.get("path")?,
        root: row.get("root")?,
        shown: row.get("shown")?,
        moved_from: row.get("moved_from")?,
        before: row.get("before_hash")?,
        before_mode: row.get("before_mode")?,
        prior: row.get("prior_hash")?,
        after: row.get("after_hash")?,
        added: lines("added")?,
        removed: lines("removed")?,
        folders: row.get("folders")?,
        state: sql::require(sql::enum_column(row, "state")?, "state")?,
    })
}

/// The changes of a run, ordered by path.
pub(crate) fn list(db: &Connection, run: &RunId) -> Result<Vec<RecordedChange>, QueryError> {
    let mut query =
        db.prepare_cached(&format!("SELECT {COLUMNS} WHERE c.run = ?1 ORDER BY c.shown, c.path"))?;
    let changes = query.query_map([run.as_str()], change_from_row)?;
    Ok(changes.collect::<rusqlite::Result<_>>()?)
}

/// The runs of a session that changed files, the newest first.
pub(crate) fn list_runs(
    db: &Connection,
    session: &SessionKey,
    limit: usize,
) -> Result<Vec<RunId>, QueryError> {
    let mut query = db.prepare_cached(
        "SELECT c.run AS run, max(c.number) AS newest FROM file_changes c JOIN runs r ON r.id = c.run
         JOIN transcripts t ON t.id = r.transcript JOIN sessions s ON s.id = t.session
         WHERE s.key = ?1 GROUP BY c.run ORDER BY newest DESC LIMIT ?2",
    )?;
    let runs = query.query_map(params![session.as_str(), sql::to_i64(limit as u64)], |row| {
        sql::require(sql::parsed_column(row, "run")?, "run")
    })?;
    Ok(runs.collect::<rusqlite::Result<_>>()?)
}

/// Marks the contents of files.
pub(crate) fn add_marks(db: &Connection, marks: &[FileMark]) -> Result<(), QueryError> {
    let mut insert =
        db.prepare_cached("INSERT OR REPLACE INTO file_marks (path, hash, activation) VALUES (?1, ?2, ?3)")?;
    for FileMark { path, hash, activation } in marks {
        insert.execute([path, hash, activation])?;
    }
    Ok(())
}

/// The mark of a file with a content.
pub(crate) fn mark(db: &Connection, path: &str, hash: &str) -> Result<Option<String>, QueryError> {
    let mut query = db.prepare_cached("SELECT activation FROM file_marks WHERE path = ?1 AND hash = ?2")?;
    Ok(query.query_row([path, hash], |row| row.get("activation")).optional()?)
}

/// The files that have a mark, with some content.
pub(crate) fn marked_paths(db: &Connection) -> Result<Vec<String>, QueryError> {
    let mut query = db.prepare_cached("SELECT DISTINCT path FROM file_marks ORDER BY path")?;
    let paths = query.query_map((), |row| row.get("path"))?;
    Ok(paths.collect::<rusqlite::Result<_>>()?)
}

/// Maximum bytes of the marks that one change adds.
const MAX_MARK_BYTES: usize = 1024 * 1024;

/// The size of marks in bytes.
pub(crate) fn check_marks(marks: &[FileMark]) -> Result<usize, StoreError> {
    let bytes = marks.iter().map(|mark| mark.activation.len()).sum();
    if bytes > MAX_MARK_BYTES {
        let (what, limit) = ("the list of active skills", MAX_MARK_BYTES as u64);
        return Err(StoreError::TooLarge { what, limit, unit: "bytes" });
    }
    Ok(bytes)
}
