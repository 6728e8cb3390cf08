//! Lists, creates, updates and deletes the agents of the configuration.

use serde_json::{Value, json};
use tarsus_agent::prompt::workspace;
use tarsus_home::config::view::Agent;
use tarsus_home::config::{AgentId, Config, LoadedConfig};
use tarsus_home::files::Confined;
use tarsus_protocol::hello::SessionDefaults;
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::agents::{
    AgentChanged, AgentCreateParams, AgentCreated, AgentDeleted, AgentEntry, AgentIdentity, AgentModel,
    AgentParams, AgentUpdateParams, AgentsList,
};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::SessionQuery;
use tokio::runtime::Handle;

use super::config::{edit_config, unknown_agent};
use super::failure::{Failure, echoed};
use super::identity;
use crate::gateway::Gateway;

/// Sessions of one page when the sessions of a former agent are reset.
const MAX_SESSIONS: usize = 1_000;

pub(super) fn list(gateway: &Gateway, _: NoParams) -> Result<AgentsList, Failure> {
    let config = gateway.config();
    Ok(AgentsList {
        default_id: config.agents.default_id().to_string(),
        main_key: SessionDefaults::MAIN_KEY.to_owned(),
        scope: SessionDefaults::SCOPE.to_owned(),
        agents: config.agents.list.iter().map(|agent| agent_entry(gateway, &config, agent)).collect(),
    })
}

fn agent_entry(gateway: &Gateway, config: &Config, agent: &Agent) -> AgentEntry {
    let workspace = gateway.context.home.workspace(&config.agents, agent);
    let own = &agent.identity;
    let configured = AgentIdentity {
        name: own.name.clone(),
        theme: own.theme.clone(),
        emoji: own.emoji.clone(),
        avatar: own.avatar.clone(),
        avatar_url: own.avatar_url.clone(),
    };
    let identity = if configured == AgentIdentity::default() {
        Confined::open(&workspace).ok().and_then(|folder| identity::load(&folder))
    } else {
        Some(configured)
    };
    AgentEntry {
        id: agent.id.to_string(),
        name: agent.name.clone(),
        identity,
        workspace: workspace.display().to_string(),
        model: config.agents.model_of(agent).map(|model| AgentModel { primary: model.to_owned() }),
    }
}

pub(super) fn find<'a>(config: &'a Config, id: &str) -> Result<&'a Agent, Failure> {
    let known = id.parse::<AgentId>().ok();
    known.and_then(|id| config.agents.get(&id)).ok_or_else(|| unknown_agent(id))
}

pub(super) fn create(gateway: &Gateway, params: AgentCreateParams) -> Result<AgentCreated, Failure> {
    let name = params.name.trim().to_owned();
    let id = derive_id(&name)?;
    let home = &gateway.context.home;
    let context = params.workspace.filter(|workspace| !workspace.trim().is_empty());
    let folder = match &context {
        Some(context) => home.resolve(context),
        None => home.state_dir().join(format!("workspace-{id}")),
    };
    let workspace = folder.display().to_string();
    let created = AgentCreated { ok: true, agent_id: id.to_string(), name: name.clone(), workspace };
    if params.dry_run == Some(true) {
        require_free_id(&gateway.config(), &id)?;
        return Ok(created);
    }
    let mut is_new = false;
    edit_config(gateway, |loaded, view| {
        require_free_id(&loaded.view, &id)?;
        let list = agent_list_mut(loaded, view)?;
        let mut agent = json!({ "id": id.as_str(), "name": name, "workspace": created.workspace });
        if let Some(model) = &params.model {
            agent["model"] = json!(model);
        }
        list.push(agent);
        is_new = workspace::ensure(&folder)?;
        Ok(())
    })?;
    if is_new && let Ok(runtime) = Handle::try_current() {
        let context = &gateway.context;
        runtime.spawn(workspace::init_repository(
            folder.clone(),
            (context.programs)(),
            context.environment.clone(),
        ));
    }
    reset_sessions(gateway, &id)?;
    Ok(created)
}

