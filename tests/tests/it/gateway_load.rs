//! The real gateway with many clients: every client gets all events in order, and memory stays bounded
//! even if one of them does not read.
#![cfg(target_os = "linux")]

use std::fs;

use tarsus_conformance::params::{agent_file, agent_file_set, agent_wait, chat_message};
use tarsus_conformance::{Client, Received, device, number};
use tarsus_protocol::rpc::{agents, chat};
use tarsus_tests::{Running, TestHome};

/// Messages; each causes seven events.
const MESSAGES: usize = 100;
/// The amount that the client which does not read requests: 400 MiB in all.
const REQUESTS: usize = 200;
const REPLY: usize = 2 << 20;
/// The memory limit: 50 MiB queued for one client, twice as much for data in flight,
/// itself and its allocator. Without a bound it would exceed the 400 MiB.
const MOST_MIB: usize = 192;

/// A hundred, or five hundred in a soak.
fn clients() -> usize {
    if std::env::var_os("TARSUS_SOAK").is_some() { 500 } else { 100 }
}

async fn connected(url: &str, token: &str, scopes: &[&str]) -> Client {
    let mut client = Client::expect(url, &[]).await;
    client.challenge().await;
    let hello = client.connect(&device::command_line(token, 4, scopes)).await.frame();
    assert_eq!(hello["ok"], true, "{hello}");
    client
}

/// Reads until the last message is answered; returns the messages seen and the numbers that were out of order.
async fn read_events(mut client: Client) -> (usize, usize) {
    let (mut messages, mut last, mut gaps) = (0, 0, 0);
    let end = format!(r#""runId":"run-{MESSAGES}""#);
    loop {
        let frame = client.receive_text().await.unwrap();
        let seq = number(&frame).unwrap();
        gaps += usize::from(seq != last + 1);
        last = seq;
        messages += usize::from(frame.contains(r#""event":"session.message""#));
        if frame.contains(&end) && frame.contains(r#""state":"final""#) {
            return (messages, gaps);
        }
    }
}

/// Requests more than the gateway queues for one client, and reads nothing until the others are done.
async fn request_without_reading(url: &str, token: &str) -> Client {
    let mut client = connected(url, token, &["operator.read", "operator.admin"]).await;
    let content = "x".repeat(REPLY);
    client.call_ok::<agents::FilesSet>(&agent_file_set("main", "MEMORY.md", &content)).await;
    let file = agent_file("main", "MEMORY.md");
    for id in 0..REQUESTS {
        let id = id.to_string();
        client.send_request::<agents::FilesGet>(&id, &file).await;
    }
    client
}

fn peak_mib(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next());
    peak.unwrap().parse::<usize>().unwrap() / 1024
}

#[test]
fn many_clients_get_events_in_order_within_bounded_memory() {
    let home = TestHome::in_memory();
    let up = Running::up(&home);
    let url = format!("ws://127.0.0.1:{}", up.port);
    let token = fs::read_to_string(home.home().token_path()).unwrap().trim().to_owned();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut reading = Vec::new();
        for _ in 0..clients() {
            reading.push(tokio::spawn(read_events(connected(&url, &token, &["operator.read"]).await)));
        }
        let mut stalled = request_without_reading(&url, &token).await;
        let mut sender = connected(&url, &token, &["operator.read", "operator.write"]).await;
        for number in 1..=MESSAGES {
            let run = format!("run-{number}");
            sender.call_ok::<chat::Send>(&chat_message("main", "/help", &run)).await;
            sender.call_ok::<chat::Wait>(&agent_wait(&run)).await;
            sender.events.clear();
        }
        for client in reading {
            assert_eq!(client.await.unwrap(), (2 * MESSAGES, 0));
        }
        let mut replies = 0;
        let end = loop {
            match stalled.receive_text().await {
                Ok(_) => replies += 1,
                Err(end) => break end,
            }
        };
        // By now the gateway may have stopped sending the reason.
        assert!(matches!(end, Received::Closed(1013, _) | Received::Gone), "{end:?}");
        assert!(replies < REQUESTS / 2, "{replies} replies waited for it");
    });
    let peak = peak_mib(up.child.id());
    assert!(peak < MOST_MIB, "{peak} MiB");
}
