//! Reports an agent's skills, and stores the settings of a skill in the configuration and the secret store.

use std::sync::{Arc, PoisonError};

use serde_json::{Map, Value, json};
use tarsus_home::Secret;
use tarsus_home::config::json5::{Edit, Path};
use tarsus_home::config::{AgentId, ConfigFile, Edited, shown};
use tarsus_home::secrets::{SecretRef, SecretStore};
use tarsus_home::settings::SkillRecordChange;
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::skills::{SkillBins, SkillUpdateParams, SkillUpdated, SkillsParams};
use tarsus_protocol::skills::SkillsRefreshed;
use tarsus_protocol::{ErrorCode, Problem, REDACTED};
use tarsus_skills::environment::may_set;
use tarsus_skills::{SkillFile, SkillsSnapshot};

use super::config::{apply_edit, unknown_agent};
use super::decisions;
use super::failure::{Failure, echoed};
use super::secret::{SecretAudit, SecretLocation};
use crate::gateway::Gateway;
use crate::reload;

/// Variables in one request.
const MAX_VARIABLES: usize = 64;

/// Returns the snapshot of the requested agent, or of the default agent.
pub(super) fn find_snapshot(
    gateway: &Gateway,
    params: &SkillsParams,
) -> Result<Arc<SkillsSnapshot>, Failure> {
    let agent: AgentId = match &params.agent_id {
        Some(id) => id.parse().map_err(|_| unknown_agent(id))?,
        None => gateway.config().agents.default_id(),
    };
    gateway.skills.snapshot(&agent).ok_or_else(|| unknown_agent(agent.as_str()))
}

pub(super) fn status(gateway: &Gateway, params: SkillsParams) -> Result<Arc<str>, Failure> {
    Ok(find_snapshot(gateway, &params)?.report_json())
}

pub(super) fn bins(gateway: &Gateway, _: NoParams) -> Result<SkillBins, Failure> {
    Ok(SkillBins { bins: gateway.skills.library().programs().into_iter().collect() })
}

pub(super) fn refresh(gateway: &Gateway, params: SkillsParams) -> Result<SkillsRefreshed, Failure> {
    let agent = find_snapshot(gateway, &params)?.agent().clone();
    // Activates decisions that were made at a terminal.
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
    let skills = gateway.skills.library().with_key(&skill_key);
    if skills.is_empty() {
        let message = format!("unknown skill key \"{}\"", echoed(&skill_key));
        return Err(Problem::new(ErrorCode::NotFound, message).into());
    }
    check_variables(&params, &skills)?;
    let enabled = params.enabled;
    let changes = secret_changes(params)?;
    let edited = match save_settings(gateway, &skill_key, enabled, &changes) {
        // Turning off works while the file is broken, or has something else than a table of skills.
        Err(_) if enabled == Some(false) && changes.is_empty() => {
            decisions::save(gateway, &SkillRecordChange::Disable { name: skill_key.clone() })?;
            return Ok(SkillUpdated { ok: true, skill_key, config: Map::new() });
        }
        edited => edited?,
    };
    if enabled == Some(true) {
        decisions::save(gateway, &SkillRecordChange::Enable { name: skill_key.clone() })?;
    }
    // A secret may have changed although its reference did not.
    apply_edit(gateway, &edited, !changes.is_empty())?;
    let mut view = shown(&edited.document);
    let config = view.pointer_mut("/skills/entries").and_then(|entries| entries.get_mut(&skill_key));
    let config = match config.map(Value::take) {
        Some(Value::Object(config)) => config,
        _ => Map::new(),
    };
    Ok(SkillUpdated { ok: true, skill_key, config })
}

