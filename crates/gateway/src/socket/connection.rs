//! One socket from its first frame to its last: the handshake, then one task that reads and one that writes.
//!
//! Promises: bounded in the time to say who one is, in the requests at once and in what waits; nothing of it is left
//! when this returns. Leaves to others: what is decided and answered.

use std::convert::identity;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt, poll};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use serde_json::json;
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
use super::gate::{Gate, Shut};
use super::handshake::{self, TurnedAway};
use super::outbound::{Next, Waiting};
use super::reply::{accepted, refused};
use super::welcome::{Welcome, welcome};
use crate::events::Member;
use crate::gateway::Gateway;
use crate::rpc;
use crate::unique::unique;

/// The socket of somebody who has not said who they are.
type Stranger = WebSocketStream<Gate<TokioIo<Upgraded>>>;

type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// A frame that is longer is sent in parts of so many bytes.
const PART: usize = 64 * 1024;

/// The headers of the frames that a handshake may take.
const FRAME_HEADERS: usize = 256;

/// Serves one socket to its end.
pub(super) async fn run(gateway: Arc<Gateway>, io: TokioIo<Upgraded>, peer: Peer) {
    let gate = Gate::new(io, Stage::BeforeHello.max_bytes() + FRAME_HEADERS);
    let mut socket = WebSocketStream::from_raw_socket(gate, End::Server, config(Stage::BeforeHello)).await;
    let handshake = tokio::time::timeout(gateway.limits.handshake, shake_hands(&gateway, &mut socket, peer));
    let shaken = tokio::select! {
        shaken = handshake => shaken.unwrap_or(Err((Close::Done, false))),
        () = gateway.events.ended() => Err((Close::Restart, false)),
    };
    match shaken {
        Ok(welcome) => {
            // The gate has read nothing beyond the first request.
            let io = socket.into_inner().into_inner();
            let socket = WebSocketStream::from_raw_socket(io, End::Server, config(Stage::AfterHello)).await;
            converse(gateway, socket, welcome).await;
        }
        Err((close, broken)) => {
            tracing::debug!(?close, address = %peer.address, "a socket was closed before the handshake was done");
            say_goodbye(&gateway, socket, Gate::into_inner, &close, broken).await;
        }
    }
}

/// The bounds of a socket.
fn config(stage: Stage) -> Option<WebSocketConfig> {
    let largest = Some(stage.max_bytes());
    let config = WebSocketConfig::default().read_buffer_size(8 * 1024).write_buffer_size(32 * 1024);
    Some(config.max_message_size(largest).max_frame_size(largest))
}

/// Asks who is there, and hears the answer. Who is not let in is told why, and how the socket is to be closed and
/// whether its bytes made no sense.
async fn shake_hands(
    gateway: &Arc<Gateway>,
    socket: &mut Stranger,
    peer: Peer,
) -> Result<Welcome, (Close, bool)> {
    let gone = |_| (Close::Done, false);
    let nonce = unique().map_err(|problem| (Close::Policy(problem.message), false))?;
    let challenge = Challenge { nonce: nonce.clone(), ts: gateway.now_ms(), capabilities: Vec::new() };
    let name = Event::Challenge.as_str();
    let frame = json!({ "type": "event", "event": name, "payload": challenge }).to_string();
    socket.send(Message::text(frame)).await.map_err(gone)?;
    let request = first_request(socket).await?;
    let id = request.id.clone();
    let gateway = Arc::clone(gateway);
    // Reads and writes the list of devices and the configuration.
    let decided = tokio::task::spawn_blocking(move || {
        if request.method.as_str() != "connect" {
            return Err(TurnedAway::not_connect());
        }
        let params = handshake::read(request.params)?;
        let admitted = handshake::admit(&gateway, peer, &params, &nonce)?;
        Ok(welcome(&gateway, &request.id, params, admitted))
    });
    match decided.await {
        Ok(Ok(Some(welcome))) => {
            // What the socket itself still has to say, such as a pong.
            socket.flush().await.map_err(gone)?;
            Ok(welcome)
        }
        Ok(Ok(None)) => Err((Close::Restart, false)),
        Ok(Err(TurnedAway { error, close })) => {
            let reply = refused(id.as_str(), &error);
            socket.send(Message::text(reply)).await.map_err(gone)?;
            Err((close, false))
        }
        Err(error) => Err((Close::Policy(format!("the handshake failed: {error}")), false)),
    }
}

