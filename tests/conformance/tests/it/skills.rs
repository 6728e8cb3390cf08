//! Skills over the wire: report, setup and changes at run time.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_gateway::limits::Limits;

fn needs_key() -> Value {
    json!({ "openclaw": {
        "primaryEnv": "WEATHER_KEY",
        "requires": { "env": ["WEATHER_KEY"], "anyBins": ["curl", "wget"] },
        "install": [{ "id": "brew", "kind": "brew", "formula": "jq", "bins": ["jq"] }],
    } })
}

fn entry(report: &Value, name: &str) -> Value {
    let found = report["skills"].as_array().unwrap().iter().find(|skill| skill["name"] == name);
    found.unwrap_or_else(|| panic!("{name} is not among the skills")).clone()
}

async fn server() -> Server {
    let config = r#"{ agents: { list: [{ id: "main" }, { id: "ada", skills: [] }] } } // mine"#;
    Server::with(config, Limits::DEFAULT).await
}

#[tokio::test]
async fn new_skill_is_detected_and_published() {
    let server = server().await;
    let mut client = server.client(&["operator.read"]).await;
    let before = client.call_ok::<skills::Status>(&agent_skills(None)).await;
    assert_eq!(
        (&before["agentId"], &entry(&before, "healthcheck")["eligible"]),
        (&json!("main"), &json!(true))
    );
    server.put_skill("from-outside", &json!({}));
    let changed = client.event("skills.changed").await;
    let after = client.call_ok::<skills::Status>(&agent_skills(None)).await;
    assert_eq!(
        changed["payload"],
        json!({ "reason": "files-change", "agentIds": ["ada", "main"], "version": after["version"] })
    );
    assert_eq!(entry(&after, "from-outside")["eligible"], true);
    assert!(after["version"].as_u64() > before["version"].as_u64());
    let status = client.call_ok::<overview::Status>(&NoParams {}).await;
    let ready = after["skills"].as_array().unwrap().iter().filter(|skill| skill["status"] == "ready").count();
    assert_eq!(status["skills"]["ready"], json!(ready), "the report and the count are of one library");
    let ada = client.call_ok::<skills::Status>(&agent_skills(Some("ada"))).await;
    assert_eq!(entry(&ada, "from-outside")["blockedByAgentFilter"], true);
}

#[tokio::test]
async fn api_key_is_active_at_once_and_stored_as_secret() {
    let server = server().await;
    server.put_skill("forecast", &needs_key());
    let mut client = server.admin().await;
    let refreshed = client.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    assert_eq!(refreshed["ok"], true);
    let status = client.call_ok::<skills::Status>(&agent_skills(Some("main"))).await;
    assert_eq!(entry(&status, "forecast")["missing"]["env"], json!(["WEATHER_KEY"]));

    let updated = client.call_ok::<skills::Update>(&skill_api_key("forecast", " sesame ")).await;
    let reference = json!({ "source": "file", "provider": "tarsus", "id": "skills/forecast/apiKey" });
    assert_eq!(updated, json!({ "ok": true, "skillKey": "forecast", "config": { "apiKey": reference } }));
    let status = client.call_ok::<skills::Status>(&agent_skills(Some("main"))).await;
    assert_eq!(entry(&status, "forecast")["missing"]["env"], json!([]));
    let changed = client.event("config.changed").await;
    assert_eq!(changed["payload"]["hash"], client.call_ok::<config::Get>(&NoParams {}).await["hash"]);
    assert_eq!(client.event("skills.changed").await["payload"]["reason"], "config-change");
    let secrets = std::fs::read_to_string(server.home.secrets_path()).unwrap();
    assert!(secrets.contains("\"sesame\""), "{secrets}");
    let text = std::fs::read_to_string(server.home.config_path()).unwrap();
    assert!(text.contains("// mine") && !text.contains("sesame"), "{text}");

    // A second key takes the place of the first; an empty one takes it away.
    client.call_ok::<skills::Update>(&skill_api_key("forecast", "open")).await;
    assert!(!std::fs::read_to_string(server.home.secrets_path()).unwrap().contains("sesame"));
    let placeholder = json!({ "skillKey": "forecast", "apiKey": tarsus_protocol::REDACTED });
    client.raw_result("skills.update", &placeholder).await;
    assert!(std::fs::read_to_string(server.home.secrets_path()).unwrap().contains("\"open\""), "it stays");
    let cleared = client.call_ok::<skills::Update>(&skill_api_key("forecast", "")).await;
    assert_eq!(cleared["config"], json!({}));
    assert!(!std::fs::read_to_string(server.home.secrets_path()).unwrap().contains("open"));
    let status = client.call_ok::<skills::Status>(&agent_skills(Some("main"))).await;
    assert_eq!(entry(&status, "forecast")["missing"]["env"], json!(["WEATHER_KEY"]));

    let tail = client.call_ok::<journal::AuditTail>(&audit_tail(None)).await.records;
    let lines: Vec<_> =
        tail.as_array().unwrap().iter().filter(|line| line["event"] == "secret.changed").collect();
    let told: Vec<_> = lines.iter().map(|line| line["decision"].as_str().unwrap()).collect();
    assert_eq!(told, ["set", "set", "removed"], "{tail}");
    assert_eq!(
        (&lines[0]["skill"], &lines[0]["detail"]["id"]),
        (&json!("forecast"), &json!("skills/forecast/apiKey"))
    );

    let env = json!({ "skillKey": "forecast", "enabled": false, "env": { "WEATHER_KEY": "k", "OTHER": "" } });
    let updated = client.raw_result("skills.update", &env).await;
    let reference =
        json!({ "source": "file", "provider": "tarsus", "id": "skills/forecast/env/WEATHER_KEY" });
    assert_eq!(updated["config"], json!({ "enabled": false, "env": { "WEATHER_KEY": reference } }));
    let status = client.call_ok::<skills::Status>(&agent_skills(Some("main"))).await;
    assert_eq!(entry(&status, "forecast")["disabled"], true);
}

