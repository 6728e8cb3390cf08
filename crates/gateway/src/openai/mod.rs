//! The OpenAI-compatible API: each agent is offered as a model.
//!
//! A run is aborted when its client disconnects.

mod resolve;
mod stream;
mod wire;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use tarsus_agent::{Channel, Inbound, RunEvent, RunEventKind, RunOutcome};
use tarsus_home::random::random_uuid;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{RunId, SessionKey};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::body_budget::BodyShare;
use crate::connections::ConnectionSlot;
use crate::gateway::Gateway;
use crate::peer::AgentProcess;
use resolve::ResolvedRequest;
use wire::{
    AnswerMessage, ChatRequest, Choice, Completion, ErrorBody, ErrorDetail, Model, ModelList, TokenUsage,
};

/// Lists the agents as models.
pub(crate) async fn models(State(gateway): State<Arc<Gateway>>) -> Response {
    let created = gateway.now_ms() / 1_000;
    let names = resolve::names(&gateway.config());
    let model = |id| Model { id, object: "model", created, owned_by: "tarsus" };
    Json(ModelList { object: "list", data: names.into_iter().map(model).collect() }).into_response()
}

/// Sends a message to an agent and returns its answer, whole or streamed.
pub(crate) async fn completions(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(slot): Extension<ConnectionSlot>,
    Extension(share): Extension<BodyShare>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let wrong = |message: String| refused(StatusCode::BAD_REQUEST, &message, None);
    let request: ChatRequest = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => return wrong(format!("the request is not valid: {error}")),
    };
    let config = gateway.config();
    let run = match random_uuid() {
        Ok(uuid) => uuid.to_string(),
        Err(problem) => return refused(status(problem.code), &problem.message, None),
    };
    let ResolvedRequest { session, text } = match resolve::resolve(&request, &headers, &config, &run) {
        Ok(resolved) => resolved,
        Err(resolve::ResolveError::Model(message)) => {
            return refused(StatusCode::NOT_FOUND, &message, Some("model_not_found"));
        }
        Err(resolve::ResolveError::Other(message)) => return wrong(message),
    };
    let agent_process = AgentProcess::of_client(&gateway, peer).await;
    if let Some(Err(problem)) = agent_process.as_ref().map(|process| process.check_session(&session)) {
        return refused(StatusCode::FORBIDDEN, &problem.message, None);
    }
    // The run may take long, and needs nothing of this any more.
    drop((request.messages, body));
    share.release();
    slot.keep_open();
    match ActiveRun::begin(&gateway, session, run, text, agent_process.is_some()).await {
        Ok(run) if request.stream => stream::response(run, request.model, request.stream_options),
        Ok(run) => full_response(run, &request.model).await,
        Err(problem) => refused(status(problem.code), &problem.message, None),
    }
}

fn status(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::Busy => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::Usage | ErrorCode::TooLarge => StatusCode::BAD_REQUEST,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

fn refused(status: StatusCode, message: &str, code: Option<&'static str>) -> Response {
    (status, Json(error(message, status.is_client_error(), code))).into_response()
}

fn error<'a>(message: &'a str, is_client_error: bool, code: Option<&'static str>) -> ErrorBody<'a> {
    let kind = if is_client_error { "invalid_request_error" } else { "server_error" };
    ErrorBody { error: ErrorDetail { message, kind, code } }
}

/// A run with a waiting client. Dropping it before the end aborts the run.
struct ActiveRun {
    gateway: Arc<Gateway>,
    session: SessionKey,
    run: RunId,
    events: UnboundedReceiver<RunEvent>,
    tokens: TokenUsage,
    is_over: bool,
}

impl ActiveRun {
    async fn begin(
        gateway: &Arc<Gateway>,
        session: SessionKey,
        run: String,
        text: String,
        is_by_agent: bool,
    ) -> Result<Self, Problem> {
        let run: RunId = run.parse().map_err(|error| Problem::new(ErrorCode::Failed, format!("{error}")))?;
        let events = gateway.runtime.subscribe(run.clone());
        let inbound = Inbound {
            session: session.clone(),
            run: run.clone(),
            text,
            attachments: Vec::new(),
            channel: Channel::Api,
            may_change_apps: !is_by_agent,
            is_by_agent,
            may_approve: false,
            model: None,
        };
        let accepted = gateway.runtime.send(inbound).await.map_err(Problem::from)?;
        // The subscriber is there already.
        accepted.start_turn();
        Ok(Self {
            gateway: Arc::clone(gateway),
            session,
            run,
            events,
            tokens: TokenUsage::default(),
            is_over: false,
        })
    }

    /// The next event; `None` once the run is over.
    async fn next(&mut self) -> Option<RunEventKind> {
        let event = self.events.recv().await?.kind;
        match &event {
            RunEventKind::UsageRecorded { usage, .. } => self.tokens.add(usage),
            RunEventKind::Finished(_) => self.is_over = true,
            _ => {}
        }
        Some(event)
    }

    fn id(&self) -> String {
        format!("chatcmpl-{}", self.run)
    }

    fn created(&self) -> i64 {
        self.gateway.now_ms() / 1_000
    }
}

impl Drop for ActiveRun {
    fn drop(&mut self) {
        if !self.is_over {
            self.gateway.runtime.abort(&self.session, Some(&self.run));
        }
    }
}

async fn full_response(mut run: ActiveRun, model: &str) -> Response {
    // The reasoning of the run, and where that of the current request begins.
    let (mut streamed, mut begun) = (String::new(), 0);
    loop {
        match run.next().await {
            Some(RunEventKind::ReasoningDelta { new, .. }) => streamed.push_str(&new),
            Some(RunEventKind::ModelRequested { .. }) => begun = streamed.len(),
            Some(RunEventKind::AttemptDiscarded { .. }) => streamed.truncate(begun),
            Some(RunEventKind::Finished(RunOutcome::Completed { message, is_silent, .. })) => {
                let content = if is_silent { String::new() } else { message.text() };
                let reasoning = streamed + &message.reasoning();
                let completion = Completion {
                    id: &run.id(),
                    object: "chat.completion",
                    created: run.created(),
                    model,
                    choices: [Choice {
                        index: 0,
                        message: AnswerMessage {
                            role: "assistant",
                            content: &content,
                            reasoning_content: Some(reasoning.as_str()).filter(|text| !text.is_empty()),
                        },
                        finish_reason: "stop",
                    }],
                    usage: run.tokens,
                };
                return Json(completion).into_response();
            }
            Some(RunEventKind::Finished(RunOutcome::Failed { why, .. })) => {
                return refused(StatusCode::BAD_GATEWAY, &why, None);
            }
            Some(RunEventKind::Finished(RunOutcome::Aborted { .. })) | None => {
                return refused(StatusCode::SERVICE_UNAVAILABLE, "the run was aborted", None);
            }
            Some(_) => {}
        }
    }
}

fn event_stream(body: Body) -> Response {
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}
