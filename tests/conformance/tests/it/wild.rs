//! Invalid bytes and frames are answered or closed with the right code, and leave nothing behind.

use crate::common;

use std::collections::BTreeMap;

use common::{Server, assert_no_leak};
use serde::de::IgnoredAny;
use serde_json::Value;
use tarsus_conformance::{Client, Received};
use tarsus_protocol::rpc::overview::{Health, HealthParams};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;

/// 100,000 frames in all: `FIRST` are the first of a socket, the others are sent by four clients.
const FIRST: usize = 4_000;
const LATER: usize = 96_000;
const CLIENTS: usize = 4;
/// Frames sent together; fewer than the limit of requests in flight.
const BATCH: usize = 24;

/// A random generator with a fixed sequence.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % most
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }

    /// A valid frame, truncated or mutated, or random bytes.
    fn frame(&mut self) -> Vec<u8> {
        const SEEDS: [&str; 8] = [
            r#"{"type":"req","id":"1","method":"health","params":{}}"#,
            r#"{"type":"req","id":"é","method":"config.set","params":{"raw":"{}","baseHash":"x"}}"#,
            r#"{"type":"req","id":"1","method":"connect","params":{"minProtocol":3,"client":{"id":"cli"}}}"#,
            r#"{"type":"event","event":"tick","payload":[[[[]]]],"seq":1}"#,
            r#"{"type":"res","id":"1","ok":false,"error":{"code":"FORBIDDEN","message":"no"}}"#,
            r#"{"type":"req","id":"2","method":"chat.history","params":{"sessionKey":"agent:main:x","limit":1e99}}"#,
            r#"{"type":"req","id":"3","method":"agents.files.get","params":{"agentId":"main","name":"../AGENTS.md"}}"#,
            r#"{"type":"req","id":"4","method":"no.such","params":[null,true,-0.0,"\u0000\ud83d\ude00"]}"#,
        ];
        if self.below(20) == 0 {
            let length = self.below(200);
            return (0..length).map(|_| self.byte()).collect();
        }
        let mut bytes = SEEDS[self.below(SEEDS.len())].as_bytes().to_vec();
        for _ in 0..self.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = self.below(bytes.len());
            match self.below(4) {
                0 => bytes.truncate(at),
                1 => bytes[at] = self.byte(),
                2 => bytes.insert(at, br#"[]{}",:0\"#[self.below(9)]),
                _ => bytes.extend_from_within(at..),
            }
        }
        bytes
    }

    fn message(&mut self) -> Message {
        match String::from_utf8(self.frame()) {
            Ok(text) => Message::text(text),
            Err(bytes) => Message::binary(bytes.into_bytes()),
        }
    }
}

/// The kind of a message by the protocol's definition, independent of the code under test.
#[derive(Debug, Clone, PartialEq)]
enum Kind {
    Binary,
    NotJson,
    NotARequest,
    Request { id: String, method: String },
}

fn kind(message: &Message) -> Kind {
    let Message::Text(text) = message else { return Kind::Binary };
    if serde_json::from_str::<IgnoredAny>(text).is_err() {
        return Kind::NotJson;
    }
    // Half of a surrogate pair is valid JSON by the grammar, but not a valid string.
    let Ok(value) = serde_json::from_str::<Value>(text) else { return Kind::NotARequest };
    let name = |key: &str| {
        let name = value[key].as_str().filter(|name| (1..=256).contains(&name.chars().count()));
        name.map(str::to_owned)
    };
    let known = ["type", "id", "method", "params"];
    let strangers =
        value.as_object().map_or(1, |all| all.keys().filter(|key| !known.contains(&key.as_str())).count());
    match (value["type"] == "req" && strangers == 0, name("id"), name("method")) {
        (true, Some(id), Some(method)) => Kind::Request { id, method },
        _ => Kind::NotARequest,
    }
}

/// The expected reaction to a first message: the start of the reply, if any, and the close code.
fn expected(kind: &Kind) -> (Option<&'static str>, u16) {
    match kind {
        Kind::Binary => (None, 1003),
        Kind::NotJson => (None, 1000),
        Kind::NotARequest => (None, 1008),
        Kind::Request { method, .. } if method == "connect" => (Some("invalid connect params: "), 1008),
        Kind::Request { .. } => (Some("invalid handshake: first request must be connect"), 1008),
    }
}

