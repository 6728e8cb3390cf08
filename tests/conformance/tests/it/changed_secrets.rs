//! Changes of secrets are recorded, and applied as a whole or not at all.

use crate::common;

use std::fs;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::params::{agent_create, agent_skills, audit_tail, config_write, skill_api_key};
use tarsus_conformance::{Client, detail_code};
use tarsus_gateway::limits::Limits;
use tarsus_home::Secret;
use tarsus_home::secrets::SecretStore;
use tarsus_protocol::REDACTED;
use tarsus_protocol::rpc::config::ConfigWritten;
use tarsus_protocol::rpc::skills::SkillUpdateParams;
use tarsus_protocol::rpc::tools::{Approvals, ApprovalsParams};
use tarsus_protocol::rpc::{CallError, NoParams, agents, config, journal, skills, tools};

/// New audit records of changed secrets: decision, skill, id.
async fn secret_changes(client: &mut Client, seen: &mut usize) -> Vec<(String, Value, String)> {
    let records = client.call_ok::<journal::AuditTail>(&audit_tail(Some(1000))).await.records;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let changes = records.iter().filter(|record| record["event"] == "secret.changed");
    let all: Vec<_> = changes
        .map(|record| (text(&record["decision"]), record["skill"].clone(), text(&record["detail"]["id"])))
        .collect();
    let new = all[*seen..].to_vec();
    *seen = all.len();
    new
}

fn change(decision: &str, skill: Option<&str>, id: &str) -> (String, Value, String) {
    (decision.to_owned(), json!(skill), id.to_owned())
}

async fn edit_config(client: &mut Client, edit: impl FnOnce(&mut Value)) -> Result<ConfigWritten, CallError> {
    let got = client.call_ok::<config::Get>(&NoParams {}).await;
    let mut config = got.config;
    edit(&mut config);
    client.call::<config::Set>(&config_write(config, &got.hash)).await
}

