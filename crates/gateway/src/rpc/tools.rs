//! The tools of an agent, and the file of approved commands.
//!
//! The file keeps everything that is in it; its secrets are never sent and are kept when it is replaced.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use tarsus_agent::tools::{Tool, Toolbox};
use tarsus_audit::{AuditEntry, RecordSeverity};
use tarsus_guard::{TOOL_GROUPS, ToolPolicy, ToolTier, is_in_profile};
use tarsus_home::config::AgentId;
use tarsus_home::config::view::{Agent, ToolProfile};
use tarsus_home::files::{self, Fingerprints, Locked};
use tarsus_protocol::rpc::NoParams;
use tarsus_protocol::rpc::tools::{
    Approvals, ApprovalsFile, ApprovalsParams, CatalogParams, CatalogTool, ToolGroup, ToolSource,
    ToolsCatalog,
};
use tarsus_protocol::{ErrorCode, Problem, REDACTED, SourceLocation};

use super::agents::find;
use super::failure::{Failure, echoed};
use super::secret::{SecretAudit, SecretLocation};
use crate::gateway::Gateway;

/// Size limit of the file, in bytes.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// Changed parts that one audit record names.
const MAX_PARTS: usize = 32;

pub(super) fn catalog(gateway: &Gateway, params: CatalogParams) -> Result<ToolsCatalog, Failure> {
    let config = gateway.config();
    let agent = match &params.agent_id {
        Some(id) => find(&config, id)?.clone(),
        None => config.agents.default_agent().cloned().unwrap_or_else(|| Agent::named(AgentId::main())),
    };
    let policy = ToolPolicy::from_config(&config, &agent);
    let toolbox = Toolbox::new();
    let groups = TOOL_GROUPS.iter().map(|(name, members)| {
        let tools = toolbox.allowed(|tool| members.contains(&tool));
        let id = name.trim_start_matches("group:").to_owned();
        let tools = tools.map(|tool| catalog_tool(tool, &policy)).collect();
        ToolGroup { label: id.clone(), id, source: ToolSource::Core, tools }
    });
    Ok(ToolsCatalog {
        agent_id: agent.id.to_string(),
        profiles: ToolProfile::ALL.map(|profile| profile.as_str().to_owned()).to_vec(),
        // Groups without an available tool are left out.
        groups: groups.filter(|group| !group.tools.is_empty()).collect(),
    })
}

fn catalog_tool(tool: &dyn Tool, policy: &ToolPolicy) -> CatalogTool {
    let id = tool.id();
    let profiles = ToolProfile::ALL.into_iter().filter(|profile| is_in_profile(*profile, id));
    CatalogTool {
        id: id.name().to_owned(),
        label: id.name().to_owned(),
        description: tool.line().to_owned(),
        source: ToolSource::Core,
        default_profiles: profiles.map(|profile| profile.as_str().to_owned()).collect(),
        allowed: policy.has(id),
        reason: policy.verdict(id.name()).reason.into_owned(),
        denied_by: policy.denying_key(id),
        needs: match id.tier() {
            ToolTier::Needs(capability) => Some(capability),
            ToolTier::Denied | ToolTier::Allowed => None,
        },
    }
}

pub(super) fn approvals_get(gateway: &Gateway, _: NoParams) -> Result<ApprovalsFile, Failure> {
    let path = approvals_path(gateway);
    let bytes = files::read(&path, MAX_BYTES)?;
    approvals_file(gateway, path, bytes.as_deref())
}

