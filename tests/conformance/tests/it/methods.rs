//! RPC methods, each test with its own home.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_gateway::limits::Limits;

const CANARY: &str = "canary-3f9c1e";

fn config() -> String {
    format!(
        r#"// mine
{{
  gateway: {{ auth: {{ token: "{CANARY}" }} }}, // the token
  agents: {{ list: [{{ id: "main" }}, {{ id: "ada", name: "Ada", theme: "kept" }}] }},
}}
"#
    )
}

async fn server() -> Server {
    Server::with(&config(), Limits::DEFAULT).await
}

#[tokio::test]
async fn config_set_with_placeholders_edits_only_differences() {
    let server = server().await;
    let mut client = server.admin().await;
    let got = client.call_ok::<config::Get>(&NoParams {}).await;
    assert_eq!(got["config"]["gateway"]["auth"]["token"], tarsus_protocol::REDACTED);
    assert!(!got.to_string().contains(CANARY));
    let mut config = got["config"].clone();
    config["gateway"]["reload"] = json!({ "mode": "hot" });
    let params = json!({ "raw": config.to_string(), "baseHash": got["hash"] });
    let written = client.raw_result("config.set", &params).await;
    assert_eq!((&written["ok"], &written["config"]), (&json!(true), &config));
    let text = std::fs::read_to_string(server.home.config_path()).unwrap();
    for kept in [CANARY, "// mine", "// the token", "theme: \"kept\"", "hot"] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
    assert!(!text.contains("meta"));
    let changed = client.event("config.changed").await;
    assert_eq!(changed["payload"]["hash"], written["hash"]);

    // The same hash again is stale; no hash is none; and what is told to everybody holds no secret.
    let stale = "config changed since last load; re-run config.get and retry";
    assert_eq!(client.raw_error("config.set", &params).await, stale);
    let required = "config base hash required; re-run config.get and retry";
    assert_eq!(client.raw_error("config.set", &json!({ "raw": "{}" })).await, required);
    assert!(!changed.to_string().contains(CANARY));
}

#[tokio::test]
async fn config_patch_is_merged_and_errors_are_reported() {
    let server = server().await;
    let mut client = server.admin().await;
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    let table = [
        (
            json!({ "raw": "{agents:{defaults:{workspace:'w'}}}" }),
            "config base hash required for agents.defaults.workspace; re-run config.get and retry with baseHash",
        ),
        (
            json!({ "raw": "{nope:1}", "baseHash": hash }),
            "invalid config: <root>: Unrecognized key: \"nope\"",
        ),
        (
            json!({ "raw": "{gateway:{port:'x'}}", "baseHash": hash }),
            "invalid config: gateway.port: expected a whole number from 1 to 65535, found a string",
        ),
    ];
    for (params, expected) in table {
        assert_eq!(client.raw_error("config.patch", &params).await, expected);
    }
    let refused = client.raw_call("config.patch", &json!({ "raw": "{nope:1}", "baseHash": hash })).await;
    assert_eq!(
        refused["error"]["details"]["issues"],
        json!([{ "path": "", "message": "Unrecognized key: \"nope\"" }])
    );
    assert!(
        client
            .call_err::<config::Patch>(&config_write("{{", &hash))
            .await
            .message
            .starts_with("SyntaxError: JSON5: ")
    );

    let patch = json!({ "raw": "{agents:{defaults:{workspace:'w'}}}", "baseHash": hash });
    let patched = client.raw_result("config.patch", &patch).await;
    assert_eq!(patched["changedPaths"], json!(["agents.defaults"]));
    assert_eq!(patched["config"]["agents"]["defaults"]["workspace"], "w");
}

#[tokio::test]
async fn new_token_is_active_before_the_reply() {
    let server = server().await;
    let mut client = server.admin().await;
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    let patch = json!({ "raw": "{gateway:{auth:{token:'another'}}}", "baseHash": hash });
    client.raw_result("config.patch", &patch).await;
    let mut old = tarsus_conformance::Client::expect(&server.url, &[]).await;
    old.challenge().await;
    let refused = old.connect(&tarsus_conformance::device::backend(&server.token)).await.frame();
    assert_eq!(refused["error"]["details"]["code"], "AUTH_TOKEN_MISMATCH");
    let mut new = tarsus_conformance::Client::expect(&server.url, &[]).await;
    new.challenge().await;
    assert_eq!(new.connect(&tarsus_conformance::device::backend("another")).await.frame()["ok"], true);
}

