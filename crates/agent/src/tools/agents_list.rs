//! `agents_list`: lists the configured agents, and marks the calling one.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsus_guard as guard;
use tarsus_home::config::view::Agent;

use super::check::{Arguments, Field};
use super::excerpt::truncate_lines;
use super::outcome::ToolOutcome;
use super::{PermittedCall, Tool, ToolFuture};
use crate::turn_context::TurnContext;

pub(super) struct AgentsList;

impl Tool for AgentsList {
    fn id(&self) -> guard::ToolId {
        guard::ToolId::AgentsList
    }

    fn line(&self) -> &'static str {
        "List the configured agents"
    }

    fn description(&self) -> &'static str {
        "Lists the agents of this installation by id and name, and says which of them you are."
    }

    fn fields(&self) -> &'static [Field] {
        &[]
    }

    fn is_read_only(&self, _: &Arguments) -> bool {
        true
    }

    fn run(&self, _: PermittedCall, context: Arc<TurnContext>) -> ToolFuture {
        Box::pin(async move { list(&context) })
    }
}

fn list(context: &TurnContext) -> ToolOutcome {
    let agents = &context.config.agents.list;
    let is_this = |agent: &Agent| agent.id == *context.agent_id();
    let name = |agent: &Agent| agent.identity.name.clone().or_else(|| agent.name.clone());
    let line = |agent: &Agent| {
        let name = name(agent).map(|name| format!(": {name}")).unwrap_or_default();
        format!("{}{}{name}", agent.id, if is_this(agent) { " (you)" } else { "" })
    };
    let lines: Vec<String> = agents.iter().map(line).collect();
    let row = |agent: &Agent| json!({ "id": agent.id, "name": name(agent), "current": is_this(agent) });
    let rows: Vec<Value> = agents.iter().map(row).collect();
    ToolOutcome::text(truncate_lines(lines.join("\n"), "the others are in the configuration"))
        .with_details(json!({ "requester": context.agent_id(), "agents": rows }))
}
