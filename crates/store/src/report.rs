//! Sessions as every surface reports them: the gateway's methods and `tarsus sessions` answer with the same values.

use tarsus_home::config::{AgentId, Config};
use tarsus_protocol::rpc::chat::{ChatHistory, HistoryItem};
use tarsus_protocol::rpc::sessions::{
    ModelChoice, SessionEntry, SessionKind, SessionSettings, SessionTranscripts, SessionsList,
    TranscriptEntry,
};
use tarsus_protocol::{ErrorCode, Problem};

use crate::error::StoreError;
use crate::names::{Line, SessionKey};
use crate::session::{Session, SessionPage, SessionQuery};
use crate::store::Store;
use crate::transcript::{History, Item};

/// Sessions that are named where the one that was asked for is not there.
const MOST_NAMED: usize = 3;

/// A page of sessions.
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

/// The page of a store at `path` from which this was read; an empty one where there is no store yet.
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

/// The model of an agent; of the default one when none is named.
#[must_use]
pub fn defaults(config: &Config, agent: Option<&AgentId>) -> ModelChoice {
    let agents = &config.agents;
    let agent = agent.and_then(|id| agents.get(id)).or_else(|| agents.default_agent());
    model(agent.and_then(|agent| agents.model_of(agent)))
}

/// A model in its two parts.
#[must_use]
pub fn model(text: Option<&str>) -> ModelChoice {
    match text.and_then(|text| text.split_once('/')) {
        Some((provider, model)) => {
            ModelChoice { model_provider: Some(provider.to_owned()), model: Some(model.to_owned()) }
        }
        None => ModelChoice { model_provider: None, model: text.map(str::to_owned) },
    }
}

/// One session.
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
        model: model(settings.model.as_ref().map(Line::as_str)),
        settings: SessionSettings {
            thinking_level: settings.thinking_level,
            exec_host: settings.exec_host,
            exec_security: settings.exec_security,
            exec_ask: settings.exec_ask,
        },
    }
}

/// A page of a transcript; empty where there is no such session.
///
/// # Errors
/// When the store cannot be read, or the session never had the id.
pub fn history(store: &Store, wanted: History, config: &Config) -> Result<ChatHistory, Problem> {
    let key = wanted.session.clone();
    let session = store.session(&key)?;
    let asked = wanted.session_id.is_some();
    let page = match &session {
        // The page of the session that was just read, also when it is reset meanwhile.
        Some(session) => {
            let session_id = wanted.session_id.or_else(|| Some(session.session_id.clone()));
            store.history(&History { session_id, ..wanted })?
        }
        None => None,
    };
    if asked && page.is_none() {
        return Err(Problem::new(ErrorCode::NotFound, format!("the session {key} never had that id")));
    }
    let session_id = page.as_ref().map(|page| page.session_id.to_string());
    let (items, more, total) = page.map(|page| (page.items, page.more, page.total)).unwrap_or_default();
    Ok(ChatHistory {
        session_key: key.to_string(),
        session_id,
        messages: items.into_iter().map(item).collect(),
        pending_inputs: Vec::new(),
        has_more: more,
        total_messages: total,
        total_tokens: store.spent_in_session(&key)?.total(),
        defaults: defaults(config, Some(key.agent())),
        session_info: session.map(entry),
    })
}

fn item(item: Item) -> HistoryItem {
    HistoryItem { message: item.message, number: item.number, run_id: item.run.map(|run| run.to_string()) }
}

/// The transcripts of a session; none where there is no such one.
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

/// There is no such session; those that may be meant are named.
#[must_use]
pub fn unknown(key: &SessionKey, known: &[SessionEntry]) -> Problem {
    let problem = Problem::new(ErrorCode::NotFound, format!("there is no session {key}"));
    let name = key.name().to_lowercase();
    let words = |entry: &&SessionEntry| {
        let its_name = entry.key.splitn(3, ':').last().unwrap_or_default().to_lowercase();
        let label = entry.label.as_deref().unwrap_or_default().to_lowercase();
        its_name == name || its_name.contains(&name) || label.contains(&name) || name.contains(&its_name)
    };
    let near: Vec<String> =
        known.iter().filter(words).take(MOST_NAMED).map(|entry| format!("`{}`", entry.key)).collect();
    match near.as_slice() {
        [] => problem.hint("`tarsus sessions list` shows them"),
        near => problem.hint(format!("did you mean {}? `tarsus sessions list` shows all", near.join(" or "))),
    }
}
