//! Aborting runs, and shutdown while runs are active.

use crate::common;

use std::fs;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::params::{agent_wait, chat_abort, chat_message};
use tarsus_conformance::{Client, Received};
use tarsus_gateway::serve::ShutdownOutcome;
use tarsus_home::files::Locked;
use tarsus_protocol::error::RpcCode;
use tarsus_protocol::rpc::CallError;
use tarsus_protocol::rpc::chat::{self, ChatAborted, ChatSendStatus, ChatSent, RunStatus};
use tarsus_protocol::rpc::overview::{Health, HealthParams};

/// A gateway on which "open Notes" waits for the returned audit lock.
async fn server_with_held_lock() -> (Server, Client, Locked) {
    let server = Server::start().await;
    let registry = server.home.state_dir().join("registries").join("application_registry.json");
    fs::create_dir_all(registry.parent().unwrap()).unwrap();
    let entry = json!({ "launch_path": "/nowhere/notes", "mode": "full", "allowed_agents": [] });
    fs::write(registry, json!({ "Notes": entry }).to_string()).unwrap();
    let client = server.admin().await;
    let held = Locked::take(&server.home.audit_dir().join("head.json")).unwrap();
    (server, client, held)
}

async fn send(client: &mut Client, run: &str, message: &str) {
    let sent = client.call_ok::<chat::Send>(&chat_message("main", message, run)).await;
    assert_eq!(sent, ChatSent { run_id: run.to_owned(), status: ChatSendStatus::Started });
}

/// The final state in the published `chat` events of a run.
async fn final_state(client: &mut Client, run: &str) -> Value {
    loop {
        let chat = client.event("chat").await["payload"].take();
        if chat["runId"] == run && chat["state"] != "delta" && chat["state"] != "status" {
            return chat["state"].clone();
        }
    }
}

#[tokio::test]
async fn abort_names_the_cancelled_runs() {
    let (_server, mut client, held) = server_with_held_lock().await;
    send(&mut client, "first", "open Notes").await;
    for run in ["second", "third", "fourth"] {
        send(&mut client, run, "/help").await;
    }
    let abort = |run: &str| chat_abort("main", Some(run));
    let aborted = |runs: &[&str]| ChatAborted {
        ok: true,
        aborted: !runs.is_empty(),
        run_ids: runs.iter().map(|run| (*run).to_owned()).collect(),
        finishing: Vec::new(),
    };
    assert_eq!(client.call_ok::<chat::Abort>(&abort("third")).await, aborted(&["third"]));
    assert_eq!(client.call_ok::<chat::Abort>(&abort("third")).await, aborted(&[]));
    assert_eq!(client.call_ok::<chat::Abort>(&abort("unknown")).await, aborted(&[]));
    assert_eq!(client.call_ok::<chat::Abort>(&chat_abort("other", None)).await, aborted(&[]));
    drop(held);
    for (run, expected) in
        [("first", "final"), ("second", "final"), ("third", "aborted"), ("fourth", "final")]
    {
        assert_eq!(final_state(&mut client, run).await, expected, "{run}");
    }
    assert_eq!(client.call_ok::<chat::Wait>(&agent_wait("third")).await.status, RunStatus::Error);
    let after = client.call_ok::<chat::Abort>(&chat_abort("main", None)).await;
    assert_eq!(after, aborted(&[]));
}

#[tokio::test]
async fn shutdown_finishes_turns_before_closing_sockets() {
    let (server, mut client, held) = server_with_held_lock().await;
    let mut waiting = server.admin().await;
    send(&mut client, "run", "open Notes").await;
    waiting.send_request::<chat::Wait>("wait", &agent_wait("run")).await;
    let stopped = tokio::spawn(server.stop());
    // No new request is accepted from now on.
    loop {
        if let Err(error) = client.call::<Health>(&HealthParams { probe: None }).await {
            let CallError::Refused(error) = error else { panic!("{error}") };
            assert_eq!(
                (&error.code, error.message.as_str(), error.retryable),
                (&RpcCode::Unavailable.into(), "the gateway is stopping", Some(true))
            );
            break;
        }
    }
    // A waiting client is answered at once: the run continues.
    loop {
        let frame = waiting.receive().await.frame();
        if frame["type"] == "res" {
            assert_eq!((&frame["id"], &frame["payload"]["status"]), (&json!("wait"), &json!("timeout")));
            break;
        }
    }
    drop(held);
    assert_eq!(final_state(&mut client, "run").await, "final");
    client.event("shutdown").await;
    assert_eq!(client.receive_end().await, Received::Closed(1012, "service restart".to_owned()));
    assert_eq!(waiting.receive_end().await, Received::Closed(1012, "service restart".to_owned()));
    assert_eq!(stopped.await.unwrap(), ShutdownOutcome::Graceful);
}