/// Refuses variables that no skill may set. They can still be removed.
fn check_variables(params: &SkillUpdateParams, skills: &[Arc<SkillFile>]) -> Result<(), Failure> {
    let is_set = |value: &String| !value.trim().is_empty() && value.trim() != REDACTED;
    // What is no name at all is refused with the other parameters.
    let env = params.env.iter().flatten().filter(|(name, value)| is_set(value) && is_variable(name));
    let env = env.map(|(name, _)| name);
    let metadata = skills.iter().filter_map(|file| file.skill()?.metadata.as_ref());
    let primary = metadata.filter_map(|metadata| metadata.primary_env.as_ref());
    let has_key = params.api_key.as_ref().is_some_and(is_set);
    for name in env.chain(primary.filter(|_| has_key)) {
        may_set(name, true).map_err(|refusal| refusal.problem(name))?;
    }
    Ok(())
}

/// Changes the secret store and the configuration, both or neither.
fn save_settings(
    gateway: &Gateway,
    skill: &str,
    enabled: Option<bool>,
    changes: &[SecretChange],
) -> Result<Edited, Failure> {
    let context = &gateway.context;
    let (file, secrets) = (ConfigFile::for_home(&context.home), SecretStore::for_home(&context.home));
    let _one_at_a_time = gateway.skill_setup_lock.lock().unwrap_or_else(PoisonError::into_inner);
    let before = file.load(&context.variables)?;
    let switch = enabled.map(|enabled| Edit::set(entry(skill).join("enabled"), enabled));
    let references = changes.iter().filter_map(|SecretChange { path, id, value }| match value {
        Some(_) => Some(Edit::set(path.clone(), json!(SecretRef::stored(id)))),
        None => before.document.get(path).map(|_| Edit::Remove { path: path.clone() }),
    });
    let edits: Vec<Edit> = switch.into_iter().chain(references).collect();
    let place = |id: &String| SecretLocation { id: id.clone(), skill: Some(skill.to_owned()) };
    let is_set = |change: &&SecretChange| change.value.is_some();
    let set = changes.iter().filter(is_set).map(|change| place(&change.id)).collect();
    let mut lines = SecretAudit::for_set(set);
    let mut earlier = Vec::new();
    // A secret is stored before the configuration refers to it.
    let edited = file.edit_if(None, &edits, |_, _| {
        lines.record_set(gateway)?;
        let new = changes.iter().map(|SecretChange { id, value, .. }| (id.clone(), value.clone()));
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
    let existed = |id: &String| earlier.iter().any(|(earlier, secret)| earlier == id && secret.is_some());
    let removed = changes.iter().filter(|change| change.value.is_none() && existed(&change.id));
    lines.removed = removed.map(|change| place(&change.id)).collect();
    lines.record_removed(gateway);
    Ok(edited)
}

/// A change of one secret of a skill; `None` removes it.
struct SecretChange {
    path: Path,
    id: String,
    value: Option<Secret>,
}

/// Returns the secret changes of a request. A placeholder keeps the stored secret.
fn secret_changes(params: SkillUpdateParams) -> Result<Vec<SecretChange>, Failure> {
    let env = params.env.unwrap_or_default();
    if env.len() > MAX_VARIABLES || env.keys().any(|name| !is_variable(name)) {
        return Err(Failure::invalid(format!(
            "invalid skills.update params: at /env: at most {MAX_VARIABLES} names of letters, digits and `_`"
        )));
    }
    let key = params.api_key.map(|value| (vec!["apiKey".to_owned()], value));
    let variables = env.into_iter().map(|(name, value)| (vec!["env".to_owned(), name], value));
    let values = key.into_iter().chain(variables).filter(|(_, value)| value.trim() != REDACTED);
    let skill = &params.skill_key;
    let changes = values.map(|(place, value)| SecretChange {
        id: format!("skills/{skill}/{}", place.join("/")),
        path: place.iter().fold(entry(skill), |path, name| path.join(name)),
        value: Some(value.trim()).filter(|value| !value.is_empty()).map(Secret::new),
    });
    Ok(changes.collect())
}

fn entry(skill: &str) -> Path {
    Path::key("skills").join("entries").join(skill)
}

fn is_variable(name: &str) -> bool {
    let has_valid_start = name.starts_with(|char: char| char.is_ascii_alphabetic() || char == '_');
    has_valid_start
        && name.len() <= 128
        && name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_')
}
