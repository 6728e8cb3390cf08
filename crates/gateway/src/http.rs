//! The HTTP answers: health, readiness, the page, and what the page asks for.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use tarsus_protocol::report::{Health, Ready, StatusReport};

use crate::access::{Access, Refusal};
use crate::failures::Failures;
use crate::limits::Limits;

const HEADERS: [(HeaderName, &str); 6] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    (CACHE_CONTROL, "no-store"),
];

/// What the answers are made from.
pub struct Gateway {
    /// Who may ask.
    pub access: Access,
    /// Who asked in vain.
    pub failures: Failures,
    /// The present state, read fresh at each call.
    pub status: Box<dyn Fn() -> StatusReport + Send + Sync>,
    /// How long the gateway has been up.
    pub uptime: Box<dyn Fn() -> Duration + Send + Sync>,
}

/// All routes, with the rules that hold for each of them.
pub fn router(gateway: Arc<Gateway>, limits: Limits) -> Router {
    Router::new()
        .route("/", get(|| async { asset("text/html; charset=utf-8", include_str!("page/index.html")) }))
        .route("/page.css", get(|| async { asset("text/css; charset=utf-8", include_str!("page/page.css")) }))
        .route(
            "/page.js",
            get(|| async { asset("text/javascript; charset=utf-8", include_str!("page/page.js")) }),
        )
        .route("/icon.svg", get(|| async { asset("image/svg+xml", include_str!("page/icon.svg")) }))
        .route("/health", get(health))
        .route("/healthz", get(health))
        .route("/ready", get(ready))
        .route("/readyz", get(ready))
        .route("/api/status", get(status))
        .fallback(|| async { (StatusCode::NOT_FOUND, "Not Found\n") })
        .layer(DefaultBodyLimit::max(limits.request_body_bytes))
        .layer(middleware::from_fn_with_state(Arc::clone(&gateway), guard_source))
        .with_state(gateway)
}

async fn guard_source(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let mut response = match gateway.access.check_source(request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refuse(&gateway, refusal, peer),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn refuse(gateway: &Gateway, refusal: Refusal, peer: SocketAddr) -> Response {
    gateway.failures.count(refusal, peer.ip());
    let status = match refusal {
        Refusal::Host | Refusal::Origin => StatusCode::FORBIDDEN,
        Refusal::TokenMissing | Refusal::TokenMismatch => StatusCode::UNAUTHORIZED,
    };
    (status, format!("{}\n", refusal.as_str())).into_response()
}

fn asset(kind: &'static str, text: &'static str) -> impl IntoResponse {
    ([(CONTENT_TYPE, kind)], text)
}

async fn health() -> Json<Health> {
    Json(Health::LIVE)
}

async fn ready(State(gateway): State<Arc<Gateway>>) -> Json<Ready> {
    let uptime_ms = u64::try_from((gateway.uptime)().as_millis()).unwrap_or(u64::MAX);
    Json(Ready::new(Vec::new(), uptime_ms))
}

async fn status(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    headers: HeaderMap,
) -> Response {
    match gateway.access.check_token(&headers, peer) {
        Ok(()) => Json((gateway.status)()).into_response(),
        Err(refusal) => refuse(&gateway, refusal, peer),
    }
}
