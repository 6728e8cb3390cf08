//! Talking to an agent, through the runtime; what was said, from the store.

use std::sync::Arc;
use std::time::Duration;

use tarsus_agent::{Begin, CalledOff, Inbound};
use tarsus_protocol::rpc::chat::{
    AgentWaitParams, AgentWaited, ChatAbortParams, ChatAborted, ChatHistory, ChatHistoryParams,
    ChatSendParams, ChatSendStatus, ChatSent, HistoryItem, RunStatus,
};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{History, Item, Run, RunId, RunState, Start};

use super::failure::{Failure, echoed};
use super::sessions;
use super::table::Caller;
use crate::gateway::{Gateway, Use};

/// Items on a page when nobody says how many.
const USUAL_PAGE: usize = 200;
/// How long a run is waited for when nobody says so.
const USUAL_WAIT: Duration = Duration::from_secs(30);

pub(super) async fn send(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: ChatSendParams,
) -> Result<(ChatSent, Option<Begin>), Failure> {
    if params.attachments.is_some_and(|attachments| !attachments.is_empty()) {
        return Err(Failure::invalid("attachments cannot be read yet; send the message without them"));
    }
    let session = sessions::key(&gateway.config(), &params.session_key)?;
    let run: RunId = params.idempotency_key.parse()?;
    let inbound = Inbound { session, run, text: params.message, may_change_apps: caller.is_admin };
    let sent = gateway.runtime.send(inbound).await?;
    let status = match (&sent.begin, sent.run.state) {
        (Some(_), _) => ChatSendStatus::Started,
        (None, RunState::Started) => ChatSendStatus::InFlight,
        (None, RunState::Finished) => ChatSendStatus::Ok,
        (None, RunState::Failed | RunState::Aborted | RunState::Interrupted) => ChatSendStatus::Error,
    };
    Ok((ChatSent { run_id: sent.run.id.to_string(), status }, sent.begin))
}

pub(super) fn history(gateway: &Gateway, params: ChatHistoryParams) -> Result<ChatHistory, Failure> {
    let config = gateway.config();
    let key = sessions::key(&config, &params.session_key)?;
    let start = match (params.after, params.before) {
        (Some(_), Some(_)) => {
            return Err(Failure::invalid("invalid chat.history params: either after or before"));
        }
        (Some(number), None) => Start::After(number),
        (None, Some(number)) => Start::Before(number),
        (None, None) => Start::Newest,
    };
    let limit = params.limit.unwrap_or(USUAL_PAGE);
    let session = gateway.store.session(&key)?;
    // The page of the session that was just read, also when it is reset meanwhile.
    let session_id = session.as_ref().map(|session| session.session_id.clone());
    let page = match &session {
        Some(_) => gateway.store.history(&History { session: key.clone(), session_id, start, limit })?,
        None => None,
    };
    let defaults = sessions::defaults(&config, Some(key.agent()));
    let (items, more, total) = page.map(|page| (page.items, page.more, page.total)).unwrap_or_default();
    Ok(ChatHistory {
        session_key: key.to_string(),
        session_id: session.as_ref().map(|session| session.session_id.to_string()),
        messages: items.into_iter().map(item).collect(),
        pending_inputs: Vec::new(),
        has_more: more,
        total_messages: total,
        defaults,
        session_info: session.map(sessions::entry),
    })
}

fn item(item: Item) -> HistoryItem {
    HistoryItem { message: item.message, number: item.number, run_id: item.run.map(|run| run.to_string()) }
}

pub(super) fn abort(gateway: &Gateway, params: ChatAbortParams) -> Result<ChatAborted, Failure> {
    let key = sessions::key(&gateway.config(), &params.session_key)?;
    let only = params.run_id.as_deref().map(str::parse).transpose()?;
    let CalledOff { runs, finishing } = gateway.runtime.abort(&key, only.as_ref());
    let ids = |runs: Vec<RunId>| -> Vec<String> { runs.iter().map(ToString::to_string).collect() };
    Ok(ChatAborted { ok: true, aborted: !runs.is_empty(), run_ids: ids(runs), finishing: ids(finishing) })
}

pub(super) async fn wait(gateway: Arc<Gateway>, params: AgentWaitParams) -> Result<AgentWaited, Failure> {
    let id: RunId = params.run_id.parse()?;
    let at_most = params.timeout_ms.map_or(USUAL_WAIT, Duration::from_millis);
    tokio::select! {
        () = gateway.runtime.wait(&id, at_most) => {}
        // Whoever waits is told how it stands, and asks again.
        () = gateway.events.stopping() => {}
    }
    let read = gateway.working(Use::Look, move |gateway| gateway.store.run(&id)).await;
    let run = read.map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))??;
    let run = run.ok_or_else(|| {
        Problem::new(ErrorCode::NotFound, format!("unknown run id \"{}\"", echoed(&params.run_id)))
    })?;
    Ok(waited(run))
}

fn waited(run: Run) -> AgentWaited {
    let (status, error) = match run.state {
        RunState::Started => (RunStatus::Timeout, None),
        RunState::Finished => (RunStatus::Ok, None),
        RunState::Failed => (RunStatus::Error, run.error),
        RunState::Aborted => (RunStatus::Error, Some("it was called off".to_owned())),
        RunState::Interrupted => (RunStatus::Error, Some("Tarsus was stopped before it ended".to_owned())),
    };
    AgentWaited {
        run_id: run.id.to_string(),
        status,
        started_at: run.started_ms,
        ended_at: run.ended_ms,
        error,
    }
}
