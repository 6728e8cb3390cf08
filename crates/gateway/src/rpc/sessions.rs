//! Lists, previews, patches, resets and deletes sessions.

use std::sync::Arc;

use tarsus_home::config::Config;
use tarsus_protocol::hello::SessionDefaults;
use tarsus_protocol::rpc::FieldChange;
use tarsus_protocol::rpc::sessions::{
    PreviewItem, PreviewRole, PreviewStatus, SessionChanged, SessionDeleted, SessionParams,
    SessionPatchParams, SessionPreview, SessionTranscripts, SessionsList, SessionsListParams,
    SessionsPreview, SessionsPreviewParams,
};
use tarsus_store::{
    IdentifierError, Session, SessionKey, SessionPatch, SessionQuery, SingleLine, Speaker, report,
};

use super::agents::find;
use super::failure::Failure;
use super::table::Caller;
use crate::gateway::Gateway;

/// Default page size of `sessions.list`.
const USUAL_PAGE: usize = 100;
/// Default number of items of a preview.
const USUAL_ITEMS: usize = 8;
/// Default number of characters of a preview item.
const USUAL_CHARS: usize = 240;

/// Parses a session key. A name without an agent belongs to the default agent.
pub(super) fn key(config: &Config, text: &str) -> Result<SessionKey, Failure> {
    let key = parse_key(config, text)?;
    find(config, key.agent().as_str())?;
    Ok(key)
}

/// Like `key`, for reading: the agent may have been removed from the configuration.
pub(super) fn stored_key(gateway: &Gateway, text: &str) -> Result<SessionKey, Failure> {
    let config = gateway.config();
    let meant = parse_key(&config, text)?;
    if gateway.store.session(&meant)?.is_some() { Ok(meant) } else { key(&config, text) }
}

fn parse_key(config: &Config, text: &str) -> Result<SessionKey, IdentifierError> {
    SessionKey::complete(text, &config.agents.default_id())
}

/// A session of an agent by its name, by default the main one.
pub(super) fn key_of(config: &Config, agent: &str, name: Option<&str>) -> Result<SessionKey, Failure> {
    let agent = &find(config, agent)?.id;
    Ok(SessionKey::new(agent, name.map_or(SessionDefaults::MAIN_KEY, str::trim))?)
}

pub(super) fn list(gateway: &Gateway, params: SessionsListParams) -> Result<SessionsList, Failure> {
    let config = gateway.config();
    let agent =
        params.agent_id.as_deref().map(|id| find(&config, id)).transpose()?.map(|agent| agent.id.clone());
    let query = SessionQuery {
        agent,
        search: params.search.filter(|text| !text.trim().is_empty()),
        limit: params.limit.unwrap_or(USUAL_PAGE),
        offset: params.offset.unwrap_or_default(),
    };
    Ok(report::list(&gateway.store, &query, &config, gateway.now_ms())?)
}

pub(super) fn preview(gateway: &Gateway, params: SessionsPreviewParams) -> Result<SessionsPreview, Failure> {
    let config = gateway.config();
    let limit = params.limit.unwrap_or(USUAL_ITEMS);
    let max_chars = params.max_chars.unwrap_or(USUAL_CHARS);
    // An invalid key is reported as missing.
    let requested: Vec<(String, Option<SessionKey>)> =
        params.keys.into_iter().map(|text| (text.clone(), key(&config, &text).ok())).collect();
    let known: Vec<SessionKey> = requested.iter().filter_map(|(_, key)| key.clone()).collect();
    let mut found = gateway.store.preview(&known, limit, max_chars)?.into_iter();
    let mut one = |(text, key): (String, Option<SessionKey>)| {
        let items = key.and_then(|_| found.next()).and_then(|preview| preview.items);
        let status = match items.as_deref() {
            None => PreviewStatus::Missing,
            Some([]) => PreviewStatus::Empty,
            Some(_) => PreviewStatus::Ok,
        };
        let items = items.unwrap_or_default().into_iter().map(preview_item).collect();
        SessionPreview { key: text, status, items }
    };
    Ok(SessionsPreview { ts: gateway.now_ms(), previews: requested.into_iter().map(&mut one).collect() })
}

fn preview_item(item: tarsus_store::ItemPreview) -> PreviewItem {
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
    let patch = SessionPatch {
        label: parse_line(params.label)?,
        model: parse_line(params.model)?,
        thinking_level: params.thinking_level.map(Into::into),
        reasoning: params.reasoning_level.map(Into::into),
        verbose: params.verbose_level.map(Into::into),
        exec_host: params.exec_host.map(Into::into),
        exec_security: params.exec_security.map(Into::into),
        exec_ask: params.exec_ask.map(Into::into),
    };
    let session = gateway.store.patch(key, patch, gateway.now_ms()).wait()?;
    Ok(session_changed(gateway, session))
}

fn parse_line(change: Option<FieldChange<String>>) -> Result<Option<Option<SingleLine>>, Failure> {
    let read = |change: FieldChange<String>| match change {
        FieldChange::Clear => Ok(None),
        FieldChange::Set(text) => text.parse::<SingleLine>().map(Some),
    };
    Ok(change.map(read).transpose()?)
}

pub(super) async fn reset(
    gateway: Arc<Gateway>,
    _: Caller,
    params: SessionParams,
) -> Result<SessionChanged, Failure> {
    let key = key(&gateway.config(), &params.key)?;
    let session = gateway.runtime.reset(key).await?;
    Ok(session_changed(&gateway, session))
}

pub(super) fn transcripts(gateway: &Gateway, params: SessionParams) -> Result<SessionTranscripts, Failure> {
    Ok(report::transcripts(&gateway.store, &parse_key(&gateway.config(), &params.key)?)?)
}

pub(super) async fn delete(
    gateway: Arc<Gateway>,
    _: Caller,
    params: SessionParams,
) -> Result<SessionDeleted, Failure> {
    let key = parse_key(&gateway.config(), &params.key)?;
    let deleted = gateway.runtime.delete(key.clone()).await?;
    Ok(SessionDeleted { ok: true, key: key.to_string(), deleted })
}

fn session_changed(gateway: &Gateway, session: Session) -> SessionChanged {
    let own = session.settings.model.as_ref().map(|line| report::model(Some(line.as_str())));
    let resolved = own.unwrap_or_else(|| report::defaults(&gateway.config(), Some(session.key.agent())));
    SessionChanged { ok: true, key: session.key.to_string(), entry: report::entry(session), resolved }
}
