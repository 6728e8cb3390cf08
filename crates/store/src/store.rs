//! The public interface of the store: opening it, and all changes. Reads are in `queries`.

mod queries;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use rusqlite::Connection;
use serde_json::Value;
use tarsus_home::Home;
use tarsus_home::files::{Durability, Locked, crash};
use tarsus_protocol::rpc::files::UndoState;
use tokio::sync::oneshot;

use crate::activation::{self, MAX_ACTIVATION_BYTES};
use crate::call::{self, NewCall};
use crate::context::{self, JoinPoint, MAX_SUMMARY_BYTES, Summary};
use crate::conversation;
use crate::draft;
use crate::error::{QueryError, StoreError};
use crate::file::{self, Access};
use crate::file_change::{self, FileMark, NewFileChange};
use crate::message::Encoded;
use crate::names::{RunId, SessionKey};
use crate::pending_change::PendingChange;
use crate::readers::Readers;
use crate::run::{self, Accepted, NewMessage, Run, RunEnd};
use crate::run_note::{self, RunNote};
use crate::schema::{self, Migration, STEPS};
use crate::session::{self, Session};
use crate::settings::{self, SessionPatch};
use crate::transcript::{self, NewItem};
use crate::unfinished::{self, UnfinishedRun};
use crate::usage::{self, RequestUsage};
use crate::writer::{self, Change, Queue, WriterCounters, WriterStats};

/// The open store of a state folder, locked for this process. Dropping it applies the changes that still wait.
pub struct Store {
    path: Arc<PathBuf>,
    recovery: Recovery,
    queue: Arc<Queue>,
    counts: Arc<WriterCounters>,
    readers: Readers,
    writer: Option<JoinHandle<()>>,
    // Last, so that the lock is released after the connections are closed.
    _locked: Locked,
}

/// The result of opening a store: unfinished runs and a migration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recovery {
    /// Runs that the last process did not end, oldest first. [`Store::close_run`] closes them.
    pub unfinished: Vec<UnfinishedRun>,
    /// Migration from an older version, if there was one.
    pub migrated: Option<Migration>,
}

impl Store {
    /// Opens the store, and creates or migrates it if needed.
    ///
    /// # Errors
    /// When another process uses it, or it is damaged, foreign, newer or not accessible. Nothing is changed then.
    pub fn open(home: &Home) -> Result<Self, StoreError> {
        Self::open_with(home, STEPS)
    }

    pub(crate) fn open_with(home: &Home, steps: &[&str]) -> Result<Self, StoreError> {
        let path = Arc::new(home.store_path());
        let locked = file::lock_or_create(&path, || {
            schema::new_database(steps).map_err(|error| error.with_path(&path))
        })?;
        let (db, recovery) =
            open_database(&path, &home.backups_dir(), steps).map_err(|error| error.with_path(&path))?;
        crash::point("store.opened");
        let (queue, counts) = (Arc::<Queue>::default(), Arc::<WriterCounters>::default());
        let writer = writer::start(db, Arc::clone(&queue), Arc::clone(&counts), &path)?;
        let readers = Readers::new(Arc::clone(&path));
        Ok(Self { path, recovery, queue, counts, readers, writer: Some(writer), _locked: locked })
    }

    /// Path of the database file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Unfinished runs and the migration found when the store was opened.
    #[must_use]
    pub fn recovery(&self) -> &Recovery {
        &self.recovery
    }

    /// Statistics since the store was opened.
    #[must_use]
    pub fn writer_stats(&self) -> WriterStats {
        self.counts.read()
    }

    /// Accepts a message, power-safe: stores it and starts its run in one step, or finds the run that the same key started
    /// before.
    pub fn accept(&self, new: NewMessage) -> PendingChange<Accepted> {
        self.accept_with(new, |_, _| Ok(()))
    }

    /// Like [`Store::accept`], for a message that resets its session: later messages belong to a new transcript.
    pub fn accept_and_reset(&self, new: NewMessage) -> PendingChange<Accepted> {
        self.accept_with(new, |db, new| session::reset(db, &new.session, new.at_ms))
    }