#[tokio::test]
async fn secret_in_config_is_recorded_by_its_path() {
    let config =
        r#"{ gateway: { remote: { token: "far" } }, skills: { entries: { s: { env: { A: "one" } } } } }"#;
    let server = Server::with(config, Limits::DEFAULT).await;
    let mut client = server.admin().await;
    let mut seen = 0;

    let reply = edit_config(&mut client, |config| {
        assert_eq!(config["skills"]["entries"]["s"]["env"]["A"], REDACTED);
        config["gateway"]["port"] = json!(18790);
    });
    reply.await.unwrap();
    assert_eq!(secret_changes(&mut client, &mut seen).await, [], "an unchanged placeholder changes nothing");

    let reply = edit_config(&mut client, |config| {
        config["models"] =
            json!({ "providers": { "p": { "apiKey": "hush-1", "baseUrl": "http://localhost:1" } } });
        config["skills"]["entries"]["s"]["env"]["A"] = json!("hush-2");
    });
    reply.await.unwrap();
    let expected = [
        change("set", None, "models.providers.p.apiKey"),
        change("set", Some("s"), "skills.entries.s.env.A"),
    ];
    assert_eq!(secret_changes(&mut client, &mut seen).await, expected);

    // A refused change is not recorded; a removal is.
    let reply = edit_config(&mut client, |config| {
        config["gateway"]["port"] = json!("no port");
        config["models"]["providers"]["p"]["apiKey"] = json!("hush-3");
    });
    assert!(matches!(reply.await, Err(CallError::Refused(_))));
    client.call_err::<config::Patch>(&config_write("{ models: null }", "stale")).await;
    assert_eq!(secret_changes(&mut client, &mut seen).await, []);
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    client.call_ok::<config::Patch>(&config_write("{ models: null }", &hash)).await;
    assert_eq!(
        secret_changes(&mut client, &mut seen).await,
        [change("removed", None, "models.providers.p.apiKey")]
    );
    assert!(client.call_ok::<journal::AuditVerify>(&NoParams {}).await.ok);
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
    let update = |api_key: &str, env: [(&str, &str); 2]| SkillUpdateParams {
        env: Some(env.map(|(name, value)| (name.to_owned(), value.to_owned())).into()),
        ..skill_api_key("forecast", api_key)
    };
    client.call_ok::<skills::Update>(&update("one", [("A", "two"), ("B", "three")])).await;
    let ids = ["skills/forecast/apiKey", "skills/forecast/env/A", "skills/forecast/env/B"];
    let kept: Vec<_> = ids
        .iter()
        .zip(["one", "two", "three"])
        .map(|(id, value)| ((*id).to_owned(), value.to_owned()))
        .collect();
    assert_eq!(stored(), kept);
    assert_eq!(
        secret_changes(&mut client, &mut seen).await,
        ids.map(|id| change("set", Some("forecast"), id))
    );
    let config = fs::read(server.home.config_path()).unwrap();

    // The last value is too large.
    let large = update("new", [("A", ""), ("B", &"x".repeat(60_000))]);
    assert_eq!(detail_code(&client.call_err::<skills::Update>(&large).await), "too-large");
    assert_eq!((stored(), fs::read(server.home.config_path()).unwrap()), (kept.clone(), config.clone()));

    // The configuration cannot be written, because its old version cannot be backed up.
    let backups = server.home.backups_dir();
    fs::remove_dir_all(&backups).unwrap();
    fs::write(&backups, "in the way").unwrap();
    seen += secret_changes(&mut client, &mut 0).await.len() - seen;
    let other = update("", [("A", "new"), ("C", "new")]);
    client.call_err::<skills::Update>(&other).await;
    assert_eq!((stored(), fs::read(server.home.config_path()).unwrap()), (kept, config));
    let changes = secret_changes(&mut client, &mut seen).await;
    let env_changes = |decision| {
        ["A", "C"].map(|name| change(decision, Some("forecast"), &format!("skills/forecast/env/{name}")))
    };
    let expected = [env_changes("set"), env_changes("not-set")].concat();
    assert_eq!(changes, expected, "a change that is rolled back is recorded as such");

    fs::remove_file(&backups).unwrap();
    client.call_ok::<skills::Update>(&other).await;
    assert_eq!(store.get("skills/forecast/env/C").unwrap(), Some(Secret::new("new")));
    assert_eq!(store.get("skills/forecast/apiKey").unwrap(), None);
    let removed = change("removed", Some("forecast"), "skills/forecast/apiKey");
    assert_eq!(secret_changes(&mut client, &mut seen).await, [&env_changes("set")[..], &[removed]].concat());
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
        let params = agent_create(&format!("Agent {number}"));
        client.send_request::<agents::Create>(&number.to_string(), &params).await;
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
    let mut ids: Vec<_> = agents.iter().map(|agent| agent.id.as_str()).collect();
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
    let file: Approvals = serde_json::from_value(json!({
        "version": 1,
        "socket": { "path": "/run/x", "token": "hush" },
        "defaults": { "security": "allowlist" },
        "agents": { "main": { "security": "full", "allowlist": [] } },
    }))
    .unwrap();
    let set = |file: &Approvals, hash: &str| ApprovalsParams {
        file: file.clone(),
        base_hash: Some(hash.to_owned()),
    };
    let written = client.call_ok::<tools::ApprovalsSet>(&set(&file, &got.hash)).await;
    assert_eq!(written.file.socket.as_ref().unwrap()["token"], REDACTED);
    // Writing it again with the placeholder changes nothing.
    client.call_ok::<tools::ApprovalsSet>(&set(&written.file, &written.hash)).await;
    let records = client.call_ok::<journal::AuditTail>(&audit_tail(None)).await.records;
    let recorded: Vec<_> = records
        .iter()
        .map(|record| (record["event"].as_str().unwrap().to_owned(), record["detail"].clone()))
        .collect();
    let expected = [
        ("secret.changed".to_owned(), json!({ "id": "exec-approvals.json: socket.token" })),
        ("approvals.changed".to_owned(), json!({ "parts": ["defaults", "agents.main"] })),
    ];
    assert_eq!(recorded, expected);
    let hash = client.call_ok::<tools::ApprovalsGet>(&NoParams {}).await.hash;
    let agents = json!({ "main": { "note": "x".repeat(5_000_000) } }).as_object().cloned();
    // A file that is too large to be read again is not written.
    client.call_err::<tools::ApprovalsSet>(&set(&Approvals { agents, ..got.file }, &hash)).await;
    client.call_ok::<tools::ApprovalsGet>(&NoParams {}).await;
}
