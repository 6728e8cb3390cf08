//! Copies the store while it is in use, as a snapshot of one moment.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::error::{QueryError, SqlError, SqlErrorKind};
use crate::file::{self, Access};

/// Pages between two progress reports.
const PAGES: i32 = 1_024;

/// Progress of a copy, in database pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Pages copied so far.
    pub done: u64,
    /// Pages of the store.
    pub total: u64,
}

/// Copies the store into an existing, empty file. The transaction of `db` fixes the moment.
pub(crate) fn copy_database(
    db: &Connection,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), QueryError> {
    // A transaction's snapshot is taken by its first query.
    db.query_row("SELECT count(*) FROM sqlite_schema", (), |_| Ok(()))?;
    let mut copy = file::connect(path, Access::Write)?;
    let backup = Backup::new(db, &mut copy)?;
    loop {
        let step = backup.step(PAGES)?;
        let status = backup.progress();
        let pages = |pages| u64::try_from(pages).unwrap_or_default();
        let total = pages(status.pagecount);
        progress(Progress { done: total.saturating_sub(pages(status.remaining)), total });
        match step {
            StepResult::Done => return Ok(()),
            StepResult::More => {}
            // No other process uses the copy, and reading waits for no writer.
            blocked => {
                let text = format!("the copy of the store was blocked: {blocked:?}");
                return Err(QueryError::Sql(SqlError { kind: SqlErrorKind::Busy, text }));
            }
        }
    }
}
