//! Methods of the files that turns changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::methods;

methods! {
    #[doc = "Lists the turns of a session that changed files, the newest first, with the changed files of each."]
    Changes = "sessions.changes", SessionChangesParams => SessionChanges, Read;
    #[doc = "Returns the lines that a turn changed, file by file."]
    Diff = "sessions.diff", RunDiffParams => RunDiff, Read;
    #[doc = "Puts back the files that a turn changed, except those that changed since; by default of the last turn that changed any."]
    Undo = "sessions.undo", UndoParams => UndoReport, Write;
}

/// Parameters of `sessions.changes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SessionChangesParams {
    /// Key of the session.
    pub key: String,
    /// Only this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Maximum number of runs; 50 by default.
    #[schemars(range(min = 1, max = 200))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<usize>,
}

/// Result of `sessions.changes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionChanges {
    /// The runs, the newest first.
    pub runs: Vec<RunChanges>,
}

/// The files that one run changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunChanges {
    /// Id of the run.
    pub run_id: String,
    /// Key of the session.
    pub session_key: String,
    /// Time of the first change, in milliseconds since 1970.
    pub at_ms: i64,
    /// The files, ordered by path.
    pub files: Vec<FileChange>,
}

/// A file that a run changed: what it was before the run against what the run made of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// Path: relative to the workspace if it lies there, otherwise absolute.
    pub path: String,
    /// What happened to it.
    pub kind: FileChangeKind,
    /// Path that it was moved from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved_from: Option<String>,
    /// Added lines; `null` if it is not text.
    pub added: Option<u64>,
    /// Removed lines; `null` if it is not text.
    pub removed: Option<u64>,
    /// State of its undo.
    pub undo: UndoState,
}

/// What happened to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FileChangeKind {
    /// It was created.
    Added,
    /// Its content changed.
    Modified,
    /// It was deleted.
    Deleted,
    /// It has another path; its content may have changed, too.
    Moved,
}

/// Whether a change can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UndoState {
    /// Its earlier content is kept.
    Possible,
    /// It was undone.
    Undone,
    /// Its earlier content was too large to keep.
    TooLarge,
    /// Its earlier content is no longer kept.
    Expired,
    /// Somebody else changed it during the turn.
    ChangedMeanwhile,
}

/// Parameters of `sessions.diff`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RunDiffParams {
    /// Key of the session.
    pub key: String,
    /// Id of the run.
    pub run_id: String,
    /// Only this file, by the path that `sessions.changes` shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Result of `sessions.diff`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunDiff {
    /// Id of the run.
    pub run_id: String,
    /// The files, ordered by path.
    pub files: Vec<FileDiff>,
}

/// The changed lines of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileDiff {
    /// The path that `sessions.changes` shows.
    pub path: String,
    /// The changed places, with some unchanged lines around each.
    pub hunks: Vec<DiffHunk>,
    /// Why lines are missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub omitted: Option<DiffOmission>,
}

/// Why the lines of a change are not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum DiffOmission {
    /// It is not text.
    Binary,
    /// It is too large; the shown hunks are the first ones.
    TooLarge,
    /// One of the two versions is no longer kept.
    Expired,
}

/// A changed place of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DiffHunk {
    /// Number of its first line before the change, from 1.
    pub old_start: u64,
    /// Number of its first line after the change, from 1.
    pub new_start: u64,
    /// The lines.
    pub lines: Vec<DiffLine>,
}

/// A line of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DiffLine {
    /// Whether it was added or removed.
    pub kind: DiffLineKind,
    /// The line without its end.
    pub text: String,
}

/// Kind of a line of a diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiffLineKind {
    /// In both versions.
    Context,
    /// Only after the change.
    Added,
    /// Only before the change.
    Removed,
}

/// Parameters of `sessions.undo`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoParams {
    /// Key of the session.
    pub key: String,
    /// Id of the run; by default the last one that changed files and was not undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// Whether only to report what would happen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dry_run: Option<bool>,
}

/// The result of an undo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoReport {
    /// Id of the run; `null` if no turn of the session can be undone.
    pub run_id: Option<String>,
    /// The files, ordered by path.
    pub files: Vec<UndoneFile>,
}

/// The result for one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoneFile {
    /// The path that `sessions.changes` shows.
    pub path: String,
    /// What was done.
    #[serde(flatten)]
    pub outcome: UndoOutcome,
}

/// What an undo did with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "outcome", rename_all = "lowercase", rename_all_fields = "camelCase")]
pub enum UndoOutcome {
    /// It has its earlier content again.
    Restored,
    /// It did not exist before the turn, and was removed.
    Removed,
    /// It was as before the turn already.
    Unchanged,
    /// It was left as it is.
    Refused {
        /// Why, in a sentence without a full stop.
        reason: String,
    },
}
