//! Read queries. Each sees a consistent snapshot and never waits for the writer.

use std::ops::Range;
use std::path::Path;

use rusqlite::Connection;
use tarsus_home::config::AgentId;
use tarsus_protocol::Message;

use super::Store;
use crate::activation;
use crate::call::{self, Call};
use crate::context::{self, Context};
use crate::conversation::{self, ConversationState};
use crate::copy::{self, Progress};
use crate::error::{QueryError, SqlErrorKind, StoreError};
use crate::names::{RunId, SessionKey};
use crate::preview::{self, Preview};
use crate::run::{self, Run};
use crate::session::{self, Session, SessionPage, SessionQuery, Transcript};
use crate::transcript::{self, History, HistoryPage};
use crate::usage::{self, DaySpent, LastUsage, Spent};

impl Store {
    /// Runs a query on a consistent snapshot.
    pub(crate) fn read<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, QueryError>,
    ) -> Result<T, StoreError> {
        self.readers.read(query)
    }

    /// Copies the store as it is at one moment into a file that is there and empty; nobody waits for it.
    ///
    /// # Errors
    /// When the store cannot be read or the file cannot be written.
    pub(crate) fn copy_to(&self, path: &Path, progress: &mut dyn FnMut(Progress)) -> Result<(), StoreError> {
        let copied = self.read(|db| Ok(copy::copy_database(db, path, progress)))?;
        // SQLite does not say which of the two files it is about: only ours is there to be damaged.
        copied.map_err(|fault| match fault {
            QueryError::Sql(failure) if failure.kind == SqlErrorKind::Damaged => {
                QueryError::Sql(failure).with_path(self.path())
            }
            fault => fault.with_path(path),
        })
    }

    /// A session; `None` when there is no such one.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn session(&self, key: &SessionKey) -> Result<Option<Session>, StoreError> {
        self.read(|db| session::find(db, key))
    }

    /// A page of the list of sessions, the one that was written to last first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn sessions(&self, query: &SessionQuery) -> Result<SessionPage, StoreError> {
        self.read(|db| session::list(db, query))
    }

    /// The transcripts of a session, the oldest first: one from its beginning, and one more from each reset.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn transcripts(&self, key: &SessionKey) -> Result<Vec<Transcript>, StoreError> {
        self.read(|db| session::transcripts(db, key))
    }

    /// A page of a transcript; `None` when there is no such session, or it never had that id.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn history(&self, wanted: &History) -> Result<Option<HistoryPage>, StoreError> {
        self.read(|db| transcript::load_page(db, wanted))
    }

    /// The last words of at most 64 sessions, in the order of the keys: at most `limit` items of each, at most
    /// `max_chars` characters of each item.
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

    /// A run; `None` when there is no such one.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn run(&self, id: &RunId) -> Result<Option<Run>, StoreError> {
        self.read(|db| run::find(db, id))
    }

    /// What a model is told of the transcript of a run; `None` when there is no such run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn context(&self, run: &RunId) -> Result<Option<Context>, StoreError> {
        self.read(|db| context::load(db, run))
    }

    /// What a model said last in a run; `None` when it said nothing.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_words(&self, run: &RunId) -> Result<Option<Message>, StoreError> {
        self.read(|db| transcript::last_assistant_message(db, run))
    }

    /// The calls of tools of a run, in the order in which the model asked for them.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn calls(&self, run: &RunId) -> Result<Vec<Call>, StoreError> {
        self.read(|db| call::list(db, run))
    }

    /// Which skills have had a say in the transcript of a run; `None` while none has.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn activation(&self, run: &RunId) -> Result<Option<String>, StoreError> {
        self.read(|db| activation::load(db, run))
    }

    /// Where a conversation stands in a session; `None` when there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn conversation(&self, key: &SessionKey) -> Result<Option<ConversationState>, StoreError> {
        self.read(|db| conversation::find(db, key))
    }

    /// What was spent on each day (UTC) from one moment up to another, in milliseconds since 1970. Days on which no
    /// model was asked are left out.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn spent_by_day(&self, span_ms: Range<i64>) -> Result<Vec<DaySpent>, StoreError> {
        self.read(|db| usage::spent_by_day(db, span_ms))
    }

    /// What was spent since a moment, by all agents or by one.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn spent(&self, since_ms: i64, agent: Option<&AgentId>) -> Result<Spent, StoreError> {
        self.read(|db| usage::spent_since(db, since_ms, agent))
    }

    /// What was spent in a session, also before its resets.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn spent_in_session(&self, key: &SessionKey) -> Result<Spent, StoreError> {
        self.read(|db| usage::spent_in_session(db, key))
    }

    /// What was spent in a run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn spent_in_run(&self, run: &RunId) -> Result<Spent, StoreError> {
        self.read(|db| usage::spent_in_run(db, run))
    }

    /// What the last request reported whose answer is in the present transcript of a session; `None` while there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn last_usage(&self, key: &SessionKey) -> Result<Option<LastUsage>, StoreError> {
        self.read(|db| usage::last_for_session(db, key))
    }
}
