//! A request that waits for a file lock does not delay others.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::Received;
use tarsus_home::files::Locked;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The status of a request with this header line beside Host.
async fn status(port: u16, path: &str, header: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{header}Connection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn held_audit_lock_delays_only_recorded_requests() {
    let server = Server::start().await;
    let needs = json!({ "openclaw": { "primaryEnv": "KEY", "requires": { "env": ["KEY"] } } });
    server.put_skill("forecast", &needs);
    let mut waiting = server.admin().await;
    waiting.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    let mut other = server.admin().await;

    // Another process that writes to the chain, and takes its time.
    let held = Locked::take(&server.home.audit_dir().join("head.json")).unwrap();
    let changes = [
        ("skills.update", json!({ "skillKey": "forecast", "apiKey": "k" })),
        ("apps.create", json!({})),
        (
            "exec.approvals.set",
            json!({ "file": { "version": 1, "agents": { "main": { "ask": "always" } } } }),
        ),
    ];
    for (method, params) in &changes {
        waiting.send(&json!({ "type": "req", "id": method, "method": method, "params": params })).await;
    }
    let stranger = tokio::spawn(status(server.port, "/healthz", "Origin: https://evil.example\r\n"));
    for _ in 0..20 {
        for method in ["health", "config.get", "agents.list", "sessions.list", "skills.status"] {
            other.raw_result(method, &json!({})).await;
        }
        assert_eq!(status(server.port, "/healthz", "").await, "200");
    }
    drop(held);

    // Whoever had waited too long would have been refused, and a record that nobody could write would be lost.
    let mut done = Vec::new();
    while done.len() < changes.len() {
        match waiting.receive().await {
            Received::Frame(frame) if frame["type"] == "event" => {}
            Received::Frame(frame) => done.push((frame["id"].clone(), frame["ok"].clone())),
            end => panic!("{end:?}"),
        }
    }
    done.sort_by_key(|(id, _)| id.to_string());
    let expected: Vec<(Value, Value)> =
        ["apps.create", "exec.approvals.set", "skills.update"].map(|id| (json!(id), json!(true))).into();
    assert_eq!(done, expected);
    assert_eq!(stranger.await.unwrap(), "403");
    let reasons = async |client: &mut tarsus_conformance::Client| {
        let tail = client.raw_result("audit.tail", &json!({ "level": "warning" })).await.records;
        tail.as_array().unwrap().iter().map(|record| record["reason"].clone()).collect::<Vec<_>>()
    };
    // Written down after the answer.
    while reasons(&mut other).await != [json!("origin-not-allowed")] {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.gateway.context.audit.lost(), 0);
}
