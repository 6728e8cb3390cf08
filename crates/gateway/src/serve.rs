//! Accepting connections and ending them: bounded in number and in time; a stop lets running requests and turns finish,
//! and then closes every socket with a reason.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::extract::connect_info::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tarsus_host::watch::Watcher;
use tarsus_protocol::event::{Event, Tick};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::connections::Connections;
use crate::gateway::Gateway;
use crate::http;
use crate::listen::LoopbackListener;
use crate::reload;

/// Pause after a failed accept.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Extra time for a connection to be gone when its own time is over.
pub(crate) const CLOSE_GRACE: Duration = Duration::from_secs(1);

/// How serving ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutdownOutcome {
    /// Every request and every run was finished.
    Graceful,
    /// The time limit was reached; the rest was cut off.
    TimedOut,
}

/// Answers requests until `stop` becomes true, then lets running ones finish and says goodbye to every socket.
pub async fn serve(
    listener: LoopbackListener,
    gateway: Arc<Gateway>,
    mut stop: watch::Receiver<bool>,
) -> ShutdownOutcome {
    let limits = gateway.limits;
    let router = http::router(Arc::clone(&gateway));
    let connections = Arc::new(Connections::new(limits));
    let mut accepting = JoinSet::new();
    for socket in listener.sockets {
        accepting.spawn(accept(socket, router.clone(), Arc::clone(&gateway), Arc::clone(&connections)));
    }
    let ticking = tokio::spawn(tick(Arc::clone(&gateway)));
    let releasing = tokio::spawn({
        let connections = Arc::clone(&connections);
        async move { connections.release_memory().await }
    });
    let watching = reload::watch(Arc::clone(&gateway))
        .inspect_err(|error| tracing::error!(%error, "file changes are not watched"))
        .ok();
    // A dropped sender counts as a stop request.
    stop.wait_for(|requested| *requested).await.ok();
    accepting.shutdown().await;
    ticking.abort();
    releasing.abort();
    gateway.events.stop();
    gateway.runtime.close_approvals();
    let done = async {
        stop_watching(watching).await;
        gateway.requests_finished().await;
        gateway.runtime.idle().await;
    };
    let done = tokio::time::timeout(limits.shutdown, done).await;
    gateway.events.end("the gateway is stopping");
    let gone = tokio::time::timeout(limits.farewell + CLOSE_GRACE, connections.all_closed()).await;
    if done.is_ok() && gone.is_ok() { ShutdownOutcome::Graceful } else { ShutdownOutcome::TimedOut }
}

/// Stops the file watcher and waits for a running reload.
async fn stop_watching(watching: Option<Watcher>) {
    // A panic was printed where it happened.
    tokio::task::spawn_blocking(move || drop(watching)).await.ok();
}

/// Publishes a tick at a fixed interval.
async fn tick(gateway: Arc<Gateway>) {
    let mut every = tokio::time::interval(gateway.limits.tick);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    every.tick().await;
    loop {
        every.tick().await;
        gateway.events.publish(Event::Tick, &Tick { ts: gateway.now_ms() });
    }
}

async fn accept(socket: TcpListener, router: Router, gateway: Arc<Gateway>, connections: Arc<Connections>) {
    let limits = gateway.limits;
    let mut server = http1::Builder::new();
    server
        .timer(TokioTimer::new())
        .header_read_timeout(limits.request_head)
        .max_buf_size(limits.request_head_bytes);
    let mut failing = false;
    loop {
        let (stream, peer) = match socket.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                if !failing {
                    tracing::warn!(%error, "a connection could not be accepted");
                }
                failing = true;
                // Out of file handles, or a client that gave up: the next one may do better, after a while.
                connections.evict_oldest();
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        failing = false;
        let slot = connections.admit().await;
        // Small frames go at once: a reply does not wait for the next one.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, %peer, "a connection sends small frames late");
        }
        let service = {
            let (router, slot) = (router.clone(), slot.clone());
            service_fn(move |mut request: Request<Incoming>| {
                request.extensions_mut().insert(ConnectInfo(peer));
                request.extensions_mut().insert(slot.clone());
                tower::ServiceExt::oneshot(router.clone(), request)
            })
        };
        let connection = server.serve_connection(TokioIo::new(stream), service).with_upgrades();
        let gateway = Arc::clone(&gateway);
        tokio::spawn(async move {
            let mut connection = pin!(connection);
            // An upgraded socket continues in its own task.
            let served = tokio::select! {
                served = connection.as_mut() => Some(served),
                () = slot.evicted() => None,
                () = slot.timed_out() => {
                    connection.as_mut().graceful_shutdown();
                    tokio::time::timeout(CLOSE_GRACE, connection).await.ok()
                }
                () = gateway.events.ended() => {
                    connection.as_mut().graceful_shutdown();
                    Some(connection.await)
                }
            };
            match served {
                Some(Ok(())) => {}
                Some(Err(error)) => tracing::debug!(%error, %peer, "a connection ended early"),
                None => tracing::debug!(%peer, "a connection took too long"),
            }
        });
    }
}
