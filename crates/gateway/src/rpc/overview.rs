//! Health, status and presence.

use std::collections::BTreeMap;

use tarsus_home::config::Config;
use tarsus_protocol::hello::{AgentHealth, HealthSummary, Presence, RecentSessions};
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::overview::{
    AgentSessions, HealthParams, Heartbeat, Heartbeats, SessionsStatus, StatusAnswer,
};

use super::failure::Failure;
use crate::gateway::Gateway;

pub(super) fn health(gateway: &Gateway, _: HealthParams) -> Result<HealthSummary, Failure> {
    let begun = gateway.context.clock.monotonic();
    let mut health = health_summary(gateway, &gateway.config());
    let took = gateway.context.clock.monotonic().saturating_duration_since(begun);
    health.duration_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    Ok(health)
}

/// The cached health summary, while the store is unchanged.
pub(super) fn health_cached(gateway: &Gateway, _: &HealthParams) -> Option<HealthSummary> {
    let config = gateway.config();
    let sessions: Option<_> =
        config.agents.list.iter().map(|agent| gateway.recent.cached(Some(&agent.id))).collect();
    Some(summary(gateway, &config, sessions?))
}

#[must_use]
pub fn health_summary(gateway: &Gateway, config: &Config) -> HealthSummary {
    let agents = &config.agents.list;
    let sessions = agents.iter().map(|agent| gateway.recent.sessions(Some(&agent.id))).collect();
    summary(gateway, config, sessions)
}

/// `sessions` holds the recent sessions of each agent, in the order of the agents.
fn summary(gateway: &Gateway, config: &Config, sessions: Vec<RecentSessions>) -> HealthSummary {
    let agents = &config.agents;
    let default = agents.default_id();
    HealthSummary {
        ok: true,
        ts: gateway.now_ms(),
        duration_ms: 0,
        agents: agents
            .list
            .iter()
            .zip(sessions)
            .map(|(agent, sessions)| AgentHealth {
                agent_id: agent.id.to_string(),
                name: agent.name.clone(),
                is_default: agent.id == default,
                sessions,
            })
            .collect(),
        default_agent_id: default.to_string(),
        heartbeat_seconds: 0,
        channels: BTreeMap::new(),
        channel_order: Vec::new(),
        channel_labels: BTreeMap::new(),
        config_reload: gateway.active_config.current().reload.clone(),
    }
}

pub(super) fn status(gateway: &Gateway, _: NoParams) -> Result<StatusAnswer, Failure> {
    let config = gateway.config();
    let agents = &config.agents.list;
    let heartbeats = agents.iter().map(|agent| Heartbeat { agent_id: agent.id.to_string(), enabled: false });
    let by_agent = agents.iter().map(|agent| AgentSessions {
        agent_id: agent.id.to_string(),
        sessions: gateway.recent.sessions(Some(&agent.id)),
    });
    Ok(StatusAnswer {
        report: gateway.status(),
        sessions: SessionsStatus { all: gateway.recent.sessions(None), by_agent: by_agent.collect() },
        heartbeat: Heartbeats { agents: heartbeats.collect() },
    })
}

pub(super) fn system_presence(gateway: &Gateway, _: NoParams) -> Result<Vec<Presence>, Failure> {
    Ok(gateway.events.presence())
}
