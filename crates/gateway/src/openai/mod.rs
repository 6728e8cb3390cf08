//! The door for clients of the OpenAI API: an agent answers as if it were a model.
//!
//! Promises: behind the same credentials as everything else; a client that goes away calls its run off; what a run came
//! to is what is answered, whole or in pieces. Leaves to others: the agent, its session and its tools.

mod asked;
mod pieces;
mod wire;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, State};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use tarsus_agent::{Ending, Inbound, Told, What};
use tarsus_protocol::{ErrorCode, Problem};
use tarsus_store::{RunId, SessionKey};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::access;
use crate::gateway::Gateway;
use crate::http::refuse;
use crate::serve::Stay;
use crate::unique::unique;
use asked::Meant;
use wire::{Asked, Choice, Completion, Model, ModelList, Refused, Said, Tokens, Why};

/// The agents, as models.
pub(crate) async fn models(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    if let Err(turned_away) = let_in(&gateway, peer, &headers).await {
        return turned_away;
    }
    let created = gateway.now_ms() / 1_000;
    let names = asked::names(&gateway.config());
    let model = |id| Model { id, object: "model", created, owned_by: "tarsus" };
    Json(ModelList { object: "list", data: names.into_iter().map(model).collect() }).into_response()
}

/// Says something to an agent.
pub(crate) async fn completions(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(stay): Extension<Stay>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    if let Err(turned_away) = let_in(&gateway, peer, &headers).await {
        return turned_away;
    }
    let wrong = |message: String| refused(StatusCode::BAD_REQUEST, &message, None);
    let asked: Asked = match serde_json::from_slice(&body) {
        Ok(asked) => asked,
        Err(error) => return wrong(format!("the request cannot be read: {error}")),
    };
    let config = gateway.config();
    let run = match unique() {
        Ok(run) => run,
        Err(problem) => return refused(status(problem.code), &problem.message, None),
    };
    let Meant { session, text } = match asked::meant(&asked, &headers, &config, &run) {
        Ok(meant) => meant,
        Err(asked::Unclear::Model(message)) => {
            return refused(StatusCode::NOT_FOUND, &message, Some("model_not_found"));
        }
        Err(asked::Unclear::Other(message)) => return wrong(message),
    };
    stay.begin();
    match Going::begin(&gateway, session, run, text).await {
        Ok(going) if asked.stream => pieces::response(going, asked.model, asked.stream_options),
        Ok(going) => whole(going, &asked.model).await,
        Err(problem) => refused(status(problem.code), &problem.message, None),
    }
}

async fn let_in(gateway: &Arc<Gateway>, peer: SocketAddr, headers: &HeaderMap) -> Result<(), Response> {
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

fn error<'a>(message: &'a str, is_theirs: bool, code: Option<&'static str>) -> Refused<'a> {
    let kind = if is_theirs { "invalid_request_error" } else { "server_error" };
    Refused { error: Why { message, kind, code } }
}

/// A run that somebody waits for. Dropped before it is over, it calls the run off.
struct Going {
    gateway: Arc<Gateway>,
    session: SessionKey,
    run: RunId,
    told: UnboundedReceiver<Told>,
    tokens: Tokens,
    is_over: bool,
}

impl Going {
    async fn begin(
        gateway: &Arc<Gateway>,
        session: SessionKey,
        run: String,
        text: String,
    ) -> Result<Self, Problem> {
        let run: RunId = run.parse().map_err(|error| Problem::new(ErrorCode::Failed, format!("{error}")))?;
        let told = gateway.runtime.listen(run.clone());
        let inbound = Inbound {
            session: session.clone(),
            run: run.clone(),
            text,
            attachments: Vec::new(),
            may_change_apps: true,
            may_approve: false,
            model: None,
        };
        let sent = gateway.runtime.send(inbound).await.map_err(Problem::from)?;
        // Whoever listens is there already.
        drop(sent.begin);
        Ok(Self {
            gateway: Arc::clone(gateway),
            session,
            run,
            told,
            tokens: Tokens::default(),
            is_over: false,
        })
    }

    /// What is told next; `None` once the run is over.
    async fn next(&mut self) -> Option<What> {
        let what = self.told.recv().await?.what;
        match &what {
            What::Spent { usage, .. } => self.tokens.add(usage),
            What::Over(_) => self.is_over = true,
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

impl Drop for Going {
    fn drop(&mut self) {
        if !self.is_over {
            self.gateway.runtime.abort(&self.session, Some(&self.run));
        }
    }
}

async fn whole(mut going: Going, model: &str) -> Response {
    loop {
        match going.next().await {
            Some(What::Over(Ending::Answered { message, is_silent, .. })) => {
                let content = if is_silent { String::new() } else { message.text() };
                let completion = Completion {
                    id: &going.id(),
                    object: "chat.completion",
                    created: going.created(),
                    model,
                    choices: [Choice {
                        index: 0,
                        message: Said { role: "assistant", content: &content },
                        finish_reason: "stop",
                    }],
                    usage: going.tokens,
                };
                return Json(completion).into_response();
            }
            Some(What::Over(Ending::Failed { why, .. })) => {
                return refused(StatusCode::BAD_GATEWAY, &why, None);
            }
            Some(What::Over(Ending::CalledOff { .. })) | None => {
                return refused(StatusCode::SERVICE_UNAVAILABLE, "the run was called off", None);
            }
            Some(_) => {}
        }
    }
}

/// An answer that is sent piece by piece.
fn streamed(body: Body) -> Response {
    ([(CONTENT_TYPE, "text/event-stream")], body).into_response()
}
