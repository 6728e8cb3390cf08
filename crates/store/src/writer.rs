//! The one thread that writes. It takes all changes that wait, makes them in one transaction, and answers when that
//! is written, or synced where one of them asks for it: one sync for the group.
//!
//! Changes are applied in queue order. A refused change is rolled back alone; if the transaction fails, none of its
//! changes is applied and each gets the error.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tarsus_home::files::{Durability, crash};
use tokio::sync::oneshot;

use crate::error::{QueryError, SqlError, SqlErrorKind, StoreError};
use crate::queue::Queue;

/// What the writer has done since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// Changes that were made or refused.
    pub changes: u64,
    /// Transactions that they were made in.
    pub groups: u64,
    /// Transactions among them that were synced, with one sync each; without any where nothing had changed. Those of a
    /// checkpoint come on top: a few every thousand pages.
    pub syncs: u64,
}

#[derive(Debug, Default)]
pub(crate) struct WriterCounters {
    changes: AtomicU64,
    groups: AtomicU64,
    syncs: AtomicU64,
}

impl WriterCounters {
    pub(crate) fn read(&self) -> Written {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Written { changes: load(&self.changes), groups: load(&self.groups), syncs: load(&self.syncs) }
    }

    fn add(&self, changes: usize, durability: Durability) {
        self.changes.fetch_add(changes as u64, Ordering::Relaxed);
        self.groups.fetch_add(1, Ordering::Relaxed);
        self.syncs.fetch_add(u64::from(durability == Durability::PowerSafe), Ordering::Relaxed);
    }
}

/// A queued change, independent of its result type.
pub(crate) trait Job: Send {
    fn durability(&self) -> Durability;
    /// Bytes that it keeps in memory.
    fn bytes(&self) -> usize;
    /// Makes the change. On an error nothing of it may be kept.
    fn apply(&mut self, db: &Connection) -> Result<(), ApplyFailed>;
    /// Tells whoever asked what became of it; `group` is the fate of the transaction.
    fn reply(self: Box<Self>, group: &Result<(), SqlError>);
}

/// A change that was not applied, with SQLite's error if there was one.
pub(crate) struct ApplyFailed(Option<SqlError>);

/// A change with a function that makes it.
pub(crate) struct Change<F, T> {
    pub(crate) work: Option<F>,
    /// `None` until the writer came to it.
    pub(crate) outcome: Option<Result<T, QueryError>>,
    pub(crate) durability: Durability,
    pub(crate) bytes: usize,
    pub(crate) path: Arc<PathBuf>,
    pub(crate) reply_to: oneshot::Sender<Result<T, StoreError>>,
}

impl<F, T> Job for Change<F, T>
where
    F: FnOnce(&Connection) -> Result<T, QueryError> + Send,
    T: Send,
{
    fn durability(&self) -> Durability {
        self.durability
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn apply(&mut self, db: &Connection) -> Result<(), ApplyFailed> {
        self.outcome = self.work.take().map(|work| work(db));
        match &self.outcome {
            Some(Ok(_)) => Ok(()),
            Some(Err(QueryError::Sql(failure))) => Err(ApplyFailed(Some(failure.clone()))),
            Some(Err(QueryError::Refused(_))) | None => Err(ApplyFailed(None)),
        }
    }

    fn reply(self: Box<Self>, group: &Result<(), SqlError>) {
        let outcome = match (self.outcome, group) {
            (Some(Err(QueryError::Refused(error))), _) => Err(QueryError::Refused(error)),
            (_, Err(failure)) => Err(QueryError::Sql(failure.clone())),
            (Some(outcome), Ok(())) => outcome,
            (None, Ok(())) => Err(QueryError::Refused(StoreError::Closed)),
        };
        // Whoever asked may have gone; the change is made all the same.
        let _ = self.reply_to.send(outcome.map_err(|error| error.with_path(&self.path)));
    }
}

/// Writes until the queue is closed and empty.
pub(crate) fn run(db: &Connection, queue: &Queue, counts: &WriterCounters) {
    let _close_on_drop = CloseOnDrop(queue);
    let mut level = None;
    while let Some(mut jobs) = queue.take() {
        crash::point("store.group.taken");
        let durability = jobs.iter().map(|job| job.durability()).max().unwrap_or(Durability::KillSafe);
        let written = set_sync_level(db, &mut level, durability).and_then(|()| write_group(db, &mut jobs));
        crash::point("store.group.written");
        counts.add(jobs.len(), durability);
        for job in jobs {
            job.reply(&written);
            crash::point("store.answered");
        }
    }
}

/// Closes the queue however the thread ends, so that nobody waits for an answer that cannot come.
struct CloseOnDrop<'a>(&'a Queue);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
        // Those that were pushed in between are dropped, and with them the ends that their answers come from.
        while self.0.take().is_some() {}
    }
}

/// In WAL mode a commit is synced with FULL, and only written with NORMAL.
fn set_sync_level(
    db: &Connection,
    level: &mut Option<Durability>,
    wanted: Durability,
) -> Result<(), SqlError> {
    if *level != Some(wanted) {
        db.execute_batch(match wanted {
            Durability::KillSafe => "PRAGMA synchronous = NORMAL",
            Durability::PowerSafe => "PRAGMA synchronous = FULL",
        })?;
        *level = Some(wanted);
    }
    Ok(())
}

fn write_group(db: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), SqlError> {
    db.execute_batch("BEGIN IMMEDIATE")?;
    let written = jobs.iter_mut().try_for_each(|job| apply_in_savepoint(db, job.as_mut())).and_then(|()| {
        crash::point("store.group.made");
        Ok(db.execute_batch("COMMIT")?)
    });
    if written.is_err() && !db.is_autocommit() {
        // Should this fail too, the next group cannot begin and says so.
        let _ = db.execute_batch("ROLLBACK");
    }
    written
}

fn apply_in_savepoint(db: &Connection, job: &mut dyn Job) -> Result<(), SqlError> {
    db.execute_batch("SAVEPOINT change")?;
    let outcome = job.apply(db);
    crash::point("store.change.made");
    match outcome {
        Ok(()) => db.execute_batch("RELEASE change")?,
        // Some errors, such as a full disk, take the whole transaction with them.
        Err(ApplyFailed(Some(failure))) if db.is_autocommit() => return Err(failure),
        Err(ApplyFailed(_)) => db.execute_batch("ROLLBACK TO change; RELEASE change")?,
    }
    Ok(())
}

/// Starts the thread.
pub(crate) fn start(
    db: Connection,
    queue: Arc<Queue>,
    counts: Arc<WriterCounters>,
    path: &Path,
) -> Result<JoinHandle<()>, StoreError> {
    thread::Builder::new().name("store".to_owned()).spawn(move || run(&db, &queue, &counts)).map_err(
        |error| {
            let failure = SqlError { kind: SqlErrorKind::Other, text: error.to_string() };
            StoreError::Sql { path: path.to_path_buf(), failure }
        },
    )
}
