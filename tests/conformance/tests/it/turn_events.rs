//! Events of a turn, their order and their receivers.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::params::{agent_wait, chat_history, chat_message};
use tarsus_conformance::{Client, device};
use tarsus_models::Dialect;
use tarsus_protocol::rpc::chat;
use tarsus_test_models::{Chunk, Reply, Server as Model};

/// Sends a message and collects its events.
async fn send_and_collect(client: &mut Client, run: &str) -> Vec<Value> {
    client.call_ok::<chat::Send>(&chat_message("agent:main:main", "how many agents?", run)).await;
    let mut events: Vec<Value> = Vec::new();
    loop {
        let event = match client.events.pop_front() {
            Some(event) => event,
            None => client.receive().await.frame(),
        };
        if event["payload"]["runId"] != run {
            continue;
        }
        let ends = ["final", "error", "aborted"].iter().any(|state| event["payload"]["state"] == **state);
        events.push(event);
        if ends {
            return events;
        }
    }
}

/// A short description of an event.
fn describe(event: &Value) -> String {
    let payload = &event["payload"];
    let join = |names: &[&str]| -> String {
        let texts = names.iter().map(|name| payload.pointer(name).and_then(Value::as_str).unwrap_or("-"));
        texts.collect::<Vec<_>>().join(" ")
    };
    match event["event"].as_str().unwrap() {
        "session.message" => format!("message {}", join(&["/message/role"])),
        "chat" if payload["state"] == "status" => format!("chat {}", join(&["/state", "/phase"])),
        "chat" => format!("chat {}", join(&["/state"])),
        "agent" => match payload["stream"].as_str().unwrap() {
            "assistant" | "usage" => join(&["/stream"]),
            "item" => join(&["/stream", "/data/phase", "/data/itemId", "/data/title", "/data/status"]),
            _ => join(&["/stream", "/data/phase"]),
        },
        other => panic!("{other} is not an event of a run"),
    }
}

fn order(events: &[Value]) -> Vec<String> {
    let mut order: Vec<String> = events.iter().map(describe).collect();
    // The number of updates in between depends on timing.
    order.dedup();
    order
}

async fn connected(server: &Server, caps: Value) -> Client {
    let mut client = Client::expect(&server.url, &[]).await;
    client.challenge().await;
    let mut params = device::backend(&server.token);
    params["caps"] = caps;
    let hello = client.connect(&params).await.frame();
    assert_eq!(hello["ok"], true, "{hello}");
    client
}

#[tokio::test]
async fn turn_events_are_ordered_and_tool_events_opt_in() {
    let replies = || {
        [Reply::answer([Chunk::call("c1", "agents_list", &json!({}))]), Reply::answer([Chunk::text("One.")])]
    };
    let model = Model::with_replies(replies().into_iter().chain(replies()));
    let server = Server::with_model(&model.base_url(Dialect::OpenaiCompletions)).await;
    let all = [
        "message user",
        "chat status preparing_workspace",
        "chat status preparing_context",
        "chat status starting_model",
        "lifecycle start",
        "lifecycle model",
        "usage",
        "message assistant",
        "item start tool:c1 agents_list running",
        "tool start",
        "tool result",
        "item end tool:c1 agents_list completed",
        "message toolResult",
        "lifecycle model",
        "assistant",
        "chat delta",
        "usage",
        "message assistant",
        "lifecycle end",
        "chat final",
    ];
    let mut with_tools = connected(&server, json!(["tool-events"])).await;
    assert_eq!(order(&send_and_collect(&mut with_tools, "a").await), all);
    let mut without_tools = connected(&server, json!([])).await;
    let expected: Vec<_> = all
        .iter()
        .filter(|words| !words.starts_with("item") && !words.starts_with("tool"))
        .copied()
        .collect();
    let events = send_and_collect(&mut without_tools, "b").await;
    assert_eq!(order(&events), expected);
    let seqs: Vec<_> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert!(seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), "its sequence has no gap: {seqs:?}");
}

#[tokio::test]
async fn model_failure_is_published_and_stored_with_a_hint() {
    let model = Model::with_replies([Reply::failing(401, "no such key")]);
    let server = Server::with_model(&model.base_url(Dialect::OpenaiCompletions)).await;
    let mut client = connected(&server, json!([])).await;
    let events = send_and_collect(&mut client, "a").await;
    let error = events.last().unwrap()["payload"]["errorMessage"].as_str().unwrap().to_owned();
    let (what, next) = error.split_once('\n').unwrap_or_else(|| panic!("{error}"));
    assert!(what.contains("cellar/m") && what.contains("no such key"), "{what}");
    assert_eq!(next, "`tarsus models status` shows which key is used; set it anew");
    assert_eq!(events.last().unwrap()["payload"]["noAnswer"], "auth");
    let history = client.call_ok::<chat::History>(&chat_history("main")).await;
    let remark = json!(history.messages[1].message);
    assert_eq!(
        (&remark["customType"], &remark["content"][0]["text"]),
        (&json!("run-failed-before-reply"), &json!(error))
    );
    assert_eq!(remark["noAnswer"], "auth");
    let waited = client.call_ok::<chat::Wait>(&agent_wait("a")).await;
    assert_eq!(waited.error, Some(error));
}
