//! One socket from its first frame to its last: the handshake, then one task that reads and one that writes.
//!
//! Handshake time, concurrent requests and queued bytes are bounded; no task of the socket outlives `run`.

use std::convert::identity;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt, poll};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde_json::json;
use tarsus_home::random::random_uuid;
use tarsus_protocol::connect::Challenge;
use tarsus_protocol::event::Event;
use tarsus_protocol::frame::{FrameError, Stage};
use tarsus_protocol::{ErrorCode, Problem, Request};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::{Role as End, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Bytes, Error, Message};

use super::Peer;
use super::close::Close;
use super::handshake::{self, HandshakeError};
use super::limited_stream::{LimitReached, LimitedStream};
use super::outbound::{QueueItem, WriterAction};
use super::reply::{error_frame, success_frame};
use super::welcome::{Welcome, join_and_welcome};
use crate::connections::ConnectionSlot;
use crate::events::ConnectedClient;
use crate::gateway::Gateway;
use crate::rpc;
use crate::serve::CLOSE_GRACE;

/// A socket before its handshake.
type UnauthenticatedSocket = WebSocketStream<LimitedStream<TokioIo<Upgraded>>>;

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Longer frames are sent in fragments of this size.
const MAX_FRAGMENT_BYTES: usize = 64 * 1024;

/// Allowance for frame headers during the handshake.
const FRAME_HEADERS: usize = 256;

/// Serves one socket to its end. It holds its slot until then, and may lose it until its client is known.
pub(super) async fn run(gateway: Arc<Gateway>, io: TokioIo<Upgraded>, peer: Peer, slot: ConnectionSlot) {
    let unauthenticated = async {
        let limited_stream = LimitedStream::new(io, Stage::BeforeHello.max_bytes() + FRAME_HEADERS);
        let config = config(Stage::BeforeHello);
        let mut socket = WebSocketStream::from_raw_socket(limited_stream, End::Server, config).await;
        let shaken = tokio::select! {
            shaken = perform_handshake(&gateway, &mut socket, peer, &slot) => shaken,
            () = slot.timed_out() => Err((Close::Done, false)),
            () = gateway.events.ended() => Err((Close::Restart, false)),
        };
        match shaken {
            // `LimitedStream` has read nothing beyond the first request.
            Ok(welcome) => Some((socket.into_inner().into_inner(), welcome)),
            Err((close, is_broken)) => {
                tracing::debug!(?close, address = %peer.address, "a socket was closed before the handshake was done");
                close_socket(CLOSE_GRACE, socket, LimitedStream::into_inner, &close, is_broken).await;
                None
            }
        }
    };
    let admitted = tokio::select! {
        admitted = unauthenticated => admitted,
        () = slot.evicted() => None,
    };
    if let Some((io, welcome)) = admitted {
        let socket = WebSocketStream::from_raw_socket(io, End::Server, config(Stage::AfterHello)).await;
        serve_client(gateway, socket, welcome).await;
    }
}

/// Message and buffer limits of a socket.
fn config(stage: Stage) -> Option<WebSocketConfig> {
    let largest = Some(stage.max_bytes());
    let config = WebSocketConfig::default().read_buffer_size(8 * 1024).write_buffer_size(32 * 1024);
    Some(config.max_message_size(largest).max_frame_size(largest))
}

/// Sends the challenge and processes `connect`. The error holds the close reason and whether the stream is corrupt.
async fn perform_handshake(
    gateway: &Arc<Gateway>,
    socket: &mut UnauthenticatedSocket,
    peer: Peer,
    slot: &ConnectionSlot,
) -> Result<Welcome, (Close, bool)> {
    let gone = |_| (Close::Done, false);
    let nonce = random_uuid().map_err(|problem| (Close::Policy(problem.message), false))?.to_string();
    let challenge = Challenge { nonce: nonce.clone(), ts: gateway.now_ms(), capabilities: Vec::new() };
    let name = Event::Challenge.as_str();
    let frame = json!({ "type": "event", "event": name, "payload": challenge }).to_string();
    socket.send(Message::text(frame)).await.map_err(gone)?;
    let request = first_request(socket).await?;
    let id = request.id.clone();
    let (gateway, slot) = (Arc::clone(gateway), slot.clone());
    // Reads and writes the list of devices and the configuration.
    let decided = tokio::task::spawn_blocking(move || {
        if request.method.as_str() != "connect" {
            return Err(HandshakeError::not_connect());
        }
        let params = handshake::parse_params(request.params)?;
        let admitted = handshake::admit(&gateway, peer, &params, &nonce)?;
        slot.authenticate().map_err(|full| Problem::new(ErrorCode::Busy, full.to_string()))?;
        Ok(join_and_welcome(&gateway, &request.id, params, admitted))
    });
    match decided.await {
        Ok(Ok(Some(welcome))) => {
            // Flush control frames such as a pong.
            socket.flush().await.map_err(gone)?;
            Ok(welcome)
        }
        Ok(Ok(None)) => Err((Close::Restart, false)),
        Ok(Err(HandshakeError { error, close })) => {
            let reply = error_frame(id.as_str(), &error);
            socket.send(Message::text(reply)).await.map_err(gone)?;
            Err((close, false))
        }
        Err(error) => Err((Close::Policy(format!("the handshake failed: {error}")), false)),
    }
}

