//! Load: many clients, slow clients and request limits.

use crate::common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{Server, assert_no_leak};
use serde_json::{Map, json};
use tarsus_conformance::params::{agent_file, agent_file_set};
use tarsus_conformance::{Client, Device, Received, number};
use tarsus_gateway::events::Events;
use tarsus_gateway::limits::Limits;
use tarsus_home::files::Locked;
use tarsus_protocol::event::Event;
use tarsus_protocol::rpc::overview::{Health, HealthParams};
use tarsus_protocol::rpc::tools::{Approvals, ApprovalsParams};
use tarsus_protocol::rpc::{NoParams, agents, apps, tools};

/// Clients that read, and events for each of them: 200,000 in all.
const CLIENTS: usize = 100;
const EVENTS: usize = 2_000;

/// Bytes queued for one client before it counts as stalled, and for all readers before the next event is published.
const STALLED: usize = 4 << 20;
const READERS: usize = 1 << 20;
/// Size of a reply to the stalled client.
const REPLY: usize = 2 << 20;

/// Reads until the last event; returns the number of events and of gaps in their sequence.
async fn read_events(mut client: Client) -> (usize, usize) {
    let (mut events, mut last, mut gaps) = (0, 0, 0);
    let end = format!(r#""payload":{{"ts":{EVENTS}}}"#);
    loop {
        let frame = client.receive_text().await.unwrap();
        let Some(seq) = number(&frame) else { continue };
        gaps += usize::from(seq != last + 1);
        last = seq;
        events += usize::from(frame.contains(r#""event":"tick""#));
        if frame.contains(&end) {
            return (events, gaps);
        }
    }
}

/// The peak of the bytes queued for all clients, polled by its own thread.
fn watch_peak(events: &Arc<Events>) -> Arc<AtomicUsize> {
    let peak = Arc::new(AtomicUsize::new(0));
    let (watched, events) = (Arc::downgrade(&peak), Arc::clone(events));
    std::thread::spawn(move || {
        while let Some(peak) = watched.upgrade() {
            peak.fetch_max(events.queued_bytes(), Ordering::Relaxed);
            std::thread::yield_now();
        }
    });
    peak
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_have_no_gaps_and_a_stalled_client_is_1013() {
    let limits = Limits { waiting_bytes: STALLED, farewell: Duration::from_secs(60), ..Limits::DEFAULT };
    let server = Server::with("{}", limits).await;
    let mut reading = Vec::new();
    for _ in 0..CLIENTS {
        reading.push(tokio::spawn(read_events(server.client(&["operator.read"]).await)));
    }
    // This client requests more than the system buffers, and does not read.
    let mut stalled = server.admin().await;
    let large = agent_file_set("main", "MEMORY.md", &"x".repeat(REPLY));
    stalled.call_ok::<agents::FilesSet>(&large).await;
    let peak = watch_peak(&server.gateway.events);
    let file = agent_file("main", "MEMORY.md");
    for id in 0..16 {
        let id = id.to_string();
        stalled.send_request::<agents::FilesGet>(&id, &file).await;
    }
    for number in 1..=EVENTS {
        server.gateway.events.publish(Event::Tick, &json!({ "ts": number }));
        // No faster than the readers: little is queued for them, and the queue of the stalled client is dropped.
        while server.gateway.events.queued_bytes() > READERS {
            tokio::task::yield_now().await;
        }
    }
    for client in reading {
        assert_eq!(client.await.unwrap(), (EVENTS, 0));
    }
    assert_eq!(stalled.receive_end().await, Received::Closed(1013, "slow consumer".to_owned()));
    assert_eq!(server.gateway.events.queued_bytes(), 0);
    let peak = peak.load(Ordering::Relaxed);
    assert!((1..STALLED + REPLY + 2 * READERS).contains(&peak), "{peak} bytes were queued at once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_connects_leak_no_descriptors_or_tasks() {
    let server = Server::start().await;
    let devices: Vec<Device> = (0..10).map(Device::numbered).collect();
    for device in &devices {
        let (client, hello) = server.page(device, &server.token).await;
        assert_eq!(hello["ok"], true);
        client.close().await;
    }
    let before = common::idle_usage(&server).await;
    let known = std::fs::read(server.home.own_dir().join("devices.json")).unwrap();
    let connects = async |mine: &[Device]| {
        for number in 0..1_000 {
            let (client, hello) = server.page(&mine[number % mine.len()], &server.token).await;
            assert_eq!(hello["ok"], true);
            client.close().await;
        }
    };
    tokio::join!(connects(&devices[..5]), connects(&devices[5..]));
    assert_no_leak(&server, before).await;
    assert_eq!(
        std::fs::read(server.home.own_dir().join("devices.json")).unwrap(),
        known,
        "nothing is written"
    );
}

/// The id of the next reply.
async fn next_reply(client: &mut Client) -> String {
    loop {
        let frame = client.receive().await.frame();
        if frame["type"] == "res" {
            assert_eq!(frame["ok"], true, "{frame}");
            return frame["id"].as_str().unwrap().to_owned();
        }
    }
}

#[tokio::test]
async fn requests_beyond_the_limit_wait_for_earlier_ones() {
    let server = Server::with("{}", Limits { requests_in_flight: 2, workers: 1, ..Limits::DEFAULT }).await;
    let mut client = server.admin().await;
    // Both changes wait for the audit log, which another process has locked.
    let held = Locked::take(&server.home.audit_dir().join("head.json")).unwrap();
    let agents = json!({ "main": { "ask": "always" } }).as_object().cloned();
    let file = Approvals { version: 1, socket: None, defaults: None, agents, others: Map::new() };
    client.send_request::<apps::Create>("apps.create", &NoParams {}).await;
    let approvals = ApprovalsParams { file, base_hash: None };
    client.send_request::<tools::ApprovalsSet>("exec.approvals.set", &approvals).await;
    client.send_request::<Health>("health", &HealthParams { probe: None }).await;
    // Without a limit `health` would be answered at once, as it is for another client.
    let mut other = server.admin().await;
    for _ in 0..50 {
        other.call_ok::<Health>(&HealthParams { probe: None }).await;
    }
    let early = tokio::time::timeout(Duration::ZERO, next_reply(&mut client)).await;
    assert_eq!(early.ok(), None);
    drop(held);
    let mut replies = Vec::new();
    for _ in 0..3 {
        replies.push(next_reply(&mut client).await);
    }
    assert_ne!(replies[0], "health", "{replies:?}");

    for id in 0..200 {
        // Raw: parameters may be absent.
        client.send(&json!({ "type": "req", "id": id.to_string(), "method": "health" })).await;
    }
    let mut answered = std::collections::BTreeSet::new();
    while answered.len() < 200 {
        assert!(answered.insert(next_reply(&mut client).await));
    }
}
