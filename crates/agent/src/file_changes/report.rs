//! The changed files of runs and their lines, for clients.

use std::collections::HashSet;
use std::path::Path;

use tarsus_home::files::{Confined, FileError};
use tarsus_protocol::rpc::files::{
    DiffOmission, FileChange, FileChangeKind, FileDiff, RunChanges, RunDiff, SessionChanges,
};
use tarsus_store::{RecordedChange, RunId, SessionKey, StoreError};

use super::contents::{MAX_FILE_BYTES, hash};
use super::diff::{self, DiffBudget};
use super::{FileChanges, FileChangesError};

impl FileChanges {
    /// The runs of a session that changed files, the newest first; of `run` alone if it is given.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn session_changes(
        &self,
        session: &SessionKey,
        run: Option<&RunId>,
        limit: usize,
    ) -> Result<SessionChanges, StoreError> {
        let runs = match run {
            Some(run) => vec![run.clone()],
            None => self.store.runs_with_changes(session, limit)?,
        };
        let reports = runs.iter().map(|run| self.run_changes(run));
        let found: Vec<Option<RunChanges>> = reports.collect::<Result<_, _>>()?;
        let of_session = |run: &RunChanges| run.session_key == session.as_str();
        Ok(SessionChanges { runs: found.into_iter().flatten().filter(of_session).collect() })
    }

    /// The files that a run changed; `None` if there are none.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn run_changes(&self, run: &RunId) -> Result<Option<RunChanges>, StoreError> {
        let rows = self.store.file_changes(run)?;
        let Some(first) = rows.first() else { return Ok(None) };
        let (session_key, run_id) = (first.session.to_string(), run.to_string());
        let at_ms = rows.iter().map(|row| row.at_ms).min().unwrap_or_default();
        let files: Vec<FileChange> = visible(&rows).map(file_change).collect();
        Ok((!files.is_empty()).then_some(RunChanges { run_id, session_key, at_ms, files }))
    }

    /// The lines that a run changed, of `path` alone if it is given.
    ///
    /// # Errors
    /// When the run changed no such file in the session, or something cannot be read.
    pub fn run_diff(
        &self,
        session: &SessionKey,
        run: &RunId,
        path: Option<&str>,
    ) -> Result<RunDiff, FileChangesError> {
        let rows = self.rows_of(session, run)?;
        let wanted = visible(&rows).filter(|row| path.is_none_or(|path| row.shown == path));
        let mut budget = DiffBudget::default();
        let files: Vec<FileDiff> =
            wanted.map(|row| self.file_diff(row, &mut budget)).collect::<Result<_, _>>()?;
        if files.is_empty() {
            return Err(FileChangesError::UnknownRun { run: run.clone() });
        }
        Ok(RunDiff { run_id: run.to_string(), files })
    }

    /// The recorded changes of a run of this session.
    pub(super) fn rows_of(
        &self,
        session: &SessionKey,
        run: &RunId,
    ) -> Result<Vec<RecordedChange>, FileChangesError> {
        let mut rows = self.store.file_changes(run)?;
        rows.retain(|row| row.session == *session);
        if rows.is_empty() { Err(FileChangesError::UnknownRun { run: run.clone() }) } else { Ok(rows) }
    }

    fn file_diff(&self, row: &RecordedChange, budget: &mut DiffBudget) -> Result<FileDiff, FileChangesError> {
        let before = self.version(row, row.before.as_deref())?;
        let after = self.version(row, row.after.as_deref())?;
        let (hunks, omitted) = match (before, after) {
            (Version::Gone, _) | (_, Version::Gone) => (Vec::new(), Some(DiffOmission::Expired)),
            (before, after) => diff::hunks(before.content(), after.content(), budget),
        };
        Ok(FileDiff { path: row.shown.clone(), hunks, omitted })
    }

    /// A version of a file: as it was kept, or as it still is.
    fn version(&self, row: &RecordedChange, version: Option<&str>) -> Result<Version, FileChangesError> {
        let Some(version) = version else { return Ok(Version::NoFile) };
        if let Some(kept) = self.contents.load(version)? {
            return Ok(Version::Content(kept));
        }
        let now = current_content(row).unwrap_or_default();
        Ok(now.filter(|now| hash(now) == version).map_or(Version::Gone, Version::Content))
    }
}

enum Version {
    NoFile,
    Content(Vec<u8>),
    /// It is not kept any more.
    Gone,
}

impl Version {
    fn content(&self) -> Option<&[u8]> {
        match self {
            Self::Content(content) => Some(content),
            Self::NoFile | Self::Gone => None,
        }
    }
}

fn current_content(row: &RecordedChange) -> Result<Option<Vec<u8>>, FileError> {
    let root = Confined::open_real(Path::new(&row.root))?;
    let below = Path::new(&row.path).strip_prefix(&row.root).unwrap_or(Path::new(""));
    root.reach(below)?.map(|file| file.read(MAX_FILE_BYTES)).transpose()
}

/// The changes that a person sees: a move is one change, and what a run took back itself is none.
fn visible(rows: &[RecordedChange]) -> impl Iterator<Item = &RecordedChange> {
    let moved: HashSet<&str> = rows.iter().filter_map(|row| row.moved_from.as_deref()).collect();
    rows.iter().filter(move |row| {
        let is_source_of_move = row.after.is_none() && moved.contains(row.shown.as_str());
        !is_source_of_move && (row.before != row.after || row.moved_from.is_some())
    })
}

fn file_change(row: &RecordedChange) -> FileChange {
    let kind = match (&row.before, &row.after) {
        _ if row.moved_from.is_some() && row.after.is_some() => FileChangeKind::Moved,
        (None, _) => FileChangeKind::Added,
        (_, None) => FileChangeKind::Deleted,
        _ => FileChangeKind::Modified,
    };
    FileChange {
        path: row.shown.clone(),
        kind,
        moved_from: row.moved_from.clone().filter(|_| kind == FileChangeKind::Moved),
        added: row.added,
        removed: row.removed,
        undo: row.state,
    }
}
