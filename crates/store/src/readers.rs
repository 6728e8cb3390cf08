//! A few connections that only read. Each question sees the store as it was at one moment; it waits for no writer,
//! only for another question when all connections are in use.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;

use crate::error::{Fault, StoreError};
use crate::file;

/// Connections that read at the same time.
const READERS: usize = 4;

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

    /// Asks a question of one moment.
    pub(crate) fn read<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let ask = || {
            let lent = self.lend()?;
            let db = lent.connection()?;
            let moment = db.unchecked_transaction()?;
            question(&moment)
        };
        ask().map_err(|fault: Fault| fault.at(&self.path))
    }

    /// Closes the connections that nobody uses.
    pub(crate) fn close(&self) {
        self.lock().idle.clear();
    }

    fn lend(&self) -> Result<Lent<'_>, Fault> {
        let full = |pool: &mut Pool| pool.in_use == READERS;
        let mut pool = self.freed.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        pool.in_use += 1;
        let idle = pool.idle.pop();
        drop(pool);
        let mut lent = Lent { readers: self, connection: idle };
        if lent.connection.is_none() {
            lent.connection = Some(file::connect(&self.path, file::Access::Read)?);
        }
        Ok(lent)
    }

    /// A thread that panicked has left the pool whole: each change of it is one step.
    fn lock(&self) -> MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection that goes back to the pool, however the question ends.
struct Lent<'a> {
    readers: &'a Readers,
    connection: Option<Connection>,
}

impl Lent<'_> {
    fn connection(&self) -> Result<&Connection, Fault> {
        self.connection.as_ref().ok_or(Fault::Refused(StoreError::Closed))
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        let mut pool = self.readers.lock();
        pool.in_use -= 1;
        pool.idle.extend(self.connection.take());
        drop(pool);
        self.readers.freed.notify_one();
    }
}