async fn first_frames(server: &Server, seed: u64, number: usize) -> BTreeMap<u16, usize> {
    let mut random = Random(seed);
    let mut codes = BTreeMap::new();
    for _ in 0..number {
        let mut client = Client::expect(&server.url, &[]).await;
        client.challenge().await;
        let message = random.message();
        client.send_message(message.clone()).await;
        let kind = kind(&message);
        let (reply, code) = expected(&kind);
        if let Some(beginning) = reply {
            let reply = client.receive().await.frame();
            let Kind::Request { id, .. } = &kind else { unreachable!() };
            let message_text = reply["error"]["message"].as_str().unwrap_or_default();
            assert!(
                reply["id"] == id.as_str() && message_text.starts_with(beginning),
                "{message:?}: {reply}"
            );
        }
        match client.receive().await {
            Received::Closed(actual, _) if actual == code => *codes.entry(code).or_default() += 1,
            other => panic!("{message:?} is {kind:?}, received {other:?}"),
        }
    }
    codes
}

/// Sends frames in batches: each is answered once, under its own id where it has one.
async fn later_frames(server: &Server, seed: u64, number: usize) -> usize {
    let mut random = Random(seed);
    let (mut client, mut requests) = (server.admin().await, 0);
    let mut left = number;
    while left > 0 {
        let batch = left.min(BATCH);
        left -= batch;
        let mut open: Vec<String> = Vec::new();
        for _ in 0..batch {
            let text = String::from_utf8_lossy(&random.frame()).into_owned();
            let message = Message::text(text);
            match kind(&message) {
                Kind::Request { id, .. } => {
                    requests += 1;
                    open.push(id);
                }
                _ => open.push("invalid".to_owned()),
            }
            client.send_message(message).await;
        }
        while !open.is_empty() {
            let frame = client.receive().await.frame();
            if frame["type"] == "res" {
                let place = open.iter().position(|id| frame["id"] == id.as_str());
                open.swap_remove(place.unwrap_or_else(|| panic!("no request matches {frame}")));
            }
        }
    }
    client.call_ok::<Health>(&HealthParams { probe: None }).await;
    client.close().await;
    requests
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_first_frames_are_closed_with_their_code() {
    let server = Server::start().await;
    let before = common::idle_usage(&server).await;
    let (codes, more) =
        tokio::join!(first_frames(&server, 5, FIRST / 2), first_frames(&server, 6, FIRST / 2));
    for code in [1000, 1003, 1008] {
        let number = codes.get(&code).unwrap_or(&0) + more.get(&code).unwrap_or(&0);
        assert!(number > FIRST / 100, "only {number} sockets were closed with {code}");
    }
    assert_no_leak(&server, before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_frames_after_hello_get_one_reply_each() {
    let server = Server::start().await;
    let before = common::idle_usage(&server).await;
    let (a, b, c, d) = tokio::join!(
        later_frames(&server, 1, LATER / CLIENTS),
        later_frames(&server, 2, LATER / CLIENTS),
        later_frames(&server, 3, LATER / CLIENTS),
        later_frames(&server, 4, LATER / CLIENTS),
    );
    let requests = a + b + c + d;
    assert!((LATER / 10..LATER * 9 / 10).contains(&requests), "{requests} of {LATER} were requests");
    assert_no_leak(&server, before).await;
    assert_eq!(server.gateway.events.queued_bytes(), 0);
}

/// The bytes of one WebSocket frame of a client, whose mask changes nothing.
fn raw(first: u8, masked: bool, length: usize, payload: &[u8]) -> Vec<u8> {
    let mask = if masked { 0x80 } else { 0 };
    let mut bytes = vec![first];
    match u16::try_from(length) {
        Ok(short) if short < 126 => bytes.push(mask | u8::try_from(short).unwrap()),
        Ok(long) => {
            bytes.push(mask | 126);
            bytes.extend(long.to_be_bytes());
        }
        Err(_) => {
            bytes.push(mask | 127);
            bytes.extend((length as u64).to_be_bytes());
        }
    }
    if masked {
        bytes.extend([0; 4]);
    }
    bytes.extend(payload);
    bytes
}

/// A raw connection after the upgrade and the challenge.
async fn upgraded(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let head = format!(
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        server.port
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"}}") {
        assert_ne!(stream.read_buf(&mut bytes).await.unwrap(), 0, "{}", String::from_utf8_lossy(&bytes));
    }
    assert!(bytes.starts_with(b"HTTP/1.1 101 "), "{}", String::from_utf8_lossy(&bytes));
    stream
}

/// The code of the final close frame.
async fn close_code(mut stream: TcpStream) -> Option<u16> {
    let mut rest = Vec::new();
    // A reset after the close frame counts as an end.
    while stream.read_buf(&mut rest).await.is_ok_and(|read| read > 0) {
        if let [0x88, _, high, low, ..] = rest.as_slice() {
            return Some(u16::from_be_bytes([*high, *low]));
        }
    }
    None
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invalid_websocket_bytes_are_closed_with_their_code() {
    let server = Server::start().await;
    let before = common::idle_usage(&server).await;
    let hello = br#"{"hello":"world"}"#;
    let table = [
        ("a frame without a mask", raw(0x81, false, hello.len(), hello), 1002),
        ("a reserved bit", raw(0xC1, true, hello.len(), hello), 1002),
        ("an unknown opcode", raw(0x83, true, 0, b""), 1002),
        ("a ping in two parts", raw(0x09, true, 0, b""), 1002),
        ("a ping that is too long", raw(0x89, true, 126, &[0; 126]), 1002),
        ("a part without a beginning", raw(0x80, true, 1, b"x"), 1002),
        ("a text that is not UTF-8", raw(0x81, true, 2, &[0xC3, 0x28]), 1007),
        ("a frame of an exabyte", raw(0x81, true, 1 << 60, b""), 1009),
        ("a frame beyond 64 KiB from a stranger", raw(0x81, true, (64 << 10) + 1, b""), 1009),
        ("a frame beyond 25 MiB", raw(0x81, true, (25 << 20) + 1, b""), 1009),
        ("no frame in JSON", raw(0x81, true, hello.len(), hello), 1008),
        ("bytes", raw(0x82, true, hello.len(), hello), 1003),
    ];
    for (case, bytes, expected) in table {
        let mut stream = upgraded(&server).await;
        stream.write_all(&bytes).await.unwrap();
        assert_eq!(close_code(stream).await, Some(expected), "{case}");
    }
    // More fragments than are read before authentication.
    let mut stream = upgraded(&server).await;
    for part in 0..70 {
        let first = if part == 0 { 0x01 } else { 0x00 };
        if stream.write_all(&raw(first, true, 1024, &[b' '; 1024])).await.is_err() {
            break;
        }
    }
    assert_eq!(close_code(stream).await, Some(1009), "a message in many parts");
    assert_no_leak(&server, before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn truncated_and_corrupt_frames_leave_nothing_behind() {
    let server = Server::start().await;
    let before = common::idle_usage(&server).await;
    let mut random = Random(9);
    for round in 0..1_000 {
        let mut stream = upgraded(&server).await;
        let payload = random.frame();
        let mut bytes = raw(0x81, true, payload.len(), &payload);
        if round % 2 == 0 {
            bytes.truncate(random.below(bytes.len()));
            stream.write_all(&bytes).await.unwrap();
            // Disconnect in the middle of the frame.
            drop(stream);
        } else {
            for _ in 0..3 {
                let at = random.below(bytes.len().min(16));
                bytes[at] = random.byte();
            }
            stream.write_all(&bytes).await.unwrap();
            stream.shutdown().await.unwrap();
            match close_code(stream).await {
                // The rest may be a valid frame, an invalid one, or an incomplete one.
                None | Some(1000 | 1002 | 1003 | 1007 | 1008 | 1009) => {}
                other => panic!("{bytes:?}: {other:?}"),
            }
        }
    }
    assert_no_leak(&server, before).await;
    server.admin().await.call_ok::<Health>(&HealthParams { probe: None }).await;
}

#[tokio::test]
async fn oversized_frame_is_1009_and_binary_frame_is_1003() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    client.send_message(Message::text("x".repeat((25 << 20) + 1))).await;
    assert!(matches!(client.receive_end().await, Received::Closed(1009, _)));
    let mut client = server.admin().await;
    client.send_message(Message::binary(vec![0; 8])).await;
    assert!(matches!(client.receive_end().await, Received::Closed(1003, _)));
}