#[tokio::test]
async fn invalid_skill_setup_is_rejected_without_trace() {
    let server = server().await;
    server.put_skill("forecast", &needs_key());
    let mut client = server.admin().await;
    client.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    let before = std::fs::read_to_string(server.home.config_path()).unwrap();
    let names = "invalid skills.update params: at /env: at most 64 names of letters, digits and `_`";
    for (params, expected) in [
        (json!({ "skillKey": "nobody", "apiKey": "sesame" }), "unknown skill key \"nobody\""),
        (json!({ "skillKey": "forecast", "env": { "A=B": "sesame" } }), names),
        (json!({ "skillKey": "forecast", "env": { "": "sesame" } }), names),
        (
            json!({ "skillKey": "forecast", "apiKey": 1 }),
            "invalid skills.update params: at /apiKey: must be string",
        ),
    ] {
        assert_eq!(client.raw_error("skills.update", &params).await, expected);
    }
    let large = json!({ "skillKey": "forecast", "apiKey": "s".repeat(100_000) });
    assert_eq!(client.raw_call("skills.update", &large).await["error"]["details"]["code"], "too-large");
    assert_eq!(std::fs::read_to_string(server.home.config_path()).unwrap(), before);
    let kept = std::fs::read_to_string(server.home.secrets_path()).unwrap_or_default();
    assert!(!kept.contains("sesame"), "{kept}");
}

#[tokio::test]
async fn skill_programs_are_listed_once() {
    let server = server().await;
    server.put_skill("forecast", &needs_key());
    let mut client = server.admin().await;
    client.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    let bins = client.call_ok::<skills::Bins>(&NoParams {}).await.bins;
    let bins: Vec<&str> = bins.as_array().unwrap().iter().map(|bin| bin.as_str().unwrap()).collect();
    assert!(["curl", "wget", "jq", "git"].iter().all(|name| bins.contains(name)), "{bins:?}");
    assert!(bins.is_sorted_by(|a, b| a < b), "{bins:?}");
}

#[tokio::test]
async fn agent_skill_list_is_active_before_the_reply() {
    let server = server().await;
    let mut client = server.admin().await;
    let got = client.call_ok::<config::Get>(&NoParams {}).await;
    let mut config = got["config"].clone();
    config["agents"]["list"][1]["skills"] = json!(["healthcheck"]);
    let params = json!({ "raw": config.to_string(), "baseHash": got["hash"] });
    client.raw_result("config.set", &params).await;
    let ada = client.call_ok::<skills::Status>(&agent_skills(Some("ada"))).await;
    let blocked = |name: &str| entry(&ada, name)["blockedByAgentFilter"].clone();
    assert_eq!((blocked("healthcheck"), blocked("weather")), (json!(false), json!(true)));
    assert_eq!(
        client.event("skills.changed").await["payload"],
        json!({ "reason": "config-change", "agentIds": ["ada"], "version": ada["version"] })
    );
    // An agent that comes has skills at once, and one that goes has none.
    client.call_ok::<agents::Create>(&agent_create("Bob")).await;
    assert_eq!(client.call_ok::<skills::Status>(&agent_skills(Some("bob"))).await["agentId"], "bob");
    client.call_ok::<agents::Delete>(&agent("bob")).await;
    assert_eq!(
        client.call_err::<skills::Status>(&agent_skills(Some("bob"))).await.message,
        "unknown agent id \"bob\""
    );
}

#[tokio::test]
async fn installed_program_is_detected_on_request() {
    let server = server().await;
    server.put_skill("forecast", &json!({ "openclaw": { "requires": { "bins": ["skycast"] } } }));
    let mut client = server.admin().await;
    client.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    let missing = client.call_ok::<skills::Status>(&agent_skills(None)).await;
    assert_eq!(entry(&missing, "forecast")["missing"]["bins"], json!(["skycast"]));
    server.install("skycast");
    let found = client.call_ok::<skills::Status>(&agent_skills(None)).await;
    assert_eq!(entry(&found, "forecast")["eligible"], true);
    while client.event("skills.changed").await["payload"]["reason"] != "programs-change" {}
}

