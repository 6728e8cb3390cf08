//! What a backup holds and what it does not: the answer of `tarsus backup`, and the list that lies in the backup itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackupReport {
    /// The folder that was made.
    pub folder: String,
    /// When, in milliseconds since 1970.
    pub made_at: i64,
    /// The files in it, as they lie there.
    pub files: Vec<BackedUp>,
    /// What should be in it and could not be read.
    pub left_out: Vec<NotBackedUp>,
}

/// A file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackedUp {
    /// Its path in the backup, which is the one below the state folder.
    pub path: String,
    /// Its bytes.
    pub bytes: u64,
}

/// A file that is not in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NotBackedUp {
    /// Where it is.
    pub path: String,
    /// Why.
    pub reason: String,
}
