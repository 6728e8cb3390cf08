//! The door for clients of the OpenAI API: an agent answers as if it were a model.
//!
//! Promises: behind the same credentials as everything else; a client that goes away calls its run off; what a run came
//! to is what is answered, whole or in pieces. Leaves to others: the agent, its session and its tools.

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
use tarsus_agent::{Inbound, RunEvent, RunEventKind, RunOutcome};
use tarsus_home::random::random_uuid;
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{RunId, SessionKey};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::access;
use crate::gateway::Gateway;
use crate::http::refuse;
use crate::serve::KeepOpen;
use resolve::ResolvedRequest;
use wire::{
    AnswerMessage, ChatRequest, Choice, Completion, ErrorBody, ErrorDetail, Model, ModelList, TokenUsage,
};

/// The agents, as models.
pub(crate) async fn models(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    if let Err(turned_away) = authenticate(&gateway, peer, &headers).await {
        return turned_away;
    }
    let created = gateway.now_ms() / 1_000;
    let names = resolve::names(&gateway.config());
    let model = |id| Model { id, object: "model", created, owned_by: "tarsus" };
    Json(ModelList { object: "list", data: names.into_iter().map(model).collect() }).into_response()
}

/// Says something to an agent.
pub(crate) async fn completions(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(stay): Extension<KeepOpen>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Err(turned_away) = authenticate(&gateway, peer, &headers).await {
        return turned_away;
    }
    let wrong = |message: String| refused(StatusCode::BAD_REQUEST, &message, None);
    let request: ChatRequest = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => return wrong(format!("the request cannot be read: {error}")),
    };
    let config = gateway.config();
    let run = match random_uuid() {
        Ok(uuid) => uuid.to_string(),
        Err(problem) => return refused(status(problem.code), &problem.message, None),
    };
    let ResolvedRequest { session, text } = match resolve::resolve(&request, &headers, &config, &run) {
        Ok(resolve) => resolve,
        Err(resolve::ResolveError::Model(message)) => {
            return refused(StatusCode::NOT_FOUND, &message, Some("model_not_found"));
        }
        Err(resolve::ResolveError::Other(message)) => return wrong(message),
    };
    stay.begin();
    match ActiveRun::begin(&gateway, session, run, text).await {
        Ok(run) if request.stream => stream::response(run, request.model, request.stream_options),
        Ok(run) => whole(run, &request.model).await,
        Err(problem) => refused(status(problem.code), &problem.message, None),
    }
}

async fn authenticate(gateway: &Arc<Gateway>, peer: SocketAddr, headers: &HeaderMap) -> Result<(), Response> {
    let direct = access::is_direct(headers, peer);
    let (door, token) = (gateway.access.door(), access::bearer(headers));
    match gateway.check_shared(&door, token, None, peer.ip(), direct) {
        Ok(_) => Ok(()),
        Err(refusal) => Err(refuse(gateway, refusal, peer).await),
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

fn error<'a>(message: &'a str, is_theirs: bool, code: Option<&'static str>) -> ErrorBody<'a> {
    let kind = if is_theirs { "invalid_request_error" } else { "server_error" };
    ErrorBody { error: ErrorDetail { message, kind, code } }
}

/// A run that somebody waits for. Dropped before it is over, it calls the run off.
struct ActiveRun {
    gateway: Arc<Gateway>,
    session: SessionKey,
    run: RunId,
    told: UnboundedReceiver<RunEvent>,
    tokens: TokenUsage,
    is_over: bool,
}

impl ActiveRun {
    async fn begin(
        gateway: &Arc<Gateway>,
        session: SessionKey,
        run: String,
        text: String,
    ) -> Result<Self, Problem> {
        let run: RunId = run.parse().map_err(|error| Problem::new(ErrorCode::Failed, format!("{error}")))?;
        let told = gateway.runtime.subscribe(run.clone());
        let inbound = Inbound {
            session: session.clone(),
            run: run.clone(),
            text,
            attachments: Vec::new(),
            may_change_apps: true,
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
            told,
            tokens: TokenUsage::default(),
            is_over: false,
        })
    }

    /// What is told next; `None` once the run is over.
    async fn next(&mut self) -> Option<RunEventKind> {
        let what = self.told.recv().await?.kind;
        match &what {
            RunEventKind::UsageRecorded { usage, .. } => self.tokens.add(usage),
            RunEventKind::Finished(_) => self.is_over = true,
            _ => {}
        }
        Some(what)
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

async fn whole(mut run: ActiveRun, model: &str) -> Response {
    loop {
        match run.next().await {
            Some(RunEventKind::Finished(RunOutcome::Completed { message, is_silent, .. })) => {
                let content = if is_silent { String::new() } else { message.text() };
                let completion = Completion {
                    id: &run.id(),
                    object: "chat.completion",
                    created: run.created(),
                    model,
                    choices: [Choice {
                        index: 0,
                        message: AnswerMessage { role: "assistant", content: &content },
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

/// An answer that is sent piece by piece.
fn streamed(body: Body) -> Response {
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}
