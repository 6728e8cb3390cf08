//! Changes of secrets are recorded, and applied as a whole or not at all.

use crate::common;

use std::fs;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::Client;
use tarsus_gateway::limits::Limits;
use tarsus_home::Secret;
use tarsus_home::secrets::SecretStore;
use tarsus_protocol::REDACTED;

/// The lines about secrets since the last time: decision, skill, id.
async fn lines(client: &mut Client, seen: &mut usize) -> Vec<(String, Value, String)> {
    let tail = client.call_ok::<journal::AuditTail>(&audit_tail(Some(1000))).await.records;
    let all = tail.as_array().unwrap().iter().filter(|line| line["event"] == "secret.changed");
    let all: Vec<_> = all
        .map(|line| {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            (text(&line["decision"]), line["skill"].clone(), text(&line["detail"]["id"]))
        })
        .collect();
    let new = all[*seen..].to_vec();
    *seen = all.len();
    new
}

fn line(decision: &str, skill: Option<&str>, id: &str) -> (String, Value, String) {
    (decision.to_owned(), json!(skill), id.to_owned())
}

async fn set(client: &mut Client, change: impl FnOnce(&mut Value)) -> Value {
    let got = client.call_ok::<config::Get>(&NoParams {}).await;
    let mut config = got["config"].clone();
    change(&mut config);
    client.raw_call("config.set", &json!({ "raw": config.to_string(), "baseHash": got["hash"] })).await
}

#[tokio::test]
async fn secret_in_config_is_recorded_by_its_path() {
    let config =
        r#"{ gateway: { remote: { token: "far" } }, skills: { entries: { s: { env: { A: "one" } } } } }"#;
    let server = Server::with(config, Limits::DEFAULT).await;
    let mut client = server.admin().await;
    let mut seen = 0;

    let reply = set(&mut client, |config| {
        assert_eq!(config["skills"]["entries"]["s"]["env"]["A"], REDACTED);
        config["gateway"]["port"] = json!(18790);
    });
    assert_eq!(reply.await["ok"], true);
    assert_eq!(lines(&mut client, &mut seen).await, [], "placeholders that come back change nothing");

    let reply = set(&mut client, |config| {
        config["models"] =
            json!({ "providers": { "p": { "apiKey": "hush-1", "baseUrl": "http://localhost:1" } } });
        config["skills"]["entries"]["s"]["env"]["A"] = json!("hush-2");
    });
    assert_eq!(reply.await["ok"], true);
    let expected =
        [line("set", None, "models.providers.p.apiKey"), line("set", Some("s"), "skills.entries.s.env.A")];
    assert_eq!(lines(&mut client, &mut seen).await, expected);

    // A change that is refused is none, and one that is taken back is one.
    let reply = set(&mut client, |config| {
        config["gateway"]["port"] = json!("no port");
        config["models"]["providers"]["p"]["apiKey"] = json!("hush-3");
    });
    assert_eq!(reply.await["ok"], false);
    let patch = json!({ "raw": "{ models: null }", "baseHash": "stale" });
    assert_eq!(client.raw_call("config.patch", &patch).await["ok"], false);
    assert_eq!(lines(&mut client, &mut seen).await, []);
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    client.call_ok::<config::Patch>(&config_write("{ models: null }", &hash)).await;
    assert_eq!(lines(&mut client, &mut seen).await, [line("removed", None, "models.providers.p.apiKey")]);
    assert_eq!(client.call_ok::<journal::AuditVerify>(&NoParams {}).await["ok"], true);
}

#[tokio::test]
async fn secrets_of_a_skill_are_stored_all_or_none() {
    let server = Server::start().await;
    server.put_skill("forecast", &json!({ "openclaw": { "primaryEnv": "KEY" } }));
    let mut client = server.admin().await;
    client.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    let mut seen = 0;
    let store = SecretStore::for_home(&server.home);
    let stored = || {
        let ids = store.ids().unwrap();
        let value = |id: &String| store.get(id).unwrap().unwrap().expose().to_owned();
        ids.iter().map(|id| (id.clone(), value(id))).collect::<Vec<_>>()
    };
    let first = json!({ "skillKey": "forecast", "apiKey": "one", "env": { "A": "two", "B": "three" } });
    client.raw_result("skills.update", &first).await;
    let ids = ["skills/forecast/apiKey", "skills/forecast/env/A", "skills/forecast/env/B"];
    let kept: Vec<_> = ids
        .iter()
        .zip(["one", "two", "three"])
        .map(|(id, value)| ((*id).to_owned(), value.to_owned()))
        .collect();
    assert_eq!(stored(), kept);
    assert_eq!(lines(&mut client, &mut seen).await, ids.map(|id| line("set", Some("forecast"), id)));
    let config = fs::read(server.home.config_path()).unwrap();

    // The last one does not fit.
    let large =
        json!({ "skillKey": "forecast", "apiKey": "new", "env": { "A": "", "B": "x".repeat(60_000) } });
    assert_eq!(client.raw_call("skills.update", &large).await["error"]["details"]["code"], "too-large");
    assert_eq!((stored(), fs::read(server.home.config_path()).unwrap()), (kept.clone(), config.clone()));

    // The configuration cannot be written: its old version cannot be kept.
    let backups = server.home.backups_dir();
    fs::remove_dir_all(&backups).unwrap();
    fs::write(&backups, "in the way").unwrap();
    seen += lines(&mut client, &mut 0).await.len() - seen;
    let other = json!({ "skillKey": "forecast", "apiKey": "", "env": { "A": "new", "C": "new" } });
    assert_eq!(client.raw_call("skills.update", &other).await["ok"], false);
    assert_eq!((stored(), fs::read(server.home.config_path()).unwrap()), (kept, config));
    let told = lines(&mut client, &mut seen).await;
    let of = |decision| {
        ["A", "C"].map(|name| line(decision, Some("forecast"), &format!("skills/forecast/env/{name}")))
    };
    assert_eq!(told, [of("set"), of("not-set")].concat(), "what did not happen after all is said to be so");

    fs::remove_file(&backups).unwrap();
    client.raw_result("skills.update", &other).await;
    assert_eq!(store.get("skills/forecast/env/C").unwrap(), Some(Secret::new("new")));
    assert_eq!(store.get("skills/forecast/apiKey").unwrap(), None);
    let removed = line("removed", Some("forecast"), "skills/forecast/apiKey");
    assert_eq!(lines(&mut client, &mut seen).await, [&of("set")[..], &[removed]].concat());
}