    fn accept_with(
        &self,
        new: NewMessage,
        also: impl FnOnce(&Connection, &NewMessage) -> Result<(), QueryError> + Send + 'static,
    ) -> PendingChange<Accepted> {
        let message = match Encoded::new(&new.message) {
            Ok(message) => message,
            Err(error) => return PendingChange::refused(error),
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

    /// Appends an item to the transcript of an existing session. Returns its number.
    pub fn append(&self, new: NewItem, durability: Durability) -> PendingChange<u64> {
        let message = match Encoded::new(&new.message) {
            Ok(message) => message,
            Err(error) => return PendingChange::refused(error),
        };
        let bytes = message.json.len();
        self.change(durability, bytes, move |db| transcript::append(db, &new, &message))
    }

    /// Appends the last item of a run with the usage of its request, ends the run and clears its draft: all or nothing.
    /// Returns the item's number.
    pub fn conclude(
        &self,
        new: NewItem,
        run: RunId,
        outcome: RunEnd,
        usage: Option<RequestUsage>,
        durability: Durability,
    ) -> PendingChange<u64> {
        let message = match Encoded::new(&new.message) {
            Ok(message) => message,
            Err(error) => return PendingChange::refused(error),
        };
        let bytes = message.json.len();
        self.change(durability, bytes, move |db| {
            let number = transcript::append(db, &new, &message)?;
            usage.iter().try_for_each(|usage| usage::insert(db, usage, Some(number)))?;
            run::finish(db, &run, &outcome, new.at_ms)?;
            Ok(number)
        })
    }

    /// Ends a run, clears its draft and returns it. A run that has ended already is returned unchanged.
    pub fn finish(
        &self,
        run: RunId,
        outcome: RunEnd,
        at_ms: i64,
        durability: Durability,
    ) -> PendingChange<Run> {
        self.change(durability, 0, move |db| run::finish(db, &run, &outcome, at_ms))
    }

    /// Changes the label and settings of a session, power-safe. Creates the session if needed.
    pub fn patch(&self, key: SessionKey, patch: SessionPatch, at_ms: i64) -> PendingChange<Session> {
        self.change(Durability::PowerSafe, 0, move |db| {
            settings::apply_patch(db, &key, &patch, at_ms)?;
            find_written(db, key)
        })
    }

    /// Gives a session a new id and an empty transcript, power-safe; the old transcript is kept under its id. Creates the
    /// session if needed.
    pub fn reset(&self, key: SessionKey, at_ms: i64) -> PendingChange<Session> {
        self.change(Durability::PowerSafe, 0, move |db| {
            session::reset(db, &key, at_ms)?;
            find_written(db, key)
        })
    }

    /// Deletes a session with its transcripts, runs, calls and conversation, power-safe. Its usage is kept. Returns whether
    /// the session existed.
    pub fn delete(&self, key: SessionKey) -> PendingChange<bool> {
        self.change(Durability::PowerSafe, 0, move |db| session::delete(db, &key))
    }

    /// Stores the Application Manager's conversation in an existing session; `None` ends it.
    pub fn set_conversation(
        &self,
        key: SessionKey,
        state: Option<&Value>,
        at_ms: i64,
        durability: Durability,
    ) -> PendingChange<()> {
        let state = match state.map(conversation::encode).transpose() {
            Ok(state) => state,
            Err(error) => return PendingChange::refused(error),
        };
        let bytes = state.as_ref().map_or(0, String::len);
        self.change(durability, bytes, move |db| conversation::set(db, &key, state.as_deref(), at_ms))
    }

    /// Stores the usage of a request without a stored answer. [`Store::append_answer`] does it for the others.
    pub fn add_usage(&self, usage: RequestUsage, durability: Durability) -> PendingChange<()> {
        self.change(durability, 0, move |db| usage::insert(db, &usage, None))
    }

    /// Appends an answer of the model to the transcript of a run in progress, with its calls and the usage of its request,
    /// and clears the draft: all or nothing. Returns the item's number. Power-safe if a call starts with it.
    pub fn append_answer(
        &self,
        new: NewItem,
        calls: Vec<NewCall>,
        usage: Option<RequestUsage>,
        durability: Durability,
    ) -> PendingChange<u64> {
        let (message, run) = match (Encoded::new(&new.message), new.run.clone()) {
            (Ok(message), Some(run)) => (message, run),
            (Err(error), _) => return PendingChange::refused(error),
            (_, None) => return PendingChange::refused(StoreError::MissingRun),
        };
        let begins = calls.iter().any(|call| call.begun);
        let durability = if begins { Durability::PowerSafe } else { durability };
        let usage = usage.map(|usage| RequestUsage { run: run.clone(), ..usage });
        self.change(durability, message.json.len(), move |db| {
            run::ensure_running(db, &run)?;
            let number = transcript::append(db, &new, &message)?;
            calls.iter().try_for_each(|call| call::insert(db, &run, call, new.at_ms))?;
            draft::clear(db, &run)?;
            usage.iter().try_for_each(|usage| usage::insert(db, usage, Some(number)))?;
            Ok(number)
        })
    }

    /// Marks a call as started, power-safe, before it runs. Refused when it has started before, has a result, or its run
    /// has ended.
    pub fn begin_call(&self, run: RunId, call: String, at_ms: i64) -> PendingChange<()> {
        self.change(Durability::PowerSafe, 0, move |db| call::mark_started(db, &run, &call, at_ms))
    }

    /// Appends the result of a call to the transcript of its run and closes the call, power-safe. Returns the item's
    /// number. A second result is refused.
    pub fn record_result(&self, run: RunId, call: String, new: NewItem) -> PendingChange<u64> {
        let message = match Encoded::new(&new.message) {
            Ok(message) => message,
            Err(error) => return PendingChange::refused(error),
        };
        let new = NewItem { run: Some(run.clone()), ..new };
        self.change(Durability::PowerSafe, message.json.len(), move |db| {
            call::record_result(db, &run, &call, &new, &message)
        })
    }

    /// Records changes of files that a run is about to make, with the marks that they leave: power-safe, all or nothing.
    pub fn record_file_changes(
        &self,
        run: RunId,
        changes: Vec<NewFileChange>,
        marks: Vec<FileMark>,
        at_ms: i64,
    ) -> PendingChange<()> {
        let bytes = match file_change::check_marks(&marks) {
            Ok(bytes) => bytes,
            Err(error) => return PendingChange::refused(error),
        };
        self.change(Durability::PowerSafe, bytes, move |db| {
            file_change::record(db, &run, &changes, at_ms)?;
            file_change::add_marks(db, &marks)
        })
    }

    /// Sets the undo state of files of a run, by their real paths: power-safe, all or nothing.
    pub fn set_undo_state(&self, run: RunId, paths: Vec<String>, state: UndoState) -> PendingChange<()> {
        self.change(Durability::PowerSafe, 0, move |db| file_change::set_state(db, &run, &paths, state))
    }

    /// Gives up the kept contents of changes before a time and, beyond a number of bytes, of the oldest ones. Kill-safe.
    /// Returns whether there were any.
    pub fn expire_file_changes(&self, before_ms: i64, max_bytes: u64) -> PendingChange<bool> {
        self.change(Durability::KillSafe, 0, move |db| file_change::expire(db, before_ms, max_bytes))
    }

    /// Appends a piece to the draft of a run in progress, kill-safe.
    pub fn append_draft(&self, run: RunId, text: String, at_ms: i64) -> PendingChange<()> {
        self.change(Durability::KillSafe, text.len(), move |db| draft::append(db, &run, &text, at_ms))
    }

    /// Discards the draft of a run, kill-safe.
    pub fn clear_draft(&self, run: RunId) -> PendingChange<()> {
        self.change(Durability::KillSafe, 0, move |db| draft::clear(db, &run))
    }

    /// Adds notes to a run, kill-safe.
    pub fn note_run(&self, run: RunId, note: RunNote) -> PendingChange<()> {
        self.change(Durability::KillSafe, 0, move |db| run_note::apply(db, &run, &note))
    }

    /// Stores the skills that are active in the transcript of a run, kill-safe.
    pub fn set_activation(&self, run: RunId, activation: String) -> PendingChange<()> {
        if activation.len() > MAX_ACTIVATION_BYTES {
            let (what, limit) = ("the list of active skills", MAX_ACTIVATION_BYTES as u64);
            return PendingChange::refused(StoreError::TooLarge { what, limit, unit: "bytes" });
        }
        self.change(Durability::KillSafe, activation.len(), move |db| activation::set(db, &run, &activation))
    }

    /// Adds a summary of old items to the transcript of a run in progress, with a remark about it: both or neither. Returns
    /// the number of the remark. Kill-safe, as a lost summary is made again.
    pub fn summarise(&self, run: RunId, summary: Summary, remark: NewItem) -> PendingChange<u64> {
        if summary.text.len() > MAX_SUMMARY_BYTES {
            let (what, limit) = ("the summary of a conversation", MAX_SUMMARY_BYTES as u64);
            return PendingChange::refused(StoreError::TooLarge { what, limit, unit: "bytes" });
        }
        let message = match Encoded::new(&remark.message) {
            Ok(message) => message,
            Err(error) => return PendingChange::refused(error),
        };
        let remark = NewItem { run: Some(run.clone()), ..remark };
        let bytes = summary.text.len() + message.json.len();
        self.change(Durability::KillSafe, bytes, move |db| {
            run::ensure_running(db, &run)?;
            let number = transcript::append(db, &remark, &message)?;
            context::insert_summary(db, &run, &summary, number, remark.at_ms)?;
            Ok(number)
        })
    }

    /// Moves a waiting message into the turn of another run, and ends its own run. Power-safe, as the model gets the
    /// message.
    pub fn join_message(&self, item: u64, from: RunId, into: JoinPoint, at_ms: i64) -> PendingChange<()> {
        self.change(Durability::PowerSafe, 0, move |db| context::join_message(db, item, &from, &into, at_ms))
    }

    /// Closes an unfinished run: appends the items, among them a result for each open call, clears the draft and ends the
    /// run, power-safe and all or nothing. Returns the numbers of the items.
    pub fn close_run(
        &self,
        run: RunId,
        items: Vec<NewItem>,
        end: RunEnd,
        at_ms: i64,
    ) -> PendingChange<Vec<u64>> {
        let encoded = |new: NewItem| {
            let message = Encoded::new(&new.message)?;
            Ok((NewItem { run: Some(run.clone()), ..new }, message))
        };
        let items = match items.into_iter().map(encoded).collect::<Result<Vec<_>, StoreError>>() {
            Ok(items) => items,
            Err(error) => return PendingChange::refused(error),
        };
        let bytes = items.iter().map(|(_, message)| message.json.len()).sum();
        self.change(Durability::PowerSafe, bytes, move |db| {
            unfinished::close_run(db, &run, &items, &end, at_ms)
        })
    }

    /// Whether changes are accepted: false once the writer has ended.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.queue.is_open()
    }

    fn change<T, F>(&self, durability: Durability, bytes: usize, work: F) -> PendingChange<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T, QueryError> + Send + 'static,
    {
        let (reply_to, receiver) = oneshot::channel();
        let path = Arc::clone(&self.path);
        let change = Change { work: Some(work), outcome: None, durability, bytes, path, reply_to };
        match self.queue.push(Box::new(change)) {
            Ok(()) => PendingChange::waiting(receiver),
            Err(error) => PendingChange::refused(error),
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // The writer closes last: it merges the log into the file.
        self.readers.close();
        self.queue.close();
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has closed the queue and failed every answer.
            let _ = writer.join();
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("path", &self.path)
            .field("stats", &self.writer_stats())
            .finish_non_exhaustive()
    }
}

/// Connects to a store that this process has locked, and migrates it if needed.
pub(crate) fn open_database(
    path: &Path,
    backups: &Path,
    steps: &[&str],
) -> Result<(Connection, Recovery), QueryError> {
    let db = file::connect(path, Access::Write)?;
    let version = schema::check_version(&db, path, steps)?;
    file::enable_wal(&db)?;
    let migrated = schema::migrate(&db, version, steps, backups)?;
    let unfinished = unfinished::find_runs(&db)?;
    Ok((db, Recovery { unfinished, migrated }))
}

/// Loads a session that was just written.
fn find_written(db: &Connection, key: SessionKey) -> Result<Session, QueryError> {
    Ok(session::find(db, &key)?.ok_or(StoreError::NoSession(key))?)
}
