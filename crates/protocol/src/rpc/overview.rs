//! Methods about the gateway itself and its clients.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{NoParams, methods};
use crate::hello::{HealthSummary, Presence, RecentSessions};
use crate::report::StatusReport;

methods! {
    #[doc = "Checks that the gateway is healthy, and lists its agents."]
    Health = "health", HealthParams => HealthSummary, Read;
    #[doc = "Reports the state of the gateway, the configuration, the audit log, apps, skills and sessions."]
    Status = "status", NoParams => StatusAnswer, Read;
    #[doc = "Lists the connected clients."]
    SystemPresence = "system-presence", NoParams => Vec<Presence>, Read;
}

/// Parameters of `health`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HealthParams {
    /// Whether to check again instead of using a cached result; this gateway never caches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe: Option<bool>,
}

/// Result of `status`: the report that `tarsus status` prints, recent sessions and heartbeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StatusAnswer {
    /// The report.
    #[serde(flatten)]
    pub report: StatusReport,
    /// Recent sessions.
    pub sessions: SessionsStatus,
    /// The heartbeats.
    pub heartbeat: Heartbeats,
}

/// Recent sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionsStatus {
    /// Of all agents.
    #[serde(flatten)]
    pub all: RecentSessions,
    /// Of each agent.
    pub by_agent: Vec<AgentSessions>,
}

/// Recent sessions of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSessions {
    /// Id of the agent.
    pub agent_id: String,
    /// Its sessions.
    #[serde(flatten)]
    pub sessions: RecentSessions,
}

/// The heartbeats of all agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Heartbeats {
    /// Heartbeats by agent.
    pub agents: Vec<Heartbeat>,
}

/// The heartbeat of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Heartbeat {
    /// Id of the agent.
    pub agent_id: String,
    /// Whether the heartbeat is enabled; always false.
    pub enabled: bool,
}
