//! The flows of the two public front ends after they connect.
//!
//! All calls are raw: the requests are those that the front ends send, and the fields those that they read.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::{Client, Device, device};
use tarsus_gateway::limits::Limits;

const MAIN: &str = "agent:main:main";

async fn server() -> Server {
    let config = r#"{ gateway: { auth: { token: "typed-by-hand" } }, agents: { list: [{ id: "main" }] } }"#;
    let server = Server::with(config, Limits::DEFAULT).await;
    let metadata = json!({ "openclaw": { "primaryEnv": "K", "requires": { "env": ["K"] } } });
    server.put_skill("forecast", &metadata);
    server
}

/// Writes the whole configuration, as front ends do, and retries once if it changed in between.
async fn write_config(client: &mut Client, stale: Option<&Value>, change: impl Fn(&mut Value)) {
    let mut got = client.raw_result("config.get", &json!({})).await;
    assert_eq!(got["exists"], true);
    let mut next = got["config"].clone();
    change(&mut next);
    let hash = stale.unwrap_or(&got["hash"]);
    let reply = client.raw_call("config.set", &json!({ "raw": format!("{next:#}"), "baseHash": hash })).await;
    if stale.is_none() {
        assert_eq!(reply["ok"], true, "{reply}");
        return;
    }
    assert_eq!(
        (&reply["error"]["code"], &reply["error"]["message"]),
        (&json!("INVALID_REQUEST"), &json!("config changed since last load; re-run config.get and retry"))
    );
    got = client.raw_result("config.get", &json!({})).await;
    next = got["config"].clone();
    change(&mut next);
    client.raw_result("config.set", &json!({ "raw": format!("{next:#}"), "baseHash": got["hash"] })).await;
}

fn skill(report: &Value) -> Value {
    let skills = report["skills"].as_array().unwrap();
    skills.iter().find(|skill| skill["name"] == "forecast").expect("a listed skill").clone()
}

