//! The writer thread and its queue. It takes all waiting changes, applies them in one transaction, and replies when the
//! transaction is written, or synced if one of them requires it: one sync for the whole group.
//!
//! Changes are applied in queue order. A refused change is rolled back alone; if the transaction fails, none of its
//! changes is applied and each gets the error. The queue is bounded: a change that does not fit is refused at once.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, ffi};
use tarsus_home::files::Durability;
use tarsus_home::files::crash::{self, WriteNeed};
use tokio::sync::oneshot;

use crate::error::{QueryError, SqlError, SqlErrorKind, StoreError};

/// Statistics of the writer since the store was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WriterStats {
    /// Changes applied or refused.
    pub changes: u64,
    /// Committed transactions.
    pub groups: u64,
    /// Transactions that required a sync. SQLite skips it where nothing changed, and checkpoints add a few.
    pub syncs: u64,
}

#[derive(Debug, Default)]
pub(crate) struct WriterCounters {
    changes: AtomicU64,
    groups: AtomicU64,
    syncs: AtomicU64,
}

impl WriterCounters {
    pub(crate) fn read(&self) -> WriterStats {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        WriterStats { changes: load(&self.changes), groups: load(&self.groups), syncs: load(&self.syncs) }
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
    /// Bytes held in memory.
    fn bytes(&self) -> usize;
    /// Applies the change. On an error the caller rolls it back.
    fn apply(&mut self, db: &Connection) -> Result<(), ApplyFailed>;
    /// Sends the result to the submitter; `group` is that of the transaction.
    fn reply(self: Box<Self>, group: &Result<(), SqlError>);
}

/// A change that was not applied, with SQLite's error if there was one.
pub(crate) struct ApplyFailed(Option<SqlError>);

/// A change, and the function that applies it.
pub(crate) struct Change<F, T> {
    pub(crate) work: Option<F>,
    /// `None` until it was applied.
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
        // The submitter may have dropped its answer; the change is applied all the same.
        let _ = self.reply_to.send(outcome.map_err(|error| error.with_path(&self.path)));
    }
}

/// Maximum changes in the queue.
pub(crate) const MAX_WAITING_CHANGES: usize = 1_024;
/// Maximum bytes of their messages, except for a single change.
const MAX_WAITING_BYTES: usize = 64 * 1024 * 1024;

#[derive(Default)]
pub(crate) struct Queue {
    pending: Mutex<Pending>,
    changed: Condvar,
}

#[derive(Default)]
struct Pending {
    jobs: Vec<Box<dyn Job>>,
    bytes: usize,
    closed: bool,
}

impl Queue {
    pub(crate) fn push(&self, job: Box<dyn Job>) -> Result<(), StoreError> {
        let mut pending = self.lock();
        if pending.closed {
            return Err(StoreError::Closed);
        }
        let bytes = pending.bytes.saturating_add(job.bytes());
        if pending.jobs.len() == MAX_WAITING_CHANGES || bytes > MAX_WAITING_BYTES {
            return Err(StoreError::Behind);
        }
        pending.bytes = bytes;
        pending.jobs.push(job);
        drop(pending);
        self.changed.notify_one();
        Ok(())
    }

    /// Waits for changes and takes all of them; `None` once the queue is closed and empty.
    pub(crate) fn take(&self) -> Option<Vec<Box<dyn Job>>> {
        let empty = |pending: &mut Pending| pending.jobs.is_empty() && !pending.closed;
        let mut pending = self.changed.wait_while(self.lock(), empty).unwrap_or_else(PoisonError::into_inner);
        pending.bytes = 0;
        Some(std::mem::take(&mut pending.jobs)).filter(|jobs| !jobs.is_empty())
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.lock().closed
    }

    /// Refuses further changes.
    pub(crate) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The queue stays consistent when a thread panics: each change of it is one step.
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
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

/// Closes the queue however the thread ends, so that no submitter waits forever.
struct CloseOnDrop<'a>(&'a Queue);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
        // Changes pushed meanwhile are dropped, which fails their answers.
        while self.0.take().is_some() {}
    }
}

/// In WAL mode, FULL syncs a commit and NORMAL only writes it.
fn set_sync_level(
    db: &Connection,
    level: &mut Option<Durability>,
    durability: Durability,
) -> Result<(), SqlError> {
    if *level != Some(durability) {
        db.execute_batch(match durability {
            Durability::KillSafe => "PRAGMA synchronous = NORMAL",
            Durability::PowerSafe => "PRAGMA synchronous = FULL",
        })?;
        *level = Some(durability);
    }
    Ok(())
}

fn write_group(db: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), SqlError> {
    check_write()?;
    db.execute_batch("BEGIN IMMEDIATE")?;
    let written = jobs.iter_mut().try_for_each(|job| apply_in_savepoint(db, job.as_mut())).and_then(|()| {
        crash::point("store.group.made");
        check_write()?;
        Ok(db.execute_batch("COMMIT")?)
    });
    if written.is_err() && !db.is_autocommit() {
        // If this fails too, the next group cannot begin and reports the error.
        let _ = db.execute_batch("ROLLBACK");
    }
    written
}

/// The error that SQLite reports for a fault of the disk.
fn check_write() -> Result<(), SqlError> {
    crash::check_write(WriteNeed::Space).map_err(|fault| {
        let code = match fault.kind() {
            io::ErrorKind::StorageFull => ffi::SQLITE_FULL,
            io::ErrorKind::ReadOnlyFilesystem => ffi::SQLITE_READONLY,
            _ => ffi::SQLITE_CANTOPEN,
        };
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), None).into()
    })
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

/// Starts the writer thread.
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
