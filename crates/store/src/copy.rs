//! Copying the store while it is in use: the copy is that of one moment.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use crate::error::{QueryError, SqlError, SqlErrorKind};
use crate::file::{self, Access};

/// Pages that are copied between two words about how far it is.
const PAGES: i32 = 1_024;

/// How far a copy is, in pages of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Pages that were copied.
    pub done: u64,
    /// Pages in all.
    pub total: u64,
}

/// Copies the store into a file that is there and empty. The transaction that `db` is in makes it one moment.
pub(crate) fn copy_database(
    db: &Connection,
    path: &Path,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), QueryError> {
    // A transaction sees the moment of its first question.
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
            // Nobody else has the copy, and reading waits for nobody.
            held_up => {
                let text = format!("the copy of the store was held up: {held_up:?}");
                return Err(QueryError::Sql(SqlError { kind: SqlErrorKind::Busy, text }));
            }
        }
    }
}