#[tokio::test]
async fn own_settings_stay_out_of_openclaw_config() {
    let server = Server::with("{ skills: {} }", Limits::DEFAULT).await;
    let mut client = server.admin().await;
    let before = fs::read_to_string(server.home.config_path()).unwrap();
    for (raw, section, key) in [
        ("{ skills: { security: { enforcement: 'off' } } }", "skills", "security"),
        ("{ skills: { pinned: ['a'] } }", "skills", "pinned"),
        ("{ skills: { load: { lenient: true } } }", "skills.load", "lenient"),
        ("{ logs: { keep: 1 } }", "<root>", "logs"),
    ] {
        let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
        let refusal = client.call_err::<config::Patch>(&config_write(raw, &hash)).await.message;
        let expected = format!("invalid config: {section}: Unrecognized key: \"{key}\"");
        assert!(refusal.starts_with(&expected), "{refusal}");
        assert_eq!(fs::read_to_string(server.home.config_path()).unwrap(), before);
    }
}

#[tokio::test]
async fn concurrently_created_agents_all_exist() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    for number in 0..8 {
        let params = json!({ "name": format!("Agent {number}") });
        client.send(&json!({ "type": "req", "id": number.to_string(), "method": "agents.create", "params": params })).await;
    }
    let mut replies = 0;
    while replies < 8 {
        let frame = client.receive().await.frame();
        if frame["type"] == "res" {
            assert_eq!(frame["ok"], true, "{frame}");
            replies += 1;
        }
    }
    let agents = client.call_ok::<agents::List>(&NoParams {}).await.agents;
    let mut ids: Vec<_> =
        agents.as_array().unwrap().iter().map(|agent| agent["id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    let expected =
        ["agent-0", "agent-1", "agent-2", "agent-3", "agent-4", "agent-5", "agent-6", "agent-7", "main"];
    assert_eq!(ids, expected);
}

#[tokio::test]
async fn changed_approvals_are_recorded_by_their_parts() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let got = client.call_ok::<tools::ApprovalsGet>(&NoParams {}).await;
    let file = json!({
        "version": 1,
        "socket": { "path": "/run/x", "token": "hush" },
        "defaults": { "security": "allowlist" },
        "agents": { "main": { "security": "full", "allowlist": [] } },
    });
    let set = |file: &Value, hash: &Value| json!({ "file": file, "baseHash": hash });
    let shown = client.raw_result("exec.approvals.set", &set(&file, &got["hash"])).await;
    assert_eq!(shown["file"]["socket"]["token"], REDACTED);
    // The same once more, with the placeholder, changes nothing.
    client.raw_result("exec.approvals.set", &set(&shown["file"], &shown["hash"])).await;
    let tail = client.call_ok::<journal::AuditTail>(&audit_tail(None)).await.records;
    let told: Vec<_> = tail
        .as_array()
        .unwrap()
        .iter()
        .map(|line| (line["event"].as_str().unwrap().to_owned(), line["detail"].clone()))
        .collect();
    let expected = [
        ("secret.changed".to_owned(), json!({ "id": "exec-approvals.json: socket.token" })),
        ("approvals.changed".to_owned(), json!({ "parts": ["defaults", "agents.main"] })),
    ];
    assert_eq!(told, expected);
    let hash = client.call_ok::<tools::ApprovalsGet>(&NoParams {}).await.hash;
    let large = json!({ "version": 1, "agents": { "main": { "note": "x".repeat(5_000_000) } } });
    let refused = client.raw_call("exec.approvals.set", &set(&large, &hash)).await;
    assert_eq!(refused["ok"], false, "what could not be read again is not written");
    client.call_ok::<tools::ApprovalsGet>(&NoParams {}).await;
}
