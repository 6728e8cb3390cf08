//! The anchor of the audit chain, a row of the store.
//!
//! Every process that records has one, beside the process that has the store open: it has a connection of its own, and
//! takes part in SQLite's locking only. Reading creates nothing; the first anchor creates or migrates the store.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::sleep;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension};
use tarsus_audit::{Anchor, Head};
use tarsus_home::Home;
use tarsus_home::files::{Durability, crash};
use tarsus_protocol::Problem;

use crate::error::{QueryError, SqlError, SqlErrorKind, StoreError};
use crate::file::{self, Access};
use crate::schema::{self, STEPS, VERSION};
use crate::store::open_database;

/// Another process may be creating or migrating the store.
const TRIES: u32 = 250;
const BETWEEN_TRIES: Duration = Duration::from_millis(20);

/// The anchor of one state folder's audit chain.
pub struct AuditAnchor {
    path: PathBuf,
    backups: PathBuf,
    db: Mutex<Option<Connection>>,
}

impl AuditAnchor {
    /// The anchor in the store of `home`. Opens nothing yet.
    #[must_use]
    pub fn for_home(home: &Home) -> Arc<dyn Anchor> {
        Arc::new(Self { path: home.store_path(), backups: home.backups_dir(), db: Mutex::default() })
    }

    fn read(&self) -> Result<Option<Head>, StoreError> {
        let mut db = self.connection();
        if db.is_none() {
            match self.connect() {
                Ok(connected) => *db = connected,
                Err(error) => return self.read_unlocked().unwrap_or(Err(error)),
            }
        }
        let Some(db) = &*db else { return Ok(None) };
        query(db).map_err(|error| error.with_path(&self.path))
    }

    /// Reads a store that nobody writes to, without the files that SQLite adds beside it: a full or read-only disk has no
    /// room for them. `None` if that is not possible.
    fn read_unlocked(&self) -> Option<Result<Option<Head>, StoreError>> {
        let mut log = self.path.as_os_str().to_owned();
        log.push("-wal");
        if Path::new(&log).metadata().is_ok_and(|found| found.len() > 0) {
            return None;
        }
        let read = |db: &Connection| match schema::check_version(db, &self.path, STEPS)? {
            VERSION => query(db),
            _ => Ok(None),
        };
        let db = file::connect_unchanged(&self.path, false).ok()?;
        Some(read(&db).map_err(|error| error.with_path(&self.path)))
    }

    fn write(&self, head: &Head, durability: Durability) -> Result<(), StoreError> {
        let mut db = self.connection();
        let db = match &mut *db {
            Some(db) => db,
            none => none.insert(self.connect_or_create()?),
        };
        let store = || {
            let head = serde_json::to_string(head).map_err(damaged)?;
            db.execute_batch(match durability {
                Durability::KillSafe => "PRAGMA synchronous = NORMAL",
                Durability::PowerSafe => "PRAGMA synchronous = FULL",
            })?;
            let change = "INSERT INTO audit_anchor (id, head) VALUES (1, ?1) \
                          ON CONFLICT (id) DO UPDATE SET head = excluded.head";
            db.prepare_cached(change)?.execute([head])?;
            crash::point("anchor.saved");
            Ok(())
        };
        store().map_err(|error: QueryError| error.with_path(&self.path))
    }

    /// Connects to a store of the present version; `None` if there is none.
    fn connect(&self) -> Result<Option<Connection>, StoreError> {
        // The file is not opened for this: closing it would release the locks of a store that this process has open.
        if self.path.metadata().map_or(0, |found| found.len()) == 0 {
            return Ok(None);
        }
        let connect = || {
            let db = file::connect(&self.path, Access::Write)?;
            if schema::check_version(&db, &self.path, STEPS)? < VERSION {
                return Ok(None);
            }
            file::enable_wal(&db)?;
            Ok(Some(db))
        };
        connect().map_err(|error: QueryError| error.with_path(&self.path))
    }

    fn connect_or_create(&self) -> Result<Connection, StoreError> {
        for _ in 1..TRIES {
            if let Some(db) = self.connect()? {
                return Ok(db);
            }
            match self.create_or_migrate() {
                Err(StoreError::InUse { .. }) => sleep(BETWEEN_TRIES),
                done => return done,
            }
        }
        self.create_or_migrate()
    }

    fn create_or_migrate(&self) -> Result<Connection, StoreError> {
        let _locked = file::lock_or_create(&self.path, || {
            schema::new_database(STEPS).map_err(|error| error.with_path(&self.path))
        })?;
        let opened = open_database(&self.path, &self.backups, STEPS);
        opened.map(|(db, _)| db).map_err(|error| error.with_path(&self.path))
    }

    /// A connection stays usable when a thread panics: each use is one statement.
    fn connection(&self) -> MutexGuard<'_, Option<Connection>> {
        self.db.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn query(db: &Connection) -> Result<Option<Head>, QueryError> {
    let mut query = db.prepare_cached("SELECT head FROM audit_anchor")?;
    let head: Option<String> = query.query_row((), |row| row.get(0)).optional()?;
    head.map(|head| serde_json::from_str(&head).map_err(damaged)).transpose()
}

fn damaged(error: serde_json::Error) -> QueryError {
    let text = format!("the anchor of the audit log is not readable: {error}");
    SqlError { kind: SqlErrorKind::Damaged, text }.into()
}

impl Anchor for AuditAnchor {
    fn load(&self) -> Result<Option<Head>, Problem> {
        Ok(self.read()?)
    }

    fn save(&self, head: &Head, durability: Durability) -> Result<(), Problem> {
        Ok(self.write(head, durability)?)
    }

    fn path(&self) -> &Path {
        &self.path
    }
}

impl std::fmt::Debug for AuditAnchor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuditAnchor").field("path", &self.path).finish_non_exhaustive()
    }
}
