//! A pool of read-only connections. Each query sees a snapshot of one moment. It never waits for the writer, only for
//! another query when all connections are in use.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::error::{QueryError, StoreError};
use crate::file;

/// Maximum concurrent reads.
const MAX_READERS: usize = 4;

pub(crate) struct Readers {
    path: Arc<PathBuf>,
    pool: Mutex<Pool>,
    freed: Condvar,
}

#[derive(Default)]
struct Pool {
    idle: Vec<Connection>,
    in_use: usize,
}

impl Readers {
    pub(crate) fn new(path: Arc<PathBuf>) -> Self {
        Self { path, pool: Mutex::default(), freed: Condvar::new() }
    }

    /// Runs a query on a consistent snapshot.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, QueryError>,
    ) -> Result<T, StoreError> {
        let run = || {
            let pooled = self.acquire()?;
            let db = pooled.connection()?;
            let snapshot = db.unchecked_transaction()?;
            query(&snapshot)
        };
        run().map_err(|error: QueryError| error.with_path(&self.path))
    }

    /// Closes idle connections.
    pub(crate) fn close(&self) {
        self.lock().idle.clear();
    }

    fn acquire(&self) -> Result<PooledConnection<'_>, QueryError> {
        let full = |pool: &mut Pool| pool.in_use == MAX_READERS;
        let mut pool = self.freed.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        pool.in_use += 1;
        let idle = pool.idle.pop();
        drop(pool);
        let mut pooled = PooledConnection { readers: self, connection: idle };
        if pooled.connection.is_none() {
            pooled.connection = Some(file::connect(&self.path, file::Access::Read)?);
        }
        Ok(pooled)
    }

    /// The pool stays consistent when a thread panics: each change of it is one step.
    fn lock(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns its connection to the pool on drop.
struct PooledConnection<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
}

impl PooledConnection<'_> {
    fn connection(&self) -> Result<&Connection, QueryError> {
        self.connection.as_ref().ok_or(QueryError::Refused(StoreError::Closed))
    }
}

impl Drop for PooledConnection<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.lock();
        pool.in_use -= 1;
        pool.idle.extend(self.connection.take());
        drop(pool);
        self.readers.freed.notify_one();
    }
}
