//! The store as others use it: opening it and changing what is in it.

mod queries;
mod turns;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use rusqlite::Connection;
use serde_json::Value;
use tarsus_home::Home;
use tarsus_home::files::{Durability, Locked, crash};
use tokio::sync::oneshot;

use crate::answer::Answer;
use crate::conversation;
use crate::error::{QueryError, StoreError};
use crate::file::{self, Access};
use crate::message::Encoded;
use crate::names::{RunId, SessionKey};
use crate::patch::{self, Patch};
use crate::queue::Queue;
use crate::readers::Readers;
use crate::run::{self, Accepted, NewMessage, Outcome, Run};
use crate::schema::{self, Migration, STEPS};
use crate::session::{self, Session};
use crate::transcript::{self, NewItem};
use crate::unfinished::{self, Left};
use crate::usage::{self, Usage};
use crate::writer::{self, Change, WriterCounters, Written};

/// The store of a state folder, which this process has for itself as long as the value lives. Dropping it makes the
/// changes that still wait.
pub struct Store {
    path: Arc<PathBuf>,
    recovered: Recovery,
    queue: Arc<Queue>,
    counts: Arc<WriterCounters>,
    readers: Readers,
    writer: Option<JoinHandle<()>>,
    // Last, so that the lock is freed after the connections are closed.
    _locked: Locked,
}

/// What opening found to do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Runs that the last process did not end, the oldest first. They stay as they are until
    /// [`Store::interrupt`] closes them.
    pub left: Vec<Left>,
    /// The version that the store had, if it was an older one.
    pub migrated: Option<Migration>,
}

impl Store {
    /// Opens the store, after making or migrating it where that is needed.
    ///
    /// # Errors
    /// When another process has it, or it is damaged, foreign or newer, or the system says no. Nothing is changed then.
    pub fn open(home: &Home) -> Result<Self, StoreError> {
        Self::open_with(home, STEPS)
    }

