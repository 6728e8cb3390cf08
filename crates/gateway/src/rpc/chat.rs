//! Sends messages to an agent, and reads, aborts and waits for its runs.

use std::sync::Arc;
use std::time::Duration;

use tarsus_agent::{AbortedRuns, AcceptedRun, Channel, Inbound};
use tarsus_models::ModelName;
use tarsus_protocol::connect::ClientMode;
use tarsus_protocol::hello::SessionDefaults;
use tarsus_protocol::rpc::chat::{
    AgentAccepted, AgentAcceptedStatus, AgentResult, AgentRunParams, AgentStatus, AgentWaitParams,
    AgentWaited, ChatAbortParams, ChatAborted, ChatHistory, ChatHistoryParams, ChatSendParams,
    ChatSendStatus, ChatSent, RunStatus,
};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{HistoryQuery, HistoryStart, Run, RunId, RunState, SessionId, StoreError, report};

use super::failure::{Failure, echoed};
use super::sessions;
use super::table::Caller;
use crate::gateway::{Gateway, WorkKind};

/// Default page size of `chat.history`.
const USUAL_PAGE: usize = 200;
/// Default time-out of `agent.wait`.
const USUAL_WAIT: Duration = Duration::from_secs(30);

pub(super) async fn send(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: ChatSendParams,
) -> Result<(ChatSent, AcceptedRun), Failure> {
    let session = sessions::key(&gateway.config(), &params.session_key)?;
    caller.check_session(&session)?;
    let run: RunId = params.idempotency_key.parse()?;
    let inbound = Inbound {
        session,
        run,
        text: params.message,
        attachments: params.attachments.unwrap_or_default(),
        channel: channel(&caller),
        may_change_apps: caller.is_admin,
        is_by_agent: caller.is_agent(),
        may_approve: caller.may_approve,
        model: None,
    };
    let accepted = gateway.runtime.send(inbound).await?;
    let status = match (accepted.is_new(), accepted.run.state) {
        (true, _) => ChatSendStatus::Started,
        (false, RunState::Started) => ChatSendStatus::InFlight,
        (false, RunState::Finished) => ChatSendStatus::Ok,
        (false, RunState::Failed | RunState::Aborted | RunState::Interrupted) => ChatSendStatus::Error,
    };
    Ok((ChatSent { run_id: accepted.run.id.to_string(), status }, accepted))
}

pub(super) async fn agent(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: AgentRunParams,
) -> Result<(AgentAccepted, AcceptedRun), Failure> {
    let config = gateway.config();
    let session = match (&params.session_key, &params.agent_id) {
        (Some(key), _) if key.trim().starts_with("agent:") => sessions::key(&config, key)?,
        (key, Some(agent)) => sessions::key_of(&config, agent, key.as_deref())?,
        (Some(key), None) => sessions::key(&config, key)?,
        (None, None) => sessions::key(&config, SessionDefaults::MAIN_KEY)?,
    };
    if params.agent_id.as_ref().is_some_and(|id| !id.trim().eq_ignore_ascii_case(session.agent().as_str())) {
        return Err(Failure::invalid(format!("{session} is no session of the agent {}", echoed_id(&params))));
    }
    caller.check_session(&session)?;
    let model = params.model.as_deref().map(|model| model.parse::<ModelName>()).transpose();
    let model =
        model.map_err(|error| Failure::invalid(format!("invalid agent params: at /model: {error}")))?;
    let inbound = Inbound {
        session,
        run: params.idempotency_key.parse()?,
        text: params.message,
        attachments: params.attachments.unwrap_or_default(),
        channel: channel(&caller),
        may_change_apps: caller.is_admin,
        is_by_agent: caller.is_agent(),
        may_approve: caller.may_approve,
        model: model.map(|model| model.to_string()),
    };
    let accepted = gateway.runtime.send(inbound).await?;
    let reply = AgentAccepted {
        run_id: accepted.run.id.to_string(),
        session_key: accepted.run.session.to_string(),
        status: AgentAcceptedStatus::Accepted,
        accepted_at: accepted.run.started_ms,
    };
    Ok((reply, accepted))
}

fn channel(caller: &Caller) -> Channel {
    if caller.member.presence.mode == ClientMode::Cli.as_str() { Channel::Terminal } else { Channel::Webchat }
}

fn echoed_id(params: &AgentRunParams) -> String {
    echoed(params.agent_id.as_deref().unwrap_or_default())
}

pub(super) fn history(gateway: &Gateway, params: ChatHistoryParams) -> Result<ChatHistory, Failure> {
    let key = sessions::stored_key(gateway, &params.session_key)?;
    let start = match (params.after, params.before) {
        (Some(_), Some(_)) => {
            return Err(Failure::invalid("invalid chat.history params: either after or before"));
        }
        (Some(number), None) => HistoryStart::After(number),
        (None, Some(number)) => HistoryStart::Before(number),
        (None, None) => HistoryStart::Newest,
    };
    let limit = params.limit.unwrap_or(USUAL_PAGE);
    let wanted =
        HistoryQuery { session: key, session_id: params.session_id.map(SessionId::from), start, limit };
    Ok(report::history(&gateway.store, wanted, &gateway.config())?)
}

pub(super) async fn abort(
    gateway: Arc<Gateway>,
    caller: Caller,
    params: ChatAbortParams,
) -> Result<ChatAborted, Failure> {
    let key = sessions::key(&gateway.config(), &params.session_key)?;
    caller.check_session(&key)?;
    let only = params.run_id.as_deref().map(str::parse).transpose()?;
    let AbortedRuns { runs, finishing } = gateway.runtime.abort(&key, only.as_ref());
    let ids = |runs: Vec<RunId>| -> Vec<String> { runs.iter().map(ToString::to_string).collect() };
    Ok(ChatAborted { ok: true, aborted: !runs.is_empty(), run_ids: ids(runs), finishing: ids(finishing) })
}

pub(super) async fn wait(gateway: Arc<Gateway>, params: AgentWaitParams) -> Result<AgentWaited, Failure> {
    let id: RunId = params.run_id.parse()?;
    let at_most = params.timeout_ms.map_or(USUAL_WAIT, Duration::from_millis);
    tokio::select! {
        () = gateway.runtime.wait(&id, at_most) => {}
        // On time-out the client gets the current state and may ask again.
        () = gateway.events.stopping() => {}
    }
    let look = move |gateway: &Gateway| {
        Ok::<_, StoreError>((gateway.runtime.run(&id)?, gateway.runtime.run_result(&id)?))
    };
    let read = gateway.run_blocking(WorkKind::Read, look).await;
    let (run, result) = read.map_err(|error| Problem::new(ErrorCode::Failed, error.to_string()))??;
    let run = run.ok_or_else(|| {
        Problem::new(ErrorCode::NotFound, format!("unknown run id \"{}\"", echoed(&params.run_id)))
    })?;
    Ok(waited(run, result))
}

fn waited(run: Run, result: Option<AgentResult>) -> AgentWaited {
    let (status, error) = match run.state {
        RunState::Started => (RunStatus::Timeout, None),
        RunState::Finished => (RunStatus::Ok, None),
        RunState::Failed => (RunStatus::Error, run.error),
        RunState::Aborted => (RunStatus::Error, Some("it was aborted".to_owned())),
        RunState::Interrupted => (RunStatus::Error, Some("Tarsus stopped before it ended".to_owned())),
    };
    AgentWaited {
        run_id: run.id.to_string(),
        status,
        started_at: run.started_ms,
        ended_at: run.ended_ms,
        error,
        result: result.filter(|result| result.status != AgentStatus::Running),
    }
}
