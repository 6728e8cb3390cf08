//! WebSocket connections: upgrade, handshake, then requests and events.
//!
//! Read in this order: `upgrade` here, `handshake`, `connection`. Methods are in `rpc`, event delivery in `events`.

pub mod close;
mod connection;
mod handshake;
mod limited_stream;
pub mod outbound;
mod reply;
mod welcome;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::{ConnectInfo, Request, State};
use axum::http::header::{
    CONNECTION, ORIGIN, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::{HeaderMap, HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use sha1::{Digest, Sha1};

use crate::access;
use crate::connections::ConnectionSlot;
use crate::gateway::Gateway;
use crate::http;

/// The GUID that RFC 6455 appends to the client's key before hashing.
const MAGIC: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/// The origin of a socket.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer {
    pub address: SocketAddr,
    /// Whether it is on this machine and no proxy forwarded it.
    pub direct: bool,
    /// Whether it sent an Origin header (already checked).
    pub has_origin: bool,
}

/// Upgrades a request to a WebSocket. Host and Origin were checked before, as for every request.
pub(crate) async fn upgrade(
    State(gateway): State<Arc<Gateway>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    mut request: Request,
) -> Response {
    let headers = request.headers();
    if let Err(refusal) = gateway.access.check_browser(headers) {
        return http::refuse(&gateway, refusal, address).await;
    }
    let wants_socket = has_word(headers, &CONNECTION, "upgrade") && has_word(headers, &UPGRADE, "websocket");
    if !wants_socket || !has_word(headers, &SEC_WEBSOCKET_VERSION, "13") {
        let version = [(SEC_WEBSOCKET_VERSION, "13"), (UPGRADE, "websocket")];
        return (StatusCode::UPGRADE_REQUIRED, version, "WebSocket version 13 is required\n").into_response();
    }
    let Some(key) = headers.get(SEC_WEBSOCKET_KEY) else {
        return (StatusCode::BAD_REQUEST, "Sec-WebSocket-Key is missing\n").into_response();
    };
    let accept = STANDARD.encode(Sha1::new().chain_update(key).chain_update(MAGIC).finalize());
    let peer = Peer {
        address,
        direct: access::is_direct(headers, address),
        has_origin: headers.contains_key(ORIGIN),
    };
    let (slot, upgraded) = (request.extensions_mut().remove(), request.extensions_mut().remove());
    let (Some::<ConnectionSlot>(slot), Some::<OnUpgrade>(upgraded)) = (slot, upgraded) else {
        return (StatusCode::BAD_REQUEST, "this connection cannot be upgraded\n").into_response();
    };
    tokio::spawn(async move {
        match upgraded.await {
            Ok(io) => connection::run(gateway, TokioIo::new(io), peer, slot).await,
            Err(error) => tracing::debug!(%error, %address, "a socket ended before it began"),
        }
    });
    let headers = [(CONNECTION, "Upgrade"), (UPGRADE, "websocket"), (SEC_WEBSOCKET_ACCEPT, accept.as_str())];
    (StatusCode::SWITCHING_PROTOCOLS, headers).into_response()
}

fn has_word(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|part| part.trim().eq_ignore_ascii_case(word))
}
