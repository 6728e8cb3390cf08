//! `apply_patch`: adds, updates, moves and deletes several files at once.

use std::sync::Arc;

use tarsus_guard::{self as guard, CallFacts};
use tarsus_protocol::Problem;

use super::change::{change_files, outcome, read_prior, read_text};
use super::change_error::ChangeError;
use super::check::{Arguments, Field, Kind};
use super::outcome::ToolOutcome;
use super::patch::{self, FilePatch, PatchError};
use super::{MAX_CONTENT_CHARS, PermittedCall, Tool, ToolFuture, blocking};
use crate::file_changes::PlannedChange;
use crate::turn_context::TurnContext;

const FIELDS: &[Field] = &[Field::required(
    "input",
    Kind::Text(MAX_CONTENT_CHARS),
    "The patch, from `*** Begin Patch` to `*** End Patch`",
)];

/// Bytes of all files of a patch, before and after.
const MAX_BYTES: usize = 64 << 20;

pub(super) struct ApplyPatch;

impl Tool for ApplyPatch {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::ApplyPatch
    }

    fn line(&self) -> &'static str {
        "Change several files"
    }

    fn description(&self) -> &'static str {
        "Changes files by a patch: `*** Begin Patch`, for each file `*** Add File: PATH` with its lines after `+`, \
         `*** Delete File: PATH`, or `*** Update File: PATH`, optionally `*** Move to: PATH`, then hunks of `@@`, with lines \
         after a space (unchanged), `-` (removed) or `+` (added); `*** End Patch`. Nothing is changed unless all of it fits."
    }

    fn fields(&self) -> &'static [Field] {
        FIELDS
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        false
    }

    fn is_for_large_windows(&self) -> bool {
        true
    }

    fn facts(&self, arguments: &Arguments, context: &TurnContext) -> CallFacts {
        // A patch that cannot be parsed changes nothing.
        let patches = patch::parse(arguments.text("input").unwrap_or_default()).unwrap_or_default();
        context.roots.write_facts(patches.iter().flat_map(FilePatch::paths), context)
    }

    fn run(&self, call: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        blocking(move || apply(&call, &context).map_err(Problem::from))
    }
}

fn apply(call: &PermittedCall, context: &TurnContext) -> Result<ToolOutcome, ChangeError> {
    let patches = patch::parse(call.arguments.text("input").unwrap_or_default())?;
    let _others_wait = context.file_changes.lock();
    let (mut planned, mut lines) = (Vec::new(), Vec::new());
    for patch in &patches {
        lines.push(plan(patch, call, context, &mut planned)?);
        let bytes: usize = planned.iter().map(PlannedChange::bytes).sum();
        if bytes > MAX_BYTES {
            return Err(PatchError::TooManyBytes.into());
        }
    }
    check_apart(&planned)?;
    change_files(&planned, call, context)?;
    Ok(outcome(lines.join("\n"), &planned, context))
}

/// Checks that no file is changed twice, by whatever names, and that none lies below another one.
fn check_apart(planned: &[PlannedChange]) -> Result<(), PatchError> {
    let mut changes: Vec<&PlannedChange> = planned.iter().collect();
    changes.sort_by(|one, other| one.target.path().cmp(other.target.path()));
    // Ordered by their names, a file is followed by what lies below it.
    match changes.windows(2).find(|pair| pair[1].target.path().starts_with(pair[0].target.path())) {
        Some(pair) => Err(PatchError::Twice { path: pair[1].shown.clone() }),
        None => Ok(()),
    }
}

/// Plans the changes of one file, and returns the line that describes them.
fn plan(
    patch: &FilePatch,
    call: &PermittedCall,
    context: &TurnContext,
    planned: &mut Vec<PlannedChange>,
) -> Result<String, ChangeError> {
    let path = patch.path();
    let mut location = context.roots.locate_judged(path, context, &call.facts)?;
    let described = match patch {
        FilePatch::Add { content, .. } => {
            if location.existing.is_some() {
                return Err(ChangeError::Exists { path: path.to_owned() });
            }
            planned.push(location.plan(None, Some(content.as_bytes().to_vec())));
            format!("Added {path}")
        }
        FilePatch::Delete { .. } => {
            let existing =
                location.existing.take().ok_or_else(|| ChangeError::Missing { path: path.to_owned() })?;
            let prior = read_prior(existing, &location)?;
            planned.push(location.plan(Some(prior), None));
            format!("Deleted {path}")
        }
        FilePatch::Update { moved_to, hunks, .. } => {
            let existing = read_text(&mut location, path)?;
            let after = patch::update(&existing.text, hunks, path)?.into_bytes();
            match moved_to {
                None => {
                    planned.push(location.plan(Some(existing.prior), Some(after)));
                    format!("Updated {path}")
                }
                Some(moved_to) => {
                    let target = context.roots.locate_judged(moved_to, context, &call.facts)?;
                    if target.existing.is_some() {
                        return Err(ChangeError::Exists { path: moved_to.clone() });
                    }
                    // Written first: a move that is cut off leaves both files, never none.
                    planned.push(PlannedChange {
                        moved_from: Some(location.shown.clone()),
                        moved_mode: existing.prior.mode,
                        ..target.plan(None, Some(after))
                    });
                    planned.push(location.plan(Some(existing.prior), None));
                    format!("Moved {path} to {moved_to}")
                }
            }
        }
    };
    Ok(described)
}
