//! The one thread that writes. It takes all changes that wait, makes them in one transaction, and answers when that
//! is written, or synced where one of them asks for it: one sync for the group.
//!
//! Promises: changes are made in the order of the queue; one that is refused leaves nothing behind and harms no
//! other; when the transaction itself fails, none of its changes was made and each is told why.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tarsus_home::files::{Durability, crash};
use tokio::sync::oneshot;

use crate::error::{Fault, SqlFailure, StoreError, WhySql};
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
pub(crate) struct Counts {
    changes: AtomicU64,
    groups: AtomicU64,
    syncs: AtomicU64,
}

impl Counts {
    pub(crate) fn read(&self) -> Written {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        Written { changes: of(&self.changes), groups: of(&self.groups), syncs: of(&self.syncs) }
    }

    fn add(&self, changes: usize, durability: Durability) {
        self.changes.fetch_add(changes as u64, Ordering::Relaxed);
        self.groups.fetch_add(1, Ordering::Relaxed);
        self.syncs.fetch_add(u64::from(durability == Durability::PowerSafe), Ordering::Relaxed);
    }
}

/// A change that waits, whatever its answer is.
pub(crate) trait Job: Send {
    fn durability(&self) -> Durability;
    /// Bytes that it keeps in memory.
    fn bytes(&self) -> usize;
    /// Makes the change. On an error nothing of it may be kept.
    fn make(&mut self, db: &Connection) -> Result<(), Undone>;
    /// Tells whoever asked what became of it; `group` is the fate of the transaction.
    fn answer(self: Box<Self>, group: &Result<(), SqlFailure>);
}

/// A change that was not made, with what SQLite said if it was SQLite that said no.
pub(crate) struct Undone(Option<SqlFailure>);

/// A change with a function that makes it.
pub(crate) struct Change<F, T> {
    pub(crate) work: Option<F>,
    /// `None` until the writer came to it.
    pub(crate) made: Option<Result<T, Fault>>,
    pub(crate) durability: Durability,
    pub(crate) bytes: usize,
    pub(crate) path: Arc<PathBuf>,
    pub(crate) to: oneshot::Sender<Result<T, StoreError>>,
}

impl<F, T> Job for Change<F, T>
where
    F: FnOnce(&Connection) -> Result<T, Fault> + Send,
    T: Send,
{
    fn durability(&self) -> Durability {
        self.durability
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn make(&mut self, db: &Connection) -> Result<(), Undone> {
        self.made = self.work.take().map(|work| work(db));
        match &self.made {
            Some(Ok(_)) => Ok(()),
            Some(Err(Fault::Sql(failure))) => Err(Undone(Some(failure.clone()))),
            Some(Err(Fault::Refused(_))) | None => Err(Undone(None)),
        }
    }

    fn answer(self: Box<Self>, group: &Result<(), SqlFailure>) {
        let made = match (self.made, group) {
            (Some(Err(Fault::Refused(error))), _) => Err(Fault::Refused(error)),
            (_, Err(failure)) => Err(Fault::Sql(failure.clone())),
            (Some(made), Ok(())) => made,
            (None, Ok(())) => Err(Fault::Refused(StoreError::Closed)),
        };
        // Whoever asked may have gone; the change is made all the same.
        let _ = self.to.send(made.map_err(|fault| fault.at(&self.path)));
    }
}

/// Writes until the queue is closed and empty.
pub(crate) fn run(db: &Connection, queue: &Queue, counts: &Counts) {
    let _closing = Closing(queue);
    let mut level = None;
    while let Some(mut jobs) = queue.take() {
        crash::point("store.group.taken");
        let durability = jobs.iter().map(|job| job.durability()).max().unwrap_or(Durability::KillSafe);
        let written = sync_as(db, &mut level, durability).and_then(|()| write(db, &mut jobs));
        crash::point("store.group.written");
        counts.add(jobs.len(), durability);
        for job in jobs {
            job.answer(&written);
            crash::point("store.answered");
        }
    }
}

/// Closes the queue however the thread ends, so that nobody waits for an answer that cannot come.
struct Closing<'a>(&'a Queue);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
        // Those that were pushed in between are dropped, and with them the ends that their answers come from.
        while self.0.take().is_some() {}
    }
}

/// In WAL mode a commit is synced with FULL, and only written with NORMAL.
fn sync_as(db: &Connection, level: &mut Option<Durability>, wanted: Durability) -> Result<(), SqlFailure> {
    if *level != Some(wanted) {
        db.execute_batch(match wanted {
            Durability::KillSafe => "PRAGMA synchronous = NORMAL",
            Durability::PowerSafe => "PRAGMA synchronous = FULL",
        })?;
        *level = Some(wanted);
    }
    Ok(())
}

fn write(db: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), SqlFailure> {
    db.execute_batch("BEGIN IMMEDIATE")?;
    let written = jobs.iter_mut().try_for_each(|job| make(db, job.as_mut())).and_then(|()| {
        crash::point("store.group.made");
        Ok(db.execute_batch("COMMIT")?)
    });
    if written.is_err() && !db.is_autocommit() {
        // Should this fail too, the next group cannot begin and says so.
        let _ = db.execute_batch("ROLLBACK");
    }
    written
}

fn make(db: &Connection, job: &mut dyn Job) -> Result<(), SqlFailure> {
    db.execute_batch("SAVEPOINT change")?;
    let made = job.make(db);
    crash::point("store.change.made");
    match made {
        Ok(()) => db.execute_batch("RELEASE change")?,
        // Some errors, such as a full disk, take the whole transaction with them.
        Err(Undone(Some(failure))) if db.is_autocommit() => return Err(failure),
        Err(Undone(_)) => db.execute_batch("ROLLBACK TO change; RELEASE change")?,
    }
    Ok(())
}

/// Starts the thread.
pub(crate) fn start(
    db: Connection,
    queue: Arc<Queue>,
    counts: Arc<Counts>,
    path: &Path,
) -> Result<JoinHandle<()>, StoreError> {
    thread::Builder::new().name("store".to_owned()).spawn(move || run(&db, &queue, &counts)).map_err(
        |error| {
            let failure = SqlFailure { why: WhySql::Other, text: error.to_string() };
            StoreError::Sql { path: path.to_path_buf(), failure }
        },
    )
}
