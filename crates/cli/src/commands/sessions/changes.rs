//! `sessions changes`: lists the turns that changed files, and shows the changed lines.

use serde::Serialize;
use tarsus_protocol::rpc::files::{
    DiffLineKind, DiffOmission, FileChange, FileChangeKind, FileDiff, RunChanges, RunDiff, UndoState,
};
use tarsus_protocol::{ExitCode, Problem};

use super::local_time;
use super::source::SessionSource;
use crate::output::Output;
use crate::text::{count, printable};

/// The turns with, if requested, their lines.
#[derive(Serialize)]
struct Listed {
    runs: Vec<RunChanges>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diffs: Vec<RunDiff>,
}

pub(super) fn run(
    key: &str,
    run: Option<&str>,
    diff: bool,
    limit: usize,
    source: &mut SessionSource<'_>,
    output: &mut Output,
) -> Result<ExitCode, Problem> {
    let key = source.key(key)?;
    let runs = source.changes(&key, run, limit, output)?.runs;
    let mut diffs = Vec::new();
    for run in runs.iter().filter(|_| diff) {
        diffs.push(source.diff(&key, &run.run_id, output)?);
    }
    output.show(&Listed { runs, diffs }, |listed| text(listed, key.as_str()))?;
    Ok(ExitCode::Done)
}

fn text(listed: &Listed, key: &str) -> String {
    if listed.runs.is_empty() {
        return format!("no turn of {} changed files\n", printable(key));
    }
    let mut text = String::new();
    for run in &listed.runs {
        let heading = format!("{}  {}", local_time(run.at_ms), count(run.files.len(), "file"));
        text.push_str(&format!("{heading}  turn {}\n", printable(&run.run_id)));
        for file in &run.files {
            text.push_str(&format!("  {}\n", file_text(file)));
        }
        let diff = listed.diffs.iter().find(|diff| diff.run_id == run.run_id);
        for file in diff.iter().flat_map(|diff| &diff.files) {
            text.push_str(&diff_text(file));
        }
    }
    text
}

/// What happened to a file, and what of it can be undone.
pub(in crate::commands) fn file_text(file: &FileChange) -> String {
    let kind = match file.kind {
        FileChangeKind::Added => "added",
        FileChangeKind::Modified => "modified",
        FileChangeKind::Deleted => "deleted",
        FileChangeKind::Moved => "moved",
    };
    let from = file.moved_from.as_deref().map(|from| format!(" from {}", printable(from)));
    let lines = match (file.added, file.removed) {
        (Some(added), Some(removed)) => format!("+{added} -{removed}"),
        _ => "not text".to_owned(),
    };
    let undo = match file.undo {
        UndoState::Possible => "",
        UndoState::Undone => "  undone",
        UndoState::TooLarge => "  too large to undo",
        UndoState::Expired => "  no longer kept",
        UndoState::ChangedMeanwhile => "  changed by somebody else as well",
    };
    format!("{kind:<8}  {}{}  {lines}{undo}", printable(&file.path), from.unwrap_or_default())
}

fn diff_text(file: &FileDiff) -> String {
    let mut text = format!("\n  {}\n", printable(&file.path));
    for hunk in &file.hunks {
        text.push_str(&format!("  @@ -{} +{} @@\n", hunk.old_start, hunk.new_start));
        for line in &hunk.lines {
            let sign = match line.kind {
                DiffLineKind::Context => ' ',
                DiffLineKind::Added => '+',
                DiffLineKind::Removed => '-',
            };
            text.push_str(format!("  {sign}{}", printable(&line.text)).trim_end());
            text.push('\n');
        }
    }
    let omitted = file.omitted.map(|why| match why {
        DiffOmission::Binary => "not text",
        DiffOmission::TooLarge => "the rest is too large to be shown",
        DiffOmission::Expired => "the earlier content is no longer kept",
    });
    text.extend(omitted.map(|why| format!("  … {why}\n")));
    text
}
