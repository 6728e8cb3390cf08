//! HTTP routes: health, readiness, the page, the status report and the OpenAI-compatible API.

mod route;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, REFERRER_POLICY, UPGRADE, X_CONTENT_TYPE_OPTIONS,
    X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use tarsus_protocol::report::{Health, ReadyReport};

use crate::access::AccessRefusal;
use crate::gateway::{Gateway, WorkKind};
use crate::limits::Limits;
use crate::{assets, openai, socket};
use route::Route;

const HEADERS: [(HeaderName, &str); 7] = [
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (X_FRAME_OPTIONS, "DENY"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Every route of the gateway.
fn routes(limits: &Limits) -> Vec<Route> {
    let page = || get(async |headers: HeaderMap| assets::page(&headers));
    let mut routes = vec![
        Route::open("/", get(page_or_socket)),
        Route::open("/ws", get(socket::upgrade)),
        // The page knows its own addresses.
        Route::open("/agents/{agent}/settings", page()),
        Route::open("/health", get(health)),
        Route::open("/healthz", get(health)),
        Route::open("/ready", get(ready)),
        Route::open("/readyz", get(ready)),
        Route::authenticated("/api/status", get(status)),
        Route::authenticated("/v1/models", get(openai::models)),
        Route::authenticated(
            "/v1/chat/completions",
            post(openai::completions).layer(DefaultBodyLimit::max(limits.message_body_bytes)),
        ),
    ];
    routes.extend(assets::routes().map(|(path, methods)| Route::open(path, methods)));
    routes
}

/// All routes, with the checks and headers that apply to each of them.
pub fn router(gateway: Arc<Gateway>) -> Router {
    let limits = gateway.limits;
    routes(&limits)
        .into_iter()
        .fold(Router::new(), |router, route| {
            let path = route.path;
            router.route(path, route.into_guarded(&gateway))
        })
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
    let (access, headers) = (&gateway.access, request.headers());
    let is_own = access.check_target(request.uri(), headers).and_then(|()| access.check_source(headers));
    let mut response = match is_own {
        Ok(()) => next.run(request).await,
        Err(refusal) => refuse(&gateway, refusal, peer).await,
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    // Only the embedded files set a cache policy of their own.
    response.headers_mut().entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Upgrades to a socket if requested, else sends the page.
async fn page_or_socket(
    state: State<Arc<Gateway>>,
    peer: ConnectInfo<SocketAddr>,
    request: Request,
) -> Response {
    if request.headers().contains_key(UPGRADE) {
        socket::upgrade(state, peer, request).await
    } else {
        assets::page(request.headers())
    }
}

pub(crate) async fn refuse(gateway: &Arc<Gateway>, refusal: AccessRefusal, peer: SocketAddr) -> Response {
    if let Some(entry) = gateway.failures.count_attempt(refusal, peer.ip()) {
        let gateway = Arc::clone(gateway);
        // A panic was printed where it happened.
        tokio::task::spawn_blocking(move || gateway.failures.record(entry)).await.ok();
    }
    let status = match refusal {
        AccessRefusal::Host | AccessRefusal::Origin => StatusCode::FORBIDDEN,
        AccessRefusal::TooMany => StatusCode::TOO_MANY_REQUESTS,
        _ => StatusCode::UNAUTHORIZED,
    };
    // A rejected client keeps no connection.
    (status, [(CONNECTION, "close")], format!("{}\n", refusal.as_str())).into_response()
}

async fn health() -> Json<Health> {
    Json(Health::LIVE)
}

async fn ready(State(gateway): State<Arc<Gateway>>) -> Json<ReadyReport> {
    let uptime_ms = u64::try_from(gateway.uptime().as_millis()).unwrap_or(u64::MAX);
    let failing = if gateway.store.is_open() { Vec::new() } else { vec!["store".to_owned()] };
    Json(ReadyReport::new(failing, uptime_ms))
}

async fn status(State(gateway): State<Arc<Gateway>>) -> Response {
    match gateway.run_blocking(WorkKind::Read, Gateway::status).await {
        Ok(report) => Json(report).into_response(),
        // The panic was printed where it happened.
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

#[cfg(test)]
mod tests;
