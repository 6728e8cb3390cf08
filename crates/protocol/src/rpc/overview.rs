//! How the gateway is, and who is connected.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoParams, methods};
use crate::hello::{HealthSummary, Presence, RecentSessions};
use crate::report::StatusReport;

methods! {
    #[doc = "Whether the gateway is well, and which agents it has."]
    Health = "health", HealthParams => HealthSummary, Read;
    #[doc = "What is there: the gateway, the configuration, the audit chain, the agents' heartbeats."]
    Status = "status", NoParams => StatusAnswer, Read;
    #[doc = "Who is connected."]
    SystemPresence = "system-presence", NoParams => Vec<Presence>, Read;
}

/// What `health` takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HealthParams {
    /// Whether to look afresh; this gateway always does.
    pub probe: Option<bool>,
}

/// What `status` answers: the report that `tarsus status` prints, and the heartbeats.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct StatusAnswer {
    /// The report.
    #[serde(flatten)]
    pub report: StatusReport,
    /// The sessions.
    pub sessions: SessionsStatus,
    /// The heartbeats.
    pub heartbeat: Heartbeats,
}

/// The sessions that were written to last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsStatus {
    /// Of all agents.
    #[serde(flatten)]
    pub all: RecentSessions,
    /// Of each agent.
    pub by_agent: Vec<AgentSessions>,
}

/// The sessions of an agent that were written to last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSessions {
    /// The agent.
    pub agent_id: String,
    /// Its sessions.
    #[serde(flatten)]
    pub sessions: RecentSessions,
}

/// The heartbeats of all agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Heartbeats {
    /// One entry an agent.
    pub agents: Vec<Heartbeat>,
}

/// The heartbeat of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Heartbeat {
    /// The agent.
    pub agent_id: String,
    /// Whether it has one; not yet.
    pub enabled: bool,
}
