//! The files that turns change: recorded before they are changed, so that they can be compared and undone, whatever
//! happens in between.
//!
//! Earlier contents are kept for 30 days, at most 200 MB of them.

mod contents;
mod diff;
mod plan;
mod report;
mod undo;

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use tarsus_guard::Activation;
use tarsus_home::Home;
use tarsus_home::files::{Confined, Durability, FileError, crash};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{FileMark, NewFileChange, RecordedChange, RunId, Store, StoreError};

pub use contents::{MAX_FILE_BYTES, hash};
pub use plan::{PlannedChange, PriorContent, PriorFile};

use contents::Contents;

/// Time for which contents are kept.
const KEPT_MS: i64 = 30 * 24 * 60 * 60 * 1_000;
/// Bytes of all kept contents.
const KEPT_BYTES: u64 = 200 << 20;

/// The changed files of all runs.
#[derive(Debug)]
pub struct FileChanges {
    store: Arc<Store>,
    contents: Contents,
    /// Contents are removed only while none is about to be recorded.
    keeping: RwLock<()>,
    /// Held from the look at a file until its change.
    changing: Mutex<()>,
}

/// Why changes cannot be recorded, reported or undone.
#[derive(Debug, thiserror::Error)]
pub enum FileChangesError {
    #[error("{run} did not change files in this session")]
    UnknownRun { run: RunId },
    #[error("the turn is still running")]
    StillRunning,
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<FileChangesError> for Problem {
    fn from(error: FileChangesError) -> Self {
        let message = error.to_string();
        match error {
            FileChangesError::UnknownRun { .. } => Self::new(ErrorCode::NotFound, message)
                .hint("`tarsus sessions changes` lists the turns that changed files"),
            FileChangesError::StillRunning => {
                Self::new(ErrorCode::Busy, message).hint("stop it with /stop, or wait until it ends")
            }
            FileChangesError::File(error) => error.into(),
            FileChangesError::Store(error) => error.into(),
        }
    }
}

impl FileChanges {
    #[must_use]
    pub fn new(home: &Home, store: Arc<Store>) -> Self {
        Self {
            store,
            contents: Contents::for_home(home),
            keeping: RwLock::default(),
            changing: Mutex::default(),
        }
    }

    /// Waits until nobody else changes files here, and keeps others waiting. Blocks.
    pub fn lock(&self) -> MutexGuard<'_, ()> {
        // A holder that panicked has left whole files behind.
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records changes that a run is about to make, power-safe: the contents first, then the changes, all or none.
    ///
    /// # Errors
    /// When a content or the record cannot be written. Nothing may be changed then.
    pub fn record(
        &self,
        run: &RunId,
        planned: &[PlannedChange],
        active: &Activation,
        at_ms: i64,
    ) -> Result<(), FileChangesError> {
        // A holder that panicked has left nothing half done.
        let _keeping = self.keeping.read().unwrap_or_else(PoisonError::into_inner);
        let recorded = self.store.file_changes(run)?;
        let (mut changes, mut marks) = (Vec::new(), Vec::new());
        for change in planned {
            let path = change.target.path().to_string_lossy().into_owned();
            let row = recorded.iter().find(|row| row.path == path);
            let change_row = self.new_change(change, path.clone(), row.map(|row| row.before.as_deref()))?;
            if let Some(hash) = change_row.after.clone().filter(|_| change.is_control) {
                marks.extend(mark(path, hash, active));
            }
            changes.push(change_row);
        }
        crash::point("files.kept");
        self.store.record_file_changes(run.clone(), changes, marks, at_ms).wait()?;
        crash::point("files.recorded");
        Ok(())
    }

