//! Scheduled jobs: there are none yet, and the replies say so.

use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::cron::{CronJobs, CronListParams, CronStatus};

use super::failure::Failure;
use crate::gateway::Gateway;

pub(super) fn list(_: &Gateway, _: CronListParams) -> Result<CronJobs, Failure> {
    Ok(CronJobs { jobs: Vec::new() })
}

pub(super) fn status(_: &Gateway, _: NoParams) -> Result<CronStatus, Failure> {
    Ok(CronStatus { enabled: false, jobs: 0, next_wake_at_ms: None })
}
