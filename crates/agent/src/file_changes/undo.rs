//! Puts back the files that a run changed.
//!
//! A file that changed since, or whose earlier content is gone, is left as it is and named. An undo that was cut off can
//! be repeated.

use std::path::{Path, PathBuf};

use tarsus_home::files::{Confined, FileError, FileMode, crash};
use tarsus_protocol::rpc::files::{UndoOutcome, UndoReport, UndoState, UndoneFile};
use tarsus_store::{RecordedChange, RunId, RunState, SessionKey};

use super::contents::{MAX_FILE_BYTES, hash};
use super::{FileChanges, FileChangesError};

/// Turns of a session that are searched for one that can be undone.
const MAX_SEARCHED: usize = 200;

impl FileChanges {
    /// Undoes the changes of a run: of `run`, or of the last one of the session that can be undone. With `dry_run` it only
    /// reports what would happen.
    ///
    /// # Errors
    /// When the run changed no files in the session, is still running, or the store cannot be read or written.
    pub fn undo(
        &self,
        session: &SessionKey,
        run: Option<&RunId>,
        dry_run: bool,
    ) -> Result<UndoReport, FileChangesError> {
        let run = match run {
            Some(run) => Some(run.clone()),
            None => self.last_undoable(session)?,
        };
        let Some(run) = run else { return Ok(UndoReport { run_id: None, files: Vec::new() }) };
        let rows = self.rows_of(session, &run)?;
        if self.store.run(&run)?.is_some_and(|run| run.state == RunState::Started) {
            return Err(FileChangesError::StillRunning);
        }
        let _others_wait = self.lock();
        let (mut files, mut done, mut emptied) = (Vec::new(), Vec::new(), Vec::new());
        for row in &rows {
            let outcome = match self.undo_file(row, dry_run) {
                Ok(outcome) => outcome,
                Err(error) => refused(error.to_string()),
            };
            if !matches!(outcome, UndoOutcome::Refused { .. }) {
                done.push(row.path.clone());
            }
            // A change that was cut off may have left its folders alone.
            let is_gone =
                matches!(outcome, UndoOutcome::Removed | UndoOutcome::Unchanged) && row.before.is_none();
            if is_gone && row.folders > 0 {
                emptied.push(row);
            }
            files.push(UndoneFile { path: row.shown.clone(), outcome });
        }
        if !dry_run {
            // Deepest first.
            emptied.sort_by_key(|row| std::cmp::Reverse(row.path.len()));
            emptied.into_iter().for_each(remove_empty_folders);
            self.store.set_undo_state(run.clone(), done, UndoState::Undone).wait()?;
            crash::point("undo.recorded");
        }
        Ok(UndoReport { run_id: Some(run.to_string()), files })
    }

    /// The last run of a session with a file that can be undone.
    fn last_undoable(&self, session: &SessionKey) -> Result<Option<RunId>, FileChangesError> {
        for run in self.store.runs_with_changes(session, MAX_SEARCHED)? {
            let rows = self.store.file_changes(&run)?;
            if rows.iter().any(|row| row.state == UndoState::Possible && row.before != row.after) {
                return Ok(Some(run));
            }
        }
        Ok(None)
    }

    fn undo_file(&self, row: &RecordedChange, dry_run: bool) -> Result<UndoOutcome, FileChangesError> {
        match row.state {
            UndoState::Possible => {}
            UndoState::Undone => return Ok(UndoOutcome::Unchanged),
            UndoState::TooLarge => return Ok(refused("its earlier content was too large to keep")),
            UndoState::Expired => return Ok(refused("its earlier content is no longer kept")),
            UndoState::ChangedMeanwhile => return Ok(refused("somebody else changed it during the turn")),
        }
        let path = PathBuf::from(&row.path);
        let root = Confined::open_real(Path::new(&row.root))?;
        let (target, file) = root.write_target(path.strip_prefix(&row.root).unwrap_or(Path::new("")))?;
        if target.path() != path {
            return Ok(refused("a link leads somewhere else now"));
        }
        // A content that is larger than any that is kept is another one.
        let now = match file.map(|file| file.read(MAX_FILE_BYTES)) {
            None => None,
            Some(Ok(content)) => Some(hash(&content)),
            Some(Err(FileError::TooLarge { .. })) => return Ok(refused("it changed since")),
            Some(Err(error)) => return Err(error.into()),
        };
        if now == row.before {
            return Ok(UndoOutcome::Unchanged);
        }
        // The last change was recorded, but perhaps not made.
        if now != row.after && now != row.prior {
            return Ok(refused(if now.is_none() { "it was deleted since" } else { "it changed since" }));
        }
        let Some(before) = &row.before else {
            if !dry_run {
                target.remove()?;
                crash::point("undo.changed");
            }
            return Ok(UndoOutcome::Removed);
        };
        let Some(content) = self.contents.load(before)? else {
            return Ok(refused("its earlier content is no longer kept"));
        };
        if !dry_run {
            target.write(&content, row.before_mode.map(FileMode))?;
            crash::point("undo.changed");
        }
        Ok(UndoOutcome::Restored)
    }
}

fn refused(reason: impl Into<String>) -> UndoOutcome {
    UndoOutcome::Refused { reason: reason.into() }
}

/// Removes the folders that were created for a file, as far as they are empty.
fn remove_empty_folders(row: &RecordedChange) {
    let Ok(root) = Confined::open_real(Path::new(&row.root)) else { return };
    let Ok(below) = Path::new(&row.path).strip_prefix(&row.root) else { return };
    for folder in below.ancestors().skip(1).take(row.folders as usize) {
        match root.remove_empty_folder(folder) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => return tracing::warn!(%error, "an empty folder stays after an undo"),
        }
    }
}