async fn first_request(socket: &mut UnauthenticatedSocket) -> Result<Request, (Close, bool)> {
    loop {
        let text = match socket.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Binary(_))) => return Err((Close::Binary, false)),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
            Some(Ok(Message::Close(_))) | None => return Err((Close::Done, false)),
            Some(Err(error)) => return Err((close_reason(&error), true)),
        };
        return Request::parse(&text, Stage::BeforeHello).map_err(|error| {
            let close = match error {
                FrameError::TooLarge { .. } => Close::TooLarge,
                FrameError::NotJson(_) => Close::Done,
                FrameError::TooDeep | FrameError::TooMany | FrameError::NotAFrame(_) => {
                    Close::Policy("invalid request frame".to_owned())
                }
            };
            (close, false)
        });
    }
}

/// Maps a stream error to its close reason.
fn close_reason(error: &Error) -> Close {
    match error {
        Error::Capacity(_) => Close::TooLarge,
        Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<LimitReached>()) => {
            Close::TooLarge
        }
        Error::Utf8(_) => Close::NotText,
        Error::Protocol(_) => Close::Protocol(error.to_string()),
        _ => Close::Done,
    }
}

/// Serves requests and events until either side closes.
async fn serve_client(gateway: Arc<Gateway>, socket: Socket, welcome: Welcome) {
    let Welcome { joined, first } = welcome;
    let member = Arc::clone(&joined.member);
    member.outbound.prepend(first);
    // Credentials may have been replaced or revoked before it joined.
    if let Some(why) = member.close_reason_if_revoked(&gateway.access) {
        member.outbound.close_now(why);
    } else if member.presence.device_id.is_some() && member.revocations < gateway.devices.revocations() {
        // The revocation may concern another device: then this client simply reconnects.
        member.outbound.close_now(Close::DeviceRevoked);
    }
    let (sink, mut stream) = socket.split();
    let mut requests = JoinSet::new();
    let mut writing = tokio::spawn(write(Arc::clone(&member), sink));
    let (written, is_broken) = tokio::select! {
        (close, is_broken) = read(&gateway, &member, &mut stream, &mut requests) => {
            member.outbound.close_now(close);
            (writing.await, is_broken)
        }
        written = &mut writing => (written, false),
    };
    match written {
        Ok((sink, Some(close))) => {
            if let Ok(socket) = stream.reunite(sink) {
                close_socket(gateway.limits.farewell, socket, identity, &close, is_broken).await;
            }
        }
        Ok((_, None)) => {}
        Err(error) => tracing::error!(%error, "a socket's writer failed"),
    }
    drop(joined);
    member.outbound.close_now(Close::Done);
    // Requests that started are finished, although their replies are dropped.
    while requests.join_next().await.is_some() {}
}

/// Reads requests until the client closes or sends an invalid frame; also returns whether the stream is corrupt.
async fn read(
    gateway: &Arc<Gateway>,
    member: &Arc<ConnectedClient>,
    stream: &mut SplitStream<Socket>,
    requests: &mut JoinSet<()>,
) -> (Close, bool) {
    loop {
        while requests.try_join_next().is_some() {}
        if requests.len() >= gateway.limits.requests_in_flight {
            requests.join_next().await;
            continue;
        }
        let text = match stream.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Binary(_))) => return (Close::Binary, false),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
            Some(Ok(Message::Close(_))) | None => return (Close::Done, false),
            Some(Err(error)) => return (close_reason(&error), true),
        };
        // A closing client sends no further requests, however slowly it closes.
        if member.outbound.is_closing() {
            return (Close::Done, false);
        }
        match Request::parse(&text, Stage::AfterHello) {
            Ok(request) => {
                let mut answering = Box::pin(answer(Arc::clone(gateway), Arc::clone(member), request));
                // Requests that are ready at once are answered here: a task would cost more than the reply.
                if poll!(&mut answering).is_pending() {
                    requests.spawn(answering);
                }
            }
            Err(error) => {
                let reply = error_frame("invalid", &Problem::from(error).into());
                member.outbound.push(QueueItem::Frame(reply));
            }
        }
    }
}