fn require_free_id(config: &Config, id: &AgentId) -> Result<(), Failure> {
    match config.agents.get(id) {
        None => Ok(()),
        Some(_) => Err(Failure::invalid(format!("agent \"{id}\" already exists"))),
    }
}

/// Resets sessions of a deleted agent with the same id; their transcripts are kept.
fn reset_sessions(gateway: &Gateway, id: &AgentId) -> Result<(), Failure> {
    let query = SessionQuery { agent: Some(id.clone()), limit: MAX_SESSIONS, ..SessionQuery::default() };
    for session in gateway.store.sessions(&query)?.sessions {
        gateway.store.reset(session.key, gateway.now_ms()).wait()?;
    }
    Ok(())
}

pub(super) fn update(gateway: &Gateway, params: AgentUpdateParams) -> Result<AgentChanged, Failure> {
    let id = params.agent_id.parse::<AgentId>().map_err(|_| not_found(&params.agent_id))?;
    edit_config(gateway, |loaded, view| {
        let list = agent_list_mut(loaded, view)?;
        let agent = list.iter_mut().find(|agent| has_id(agent, &id)).ok_or_else(|| not_found(id.as_str()))?;
        let AgentUpdateParams { name, workspace, model, .. } = &params;
        for (key, value) in [("name", name), ("workspace", workspace), ("model", model)] {
            if let Some(value) = value {
                agent[key] = json!(value);
            }
        }
        Ok(())
    })?;
    Ok(AgentChanged { ok: true, agent_id: id.to_string() })
}

pub(super) fn delete(gateway: &Gateway, params: AgentParams) -> Result<AgentDeleted, Failure> {
    let id = params.agent_id.parse::<AgentId>().map_err(|_| not_found(&params.agent_id))?;
    let mut removed_bindings = 0;
    edit_config(gateway, |loaded, view| {
        let agents = &loaded.view.agents;
        if agents.get(&id).is_none() {
            return Err(not_found(id.as_str()));
        }
        if agents.default_agent().is_some_and(|default| default.id == id) {
            return Err(Failure::invalid(format!("\"{id}\" is the default agent and cannot be deleted")));
        }
        agent_list_mut(loaded, view)?.retain(|agent| !has_id(agent, &id));
        if let Some(Value::Array(bindings)) = view.get_mut("bindings") {
            let before = bindings.len();
            bindings.retain(|binding| binding.get("agentId").and_then(Value::as_str) != Some(id.as_str()));
            removed_bindings = before - bindings.len();
        }
        Ok(())
    })?;
    Ok(AgentDeleted { ok: true, agent_id: id.to_string(), removed_bindings })
}

/// The agent list of a view. The implicit default agent is written down, so that it stays.
fn agent_list_mut<'v>(loaded: &LoadedConfig, view: &'v mut Value) -> Result<&'v mut Vec<Value>, Failure> {
    let list = view.pointer_mut("/agents/list").and_then(Value::as_array_mut);
    let list = list.ok_or_else(|| Failure::invalid("`agents.list` is not a list; fix the file first"))?;
    if list.is_empty() {
        list.extend(loaded.view.agents.list.iter().map(|agent| json!({ "id": agent.id.as_str() })));
    }
    Ok(list)
}

fn has_id(agent: &Value, id: &AgentId) -> bool {
    agent.get("id").and_then(Value::as_str).and_then(|id| id.parse::<AgentId>().ok()).as_ref() == Some(id)
}

/// Derives an id: lowercase letters and digits of the name, everything else becomes `-`.
fn derive_id(name: &str) -> Result<AgentId, Failure> {
    let words: Vec<String> = name
        .split(|char: char| !char.is_ascii_alphanumeric() && char != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let id: String = words.join("-").chars().take(64).collect();
    id.trim_end_matches('-').parse().map_err(|_| {
        Problem::new(ErrorCode::Usage, "an agent's name needs an ASCII letter or digit")
            .note("the id is derived from the name")
            .into()
    })
}

/// Clients look for "not found" in the message.
fn not_found(id: &str) -> Failure {
    let id = echoed(id);
    Problem::new(ErrorCode::NotFound, format!("agent \"{id}\" not found")).into()
}