#[tokio::test]
async fn agents_are_created_and_deleted_and_the_implicit_one_stays() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let workspace = server.home.state_dir().join("workspace-skill-helper");
    let before = std::fs::read(server.home.config_path()).unwrap();
    let would = client.raw_result("agents.create", &json!({ "name": "Skill Helper", "dryRun": true })).await;
    assert_eq!((&would["agentId"], &would["workspace"]), (&json!("skill-helper"), &json!(workspace)));
    assert_eq!(
        client.raw_error("agents.create", &json!({ "name": "MAIN", "dryRun": true })).await,
        "agent \"main\" already exists"
    );
    let no_id = client.raw_call("agents.create", &json!({ "name": "小米", "dryRun": true })).await;
    assert_eq!(no_id["error"]["details"]["code"], "usage");
    assert!(!workspace.exists());
    assert_eq!(std::fs::read(server.home.config_path()).unwrap(), before);
    let created =
        client.raw_result("agents.create", &json!({ "name": "Skill Helper", "workspace": workspace })).await;
    assert_eq!(
        created,
        json!({ "ok": true, "agentId": "skill-helper", "name": "Skill Helper", "workspace": workspace })
    );
    assert!(workspace.is_dir());
    assert_eq!(
        client.call_err::<agents::Create>(&agent_create("skill HELPER")).await.message,
        "agent \"skill-helper\" already exists"
    );
    client
        .raw_result("agents.update", &json!({ "agentId": "skill-helper", "name": "Helper", "model": "a/b" }))
        .await;
    let list = client.call_ok::<agents::List>(&NoParams {}).await;
    let main = server.home.default_workspace();
    assert_eq!(
        list,
        json!({ "defaultId": "main", "mainKey": "main", "scope": "per-sender", "agents": [
            { "id": "main", "workspace": main },
            { "id": "skill-helper", "name": "Helper", "workspace": workspace, "model": { "primary": "a/b" } },
        ] })
    );
    let models = client.call_ok::<models::List>(&NoParams {}).await;
    assert_eq!(models, json!({ "models": [{ "id": "b", "name": "b", "provider": "a" }] }));
    assert_eq!(
        client.call_err::<agents::Delete>(&agent("main")).await.message,
        "\"main\" is the default agent and cannot be deleted"
    );
    let deleted = client.call_ok::<agents::Delete>(&agent("skill-helper")).await;
    assert_eq!(deleted, json!({ "ok": true, "agentId": "skill-helper", "removedBindings": 0 }));
    assert_eq!(
        client.call_err::<agents::Delete>(&agent("skill-helper")).await.message,
        "agent \"skill-helper\" not found"
    );
    assert_eq!(
        client.raw_error("agents.update", &json!({ "agentId": "../x", "name": "n" })).await,
        "agent \"../x\" not found"
    );
    assert!(workspace.is_dir(), "files stay");
}

#[tokio::test]
async fn only_the_eight_agent_files_are_accessible() {
    let server = server().await;
    let mut client = server.admin().await;
    let file = |name: &str| json!({ "agentId": "ada", "name": name });
    let listed = client.call_ok::<agents::FilesList>(&agent("ada")).await;
    assert_eq!(listed["files"].as_array().map(Vec::len), Some(8));
    assert!(listed["files"].as_array().unwrap().iter().all(|file| file["missing"] == true));
    let identity = "- **Name:** Ada\n- **Emoji:** 🦉\n";
    client.call_ok::<agents::FilesSet>(&agent_file_set("ada", "IDENTITY.md", identity)).await;
    let got = client.raw_result("agents.files.get", &file("IDENTITY.md")).await;
    assert_eq!((&got["file"]["missing"], &got["file"]["content"]), (&json!(false), &json!(identity)));
    let agents = client.call_ok::<agents::List>(&NoParams {}).await;
    assert_eq!(agents["agents"][1]["identity"], json!({ "name": "Ada", "emoji": "🦉" }));
    for name in ["../openclaw.json", "NOTES.md", "soul.md", ""] {
        assert_eq!(
            client.raw_error("agents.files.get", &file(name)).await,
            format!("unsupported file \"{name}\"")
        );
    }
    assert_eq!(
        client.call_err::<agents::FilesList>(&agent("nope")).await.message,
        "unknown agent id \"nope\""
    );
    #[cfg(unix)]
    {
        let workspace = server.home.state_dir().join("workspace-ada");
        std::os::unix::fs::symlink(server.home.config_path(), workspace.join("SOUL.md")).unwrap();
        let refused = client.raw_call("agents.files.get", &file("SOUL.md")).await;
        assert_eq!(refused["ok"], false, "a link out of the workspace is not followed: {refused}");
        assert!(!refused.to_string().contains(CANARY));
    }
}

