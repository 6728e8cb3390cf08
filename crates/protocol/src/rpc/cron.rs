//! Methods of scheduled jobs. There is no scheduler yet, so every list is empty.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{NoParams, methods};

methods! {
    #[doc = "Lists the scheduled jobs."]
    List = "cron.list", CronListParams => CronJobs, Read;
    #[doc = "Returns the state of the scheduler."]
    Status = "cron.status", NoParams => CronStatus, Read;
}

/// Parameters of `cron.list`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CronListParams {
    /// Whether to include disabled jobs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_disabled: Option<bool>,
}

/// Result of `cron.list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CronJobs {
    /// The jobs; always empty.
    pub jobs: Vec<Value>,
}

/// Result of `cron.status`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CronStatus {
    /// Whether the scheduler runs; always false.
    pub enabled: bool,
    /// Number of jobs.
    pub jobs: usize,
    /// Time of the next job, in milliseconds since 1970.
    pub next_wake_at_ms: Option<i64>,
}
