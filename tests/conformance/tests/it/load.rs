//! Load: many clients, slow clients and request limits.

use crate::common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{Server, settled};
use serde_json::json;
use tarsus_conformance::{Client, Device, Received, number};
use tarsus_gateway::events::Events;
use tarsus_gateway::limits::Limits;
use tarsus_home::files::Locked;
use tarsus_protocol::event::Event;

/// Clients that read, and events that each of them is told: 200,000 in all.
const CLIENTS: usize = 100;
const EVENTS: usize = 2_000;

/// What waits for a client before it counts as stalled, and for the readers together before the next event is told.
const STALLED: usize = 4 << 20;
const READERS: usize = 1 << 20;
/// A reply that the stalled client asks for.
const REPLY: usize = 2 << 20;

/// Reads until the last event, and says how many events came and how many numbers were out of order.
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

/// The most that ever waited for all clients, looked at all the time from a thread of its own.
fn watch_most(events: &Arc<Events>) -> Arc<AtomicUsize> {
    let most = Arc::new(AtomicUsize::new(0));
    let (watched, events) = (Arc::downgrade(&most), Arc::clone(events));
    std::thread::spawn(move || {
        while let Some(most) = watched.upgrade() {
            most.fetch_max(events.queued_bytes(), Ordering::Relaxed);
            std::thread::yield_now();
        }
    });
    most
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_have_no_gaps_and_a_stalled_client_is_1013() {
    let limits = Limits { waiting_bytes: STALLED, farewell: Duration::from_secs(60), ..Limits::DEFAULT };
    let server = Server::with("{}", limits).await;
    let mut reading = Vec::new();
    for _ in 0..CLIENTS {
        reading.push(tokio::spawn(read_events(server.client(&["operator.read"]).await)));
    }
    // This one asks for more than the system keeps for it, and does not read.
    let mut stalled = server.admin().await;
    let large = json!({ "agentId": "main", "name": "MEMORY.md", "content": "x".repeat(REPLY) });
    stalled.raw_result("agents.files.set", &large).await;
    let most = watch_most(&server.gateway.events);
    let asked = json!({ "agentId": "main", "name": "MEMORY.md" });
    for id in 0..16 {
        let id = id.to_string();
        stalled
            .send(&json!({ "type": "req", "id": id, "method": "agents.files.get", "params": asked }))
            .await;
    }
    for number in 1..=EVENTS {
        server.gateway.events.publish(Event::Tick, &json!({ "ts": number }));
        // As fast as readers read: what waits for them is small, and what waits for the stalled one is dropped.
        while server.gateway.events.queued_bytes() > READERS {
            tokio::task::yield_now().await;
        }
    }
    for client in reading {
        assert_eq!(client.await.unwrap(), (EVENTS, 0));
    }
    assert_eq!(stalled.receive_end().await, Received::Closed(1013, "slow consumer".to_owned()));
    assert_eq!(server.gateway.events.queued_bytes(), 0);
    let most = most.load(Ordering::Relaxed);
    assert!((1..STALLED + REPLY + 2 * READERS).contains(&most), "{most} bytes waited at once");
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
    let before = common::held(&server).await;
    let known = std::fs::read(server.home.own_dir().join("devices.json")).unwrap();
    let connects = async |mine: &[Device]| {
        for number in 0..1_000 {
            let (client, hello) = server.page(&mine[number % mine.len()], &server.token).await;
            assert_eq!(hello["ok"], true);
            client.close().await;
        }
    };
    tokio::join!(connects(&devices[..5]), connects(&devices[5..]));
    settled(&server, before).await;
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
    let file = json!({ "version": 1, "agents": { "main": { "ask": "always" } } });
    let requests =
        [("apps.create", json!({})), ("exec.approvals.set", json!({ "file": file })), ("health", json!({}))];
    // Both changes wait for the audit chain, which another process holds.
    let held = Locked::take(&server.home.audit_dir().join("head.json")).unwrap();
    for (method, params) in &requests {
        client.send(&json!({ "type": "req", "id": method, "method": method, "params": params })).await;
    }
    // Without a limit `health` would be answered at once, as it is for another client again and again.
    let mut other = server.admin().await;
    for _ in 0..50 {
        other.call_ok::<overview::Health>(&HealthParams { probe: None }).await;
    }
    let early = tokio::time::timeout(Duration::ZERO, next_reply(&mut client)).await;
    assert_eq!(early.ok(), None);
    drop(held);
    let mut replies = Vec::new();
    for _ in &requests {
        replies.push(next_reply(&mut client).await);
    }
    assert_ne!(replies[0], "health", "{replies:?}");

    for id in 0..200 {
        client.send(&json!({ "type": "req", "id": id.to_string(), "method": "health" })).await;
    }
    let mut answered = std::collections::BTreeSet::new();
    while answered.len() < 200 {
        assert!(answered.insert(next_reply(&mut client).await));
    }
}
