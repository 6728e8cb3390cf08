//! A route is open, and never sees a body, or it is for known clients, and sees nothing before the token was checked.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{CONNECTION, RETRY_AFTER};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use futures_util::StreamExt;

use super::refuse;
use crate::access::{self, AccessRefusal};
use crate::connections::ConnectionSlot;
use crate::gateway::Gateway;
use crate::serve::CLOSE_GRACE;

/// One path and its methods. The router takes nothing else.
pub(super) struct Route {
    pub(super) path: &'static str,
    methods: MethodRouter<Arc<Gateway>>,
    pub(super) access: RouteAccess,
}

/// Who may use a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteAccess {
    Anyone,
    KnownClients,
}

impl Route {
    /// A route for anyone who passes the checks of Host and Origin.
    pub(super) const fn open(path: &'static str, methods: MethodRouter<Arc<Gateway>>) -> Self {
        Self { path, methods, access: RouteAccess::Anyone }
    }

    /// A route for clients that know the shared secret.
    pub(super) const fn authenticated(path: &'static str, methods: MethodRouter<Arc<Gateway>>) -> Self {
        Self { path, methods, access: RouteAccess::KnownClients }
    }

    /// The methods behind the check of the route.
    pub(super) fn into_guarded(self, gateway: &Arc<Gateway>) -> MethodRouter<Arc<Gateway>> {
        match self.access {
            RouteAccess::Anyone => self.methods.route_layer(middleware::map_request(without_body)),
            RouteAccess::KnownClients => {
                let gateway = Arc::clone(gateway);
                self.methods.route_layer(middleware::from_fn_with_state(gateway, authenticate))
            }
        }
    }
}

async fn without_body(request: Request) -> Request {
    request.map(|_| Body::empty())
}

/// Checks the shared secret before anything reads the body, and counts the bytes of the body.
async fn authenticate(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    Extension(slot): Extension<ConnectionSlot>,
    mut request: Request,
    next: Next,
) -> Response {
    if let Err(refusal) = check(&gateway, peer, request.headers()) {
        let refused = refuse(&gateway, refusal, peer).await;
        discard(request.into_body(), gateway.limits.message_body_bytes);
        return refused;
    }
    if let Err(full) = slot.authenticate() {
        return busy(&full);
    }
    let share = gateway.bodies.share();
    request.extensions_mut().insert(share.clone());
    let response = next.run(request.map(|body| share.count(body))).await;
    match share.exceeded() {
        Some(exceeded) => busy(&exceeded),
        None => response,
    }
}

fn check(gateway: &Gateway, peer: SocketAddr, headers: &HeaderMap) -> Result<(), AccessRefusal> {
    let direct = access::is_direct(headers, peer);
    let (credentials, token) = (gateway.access.credentials(), access::bearer(headers));
    gateway.check_shared(&credentials, token, None, peer.ip(), direct).map(drop)
}

/// A refusal for now: the client may try again.
fn busy(reason: &dyn std::fmt::Display) -> Response {
    let headers = [(RETRY_AFTER, "1"), (CONNECTION, "close")];
    (StatusCode::SERVICE_UNAVAILABLE, headers, format!("{reason}\n")).into_response()
}

/// Reads and drops up to `most` bytes of a refused body for a moment: closing a connection with unread bytes would reset
/// it, and some systems then discard the response.
fn discard(body: Body, mut most: usize) {
    let mut chunks = body.into_data_stream();
    let reading = async move {
        while let Some(Ok(chunk)) = chunks.next().await {
            match most.checked_sub(chunk.len()) {
                Some(left) => most = left,
                None => return,
            }
        }
    };
    tokio::spawn(tokio::time::timeout(CLOSE_GRACE, reading));
}