#[tokio::test]
async fn apps_are_saved_by_base_hash_and_published() {
    let server = server().await;
    let (mut client, mut other) = (server.admin().await, server.client(&["operator.read"]).await);
    assert_eq!(client.call_ok::<apps::List>(&NoParams {}).await["registry"]["exists"], false);
    assert_eq!(client.raw_call("apps.validate", &json!({})).await["ok"], false);
    client.call_ok::<apps::Create>(&NoParams {}).await;
    let hash = client.call_ok::<apps::List>(&NoParams {}).await.registry.hash;
    let entry = json!({ "launch_path": "/no/such/app", "mode": "allowlist", "allowed_agents": ["ada"] });
    let params = json!({ "name": "Notes", "entry": entry, "baseHash": hash });
    let saved = client.raw_result("apps.save", &params).await;
    assert_eq!((&saved["action"], &saved["after"]), (&json!("add"), &entry));
    assert_eq!(client.raw_call("apps.save", &params).await["error"]["details"]["code"], "stale");
    assert_eq!(
        client.raw_error("apps.delete", &json!({ "name": "Notes" })).await,
        "apps base hash required; re-run apps.list and retry"
    );
    assert_eq!(client.call_ok::<apps::Validate>(&NoParams {}).await["ok"], true);
    let refused = client.raw_call("apps.launch", &json!({ "name": "Notes", "agentId": "main" })).await;
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["details"]["code"]),
        (&json!("FORBIDDEN"), &json!("denied"))
    );
    let run = client.call_ok::<apps::Launch>(&app_launch("Notes", "ada")).await;
    assert_eq!((&run["decision"], &run["outcome"]), (&json!("allowed"), &json!("failed")));
    let hash = client.call_ok::<apps::List>(&NoParams {}).await.registry.hash;
    client.raw_result("apps.delete", &json!({ "name": "Notes", "baseHash": hash })).await;
    let mut told = Vec::new();
    while told.len() < 4 {
        told.push(other.event("apps.changed").await["payload"]["action"].clone());
    }
    assert_eq!(told, ["create", "save", "launch", "delete"]);
}

