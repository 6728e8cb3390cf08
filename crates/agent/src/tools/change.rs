//! Changes files for the tools: looks at them, records the changes, then makes them.

use serde_json::json;
use tarsus_home::files::Reached;

use super::PermittedCall;
use super::change_error::ChangeError;
use super::outcome::ToolOutcome;
use super::write_access::WriteLocation;
use crate::file_changes::{MAX_FILE_BYTES, PlannedChange, PriorContent, PriorFile};
use crate::turn_context::TurnContext;

/// An existing text file that is about to be changed.
pub(super) struct ExistingText {
    pub(super) text: String,
    pub(super) prior: PriorFile,
}

/// Reads an existing file as text.
pub(super) fn read_text(location: &mut WriteLocation, path: &str) -> Result<ExistingText, ChangeError> {
    let Some(existing) = location.existing.take() else {
        return Err(ChangeError::Missing { path: path.to_owned() });
    };
    let size = existing.size;
    let prior = read_prior(existing, location)?;
    let PriorContent::Known(bytes) = &prior.content else {
        return Err(ChangeError::TooLarge { path: path.to_owned(), size });
    };
    match String::from_utf8(bytes.clone()) {
        Ok(text) if !text.contains('\0') => Ok(ExistingText { text, prior }),
        _ => Err(ChangeError::NotText { path: path.to_owned() }),
    }
}

/// Reads the file that is there, as far as it is not too large to be kept.
pub(super) fn read_prior(existing: Reached, location: &WriteLocation) -> Result<PriorFile, ChangeError> {
    let content = if existing.size > MAX_FILE_BYTES {
        PriorContent::TooLarge
    } else {
        PriorContent::Known(existing.read(MAX_FILE_BYTES)?)
    };
    Ok(PriorFile { content, mode: location.target.mode() })
}

impl WriteLocation {
    /// A change of the file to this content; `None` deletes it.
    pub(super) fn plan(self, prior: Option<PriorFile>, after: Option<Vec<u8>>) -> PlannedChange {
        let Self { target, root, shown, is_control, .. } = self;
        PlannedChange { target, root, shown, prior, after, moved_from: None, moved_mode: None, is_control }
    }
}

/// Records changes of a call, then makes them one after the other.
pub(super) fn change_files(
    planned: &[PlannedChange],
    call: &PermittedCall,
    context: &TurnContext,
) -> Result<(), ChangeError> {
    for change in planned {
        let size = change.after.as_ref().map_or(0, |after| after.len() as u64);
        if size > MAX_FILE_BYTES {
            return Err(ChangeError::TooLarge { path: change.shown.clone(), size });
        }
    }
    let now_ms = context.services.clock.wall_ms();
    context.file_changes.record(&context.run, planned, &call.active, now_ms)?;
    let mut changed = Vec::new();
    for change in planned {
        if let Err(error) = change.apply() {
            return Err(ChangeError::Partly { path: change.shown.clone(), error, changed });
        }
        changed.push(change.shown.clone());
    }
    Ok(())
}

/// The outcome of a call that changed files.
pub(super) fn outcome(text: String, planned: &[PlannedChange], context: &TurnContext) -> ToolOutcome {
    let mut outcome = ToolOutcome::text(text);
    for change in planned {
        context.watch.detect_read(change.target.path(), &mut outcome.activated);
    }
    let paths: Vec<&str> = planned.iter().map(|change| change.shown.as_str()).collect();
    outcome.with_details(json!({ "paths": paths }))
}

/// `1 line`, `2 lines`.
pub(super) fn count_lines(text: &str) -> String {
    match text.lines().count() {
        1 => "1 line".to_owned(),
        lines => format!("{lines} lines"),
    }
}
