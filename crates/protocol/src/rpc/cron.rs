//! Scheduled work. There is no schedule yet, and these say so.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{NoParams, methods};

methods! {
    #[doc = "The jobs."]
    List = "cron.list", CronListParams => CronJobs, Read;
    #[doc = "Whether jobs are run."]
    Status = "cron.status", NoParams => CronStatus, Read;
}

/// Which jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CronListParams {
    /// Whether those that are switched off are wanted too.
    pub include_disabled: Option<bool>,
}

/// The jobs; there are none yet.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct CronJobs {
    /// One entry a job.
    pub jobs: Vec<Value>,
}

/// Whether jobs are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronStatus {
    /// Not yet.
    pub enabled: bool,
    /// How many there are.
    pub jobs: usize,
    /// When the next one is due, in milliseconds since 1970.
    pub next_wake_at_ms: Option<i64>,
}
