//! Approval requests over the wire: who receives and who resolves them.

use crate::common;

use common::Server;
use serde_json::json;
use tarsus_conformance::params::{agent_wait, chat_history, chat_message};
use tarsus_conformance::{Client, device};
use tarsus_gateway::serve::ShutdownOutcome;
use tarsus_models::Dialect;
use tarsus_protocol::approval::{Approval, ApprovalDecision};
use tarsus_protocol::message::Role;
use tarsus_protocol::rpc::approvals::{ApprovalResolveParams, ApprovalResolveResult};
use tarsus_protocol::rpc::chat::{AgentWaitParams, RunStatus};
use tarsus_protocol::rpc::{NoParams, approvals, chat};
use tarsus_test_models::{Chunk, Reply, Server as Model};

/// A model that repeats the same tool call until it needs an approval.
fn repeating_model() -> Model {
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

async fn start_run(client: &mut Client, run: &str) {
    client.call_ok::<chat::Send>(&chat_message("agent:main:main", "how many?", run)).await;
}

async fn wait_for_run(client: &mut Client, run: &str) -> RunStatus {
    let params = AgentWaitParams { timeout_ms: Some(60_000), ..agent_wait(run) };
    client.call_ok::<chat::Wait>(&params).await.status
}

const OWNER: [&str; 3] = ["operator.read", "operator.write", "operator.approvals"];

#[tokio::test]
async fn approval_request_has_its_shape_and_is_resolved_once() {
    let model = repeating_model();
    let server = Server::with_model(&model.base_url(Dialect::OpenaiCompletions)).await;
    let mut owner = front_end(&server, &OWNER).await;
    let mut guest = front_end(&server, &["operator.read", "operator.write"]).await;
    start_run(&mut owner, "a").await;
    let requested = owner.event("exec.approval.requested").await["payload"].clone();
    let request = &requested["request"];
    assert_eq!(request["command"], "agents_list {}");
    for name in ["cwd", "agentId", "sessionKey"] {
        assert!(request[name].is_string(), "{name} of {requested}");
    }
    assert!(requested["createdAtMs"].as_i64() < requested["expiresAtMs"].as_i64(), "{requested}");
    let approval: Approval = serde_json::from_value(requested).unwrap();

    let mut second = front_end(&server, &OWNER).await;
    let pending = second.call_ok::<approvals::List>(&NoParams {}).await.approvals;
    assert_eq!(pending, std::slice::from_ref(&approval), "a client that connects later finds it");

    let resolve = |decision| ApprovalResolveParams { id: approval.id.clone(), decision };
    let once = resolve(ApprovalDecision::AllowOnce);
    let refusal = guest.call_err::<approvals::Resolve>(&once).await.message;
    assert_eq!(refusal, "missing scope: operator.approvals");
    let always = resolve(ApprovalDecision::AllowAlways);
    let refusal = second.call_err::<approvals::Resolve>(&always).await.message;
    assert_eq!(refusal, "allow-always is not possible here; use allow-once or deny");
    let result = second.call_ok::<approvals::Resolve>(&once).await;
    assert_eq!(result, ApprovalResolveResult { ok: true });
    let resolved = owner.event("exec.approval.resolved").await["payload"].clone();
    assert_eq!(
        (&resolved["id"], &resolved["decision"], &resolved["resolvedBy"]),
        (&json!(approval.id), &json!("allow-once"), &json!("client"))
    );
    let late = owner.call_err::<approvals::Resolve>(&resolve(ApprovalDecision::Deny)).await.message;
    assert!(late.starts_with("unknown approval id"), "{late}");
    assert_eq!(wait_for_run(&mut owner, "a").await, RunStatus::Ok);
    let is_informed = guest
        .events
        .iter()
        .any(|event| event["event"].as_str().is_some_and(|name| name.starts_with("exec.approval.")));
    assert!(!is_informed, "a client that may not resolve approvals gets no event");
}

#[tokio::test]
async fn without_approver_nothing_waits() {
    let model = repeating_model();
    let server = Server::with_model(&model.base_url(Dialect::OpenaiCompletions)).await;
    // A command line may resolve approvals, but it only waits for its own run.
    let _command = server.client(&OWNER).await;
    let mut guest = front_end(&server, &["operator.read", "operator.write"]).await;
    start_run(&mut guest, "a").await;
    assert_eq!(wait_for_run(&mut guest, "a").await, RunStatus::Ok);
    let history = guest.call_ok::<chat::History>(&chat_history("main")).await;
    let results = history.messages.iter().map(|item| &item.message);
    let refused = results.rev().find(|message| matches!(message.role, Role::ToolResult { .. }));
    let text = refused.unwrap().text();
    assert!(text.contains("no one is connected to give it"), "{text}");
}

#[tokio::test]
async fn shutdown_does_not_wait_for_approvals() {
    let model = repeating_model();
    let server = Server::with_model(&model.base_url(Dialect::OpenaiCompletions)).await;
    let mut owner = front_end(&server, &OWNER).await;
    start_run(&mut owner, "a").await;
    owner.event("exec.approval.requested").await;
    assert_eq!(server.stop().await, ShutdownOutcome::Graceful);
}