pub(super) fn approvals_set(gateway: &Gateway, params: ApprovalsParams) -> Result<ApprovalsFile, Failure> {
    let path = approvals_path(gateway);
    let file = Locked::take(&path)?;
    let old = file.read(MAX_BYTES)?;
    match &params.base_hash {
        None if old.is_some() => {
            let message = "exec approvals base hash required; re-run exec.approvals.get and retry";
            return Err(Failure::invalid(message));
        }
        Some(base) if !fingerprints(gateway).matches(base, old.as_deref().unwrap_or_default())? => {
            let message = "exec approvals changed since last load; re-run exec.approvals.get and retry";
            return Err(Problem::new(ErrorCode::Stale, message).into());
        }
        _ => {}
    }
    let stored = parse_approvals(&path, old.as_deref())?;
    let mut new = params.file;
    keep_token(&stored, &mut new);
    let mut secrets = changed_token(&stored, &new);
    let mut text = serde_json::to_string_pretty(&new)
        .map_err(|error| Problem::new(ErrorCode::Failed, format!("cannot write the approvals: {error}")))?;
    text.push('\n');
    if text.len() as u64 > MAX_BYTES {
        let message = format!("the file of approved commands has at most {MAX_BYTES} bytes");
        return Err(Problem::new(ErrorCode::TooLarge, message).into());
    }
    secrets.record_set(gateway)?;
    let parts = changed_parts(&stored, &new);
    if !parts.is_empty() {
        let mut line = AuditEntry::security("approvals.changed", RecordSeverity::Info);
        line.detail.insert("parts".to_owned(), json!(parts));
        gateway.context.audit.record(line, gateway.now())?;
    }
    file.replace(text.as_bytes()).inspect_err(|error| secrets.record_failed(gateway, &error.to_string()))?;
    secrets.record_removed(gateway);
    approvals_file(gateway, path, Some(text.as_bytes()))
}

fn approvals_path(gateway: &Gateway) -> PathBuf {
    gateway.context.home.state_dir().join("exec-approvals.json")
}

fn fingerprints(gateway: &Gateway) -> Fingerprints {
    Fingerprints::for_home(&gateway.context.home)
}

fn parse_approvals(path: &std::path::Path, bytes: Option<&[u8]>) -> Result<Approvals, Failure> {
    let Some(bytes) = bytes else {
        return Ok(Approvals { version: 1, socket: None, defaults: None, agents: None, others: Map::new() });
    };
    serde_json::from_slice(bytes).map_err(|error| {
        let message = format!("the file of approved commands is not valid (line {})", error.line());
        Problem::new(ErrorCode::Malformed, message).at(SourceLocation::file(path)).into()
    })
}

fn approvals_file(gateway: &Gateway, path: PathBuf, bytes: Option<&[u8]>) -> Result<ApprovalsFile, Failure> {
    let mut file = parse_approvals(&path, bytes)?;
    if let Some(token) = file.socket.as_mut().and_then(|socket| socket.get_mut("token")) {
        *token = json!(REDACTED);
    }
    let hash = fingerprints(gateway).hash(bytes.unwrap_or_default())?;
    Ok(ApprovalsFile { path: path.display().to_string(), exists: bytes.is_some(), hash, file })
}

/// The changed parts: the defaults, and agents by id.
fn changed_parts(old: &Approvals, new: &Approvals) -> Vec<String> {
    let agents = |file: &Approvals| match json!(file.agents) {
        Value::Object(agents) => agents,
        _ => Map::new(),
    };
    let (before, after) = (agents(old), agents(new));
    let ids: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let agents = ids.into_iter().filter(|id| before.get(*id) != after.get(*id));
    let defaults = (json!(old.defaults) != json!(new.defaults)).then(|| "defaults".to_owned());
    let agents = agents.map(|id| format!("agents.{}", echoed(id)));
    defaults.into_iter().chain(agents).take(MAX_PARTS).collect()
}

/// The token of the socket, if it changes.
fn changed_token(old: &Approvals, new: &Approvals) -> SecretAudit {
    let token = |file: &Approvals| file.socket.as_ref().and_then(|socket| socket.get("token").cloned());
    let place = || vec![SecretLocation { id: "exec-approvals.json: socket.token".to_owned(), skill: None }];
    match (token(old), token(new)) {
        (old, new) if old == new => SecretAudit::default(),
        (_, Some(_)) => SecretAudit::for_set(place()),
        (_, None) => SecretAudit::for_removed(place()),
    }
}

/// Keeps the stored token, which clients never receive.
fn keep_token(stored: &Approvals, new: &mut Approvals) {
    let Some(old) = &stored.socket else { return };
    match &mut new.socket {
        None => new.socket = Some(old.clone()),
        Some(socket) => {
            let hidden = socket.get("token").is_none_or(|token| token == REDACTED);
            if let (true, Some(token)) = (hidden, old.get("token")) {
                socket.insert("token".to_owned(), token.clone());
            } else if hidden {
                socket.retain(|name, value: &mut Value| name != "token" || value != REDACTED);
            }
        }
    }
}