async fn first_request(socket: &mut Stranger) -> Result<Request, (Close, bool)> {
    loop {
        let text = match socket.next().await {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Binary(_))) => return Err((Close::Binary, false)),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => continue,
            Some(Ok(Message::Close(_))) | None => return Err((Close::Done, false)),
            Some(Err(error)) => return Err((broken(&error), true)),
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

/// How a socket is closed whose bytes make no sense.
fn broken(error: &Error) -> Close {
    match error {
        Error::Capacity(_) => Close::TooLarge,
        Error::Io(error) if error.get_ref().is_some_and(|inner| inner.is::<Shut>()) => Close::TooLarge,
        Error::Utf8(_) => Close::NotText,
        Error::Protocol(_) => Close::Protocol(error.to_string()),
        _ => Close::Done,
    }
}

/// Requests, replies and events, until either side has enough.
async fn converse(gateway: Arc<Gateway>, socket: Socket, welcome: Welcome) {
    let Welcome { joined, first } = welcome;
    let member = Arc::clone(&joined.member);
    member.outbound.begin_with(first);
    // It may have been let in by what was replaced or taken back before it joined.
    if let Some(why) = member.shut_out(&gateway.access) {
        member.outbound.close_now(why);
    } else if member.presence.device_id.is_some() && member.revocations < gateway.devices.revocations() {
        // Perhaps it was another device's: this one comes in again.
        member.outbound.close_now(Close::DeviceRevoked);
    }
    let (sink, mut stream) = socket.split();
    let mut requests = JoinSet::new();
    let mut writing = tokio::spawn(write(Arc::clone(&member), sink));
    let (written, broken) = tokio::select! {
        (close, broken) = read(&gateway, &member, &mut stream, &mut requests) => {
            member.outbound.close_now(close);
            (writing.await, broken)
        }
        written = &mut writing => (written, false),
    };
    match written {
        Ok((sink, Some(close))) => {
            if let Ok(socket) = stream.reunite(sink) {
                say_goodbye(&gateway, socket, identity, &close, broken).await;
            }
        }
        Ok((_, None)) => {}
        Err(error) => tracing::error!(%error, "a socket's writer failed"),
    }
    drop(joined);
    member.outbound.close_now(Close::Done);
    // What was begun is finished, though nobody hears of it.
    while requests.join_next().await.is_some() {}
}

/// Takes requests until the client has enough or sends what is no frame; says whether the bytes made no sense.
async fn read(
    gateway: &Arc<Gateway>,
    member: &Arc<Member>,
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
            Some(Err(error)) => return (broken(&error), true),
        };
        // Who is told goodbye is not heard any more, however slowly it takes that.
        if member.outbound.is_closing() {
            return (Close::Done, false);
        }
        match Request::parse(&text, Stage::AfterHello) {
            Ok(request) => {
                let mut answering = Box::pin(answer(Arc::clone(gateway), Arc::clone(member), request));
                // What needs no waiting is answered here: another task would cost more than the answer.
                if poll!(&mut answering).is_pending() {
                    requests.spawn(answering);
                }
            }
            Err(error) => {
                let reply = refused("invalid", &Problem::from(error).into());
                member.outbound.push(Waiting::Frame(reply));
            }
        }
    }
}