#[tokio::test]
async fn deleted_app_is_restored_unless_its_name_is_taken() {
    let server = server().await;
    let mut client = server.admin().await;
    let path = server.home.state_dir().join("registries/application_registry.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = "{\n  \"Notes\": {\"launch_path\": \"/n\", \"weight\": 2.50},\n  \"Other\": null\n}\n";
    std::fs::write(&path, text).unwrap();
    let hash = client.call_ok::<apps::List>(&NoParams {}).await.registry.hash;
    let deleted = client.raw_result("apps.delete", &json!({ "name": "Notes", "baseHash": hash })).await;
    assert_eq!((&deleted["action"], &deleted["after"]), (&json!("delete"), &Value::Null));
    let removed = &deleted["removed"];
    assert_eq!(removed["before"], "Other");
    let mut back = json!({ "name": "Notes", "written": removed["written"], "before": removed["before"] });
    assert_eq!(
        client.raw_error("apps.restore", &back).await,
        "apps base hash required; re-run apps.list and retry"
    );
    back["baseHash"] = removed["hash"].clone();
    let mut broken = back.clone();
    broken["written"] = json!("{}, \"More\": {}");
    let refused = client.raw_error("apps.restore", &broken).await;
    assert!(refused.starts_with("invalid apps.restore params: at /written: "), "{refused}");
    client.raw_result("apps.restore", &back).await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert_eq!(client.raw_call("apps.restore", &back).await["error"]["details"]["code"], "stale");
    back["baseHash"] = client.call_ok::<apps::List>(&NoParams {}).await.registry.hash;
    assert_eq!(client.raw_error("apps.restore", &back).await, "an app named \"Notes\" is already registered");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let tail = client.call_ok::<journal::AuditTail>(&audit_tail(Some(1))).await;
    assert_eq!(
        (&tail["records"][0]["event"], &tail["records"][0]["app"]),
        (&json!("app.add"), &json!("Notes"))
    );
}

#[tokio::test]
async fn approvals_keep_the_socket_token_and_check_the_base_hash() {
    let server = server().await;
    let path = server.home.state_dir().join("exec-approvals.json");
    let stored =
        json!({ "version": 1, "socket": { "path": "/s", "token": CANARY }, "agents": {}, "extra": 1 });
    std::fs::write(&path, stored.to_string()).unwrap();
    let mut client = server.admin().await;
    let got = client.call_ok::<tools::ApprovalsGet>(&NoParams {}).await;
    assert_eq!((&got["exists"], &got["file"]["extra"]), (&json!(true), &json!(1)));
    assert!(!got.to_string().contains(CANARY));
    let mut file = got["file"].clone();
    file["agents"] = json!({ "ada": { "security": "allowlist", "ask": "always" } });
    let required = "exec approvals base hash required; re-run exec.approvals.get and retry";
    assert_eq!(client.raw_error("exec.approvals.set", &json!({ "file": file })).await, required);
    let params = json!({ "file": file, "baseHash": got["hash"] });
    assert_eq!(client.raw_result("exec.approvals.set", &params).await["file"]["agents"], file["agents"]);
    let stale = "exec approvals changed since last load; re-run exec.approvals.get and retry";
    assert_eq!(client.raw_error("exec.approvals.set", &params).await, stale);
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((&written["socket"]["token"], &written["agents"]), (&json!(CANARY), &file["agents"]));
}

#[tokio::test]
async fn log_and_audit_are_filtered() {
    let server = server().await;
    let log = server.home.logs_dir();
    std::fs::create_dir_all(&log).unwrap();
    let line = |level: &str, target: &str, day: u8| {
        json!({ "timestamp": format!("2026-01-{day:02}T00:00:00Z"), "level": level, "target": target })
            .to_string()
    };
    let lines =
        [line("INFO", "tarsus", 1), line("WARN", "tarsus_gateway", 2), line("ERROR", "tarsus_apps", 3)];
    std::fs::write(log.join("tarsus.log"), format!("{}\n{}\n{}\nhalf", lines[0], lines[1], lines[2]))
        .unwrap();
    let mut client = server.client(&["operator.read"]).await;
    for (params, expected) in [
        (json!({}), &lines[..]),
        (json!({ "limit": 1 }), &lines[2..]),
        (json!({ "level": "warn" }), &lines[1..]),
        (json!({ "category": "tarsus_gateway" }), &lines[1..2]),
        (json!({ "since": "2026-01-03T00:00:00Z" }), &lines[2..]),
        (json!({ "cursor": lines[0].len() + 1 }), &lines[1..]),
    ] {
        assert_eq!(client.raw_result("logs.tail", &params).await["lines"], json!(expected), "{params}");
    }
    assert_eq!(client.raw_result("logs.tail", &json!({ "cursor": 1_000_000 })).await["reset"], true);
    assert!(client.raw_error("logs.tail", &json!({ "since": "yesterday" })).await.contains("at /since"));

    let mut stranger = tarsus_conformance::Client::expect(&server.url, &[]).await;
    stranger.challenge().await;
    let refused = stranger.connect(&tarsus_conformance::device::backend("wrong")).await.frame();
    assert_eq!(refused["ok"], false);
    let tail = client.raw_result("audit.tail", &json!({ "category": "security", "level": "warning" })).await;
    assert_eq!(tail["records"][0]["reason"], "token-mismatch");
    assert_eq!(client.call_ok::<journal::AuditVerify>(&NoParams {}).await["ok"], true);
}

#[tokio::test]
async fn broken_config_is_reported_and_last_good_stays_active() {
    let server = server().await;
    let mut client = server.admin().await;
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    client.call_ok::<config::Patch>(&config_write("{agents:{defaults:{workspace:'w'}}}", &hash)).await;
    std::fs::write(server.home.config_path(), format!("{{ gateway: {{ auth: {{ token: '{CANARY}' }} "))
        .unwrap();
    let got = client.call_ok::<config::Get>(&NoParams {}).await;
    assert_eq!(
        (&got["valid"], &got["raw"], &got["issues"][0]["line"]),
        (&json!(false), &Value::Null, &json!(1))
    );
    assert_eq!(got["config"]["agents"]["defaults"]["workspace"], "w");
    assert!(!got.to_string().contains(CANARY));
    assert_eq!(client.call_ok::<agents::List>(&NoParams {}).await["agents"][1]["id"], "ada");
    let refused = client.raw_call("config.set", &json!({ "raw": "{}", "baseHash": got["hash"] })).await;
    assert_eq!(refused["error"]["details"]["code"], "malformed", "{refused}");
    assert!(!refused.to_string().contains(CANARY));
}