#[tokio::test]
async fn skill_decisions_are_active_before_the_reply() {
    let server = server().await;
    server.put_skill("clock", &json!({ "openclaw": { "capabilities": ["network"] } }));
    let mut client = server.admin().await;
    client.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    let status = client.call_ok::<skills::Status>(&agent_skills(None)).await;
    let clock = entry(&status, "clock");
    assert_eq!((&clock["trust"], &clock["scan"]["state"]), (&json!("community"), &json!("clean")));
    assert_eq!(clock["capabilities"]["effective"], json!([]));

    let stale = client.raw_call("skills.seen", &json!({ "name": "clock", "hash": "0".repeat(64) })).await;
    assert_eq!(stale["error"]["details"]["code"], "stale");
    let seen =
        client.raw_result("skills.seen", &json!({ "name": "clock", "hash": clock["scan"]["hash"] })).await;
    assert_eq!((&seen["changed"], &seen["capabilities"]["effective"]), (&json!(true), &json!(["network"])));
    let granted =
        client.raw_result("skills.grant", &json!({ "name": "clock", "capabilities": ["shell"] })).await;
    assert_eq!(granted["capabilities"]["effective"], json!(["shell", "network"]));
    let status = client.call_ok::<skills::Status>(&agent_skills(None)).await;
    assert_eq!(entry(&status, "clock")["capabilities"], granted["capabilities"]);
    let revoked = client.raw_result("skills.revoke", &json!({ "name": "clock", "capabilities": [] })).await;
    assert_eq!(revoked["capabilities"]["granted"], json!([]));
    let trusted = client.raw_result("skills.trust", &json!({ "name": "clock", "tier": "local" })).await;
    assert_eq!((&trusted["trust"], &trusted["capabilities"]["enforced"]), (&json!("local"), &json!(false)));

    let unknown =
        client.raw_error("skills.grant", &json!({ "name": "nobody", "capabilities": ["shell"] })).await;
    assert_eq!(unknown, "unknown skill \"nobody\"");
    let nothing = json!({ "name": "clock", "rule": "no-such-rule", "reason": "none" });
    assert_eq!(client.raw_call("skills.accept", &nothing).await["error"]["details"]["code"], "not-found");
    let mut reader = server.client(&["operator.read"]).await;
    let refused =
        reader.raw_call("skills.grant", &json!({ "name": "clock", "capabilities": ["shell"] })).await;
    assert_eq!(refused["ok"], false, "{refused}");
}

#[tokio::test]
async fn removed_skill_is_restored_without_its_decisions() {
    let server = server().await;
    // Removed by its key, which is not its name.
    server.put_skill("clock", &json!({ "openclaw": { "skillKey": "watches", "capabilities": ["network"] } }));
    let mut client = server.admin().await;
    client.call_ok::<skills::Refresh>(&agent_skills(None)).await;
    client.raw_result("skills.grant", &json!({ "name": "clock", "capabilities": ["shell"] })).await;

    assert_eq!(
        client.raw_error("skills.remove", &json!({ "skillKey": "clock" })).await,
        "unknown skill key \"clock\""
    );
    let removed = client.raw_result("skills.remove", &json!({ "skillKey": "watches" })).await;
    let folder = server.home.state_dir().join("skills/clock");
    assert_eq!((&removed["name"], removed["path"].as_str()), (&json!("clock"), folder.to_str()));
    assert!(!folder.exists());
    let status = client.call_ok::<skills::Status>(&agent_skills(None)).await;
    assert!(status["skills"].as_array().unwrap().iter().all(|skill| skill["name"] != "clock"));
    let trash = client.call_ok::<skills::Trash>(&NoParams {}).await;
    assert_eq!(trash["skills"][0]["id"], removed["id"]);

    // Its place is taken meanwhile.
    std::fs::create_dir(&folder).unwrap();
    let taken = client.raw_call("skills.restore", &json!({ "id": removed["id"] })).await;
    assert_eq!(taken["error"]["details"]["code"], "stale", "{taken}");
    std::fs::remove_dir(&folder).unwrap();

    let restored = client.raw_result("skills.restore", &json!({ "id": removed["id"] })).await;
    assert_eq!((&restored["name"], &restored["path"]), (&removed["name"], &removed["path"]));
    let status = client.call_ok::<skills::Status>(&agent_skills(None)).await;
    assert_eq!(entry(&status, "clock")["capabilities"]["granted"], json!([]));
    let gone = client.raw_call("skills.restore", &json!({ "id": removed["id"] })).await;
    assert_eq!(gone["error"]["details"]["code"], "not-found", "{gone}");

    let mut reader = server.client(&["operator.read"]).await;
    assert_eq!(reader.raw_call("skills.remove", &json!({ "skillKey": "watches" })).await["ok"], false);
}