/// The calls of both front ends, in the order of their screens.
async fn flow(client: &mut Client, run: &str) {
    let agents = client.raw_result("agents.list", &json!({})).await;
    let (id, main_key) = (&agents["agents"][0]["id"], &agents["mainKey"]);
    let key = format!("agent:{}:{}", id.as_str().unwrap(), main_key.as_str().unwrap());
    assert_eq!(key, MAIN);

    // They write the configuration right after hello, with placeholders in it.
    let seen = client.raw_result("config.get", &json!({})).await["hash"].clone();
    write_config(client, None, |config| config["gateway"]["reload"] = json!({ "mode": "hot" })).await;

    client.raw_result("skills.refresh", &json!({})).await;
    let report = client.raw_result("skills.status", &json!({ "agentId": "main" })).await;
    for name in ["workspaceDir", "managedSkillsDir"] {
        assert!(report[name].is_string(), "{name}");
    }
    let entry = skill(&report);
    for name in ["name", "description", "source", "filePath", "baseDir", "skillKey"] {
        assert!(entry[name].is_string(), "{name}");
    }
    for name in ["bundled", "always", "disabled", "blockedByAllowlist", "eligible"] {
        assert!(entry[name].is_boolean(), "{name}");
    }
    for (group, kind) in ["requirements", "missing"]
        .iter()
        .flat_map(|group| ["bins", "anyBins", "env", "config", "os"].map(|kind| (*group, kind)))
    {
        assert!(entry[group][kind].is_array(), "{group}.{kind}");
    }
    assert!(entry["configChecks"].is_array() && entry["install"].is_array());

    // A toggle by a page with an outdated configuration.
    write_config(client, Some(&seen), |config| config["agents"]["list"][0]["skills"] = json!(["forecast"]))
        .await;
    let report = client.raw_result("skills.status", &json!({ "agentId": "main" })).await;
    let others = report["skills"].as_array().unwrap().iter().filter(|skill| skill["name"] != "forecast");
    assert!(
        others.clone().count() > 0 && others.into_iter().all(|skill| skill["blockedByAgentFilter"] == true)
    );

    client.raw_result("skills.update", &json!({ "skillKey": "forecast", "apiKey": "sesame" })).await;
    let report = client.raw_result("skills.status", &json!({ "agentId": "main" })).await;
    assert_eq!((&skill(&report)["missing"]["env"], &skill(&report)["eligible"]), (&json!([]), &json!(true)));
    client.raw_result("skills.update", &json!({ "skillKey": "forecast", "apiKey": "" })).await;

    let message = json!({ "sessionKey": key, "message": "hello", "deliver": false, "idempotencyKey": run });
    let sent = client.raw_result("chat.send", &message).await;
    assert_eq!(sent, json!({ "runId": run, "status": "started" }));
    let waited = client.raw_result("agent.wait", &json!({ "runId": run, "timeoutMs": 15_000 })).await;
    assert_eq!(waited["status"], "ok");
    let mut last = client.event("chat").await;
    while ["status", "delta"].iter().any(|state| last["payload"]["state"] == **state) {
        last = client.event("chat").await;
    }
    assert_eq!((&last["payload"]["runId"], &last["payload"]["state"]), (&json!(run), &json!("final")));
    client.raw_result("chat.abort", &json!({ "sessionKey": key })).await;

    let search = json!({ "agentId": "main", "includeGlobal": false, "includeUnknown": false,
        "search": key, "limit": 4 });
    let sessions = client.raw_result("sessions.list", &search).await;
    assert_eq!(sessions["sessions"][0]["key"], json!(key));
    assert!(sessions["sessions"][0]["updatedAt"].is_i64());
    let preview =
        client.raw_result("sessions.preview", &json!({ "keys": [key], "limit": 8, "maxChars": 240 })).await;
    assert_eq!(
        (&preview["previews"][0]["status"], &preview["previews"][0]["items"][0]["text"]),
        (&json!("ok"), &json!("hello"))
    );
    let history = client.raw_result("chat.history", &json!({ "sessionKey": key, "limit": 200 })).await;
    let newest = history["messages"].as_array().unwrap().last().unwrap();
    assert_eq!((&newest["role"], &newest["content"][0]["type"]), (&json!("assistant"), &json!("text")));
    let patch = json!({ "key": key, "model": null, "thinkingLevel": "low", "execHost": "gateway", "execSecurity": "allowlist", "execAsk": "on-miss" });
    assert_eq!(client.raw_result("sessions.patch", &patch).await["entry"]["thinkingLevel"], "low");

    let approvals = client.raw_result("exec.approvals.get", &json!({})).await;
    let mut file = approvals["file"].clone();
    if !file.is_object() {
        file = json!({ "version": 1 });
    }
    file["agents"] =
        json!({ "main": { "security": "allowlist", "ask": "always", "allowlist": [{ "pattern": run }] } });
    let mut params = json!({ "file": file });
    if approvals["exists"] == true {
        params["baseHash"] = approvals["hash"].clone();
    }
    client.raw_result("exec.approvals.set", &params).await;
    assert_eq!(client.raw_result("cron.list", &json!({ "includeDisabled": true })).await["jobs"], json!([]));
    for name in ["AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "TOOLS.md", "HEARTBEAT.md", "MEMORY.md"] {
        let answer = client.raw_result("agents.files.get", &json!({ "agentId": "main", "name": name })).await;
        assert!(answer["file"].is_object(), "{name}");
    }
    let status = client.raw_result("status", &json!({})).await;
    assert_eq!(status["sessions"]["recent"][0]["key"], json!(key));
    assert_eq!(client.raw_result("models.list", &json!({})).await["models"], json!([]));
    let tasks = client.raw_call("tasks.list", &json!({})).await;
    assert_eq!(
        tasks["error"]["message"], "unknown method: tasks.list",
        "the front end then uses its own list"
    );
    client.raw_result("sessions.reset", &json!({ "key": key })).await;

    // Their writes keep the token: the caller checks it.
    write_config(client, None, |config| {
        config["agents"]["list"][0].as_object_mut().unwrap().remove("skills");
    })
    .await;
}

#[tokio::test]
async fn page_with_device_completes_its_flow_and_reconnects() {
    let server = server().await;
    let device = Device::numbered(7);
    let (mut client, hello) = server.page(&device, &server.token).await;
    assert_eq!((&hello["ok"], &hello["payload"]["protocol"]), (&json!(true), &json!(4)));
    flow(&mut client, "a-run-of-the-page").await;
    let text = std::fs::read_to_string(server.home.config_path()).unwrap();
    assert!(text.contains("typed-by-hand") && text.contains("hot"), "{text}");
    let token = hello["payload"]["auth"]["deviceToken"].as_str().unwrap();
    let (_, again) = server.page(&device, token).await;
    assert_eq!(again["ok"], true, "{again}");
}

#[tokio::test]
async fn backend_without_device_completes_its_flow() {
    let server = server().await;
    let mut client = Client::expect(&server.url, &[]).await;
    client.challenge().await;
    let hello = client.connect(&device::backend(&server.token)).await.frame();
    assert_eq!((&hello["ok"], &hello["payload"]["protocol"]), (&json!(true), &json!(3)));
    flow(&mut client, "a-run-of-the-backend").await;
    let text = std::fs::read_to_string(server.home.config_path()).unwrap();
    assert!(text.contains("typed-by-hand") && text.contains("hot"), "{text}");
}
