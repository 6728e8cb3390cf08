//! The skills of the agents, from the library; setting one up, in the configuration and the secret store.

use std::sync::{Arc, PoisonError};

use serde_json::{Map, Value, json};
use tarsus_home::Secret;
use tarsus_home::config::json5::{Edit, Path};
use tarsus_home::config::{AgentId, ConfigFile, Edited, shown};
use tarsus_home::secrets::{SecretRef, Secrets};
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::skills::{SkillBins, SkillUpdateParams, SkillUpdated, SkillsParams};
use tarsus_protocol::skills::SkillsRefreshed;
use tarsus_protocol::{ErrorCode, Problem, REDACTED};
use tarsus_skills::SkillsSnapshot;

use super::config::{apply_edit, unknown_agent};
use super::failure::{Failure, echoed};
use super::secret::{SecretAudit, SecretPlace};
use crate::gateway::Gateway;
use crate::reload;

/// Names of variables in one request.
const MOST_VARIABLES: usize = 64;

/// The skills of the agent that is meant. Asks the library alone: its agents are those of the configuration in force.
pub(super) fn of(gateway: &Gateway, params: &SkillsParams) -> Result<Arc<SkillsSnapshot>, Failure> {
    let agent: AgentId = match &params.agent_id {
        Some(id) => id.parse().map_err(|_| unknown_agent(id))?,
        None => gateway.config().agents.default_id(),
    };
    gateway.skills.snapshot(&agent).ok_or_else(|| unknown_agent(agent.as_str()))
}

pub(super) fn status(gateway: &Gateway, params: SkillsParams) -> Result<Arc<str>, Failure> {
    Ok(of(gateway, &params)?.report_json())
}

pub(super) fn bins(gateway: &Gateway, _: NoParams) -> Result<SkillBins, Failure> {
    Ok(SkillBins { bins: gateway.skills.library().programs().into_iter().collect() })
}

pub(super) fn refresh(gateway: &Gateway, params: SkillsParams) -> Result<SkillsRefreshed, Failure> {
    let agent = of(gateway, &params)?.agent().clone();
    // What was decided about skills at a terminal counts from here on.
    gateway.reload(reload::ReloadTrigger::Owner, false)?;
    let changes = gateway.skills.refresh().remove(&agent).unwrap_or_default();
    let now = gateway.skills.snapshot(&agent).ok_or_else(|| unknown_agent(agent.as_str()))?;
    Ok(SkillsRefreshed {
        ok: true,
        version: now.version,
        total: now.catalog.entries.len(),
        added: changes.added,
        changed: changes.changed,
        removed: changes.removed,
    })
}

pub(super) fn update(gateway: &Gateway, params: SkillUpdateParams) -> Result<SkillUpdated, Failure> {
    let skill_key = params.skill_key.clone();
    if !gateway.skills.library().has_key(&skill_key) {
        let message = format!("unknown skill key \"{}\"", echoed(&skill_key));
        return Err(Problem::new(ErrorCode::NotFound, message).into());
    }
    let enabled = params.enabled;
    let wanted = wanted(params)?;
    let edited = set_up(gateway, &skill_key, enabled, &wanted)?;
    // The references may be what they were, but not what they refer to.
    apply_edit(gateway, &edited, !wanted.is_empty())?;
    let mut view = shown(&edited.document);
    let config = view.pointer_mut("/skills/entries").and_then(|entries| entries.get_mut(&skill_key));
    let config = match config.map(Value::take) {
        Some(Value::Object(config)) => config,
        _ => Map::new(),
    };
    Ok(SkillUpdated { ok: true, skill_key, config })
}

/// Changes the secret store and the configuration, both or neither.
fn set_up(
    gateway: &Gateway,
    skill: &str,
    enabled: Option<bool>,
    wanted: &[Wanted],
) -> Result<Edited, Failure> {
    let context = &gateway.context;
    let (file, secrets) = (ConfigFile::of(&context.home), Secrets::of(&context.home));
    let _one_at_a_time = gateway.skill_setup_lock.lock().unwrap_or_else(PoisonError::into_inner);
    let before = file.load(&context.variables)?;
    let switch = enabled.map(|enabled| Edit::set(entry(skill).join("enabled"), enabled));
    let references = wanted.iter().filter_map(|Wanted { path, id, value }| match value {
        Some(_) => Some(Edit::set(path.clone(), json!(SecretRef::stored(id)))),
        None => before.document.get(path).map(|_| Edit::Remove { path: path.clone() }),
    });
    let edits: Vec<Edit> = switch.into_iter().chain(references).collect();
    let place = |id: &String| SecretPlace { id: id.clone(), skill: Some(skill.to_owned()) };
    let is_set = |wanted: &&Wanted| wanted.value.is_some();
    let set = wanted.iter().filter(is_set).map(|wanted| place(&wanted.id)).collect();
    let mut lines = SecretAudit::for_set(set);
    let mut earlier = Vec::new();
    // A secret is in the store before the configuration refers to it.
    let edited = file.edit_if(None, &edits, |_, _| {
        lines.record_set(gateway)?;
        let new = wanted.iter().map(|Wanted { id, value, .. }| (id.clone(), value.clone()));
        earlier = secrets.swap(new.collect())?;
        Ok(())
    });
    let edited = edited.map_err(|error| {
        if let Err(error) = secrets.swap_on_a_full_disk(&earlier) {
            tracing::error!(%error, skill, "a secret was changed, but not the configuration");
        }
        let failure = Failure::config(error);
        lines.record_failed(gateway, &failure.shape().message);
        failure
    })?;
    let was_there = |id: &String| earlier.iter().any(|(earlier, secret)| earlier == id && secret.is_some());
    let gone = wanted.iter().filter(|wanted| wanted.value.is_none() && was_there(&wanted.id));
    lines.removed = gone.map(|wanted| place(&wanted.id)).collect();
    lines.record_removed(gateway);
    Ok(edited)
}

/// A secret of a skill that is to be another one, or none.
struct Wanted {
    path: Path,
    id: String,
    value: Option<Secret>,
}

/// The secrets of a request. A placeholder stands for what is stored, which stays.
fn wanted(params: SkillUpdateParams) -> Result<Vec<Wanted>, Failure> {
    let env = params.env.unwrap_or_default();
    if env.len() > MOST_VARIABLES || env.keys().any(|name| !is_variable(name)) {
        return Err(Failure::invalid(format!(
            "invalid skills.update params: at /env: at most {MOST_VARIABLES} names of letters, digits and `_`"
        )));
    }
    let key = params.api_key.map(|value| (vec!["apiKey".to_owned()], value));
    let variables = env.into_iter().map(|(name, value)| (vec!["env".to_owned(), name], value));
    let context = key.into_iter().chain(variables).filter(|(_, value)| value.trim() != REDACTED);
    let skill = &params.skill_key;
    let wanted = context.map(|(place, value)| Wanted {
        id: format!("skills/{skill}/{}", place.join("/")),
        path: place.iter().fold(entry(skill), |path, name| path.join(name)),
        value: Some(value.trim()).filter(|value| !value.is_empty()).map(Secret::new),
    });
    Ok(wanted.collect())
}

fn entry(skill: &str) -> Path {
    Path::key("skills").join("entries").join(skill)
}

fn is_variable(name: &str) -> bool {
    let begins_well = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    begins_well && name.len() <= 128 && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}