    /// Keeps the contents of a change. `recorded` is the hash before the run, if the run changed the file before.
    fn new_change(
        &self,
        change: &PlannedChange,
        path: String,
        recorded: Option<Option<&str>>,
    ) -> Result<NewFileChange, FileChangesError> {
        let mut bytes = 0;
        let prior = match &change.prior {
            None => None,
            Some(PriorFile { content: PriorContent::TooLarge, .. }) => {
                Some(PriorContent::UNKNOWN_HASH.to_owned())
            }
            Some(PriorFile { content: PriorContent::Known(content), .. }) => {
                let hash = hash(content);
                self.contents.keep(&hash, content, Durability::PowerSafe)?;
                bytes += content.len() as u64;
                Some(hash)
            }
        };
        let after = match &change.after {
            None => None,
            Some(content) => {
                let hash = hash(content);
                // Only shown, never restored: need not survive a power cut.
                self.contents.keep(&hash, content, Durability::KillSafe)?;
                bytes += content.len() as u64;
                Some(hash)
            }
        };
        let before_run = match recorded {
            Some(Some(hash)) => self.contents.load(hash)?,
            Some(None) => None,
            None => change.prior_bytes().map(<[u8]>::to_vec),
        };
        let is_kept = !matches!(&change.prior, Some(prior) if prior.content == PriorContent::TooLarge);
        let is_known = match recorded {
            Some(Some(_)) => before_run.is_some(),
            Some(None) => true,
            None => is_kept,
        };
        let lines =
            if is_known { diff::count_lines(before_run.as_deref(), change.after.as_deref()) } else { None };
        Ok(NewFileChange {
            path,
            root: change.root.to_string_lossy().into_owned(),
            shown: change.shown.clone(),
            moved_from: change.moved_from.clone(),
            prior,
            prior_mode: change.prior.as_ref().and_then(|prior| prior.mode).map(|mode| mode.0),
            after,
            bytes,
            added: lines.map(|lines| lines.added),
            removed: lines.map(|lines| lines.removed),
            folders: u32::try_from(change.target.missing_folders()).unwrap_or(u32::MAX),
            is_kept,
        })
    }

    /// Removes what changes left behind that were cut off by the end of a process, and contents that are not needed.
    /// Called before any turn runs.
    ///
    /// # Errors
    /// When the store or a folder cannot be read or written.
    pub fn recover(&self, now_ms: i64) -> Result<(), FileChangesError> {
        for unfinished in &self.store.recovery().unfinished {
            for row in self.store.file_changes(&unfinished.run.id)? {
                remove_leftover(&row)?;
            }
        }
        if self.contents.is_empty() { Ok(()) } else { self.clean_up(now_ms) }
    }

    /// Gives up contents that are too old or too many, and removes those that are not needed.
    ///
    /// # Errors
    /// When the store or the folder cannot be read or written.
    pub fn clean_up(&self, now_ms: i64) -> Result<(), FileChangesError> {
        let _nothing_is_kept_meanwhile = self.keeping.write().unwrap_or_else(PoisonError::into_inner);
        self.store.expire_file_changes(now_ms - KEPT_MS, KEPT_BYTES).wait()?;
        let needed: HashSet<String> = self.store.kept_contents()?.into_iter().collect();
        Ok(self.contents.remove_except(&needed)?)
    }

    /// The files that community skills have shaped, as far as they are known.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn marked_files(&self) -> Result<BTreeSet<String>, StoreError> {
        Ok(self.store.marked_files()?.into_iter().collect())
    }

    /// The skills that shaped a content of a file.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn marked_by(&self, path: &Path, content: &[u8]) -> Result<Option<Activation>, StoreError> {
        let mark = self.store.file_mark(&path.to_string_lossy(), &hash(content))?;
        Ok(mark.map(|stored| Activation::parse(&stored)))
    }
}

fn remove_leftover(row: &RecordedChange) -> Result<(), FileError> {
    let below = Path::new(&row.path).strip_prefix(&row.root).unwrap_or(Path::new(""));
    match Confined::open_real(Path::new(&row.root)).and_then(|root| root.write_target(below)) {
        Ok((target, _)) => target.remove_leftover(),
        // The folder is gone or leads elsewhere now: nothing of ours is there.
        Err(_) => Ok(()),
    }
}

/// The mark of a control file that is written while skills of others are active.
fn mark(path: String, hash: String, active: &Activation) -> Option<FileMark> {
    let community = active.community();
    if community.is_empty() {
        return None;
    }
    // Serialising names and words does not fail.
    let activation = serde_json::to_string(&community).unwrap_or_default();
    Some(FileMark { path, hash, activation })
}
