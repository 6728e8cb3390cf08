//! The report of a backup: the output of `tarsus backup`, and the file list in the backup itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupReport {
    /// The new folder.
    pub folder: String,
    /// Time of the backup, in milliseconds since 1970.
    pub made_at: i64,
    /// Files in the backup.
    pub files: Vec<BackedUp>,
    /// Files that could not be read.
    pub left_out: Vec<NotBackedUp>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackedUp {
    /// Path in the backup, which equals the path below the state folder.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
}

/// A file missing from a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotBackedUp {
    /// Path of the file.
    pub path: String,
    /// Reason for leaving it out.
    pub reason: String,
}