async fn answer(gateway: Arc<Gateway>, member: Arc<ConnectedClient>, request: Request) {
    let Request { id, method, params } = request;
    let Some(_begun) = gateway.begin() else {
        let stopping = Problem::new(ErrorCode::Busy, "the gateway is stopping");
        return member.outbound.push(QueueItem::Frame(error_frame(id.as_str(), &stopping.into())));
    };
    let only_waits = rpc::TABLE.only_waits(method.as_str());
    member.answering.fetch_add(usize::from(!only_waits), Ordering::Relaxed);
    let answering = rpc::TABLE.answer(&gateway, &member, method.as_str(), params);
    let answered = tokio::select! {
        answered = answering => answered,
        // A request that only waits can be cancelled when its reply cannot be delivered.
        () = member.outbound.wait_dropped(), if only_waits => return,
    };
    let frame = match &answered {
        Ok(reply) => success_frame(id.as_str(), reply.payload.as_str()),
        Err(failure) => error_frame(id.as_str(), failure.shape()),
    };
    member.outbound.push(QueueItem::Frame(frame));
    if let Ok(reply) = answered {
        reply.sent();
    }
    if !only_waits {
        member.answered(&gateway.access);
    }
    let generation = gateway.access.generation();
    if member.generation < generation {
        gateway.events.close_older_generations(generation);
    }
    gateway.events.close_slowest_over_limit();
}

type Sink = SplitSink<Socket, Message>;

/// Sends queued frames; returns the close reason, or `None` if sending failed.
async fn write(member: Arc<ConnectedClient>, mut sink: Sink) -> (Sink, Option<Close>) {
    let outbound = &member.outbound;
    let mut next = outbound.try_next();
    loop {
        if let Some(WriterAction::Send(text)) = next {
            let sent = tokio::select! {
                sent = send_frame(&mut sink, text) => sent,
                () = outbound.wait_dropped() => Ok(()),
            };
            if sent.is_err() {
                return (sink, None);
            }
            next = outbound.try_next();
            continue;
        }
        // The queue is empty: flush.
        let sent = tokio::select! {
            sent = sink.flush() => sent,
            () = outbound.wait_dropped() => Ok(()),
        };
        match (sent, next) {
            (Err(_), _) => return (sink, None),
            (Ok(()), Some(WriterAction::Close(close))) => return (sink, Some(close)),
            (Ok(()), _) => next = Some(outbound.next().await),
        }
    }
}

/// Sends a frame, a large one in fragments: the socket's buffer keeps the size of its largest fragment.
async fn send_frame(sink: &mut Sink, text: String) -> Result<(), Error> {
    if text.len() <= MAX_FRAGMENT_BYTES {
        return sink.feed(Message::text(text)).await;
    }
    let whole = Bytes::from(text);
    for start in (0..whole.len()).step_by(MAX_FRAGMENT_BYTES) {
        let end = whole.len().min(start + MAX_FRAGMENT_BYTES);
        let kind = OpCode::Data(if start == 0 { Data::Text } else { Data::Continue });
        let part = Frame::message(whole.slice(start..end), kind, end == whole.len());
        sink.feed(Message::Frame(part)).await?;
    }
    Ok(())
}

/// Sends the close frame and waits for the peer: dropping a socket with unread bytes would reset the connection and
/// discard what was sent last.
async fn close_socket<S, R>(
    at_most: Duration,
    mut socket: WebSocketStream<S>,
    inner: fn(S) -> R,
    close: &Close,
    is_broken: bool,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    R: AsyncRead + AsyncWrite + Unpin,
{
    let goodbye = async {
        if socket.close(Some(close.frame())).await.is_err() {
            return;
        }
        while !is_broken && matches!(socket.next().await, Some(Ok(message)) if !message.is_close()) {}
        if is_broken {
            // The peer cannot be parsed any more: shut down our side and drain.
            let (mut rest, mut scratch) = (inner(socket.into_inner()), vec![0; 16 * 1024]);
            rest.shutdown().await.ok();
            while rest.read(&mut scratch).await.is_ok_and(|read| read > 0) {}
        }
    };
    // Without an answer, the close handshake is given up.
    tokio::time::timeout(at_most, goodbye).await.ok();
}