async fn answer(gateway: Arc<Gateway>, member: Arc<Member>, request: Request) {
    let Request { id, method, params } = request;
    let Some(_begun) = gateway.begin() else {
        let stopping = Problem::new(ErrorCode::Busy, "the gateway stops");
        return member.outbound.push(Waiting::Frame(refused(id.as_str(), &stopping.into())));
    };
    let only_waits = rpc::TABLE.only_waits(method.as_str());
    member.answering.fetch_add(usize::from(!only_waits), Ordering::Relaxed);
    let answering = rpc::TABLE.answer(&gateway, &member, method.as_str(), params);
    let answered = tokio::select! {
        answered = answering => answered,
        // Nothing is lost of what only waits when nobody hears the end of it.
        () = member.outbound.when_cut(), if only_waits => return,
    };
    let reply = match &answered {
        Ok(answered) => accepted(id.as_str(), answered.payload.as_str()),
        Err(failure) => refused(id.as_str(), failure.shape()),
    };
    member.outbound.push(Waiting::Frame(reply));
    // Only now begins what the answer said would.
    drop(answered);
    if !only_waits {
        member.answered(&gateway.access);
    }
    let generation = gateway.access.generation();
    if member.generation < generation {
        gateway.events.close_before(generation);
    }
    gateway.events.relieve();
}

type Sink = SplitSink<Socket, Message>;

/// Sends what waits; ends with why the socket is to be closed, or with nothing when it is broken.
async fn write(member: Arc<Member>, mut sink: Sink) -> (Sink, Option<Close>) {
    let outbound = &member.outbound;
    let mut next = outbound.try_next();
    loop {
        if let Some(Next::Send(text)) = next {
            let sent = tokio::select! {
                sent = feed(&mut sink, text) => sent,
                () = outbound.when_cut() => Ok(()),
            };
            if sent.is_err() {
                return (sink, None);
            }
            next = outbound.try_next();
            continue;
        }
        // Everything is handed over: now it has to go.
        let sent = tokio::select! {
            sent = sink.flush() => sent,
            () = outbound.when_cut() => Ok(()),
        };
        match (sent, next) {
            (Err(_), _) => return (sink, None),
            (Ok(()), Some(Next::Close(close))) => return (sink, Some(close)),
            (Ok(()), _) => next = Some(outbound.next().await),
        }
    }
}

/// Hands a frame over, a large one in parts: the socket keeps the room that its largest part took.
async fn feed(sink: &mut Sink, text: String) -> Result<(), Error> {
    if text.len() <= PART {
        return sink.feed(Message::text(text)).await;
    }
    let whole = Bytes::from(text);
    for start in (0..whole.len()).step_by(PART) {
        let end = whole.len().min(start + PART);
        let kind = OpCode::Data(if start == 0 { Data::Text } else { Data::Continue });
        let part = Frame::message(whole.slice(start..end), kind, end == whole.len());
        sink.feed(Message::Frame(part)).await?;
    }
    Ok(())
}

/// Says why, and gives the client some time to hear it: a socket that is dropped with bytes unread would take back
/// what was sent last.
async fn say_goodbye<S, R>(
    gateway: &Gateway,
    mut socket: WebSocketStream<S>,
    inner: fn(S) -> R,
    close: &Close,
    broken: bool,
) where
    S: AsyncRead + AsyncWrite + Unpin,
    R: AsyncRead + AsyncWrite + Unpin,
{
    let goodbye = async {
        if socket.close(Some(close.frame())).await.is_err() {
            return;
        }
        while !broken && matches!(socket.next().await, Some(Ok(message)) if !message.is_close()) {}
        if broken {
            // Its answer cannot be understood: the end of our side tells it to end its own.
            let (mut rest, mut scratch) = (inner(socket.into_inner()), vec![0; 16 * 1024]);
            rest.shutdown().await.ok();
            while rest.read(&mut scratch).await.is_ok_and(|read| read > 0) {}
        }
    };
    // A client that does not hear it in time is none that we wait for.
    tokio::time::timeout(gateway.limits.farewell, goodbye).await.ok();
}
