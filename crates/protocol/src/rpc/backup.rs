//! Backup of everything that cannot be recreated.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::methods;
use crate::backup::BackupReport;

methods! {
    #[doc = "Copies sessions, settings and the agents' files into a new folder, without secrets."]
    Make = "backup.make", BackupParams => BackupReport, Admin;
}

/// Parameters of `backup.make`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupParams {
    /// Absolute path of the folder to create the backup in; by default `<state>/tarsus/backups`.
    #[schemars(length(min = 1, max = 4096))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}
