//! A request that waits for a file lock does not delay others.

use crate::common;

use common::Server;
use serde_json::{Map, Value, json};
use tarsus_conformance::Received;
use tarsus_conformance::params::{agent_skills, audit_tail, sessions_list, skill_api_key};
use tarsus_home::files::Locked;
use tarsus_protocol::rpc::journal::{AuditLevel, AuditParams};
use tarsus_protocol::rpc::overview::HealthParams;
use tarsus_protocol::rpc::tools::{Approvals, ApprovalsParams};
use tarsus_protocol::rpc::{NoParams, agents, apps, config, journal, overview, sessions, skills, tools};
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

    // Another process holds the lock of the audit log.
    let held = Locked::take(&server.home.audit_dir().join("head.json")).unwrap();
    waiting.send_request::<skills::Update>("skills.update", &skill_api_key("forecast", "k")).await;
    waiting.send_request::<apps::Create>("apps.create", &NoParams {}).await;
    let agents = json!({ "main": { "ask": "always" } }).as_object().cloned();
    let file = Approvals { version: 1, socket: None, defaults: None, agents, others: Map::new() };
    let approvals = ApprovalsParams { file, base_hash: None };
    waiting.send_request::<tools::ApprovalsSet>("exec.approvals.set", &approvals).await;
    let stranger = tokio::spawn(status(server.port, "/healthz", "Origin: https://evil.example\r\n"));
    for _ in 0..20 {
        other.call_ok::<overview::Health>(&HealthParams { probe: None }).await;
        other.call_ok::<config::Get>(&NoParams {}).await;
        other.call_ok::<agents::List>(&NoParams {}).await;
        other.call_ok::<sessions::List>(&sessions_list()).await;
        other.call_ok::<skills::Status>(&agent_skills(None)).await;
        assert_eq!(status(server.port, "/healthz", "").await, "200");
    }
    drop(held);

    // A wait that is too long would be refused, and a record that cannot be written would be lost.
    let mut done = Vec::new();
    while done.len() < 3 {
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
        let warnings = AuditParams { level: Some(AuditLevel::Warning), ..audit_tail(None) };
        let tail = client.call_ok::<journal::AuditTail>(&warnings).await.records;
        tail.iter().map(|record| record["reason"].clone()).collect::<Vec<_>>()
    };
    // It is recorded after the response.
    while reasons(&mut other).await != [json!("origin-not-allowed")] {
        tokio::task::yield_now().await;
    }
    assert_eq!(server.gateway.context.audit.lost(), 0);
}
