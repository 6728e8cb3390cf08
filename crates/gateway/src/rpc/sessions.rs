//! The sessions of the store: listed, glanced at, set up, begun anew.

use std::sync::Arc;

use tarsus_home::config::{AgentId, Config};
use tarsus_protocol::rpc::Change;
use tarsus_protocol::rpc::sessions::{
    ModelChoice, PreviewItem, PreviewRole, PreviewStatus, SessionChanged, SessionEntry, SessionKind,
    SessionPatchParams, SessionPreview, SessionResetParams, SessionSettings, SessionsList,
    SessionsListParams, SessionsPreview, SessionsPreviewParams,
};
use tarsus_store::{Line, Patch, Session, SessionKey, SessionQuery, Speaker};

use super::agents::find;
use super::failure::Failure;
use super::table::Caller;
use crate::gateway::Gateway;

/// Sessions on a page when nobody says how many.
const USUAL_PAGE: usize = 100;
/// Items of a preview when nobody says how many.
const USUAL_ITEMS: usize = 8;
/// Characters of an item of a preview when nobody says how many.
const USUAL_CHARS: usize = 240;

/// The session that a client means. A name without an agent is one of the default agent.
pub(super) fn key(config: &Config, text: &str) -> Result<SessionKey, Failure> {
    let text = text.trim();
    let key: SessionKey = if text.starts_with("agent:") {
        text.parse()?
    } else {
        SessionKey::new(&config.agents.default_id(), text)?
    };
    find(config, key.agent().as_str())?;
    Ok(key)
}

pub(super) fn list(gateway: &Gateway, params: SessionsListParams) -> Result<SessionsList, Failure> {
    let config = gateway.config();
    let agent =
        params.agent_id.as_deref().map(|id| find(&config, id)).transpose()?.map(|agent| agent.id.clone());
    let limit = params.limit.unwrap_or(USUAL_PAGE);
    let offset = params.offset.unwrap_or_default();
    let search = params.search.filter(|text| !text.trim().is_empty());
    let defaults = defaults(&config, agent.as_ref());
    let page = gateway.store.sessions(&SessionQuery { agent, search, limit, offset })?;
    let next = offset.saturating_add(page.sessions.len());
    let has_more = !page.sessions.is_empty() && (next as u64) < page.total;
    Ok(SessionsList {
        ts: gateway.now_ms(),
        path: gateway.store.path().display().to_string(),
        count: page.sessions.len(),
        total_count: page.total,
        limit_applied: limit,
        next_offset: has_more.then_some(next),
        has_more,
        defaults,
        sessions: page.sessions.into_iter().map(entry).collect(),
    })
}

/// The model of an agent; of the default one when none is named.
pub(super) fn defaults(config: &Config, agent: Option<&AgentId>) -> ModelChoice {
    let agents = &config.agents;
    let agent = agent.and_then(|id| agents.get(id)).or_else(|| agents.default_agent());
    model(agent.and_then(|agent| agents.model_of(agent)))
}

fn model(text: Option<&str>) -> ModelChoice {
    match text.and_then(|text| text.split_once('/')) {
        Some((provider, model)) => {
            ModelChoice { model_provider: Some(provider.to_owned()), model: Some(model.to_owned()) }
        }
        None => ModelChoice { model_provider: None, model: text.map(str::to_owned) },
    }
}

/// A session as clients know it.
pub(super) fn entry(session: Session) -> SessionEntry {
    let label = session.label.map(|label| label.as_str().to_owned());
    let settings = session.settings;
    SessionEntry {
        key: session.key.to_string(),
        session_id: session.session_id.to_string(),
        agent_id: session.key.agent().to_string(),
        kind: SessionKind::Direct,
        display_name: label.clone(),
        label,
        created_at: session.created_ms,
        updated_at: session.updated_ms,
        items: session.items,
        model: model(settings.model.as_ref().map(Line::as_str)),
        settings: SessionSettings {
            thinking_level: settings.thinking_level,
            exec_host: settings.exec_host,
            exec_security: settings.exec_security,
            exec_ask: settings.exec_ask,
        },
    }
}

pub(super) fn preview(gateway: &Gateway, params: SessionsPreviewParams) -> Result<SessionsPreview, Failure> {
    let config = gateway.config();
    let limit = params.limit.unwrap_or(USUAL_ITEMS);
    let max_chars = params.max_chars.unwrap_or(USUAL_CHARS);
    // What can be no session of ours is as missing as one that is not there.
    let asked: Vec<(String, Option<SessionKey>)> =
        params.keys.into_iter().map(|text| (text.clone(), key(&config, &text).ok())).collect();
    let known: Vec<SessionKey> = asked.iter().filter_map(|(_, key)| key.clone()).collect();
    let mut found = gateway.store.preview(&known, limit, max_chars)?.into_iter();
    let mut one = |(text, key): (String, Option<SessionKey>)| {
        let items = key.and_then(|_| found.next()).and_then(|preview| preview.items);
        let status = match items.as_deref() {
            None => PreviewStatus::Missing,
            Some([]) => PreviewStatus::Empty,
            Some(_) => PreviewStatus::Ok,
        };
        let items = items.unwrap_or_default().into_iter().map(words).collect();
        SessionPreview { key: text, status, items }
    };
    Ok(SessionsPreview { ts: gateway.now_ms(), previews: asked.into_iter().map(&mut one).collect() })
}

fn words(item: tarsus_store::PreviewItem) -> PreviewItem {
    let role = match item.speaker {
        Speaker::User => PreviewRole::User,
        Speaker::Assistant => PreviewRole::Assistant,
        Speaker::Tool => PreviewRole::Tool,
        Speaker::System => PreviewRole::System,
        Speaker::Other => PreviewRole::Other,
    };
    let text = if item.cut { item.text + "…" } else { item.text };
    PreviewItem { role, text, timestamp: item.at_ms }
}

pub(super) fn patch(gateway: &Gateway, params: SessionPatchParams) -> Result<SessionChanged, Failure> {
    let key = key(&gateway.config(), &params.key)?;
    let patch = Patch {
        label: line(params.label)?,
        model: line(params.model)?,
        thinking_level: params.thinking_level.map(Into::into),
        exec_host: params.exec_host.map(Into::into),
        exec_security: params.exec_security.map(Into::into),
        exec_ask: params.exec_ask.map(Into::into),
    };
    let session = gateway.store.patch(key, patch, gateway.now_ms()).wait()?;
    Ok(changed(gateway, session))
}

fn line(change: Option<Change<String>>) -> Result<Option<Option<Line>>, Failure> {
    let read = |change: Change<String>| match change {
        Change::Clear => Ok(None),
        Change::Set(text) => text.parse::<Line>().map(Some),
    };
    Ok(change.map(read).transpose()?)
}

pub(super) async fn reset(
    gateway: Arc<Gateway>,
    _: Caller,
    params: SessionResetParams,
) -> Result<SessionChanged, Failure> {
    let key = key(&gateway.config(), &params.key)?;
    let session = gateway.runtime.reset(key).await?;
    Ok(changed(&gateway, session))
}

fn changed(gateway: &Gateway, session: Session) -> SessionChanged {
    let own = session.settings.model.as_ref().map(|line| model(Some(line.as_str())));
    let resolved = own.unwrap_or_else(|| defaults(&gateway.config(), Some(session.key.agent())));
    SessionChanged { ok: true, key: session.key.to_string(), entry: entry(session), resolved }
}
