//! A copy of what cannot be made again.

use schemars::JsonSchema;
use serde::Deserialize;

use super::methods;
use crate::backup::BackupReport;

methods! {
    #[doc = "Copies the sessions, the settings and what shapes the agents into a new folder; secrets are left out."]
    Make = "backup.make", BackupParams => BackupReport, Admin;
}

/// Where to.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupParams {
    /// The folder, as an absolute path, in which the new one is made; `<state>/tarsus/backups` when not set.
    #[schemars(length(min = 1, max = 4096))]
    pub to: Option<String>,
}
