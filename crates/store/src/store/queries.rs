//! Read queries. Each sees a consistent snapshot and never waits for the writer.

use std::ops::Range;
use std::path::Path;

use rusqlite::Connection;
use tarsus_home::config::AgentId;
use tarsus_protocol::Message;

use super::Store;
use crate::activation;
use crate::call::{self, RecordedCall};
use crate::check::{self, CheckExtent};
use crate::context::{self, Context};
use crate::conversation::{self, ConversationState};
use crate::copy::{self, Progress};
use crate::error::{QueryError, SqlErrorKind, StoreError};
use crate::file::{self, Access};
use crate::file_change::{self, RecordedChange};
use crate::names::{RunId, SessionKey};
use crate::preview::{self, Preview};
use crate::run::{self, Run};
use crate::session::{self, Session, SessionPage, SessionQuery, Transcript};
use crate::transcript::{self, HistoryPage, HistoryQuery};
use crate::unfinished::{self, UnfinishedRun};
use crate::usage::{self, DailyUsage, LastUsage, UsageTotals};

impl Store {
    /// Runs a query on a consistent snapshot.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, QueryError>,
    ) -> Result<T, StoreError> {
        self.readers.read(query)
    }

    /// Copies a snapshot of the store into an existing, empty file, without blocking other readers or the writer.
    ///
    /// # Errors
    /// When the store cannot be read or the file cannot be written.
    pub(crate) fn copy_to(&self, path: &Path, progress: &mut dyn FnMut(Progress)) -> Result<(), StoreError> {
        let mut copied = Ok(());
        self.read(|db| {
            copied = copy::copy_database(db, path, progress);
            Ok(())
        })?;
        // SQLite does not say which of the two files is meant; only the store can be damaged.
        copied.map_err(|fault| match fault {
            QueryError::Sql(failure) if failure.kind == SqlErrorKind::Damaged => {
                QueryError::Sql(failure).with_path(self.path())
            }
            fault => fault.with_path(path),
        })
    }

    /// Checks the structure of the file as far as `extent` says.
    ///
    /// # Errors
    /// When it is damaged or cannot be read.
    pub fn check(&self, extent: CheckExtent) -> Result<(), StoreError> {
        match self.path().metadata().map(|found| found.len()) {
            Ok(0) => return Err(check::empty(self.path())),
            Ok(bytes) if !extent.covers(bytes) => return Ok(()),
            // A missing file is reported by the query.
            _ => {}
        }
        // A connection of its own: the others have pages in memory.
        let read = || check::check_pages(&file::connect(self.path(), Access::Read)?);
        read().map_err(|error: QueryError| error.with_path(self.path()))
    }

    /// Loads a session, if it exists.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn session(&self, key: &SessionKey) -> Result<Option<Session>, StoreError> {
        self.read(|db| session::find(db, key))
    }

    /// Lists sessions, most recently written first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn sessions(&self, query: &SessionQuery) -> Result<SessionPage, StoreError> {
        self.read(|db| session::list(db, query))
    }

    /// Lists the transcripts of a session, oldest first: the first one, and one for each reset.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn transcripts(&self, key: &SessionKey) -> Result<Vec<Transcript>, StoreError> {
        self.read(|db| session::transcripts(db, key))
    }

    /// Loads a page of a transcript; `None` if the session does not exist or never had that id.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn history(&self, query: &HistoryQuery) -> Result<Option<HistoryPage>, StoreError> {
        self.read(|db| transcript::load_page(db, query))
    }

    /// Loads the newest messages of at most 64 sessions, in the order of the keys: at most `limit` items of each, and at
    /// most `max_chars` characters of each item.
    ///
    /// # Errors
    /// When there are more keys, or the store cannot be read.
    pub fn preview(
        &self,
        keys: &[SessionKey],
        limit: usize,
        max_chars: usize,
    ) -> Result<Vec<Preview>, StoreError> {
        self.read(|db| preview::load(db, keys, limit, max_chars))
    }

    /// Loads a run, if it exists.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError> {
        self.read(|db| run::find(db, id))
    }

    /// Loads a run that has not ended, with its draft and open calls; `None` if it has ended or does not exist.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn unfinished_run(&self, id: &RunId) -> Result<Option<UnfinishedRun>, StoreError> {
        self.read(|db| unfinished::find_run(db, id))
    }

    /// Counts the runs of a session that have not ended: the one in progress and those that wait.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn open_runs(&self, key: &SessionKey) -> Result<u64, StoreError> {
        self.read(|db| run::count_open(db, key))
    }

    /// Loads the context that a model gets in a run; `None` if the run does not exist.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn context(&self, run: &RunId) -> Result<Option<Context>, StoreError> {
        self.read(|db| context::load(db, run))
    }

    /// Loads the model's messages in a run, in order; with `results` also those of its tools.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn answers(&self, run: &RunId, results: bool) -> Result<Vec<Message>, StoreError> {
        self.read(|db| transcript::answers(db, run, results))
    }

    /// Lists the tool calls of a run in the order of their requests.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn calls(&self, run: &RunId) -> Result<Vec<RecordedCall>, StoreError> {
        self.read(|db| call::list(db, run))
    }

    /// Lists the files that a run changed, ordered by path.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn file_changes(&self, run: &RunId) -> Result<Vec<RecordedChange>, StoreError> {
        self.read(|db| file_change::list(db, run))
    }

    /// Lists the runs of a session that changed files, the newest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs_with_changes(&self, session: &SessionKey, limit: usize) -> Result<Vec<RunId>, StoreError> {
        self.read(|db| file_change::list_runs(db, session, limit))
    }

    /// Lists the hashes of the file contents that are still needed.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn kept_contents(&self) -> Result<Vec<String>, StoreError> {
        self.read(file_change::kept_hashes)
    }

    /// The skills that shaped this content of a file, in guard's words.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn file_mark(&self, path: &str, hash: &str) -> Result<Option<String>, StoreError> {
        self.read(|db| file_change::mark(db, path, hash))
    }

    /// Lists the files that have a mark, with some content.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn marked_files(&self) -> Result<Vec<String>, StoreError> {
        self.read(file_change::marked_paths)
    }

    /// Loads the active skills of a run's transcript; `None` while there are none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn activation(&self, run: &RunId) -> Result<Option<String>, StoreError> {
        self.read(|db| activation::load(db, run))
    }

    /// Loads the Application Manager's conversation of a session, if one is open.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn conversation(&self, key: &SessionKey) -> Result<Option<ConversationState>, StoreError> {
        self.read(|db| conversation::find(db, key))
    }

    /// Usage by day (UTC) in a time span, in milliseconds since 1970. Days without requests are left out.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn usage_by_day(&self, span_ms: Range<i64>) -> Result<Vec<DailyUsage>, StoreError> {
        self.read(|db| usage::usage_by_day(db, span_ms))
    }

    /// Usage since a point in time, of all agents or one.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn usage_since(&self, since_ms: i64, agent: Option<&AgentId>) -> Result<UsageTotals, StoreError> {
        self.read(|db| usage::usage_since(db, since_ms, agent))
    }

    /// Usage of a session, including the time before its resets.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn usage_in_session(&self, key: &SessionKey) -> Result<UsageTotals, StoreError> {
        self.read(|db| usage::usage_in_session(db, key))
    }

    /// Usage of a run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn usage_in_run(&self, run: &RunId) -> Result<UsageTotals, StoreError> {
        self.read(|db| usage::usage_in_run(db, run))
    }

    /// Usage of the last request whose answer is in the current transcript of a session, if there is one.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_usage(&self, key: &SessionKey) -> Result<Option<LastUsage>, StoreError> {
        self.read(|db| usage::last_for_session(db, key))
    }
}
