//! Approval requests over the wire: who receives and who resolves them.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::{Client, device};
use tarsus_gateway::serve::ShutdownOutcome;
use tarsus_models::Dialect;
use tarsus_test_models::{Chunk, Reply, Server as Model};

/// A model that asks for the same thing once more than it may without asking.
fn circling() -> Model {
    let call = |number: usize| Reply::answer([Chunk::call(format!("c{number}"), "agents_list", &json!({}))]);
    Model::with_replies((0..12).map(call).chain([Reply::answer([Chunk::text("Done.")])]))
}

/// A front end with these scopes.
async fn front_end(server: &Server, scopes: &[&str]) -> Client {
    let mut client = Client::expect(&server.url, &[]).await;
    client.challenge().await;
    let mut params = device::backend(&server.token);
    params["scopes"] = json!(scopes);
    let hello = client.connect(&params).await.frame();
    assert_eq!(hello["ok"], true, "{hello}");
    client
}

async fn begin(client: &mut Client, run: &str) {
    let message = json!({ "sessionKey": "agent:main:main", "message": "how many?", "idempotencyKey": run });
    client.raw_result("chat.send", &message).await;
}

async fn over(client: &mut Client, run: &str) -> Value {
    client.raw_result("agent.wait", &json!({ "runId": run, "timeoutMs": 60_000 })).await
}

const OWNER: [&str; 3] = ["operator.read", "operator.write", "operator.approvals"];

#[tokio::test]
async fn approval_request_has_its_shape_and_is_resolved_once() {
    let model = circling();
    let server = Server::with_model(&model.base_url(Dialect::OpenaiCompletions)).await;
    let mut owner = front_end(&server, &OWNER).await;
    let mut guest = front_end(&server, &["operator.read", "operator.write"]).await;
    begin(&mut owner, "a").await;
    let asked = owner.event("exec.approval.requested").await["payload"].clone();
    let request = &asked["request"];
    assert_eq!(request["command"], "agents_list {}");
    for name in ["cwd", "agentId", "sessionKey"] {
        assert!(request[name].is_string(), "{name} of {asked}");
    }
    assert!(asked["createdAtMs"].as_i64() < asked["expiresAtMs"].as_i64(), "{asked}");

    let mut back = front_end(&server, &OWNER).await;
    let waiting = back.call_ok::<approvals::List>(&NoParams {}).await;
    assert_eq!(waiting, json!({ "approvals": [asked] }), "who comes later finds it");

    let answer = |decision: &str| json!({ "id": asked["id"], "decision": decision });
    let refusal = guest.raw_error("exec.approval.resolve", &answer("allow-once")).await;
    assert_eq!(refusal, "missing scope: operator.approvals");
    let refusal = back.raw_error("exec.approval.resolve", &answer("allow-always")).await;
    assert_eq!(refusal, "allow-always is not possible here; use allow-once or deny");
    assert_eq!(back.raw_result("exec.approval.resolve", &answer("allow-once")).await, json!({ "ok": true }));
    let resolved = owner.event("exec.approval.resolved").await["payload"].clone();
    assert_eq!(
        (&resolved["id"], &resolved["decision"], &resolved["resolvedBy"]),
        (&asked["id"], &json!("allow-once"), &json!("client"))
    );
    let late = owner.raw_error("exec.approval.resolve", &answer("deny")).await;
    assert!(late.starts_with("unknown approval id"), "{late}");
    assert_eq!(over(&mut owner, "a").await["status"], "ok");
    let told = guest
        .events
        .iter()
        .any(|event| event["event"].as_str().is_some_and(|name| name.starts_with("exec.approval.")));
    assert!(!told, "who may not answer is not told");
}

#[tokio::test]
async fn without_approver_nothing_waits() {
    let model = circling();
    let server = Server::with_model(&model.base_url(Dialect::OpenaiCompletions)).await;
    // A command may answer, but only waits for its own run.
    let _command = server.client(&OWNER).await;
    let mut guest = front_end(&server, &["operator.read", "operator.write"]).await;
    begin(&mut guest, "a").await;
    assert_eq!(over(&mut guest, "a").await["status"], "ok");
    let history = guest.call_ok::<chat::History>(&chat_history("main")).await;
    let refused =
        history["messages"].as_array().unwrap().iter().rev().find(|one| one["role"] == "toolResult");
    let text = refused.unwrap()["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("no one is connected to give it"), "{text}");
}

#[tokio::test]
async fn shutdown_does_not_wait_for_approvals() {
    let model = circling();
    let server = Server::with_model(&model.base_url(Dialect::OpenaiCompletions)).await;
    let mut owner = front_end(&server, &OWNER).await;
    begin(&mut owner, "a").await;
    owner.event("exec.approval.requested").await;
    assert_eq!(server.stop().await, ShutdownOutcome::Graceful);
}
