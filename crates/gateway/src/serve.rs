//! Accepting connections and ending them: bounded in number and in the time a request's head may take; a stop lets
//! running requests finish.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::extract::connect_info::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::limits::Limits;
use crate::listen::Listening;

/// How the serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Every request was answered.
    InOrder,
    /// The time for that ran out; what was left was cut off.
    OutOfTime,
}

/// Answers requests with `router` until `stop` becomes true, then lets running ones finish.
pub async fn serve(
    listening: Listening,
    router: Router,
    limits: Limits,
    mut stop: watch::Receiver<bool>,
) -> Ended {
    let graceful = Arc::new(GracefulShutdown::new());
    let places = Arc::new(Semaphore::new(limits.connections));
    let mut accepting = JoinSet::new();
    for socket in listening.sockets {
        accepting.spawn(accept(socket, router.clone(), limits, Arc::clone(&places), Arc::clone(&graceful)));
    }
    // A sender that is gone can never ask again: that counts as asking.
    stop.wait_for(|asked| *asked).await.ok();
    accepting.shutdown().await;
    let Some(graceful) = Arc::into_inner(graceful) else { return Ended::OutOfTime };
    match tokio::time::timeout(limits.shutdown, graceful.shutdown()).await {
        Ok(()) => Ended::InOrder,
        Err(_) => Ended::OutOfTime,
    }
}

async fn accept(
    socket: TcpListener,
    router: Router,
    limits: Limits,
    places: Arc<Semaphore>,
    graceful: Arc<GracefulShutdown>,
) {
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(limits.request_head)
        .max_buf_size(limits.request_head_bytes);
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let (stream, peer) = match socket.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of file handles, or a client that gave up: the next one may do better.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::task::yield_now().await;
                continue;
            }
        };
        let router = router.clone();
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            tower::ServiceExt::oneshot(router.clone(), request)
        });
        let connection = graceful.watch(server.serve_connection(TokioIo::new(stream), service));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, %peer, "a connection ended early");
            }
            drop(place);
        });
    }
}
