//! Session reports, shared by the gateway's methods and `tarsus sessions`.

use tarsus_home::config::{AgentId, Config};
use tarsus_protocol::message::Visibility;
use tarsus_protocol::rpc::chat::{ChatHistory, HistoryItem};
use tarsus_protocol::rpc::sessions::{
    ModelChoice, SessionEntry, SessionKind, SessionSettings, SessionTranscripts, SessionsList,
    TranscriptEntry,
};
use tarsus_protocol::{ErrorCode, Problem};

use crate::error::StoreError;
use crate::names::{SessionKey, SingleLine};
use crate::session::{Session, SessionPage, SessionQuery};
use crate::store::Store;
use crate::transcript::{HistoryQuery, Item};

/// Maximum suggestions for an unknown session.
const MAX_SUGGESTIONS: usize = 3;

/// Lists sessions, one page at a time.
///
/// # Errors
/// When the store cannot be read.
pub fn list(
    store: &Store,
    query: &SessionQuery,
    config: &Config,
    at_ms: i64,
) -> Result<SessionsList, StoreError> {
    Ok(listed(store.sessions(query)?, query, config, &store.path().display().to_string(), at_ms))
}

/// Converts a page of the store at `path`; the page is empty if there is no store yet.
#[must_use]
pub fn listed(
    page: SessionPage,
    query: &SessionQuery,
    config: &Config,
    path: &str,
    at_ms: i64,
) -> SessionsList {
    let next = query.offset.saturating_add(page.sessions.len());
    let has_more = !page.sessions.is_empty() && (next as u64) < page.total;
    SessionsList {
        ts: at_ms,
        path: path.to_owned(),
        count: page.sessions.len(),
        total_count: page.total,
        limit_applied: query.limit,
        next_offset: has_more.then_some(next),
        has_more,
        defaults: defaults(config, query.agent.as_ref()),
        sessions: page.sessions.into_iter().map(entry).collect(),
    }
}

/// The configured model of an agent, or of the default agent.
#[must_use]
pub fn defaults(config: &Config, agent: Option<&AgentId>) -> ModelChoice {
    let agents = &config.agents;
    let agent = agent.and_then(|id| agents.get(id)).or_else(|| agents.default_agent());
    model(agent.and_then(|agent| agents.model_of(agent)))
}

/// Splits a model name into provider and id.
#[must_use]
pub fn model(text: Option<&str>) -> ModelChoice {
    match text.and_then(|text| text.split_once('/')) {
        Some((provider, model)) => {
            ModelChoice { model_provider: Some(provider.to_owned()), model: Some(model.to_owned()) }
        }
        None => ModelChoice { model_provider: None, model: text.map(str::to_owned) },
    }
}

/// Converts one session.
#[must_use]
pub fn entry(session: Session) -> SessionEntry {
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
        model: model(settings.model.as_ref().map(SingleLine::as_str)),
        settings: SessionSettings {
            thinking_level: settings.thinking_level,
            reasoning_level: settings.reasoning,
            verbose_level: settings.verbose,
            exec_host: settings.exec_host,
            exec_security: settings.exec_security,
            exec_ask: settings.exec_ask,
        },
    }
}

/// Reads a page of a transcript, as the session shows it; it is empty if the session does not exist.
///
/// # Errors
/// When the store cannot be read, or the session never had the requested id.
pub fn history(store: &Store, query: HistoryQuery, config: &Config) -> Result<ChatHistory, Problem> {
    let key = query.session.clone();
    let session = store.session(&key)?;
    let has_id = query.session_id.is_some();
    let page = match &session {
        // The same transcript, even if the session is reset meanwhile.
        Some(session) => {
            let session_id = query.session_id.or_else(|| Some(session.session_id.clone()));
            store.history(&HistoryQuery { session_id, ..query })?
        }
        None => None,
    };
    if has_id && page.is_none() {
        return Err(Problem::new(ErrorCode::NotFound, format!("the session {key} never had that id")));
    }
    let session_id = page.as_ref().map(|page| page.session_id.to_string());
    let visibility = session.as_ref().map(|session| session.settings.visibility()).unwrap_or_default();
    let (items, more, total) = page.map(|page| (page.items, page.more, page.total)).unwrap_or_default();
    Ok(ChatHistory {
        session_key: key.to_string(),
        session_id,
        messages: items.into_iter().map(|one| item(one, visibility)).collect(),
        pending_inputs: Vec::new(),
        has_more: more,
        total_messages: total,
        total_tokens: store.usage_in_session(&key)?.total(),
        defaults: defaults(config, Some(key.agent())),
        session_info: session.map(entry),
    })
}

fn item(item: Item, visibility: Visibility) -> HistoryItem {
    let message = visibility.apply(item.message);
    HistoryItem { message, number: item.number, run_id: item.run.map(|run| run.to_string()) }
}

/// Lists the transcripts of a session; none if it does not exist.
///
/// # Errors
/// When the store cannot be read.
pub fn transcripts(store: &Store, key: &SessionKey) -> Result<SessionTranscripts, StoreError> {
    let transcripts = store.transcripts(key)?.into_iter().map(|transcript| TranscriptEntry {
        session_id: transcript.session_id.to_string(),
        begun_at: transcript.begun_ms,
        items: transcript.items,
    });
    Ok(SessionTranscripts { key: key.to_string(), transcripts: transcripts.collect() })
}

/// The error for an unknown session, with similar ones as suggestions.
#[must_use]
pub fn unknown(key: &SessionKey, known: &[SessionEntry]) -> Problem {
    let problem = Problem::new(ErrorCode::NotFound, format!("there is no session {key}"));
    let name = key.name().to_lowercase();
    let is_similar = |entry: &&SessionEntry| {
        let its_name = entry.key.splitn(3, ':').last().unwrap_or_default().to_lowercase();
        let label = entry.label.as_deref().unwrap_or_default().to_lowercase();
        its_name == name || its_name.contains(&name) || label.contains(&name) || name.contains(&its_name)
    };
    let near: Vec<String> = known
        .iter()
        .filter(is_similar)
        .take(MAX_SUGGESTIONS)
        .map(|entry| format!("`{}`", entry.key))
        .collect();
    match near.as_slice() {
        [] => problem.hint("`tarsus sessions list` shows them"),
        near => problem.hint(format!("did you mean {}? `tarsus sessions list` shows all", near.join(" or "))),
    }
}
