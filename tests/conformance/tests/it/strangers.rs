//! Clients without a token are closed after a short time, and known ones share a bound on the bodies that they send.

use crate::common;

use std::time::Duration;

use common::{Server, assert_no_leak};
use tarsus_conformance::Device;
use tarsus_conformance::strangers::Strangers;
use tarsus_gateway::limits::Limits;
use tarsus_protocol::rpc::overview::{Health, HealthParams};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Strangers of every kind.
const STRANGERS: usize = 40;
const HOUR: Duration = Duration::from_secs(3_600);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_stranger_is_closed_when_its_time_is_over() {
    // Enough for a client that authenticates, on a busy machine too.
    let authentication = Duration::from_secs(3);
    let server = Server::with("{}", Limits { authentication, ..Limits::DEFAULT }).await;
    let before = common::idle_usage(&server).await;
    let mut strangers = Strangers::connect(server.port, STRANGERS).await;
    // They go on as long as they can.
    while strangers.count_open() > 0 {
        strangers.push();
        tokio::task::yield_now().await;
    }
    drop(strangers);
    assert_no_leak(&server, before).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn newer_strangers_take_the_slots_of_older_ones() {
    let limits = Limits { unauthenticated_connections: 4, authentication: HOUR, ..Limits::DEFAULT };
    let server = Server::with("{}", Limits { request_head: HOUR, ..limits }).await;
    let mut known = server.admin().await;
    let strangers = Strangers::connect(server.port, STRANGERS).await;
    // Each of these is a stranger at first, too.
    let (page, _) = server.page(&Device::numbered(1), &server.token).await;
    while strangers.count_open() > limits.unauthenticated_connections {
        known.call_ok::<Health>(&HealthParams { probe: None }).await;
    }
    page.close().await;
}

/// The beginning of a request with a body of this size, by a client with the token.
async fn begin_request(server: &Server, body: usize) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\n\
         Content-Length: {body}\r\nConnection: close\r\n\r\n",
        server.port, server.token
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

/// The status of a request with a body of this size, which is not JSON.
async fn status(server: &Server, body: usize) -> String {
    let mut stream = begin_request(server, body).await;
    // A response may come before the end of the body.
    stream.write_all(&vec![b'x'; body]).await.ok();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.ok();
    String::from_utf8_lossy(&answer).split(' ').nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn bodies_beyond_the_shared_bound_are_refused_with_503() {
    let server = Server::with("{}", Limits { all_body_bytes: 50_000, ..Limits::DEFAULT }).await;
    assert_eq!(status(&server, 40_000).await, "400", "alone it fits, and is not valid");
    let unfinished = loop {
        let mut unfinished = begin_request(&server, 30_000).await;
        unfinished.write_all(&vec![b'x'; 29_999]).await.unwrap();
        // The other way round, if these bytes arrive too late.
        if status(&server, 40_000).await == "503" {
            break unfinished;
        }
    };
    assert_eq!(status(&server, 1_000).await, "400", "a small one still fits");
    drop(unfinished);
    while status(&server, 40_000).await != "400" {}
}