    pub(crate) fn open_with(home: &Home, steps: &[&str]) -> Result<Self, StoreError> {
        let path = Arc::new(home.store_path());
        let locked = file::lock_or_create(&path, || {
            schema::new_database(steps).map_err(|error| error.with_path(&path))
        })?;
        let (db, recovered) =
            open_database(&path, &home.backups_dir(), steps).map_err(|error| error.with_path(&path))?;
        crash::point("store.opened");
        let (queue, counts) = (Arc::<Queue>::default(), Arc::<WriterCounters>::default());
        let writer = writer::start(db, Arc::clone(&queue), Arc::clone(&counts), &path)?;
        let readers = Readers::new(Arc::clone(&path));
        Ok(Self { path, recovered, queue, counts, readers, writer: Some(writer), _locked: locked })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What opening found to do.
    #[must_use]
    pub fn recovered(&self) -> &Recovery {
        &self.recovered
    }

    /// What has been written since then.
    #[must_use]
    pub fn written(&self) -> Written {
        self.counts.read()
    }

    /// Accepts a message: writes it and begins its run, power-safe and in one step; or finds the run that the same key
    /// began before.
    pub fn accept(&self, new: NewMessage) -> Answer<Accepted> {
        self.accept_with(new, |_, _| Ok(()))
    }

    /// The same for a message that begins its session anew: what is accepted after it belongs to a new transcript.
    pub fn accept_and_reset(&self, new: NewMessage) -> Answer<Accepted> {
        self.accept_with(new, |db, new| session::reset(db, &new.session, new.at_ms))
    }

    fn accept_with(
        &self,
        new: NewMessage,
        also: impl FnOnce(&Connection, &NewMessage) -> Result<(), QueryError> + Send + 'static,
    ) -> Answer<Accepted> {
        let message = match Encoded::new(&new.message) {
            Ok(message) => message,
            Err(error) => return Answer::refused(error),
        };
        let bytes = message.json.len();
        self.change(Durability::PowerSafe, bytes, move |db| {
            let accepted = run::accept(db, &new, &message)?;
            if matches!(accepted, Accepted::New { .. }) {
                also(db, &new)?;
            }
            Ok(accepted)
        })
    }

    /// Adds an item to the transcript of a session that is there, and answers with its number.
    pub fn append(&self, new: NewItem, durability: Durability) -> Answer<u64> {
        let message = match Encoded::new(&new.message) {
            Ok(message) => message,
            Err(error) => return Answer::refused(error),
        };
        let bytes = message.json.len();
        self.change(durability, bytes, move |db| transcript::append(db, &new, &message))
    }

    /// Adds the last item of a run with what the request for it has cost, ends the run and clears its draft: all or
    /// nothing. Answers with the number of the item.
    pub fn conclude(
        &self,
        new: NewItem,
        run: RunId,
        outcome: Outcome,
        usage: Option<Usage>,
        durability: Durability,
    ) -> Answer<u64> {
        let message = match Encoded::new(&new.message) {
            Ok(message) => message,
            Err(error) => return Answer::refused(error),
        };
        let bytes = message.json.len();
        self.change(durability, bytes, move |db| {
            let number = transcript::append(db, &new, &message)?;
            usage.iter().try_for_each(|usage| usage::insert(db, usage, Some(number)))?;
            run::finish(db, &run, &outcome, new.at_ms)?;
            Ok(number)
        })
    }

    /// Ends a run, clears its draft and answers with it. The first end stands: a run that has ended already is answered
    /// as it is.
    pub fn finish(&self, run: RunId, outcome: Outcome, at_ms: i64, durability: Durability) -> Answer<Run> {
        self.change(durability, 0, move |db| run::finish(db, &run, &outcome, at_ms))
    }

    /// Changes what a session is called or sets for itself, power-safe. Begins the session if it is not there.
    pub fn patch(&self, key: SessionKey, patch: Patch, at_ms: i64) -> Answer<Session> {
        self.change(Durability::PowerSafe, 0, move |db| {
            patch::apply(db, &key, &patch, at_ms)?;
            find_written(db, key)
        })
    }

    /// Gives a session a new id and an empty transcript, power-safe; the old one is kept under its id. Begins the
    /// session if it is not there.
    pub fn reset(&self, key: SessionKey, at_ms: i64) -> Answer<Session> {
        self.change(Durability::PowerSafe, 0, move |db| {
            session::reset(db, &key, at_ms)?;
            find_written(db, key)
        })
    }

    /// Deletes a session with its transcripts, runs, calls and conversation, power-safe. What was spent is kept. Answers
    /// whether there was one.
    pub fn delete(&self, key: SessionKey) -> Answer<bool> {
        self.change(Durability::PowerSafe, 0, move |db| session::delete(db, &key))
    }

    /// Writes where a conversation stands in a session that is there; `None` when it is over.
    pub fn set_conversation(
        &self,
        key: SessionKey,
        state: Option<&Value>,
        at_ms: i64,
        durability: Durability,
    ) -> Answer<()> {
        let state = match state.map(conversation::encode).transpose() {
            Ok(state) => state,
            Err(error) => return Answer::refused(error),
        };
        let bytes = state.as_ref().map_or(0, String::len);
        self.change(durability, bytes, move |db| conversation::set(db, &key, state.as_deref(), at_ms))
    }

    /// Writes down what a request to a model has cost that brought no answer to be kept; [`Store::said`] does it for
    /// one that did.
    pub fn add_usage(&self, usage: Usage, durability: Durability) -> Answer<()> {
        self.change(durability, 0, move |db| usage::insert(db, &usage, None))
    }

    /// Whether changes are still taken: false once the writer has ended.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.queue.is_open()
    }

    fn change<T, F>(&self, durability: Durability, bytes: usize, work: F) -> Answer<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, QueryError> + Send + 'static,
    {
        let (reply_to, receiver) = oneshot::channel();
        let path = Arc::clone(&self.path);
        let change = Change { work: Some(work), outcome: None, durability, bytes, path, reply_to };
        match self.queue.push(Box::new(change)) {
            Ok(()) => Answer::waiting(receiver),
            Err(error) => Answer::refused(error),
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // The writer closes last: it takes the log back into the file.
        self.readers.close();
        self.queue.close();
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has closed the queue, and every answer has said so.
            let _ = writer.join();
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.path)
            .field("written", &self.written())
            .finish_non_exhaustive()
    }
}

fn open_database(path: &Path, backups: &Path, steps: &[&str]) -> Result<(Connection, Recovery), QueryError> {
    let db = file::connect(path, Access::Write)?;
    let version = schema::check_version(&db, path, steps)?;
    file::enable_wal(&db)?;
    let migrated = schema::migrate(&db, version, steps, backups)?;
    let left = unfinished::find_runs(&db)?;
    Ok((db, Recovery { left, migrated }))
}

/// A session that was just written to.
fn find_written(db: &Connection, key: SessionKey) -> Result<Session, QueryError> {
    Ok(session::find(db, &key)?.ok_or(StoreError::NoSession(key))?)
}
