//! Aborting runs, and shutdown while runs are active.

use crate::common;

use std::fs;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::{Client, Received};
use tarsus_gateway::serve::ShutdownOutcome;
use tarsus_home::files::Locked;

/// A gateway on which "open Notes" does not go on as long as what is returned is kept: it cannot be written down.
async fn held() -> (Server, Client, Locked) {
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
    let params = json!({ "sessionKey": "main", "message": message, "idempotencyKey": run });
    let sent = client.raw_result("chat.send", &params).await;
    assert_eq!(sent, json!({ "runId": run, "status": "started" }));
}

/// How a run ended for those who listen.
async fn ending(client: &mut Client, run: &str) -> Value {
    loop {
        let chat = client.event("chat").await["payload"].take();
        if chat["runId"] == run && chat["state"] != "delta" && chat["state"] != "status" {
            return chat["state"].clone();
        }
    }
}

#[tokio::test]
async fn abort_names_the_cancelled_runs() {
    let (_server, mut client, held) = held().await;
    send(&mut client, "first", "open Notes").await;
    for run in ["second", "third", "fourth"] {
        send(&mut client, run, "/help").await;
    }
    let abort = |run: &str| json!({ "sessionKey": "main", "runId": run });
    let of =
        |runs: &[&str]| json!({ "ok": true, "aborted": !runs.is_empty(), "runIds": runs, "finishing": [] });
    assert_eq!(client.raw_result("chat.abort", &abort("third")).await, of(&["third"]));
    assert_eq!(client.raw_result("chat.abort", &abort("third")).await, of(&[]));
    assert_eq!(client.raw_result("chat.abort", &abort("unknown")).await, of(&[]));
    assert_eq!(client.call_ok::<chat::Abort>(&chat_abort("other", None)).await, of(&[]));
    drop(held);
    for (run, expected) in
        [("first", "final"), ("second", "final"), ("third", "aborted"), ("fourth", "final")]
    {
        assert_eq!(ending(&mut client, run).await, expected, "{run}");
    }
    assert_eq!(client.call_ok::<chat::Wait>(&agent_wait("third")).await["status"], "error");
    let after = client.call_ok::<chat::Abort>(&chat_abort("main", None)).await;
    assert_eq!(after, of(&[]));
}

#[tokio::test]
async fn shutdown_finishes_turns_before_closing_sockets() {
    let (server, mut client, held) = held().await;
    let mut waiting = server.admin().await;
    send(&mut client, "run", "open Notes").await;
    waiting
        .send(&json!({ "type": "req", "id": "wait", "method": "agent.wait", "params": { "runId": "run" } }))
        .await;
    let stopped = tokio::spawn(server.stop());
    // Nothing new is begun from now on, and that is said.
    loop {
        let reply = client.raw_call("health", &json!({})).await;
        if reply["ok"] == false {
            assert_eq!(
                (&reply["error"]["code"], &reply["error"]["message"], &reply["error"]["retryable"]),
                (&json!("UNAVAILABLE"), &json!("the gateway is stopping"), &json!(true))
            );
            break;
        }
    }
    // Who waits is answered at once: it goes on.
    loop {
        let frame = waiting.receive().await.frame();
        if frame["type"] == "res" {
            assert_eq!((&frame["id"], &frame["payload"]["status"]), (&json!("wait"), &json!("timeout")));
            break;
        }
    }
    drop(held);
    assert_eq!(ending(&mut client, "run").await, "final");
    client.event("shutdown").await;
    assert_eq!(client.receive_end().await, Received::Closed(1012, "service restart".to_owned()));
    assert_eq!(waiting.receive_end().await, Received::Closed(1012, "service restart".to_owned()));
    assert_eq!(stopped.await.unwrap(), ShutdownOutcome::Graceful);
}
