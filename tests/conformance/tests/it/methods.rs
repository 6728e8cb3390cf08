//! RPC methods, each test with its own home.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::params::{
    agent, agent_create, agent_file, agent_file_set, app_launch, audit_tail, config_write,
};
use tarsus_conformance::{Client, detail_code, device};
use tarsus_gateway::limits::Limits;
use tarsus_protocol::apps::{AppAction, AppDecision, AppEntry, AppMode, AppRunOutcome};
use tarsus_protocol::error::RpcCode;
use tarsus_protocol::rpc::agents::{
    AgentCreateParams, AgentCreated, AgentDeleted, AgentEntry, AgentIdentity, AgentModel, AgentUpdateParams,
    AgentsList,
};
use tarsus_protocol::rpc::apps::{AppDeleteParams, AppRestoreParams, AppSaveParams};
use tarsus_protocol::rpc::config::ConfigWriteParams;
use tarsus_protocol::rpc::journal::{AuditCategory, AuditLevel, AuditParams, LogLevel, LogsParams};
use tarsus_protocol::rpc::models::ModelEntry;
use tarsus_protocol::rpc::tools::ApprovalsParams;
use tarsus_protocol::rpc::{NoParams, agents, apps, config, journal, models, tools};

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
    assert_eq!(got.config["gateway"]["auth"]["token"], tarsus_protocol::REDACTED);
    assert!(!json!(got).to_string().contains(CANARY));
    let mut config = got.config;
    config["gateway"]["reload"] = json!({ "mode": "hot" });
    let params = config_write(&config, &got.hash);
    let written = client.call_ok::<config::Set>(&params).await;
    assert_eq!((written.ok, &written.config), (true, &config));
    let text = std::fs::read_to_string(server.home.config_path()).unwrap();
    for kept in [CANARY, "// mine", "// the token", "theme: \"kept\"", "hot"] {
        assert!(text.contains(kept), "{kept} is not in\n{text}");
    }
    assert!(!text.contains("meta"));
    let changed = client.event("config.changed").await;
    assert_eq!(changed["payload"]["hash"], written.hash);

    // The same hash again is stale, a hash is required, and the event holds no secret.
    let stale = "config changed since last load; re-run config.get and retry";
    assert_eq!(client.call_err::<config::Set>(&params).await.message, stale);
    let required = "config base hash required; re-run config.get and retry";
    let without_hash = ConfigWriteParams { raw: "{}".to_owned(), base_hash: None };
    assert_eq!(client.call_err::<config::Set>(&without_hash).await.message, required);
    assert!(!changed.to_string().contains(CANARY));
}

#[tokio::test]
async fn config_patch_is_merged_and_errors_are_reported() {
    let server = server().await;
    let mut client = server.admin().await;
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    let workspace = "{agents:{defaults:{workspace:'w'}}}";
    let unknown_key = config_write("{nope:1}", &hash);
    let table = [
        (
            ConfigWriteParams { raw: workspace.to_owned(), base_hash: None },
            "config base hash required for agents.defaults.workspace; re-run config.get and retry with baseHash",
        ),
        (unknown_key.clone(), "invalid config: <root>: Unrecognized key: \"nope\""),
        (
            config_write("{gateway:{port:'x'}}", &hash),
            "invalid config: gateway.port: expected a whole number from 1 to 65535, found a string",
        ),
    ];
    for (params, expected) in table {
        assert_eq!(client.call_err::<config::Patch>(&params).await.message, expected);
    }
    let error = client.call_err::<config::Patch>(&unknown_key).await;
    assert_eq!(
        error.details.unwrap()["issues"],
        json!([{ "path": "", "message": "Unrecognized key: \"nope\"" }])
    );
    let error = client.call_err::<config::Patch>(&config_write("{{", &hash)).await;
    assert!(error.message.starts_with("SyntaxError: JSON5: "), "{}", error.message);

    let patched = client.call_ok::<config::Patch>(&config_write(workspace, &hash)).await;
    assert_eq!(patched.changed_paths, ["agents.defaults"]);
    assert_eq!(patched.written.config["agents"]["defaults"]["workspace"], "w");
}

#[tokio::test]
async fn new_token_is_active_before_the_reply() {
    let server = server().await;
    let mut client = server.admin().await;
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    client.call_ok::<config::Patch>(&config_write("{gateway:{auth:{token:'another'}}}", &hash)).await;
    let mut old = Client::expect(&server.url, &[]).await;
    old.challenge().await;
    let refused = old.connect(&device::backend(&server.token)).await.frame();
    assert_eq!(refused["error"]["details"]["code"], "AUTH_TOKEN_MISMATCH");
    let mut new = Client::expect(&server.url, &[]).await;
    new.challenge().await;
    assert_eq!(new.connect(&device::backend("another")).await.frame()["ok"], true);
}

#[tokio::test]
async fn agents_are_created_and_deleted_and_the_implicit_one_stays() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    let workspace = server.home.state_dir().join("workspace-skill-helper");
    let before = std::fs::read(server.home.config_path()).unwrap();
    let dry_run = |name: &str| AgentCreateParams { dry_run: Some(true), ..agent_create(name) };
    let would = client.call_ok::<agents::Create>(&dry_run("Skill Helper")).await;
    let folder = workspace.display().to_string();
    assert_eq!((would.agent_id.as_str(), &would.workspace), ("skill-helper", &folder));
    assert_eq!(
        client.call_err::<agents::Create>(&dry_run("MAIN")).await.message,
        "agent \"main\" already exists"
    );
    assert_eq!(detail_code(&client.call_err::<agents::Create>(&dry_run("小米")).await), "usage");
    assert!(!workspace.exists());
    assert_eq!(std::fs::read(server.home.config_path()).unwrap(), before);
    let params = AgentCreateParams { workspace: Some(folder.clone()), ..agent_create("Skill Helper") };
    let created = client.call_ok::<agents::Create>(&params).await;
    let expected = AgentCreated {
        ok: true,
        agent_id: "skill-helper".to_owned(),
        name: "Skill Helper".to_owned(),
        workspace: folder.clone(),
    };
    assert_eq!(created, expected);
    assert!(workspace.is_dir());
    assert_eq!(
        client.call_err::<agents::Create>(&agent_create("skill HELPER")).await.message,
        "agent \"skill-helper\" already exists"
    );
    let update = |agent_id: &str, name: &str, model: Option<&str>| AgentUpdateParams {
        agent_id: agent_id.to_owned(),
        name: Some(name.to_owned()),
        workspace: None,
        model: model.map(str::to_owned),
    };
    client.call_ok::<agents::Update>(&update("skill-helper", "Helper", Some("a/b"))).await;
    let entry = |id: &str, name: Option<&str>, workspace: String, model: Option<&str>| AgentEntry {
        id: id.to_owned(),
        name: name.map(str::to_owned),
        identity: None,
        workspace,
        model: model.map(|model| AgentModel { primary: model.to_owned() }),
    };
    let main = server.home.default_workspace().display().to_string();
    let expected = AgentsList {
        default_id: "main".to_owned(),
        main_key: "main".to_owned(),
        scope: "per-sender".to_owned(),
        agents: vec![
            entry("main", None, main, None),
            entry("skill-helper", Some("Helper"), folder, Some("a/b")),
        ],
    };
    assert_eq!(client.call_ok::<agents::List>(&NoParams {}).await, expected);
    let model = ModelEntry {
        id: "b".to_owned(),
        name: "b".to_owned(),
        provider: "a".to_owned(),
        context_window: None,
        reasoning: None,
    };
    assert_eq!(client.call_ok::<models::List>(&NoParams {}).await.models, [model]);
    assert_eq!(
        client.call_err::<agents::Delete>(&agent("main")).await.message,
        "\"main\" is the default agent and cannot be deleted"
    );
    let deleted = client.call_ok::<agents::Delete>(&agent("skill-helper")).await;
    let expected = AgentDeleted { ok: true, agent_id: "skill-helper".to_owned(), removed_bindings: 0 };
    assert_eq!(deleted, expected);
    assert_eq!(
        client.call_err::<agents::Delete>(&agent("skill-helper")).await.message,
        "agent \"skill-helper\" not found"
    );
    assert_eq!(
        client.call_err::<agents::Update>(&update("../x", "n", None)).await.message,
        "agent \"../x\" not found"
    );
    assert!(workspace.is_dir(), "files stay");
}

#[tokio::test]
async fn only_the_eight_agent_files_are_accessible() {
    let server = server().await;
    let mut client = server.admin().await;
    let file = |name: &str| agent_file("ada", name);
    let listed = client.call_ok::<agents::FilesList>(&agent("ada")).await;
    assert_eq!(listed.files.len(), 8);
    assert!(listed.files.iter().all(|file| file.missing));
    let identity = "- **Name:** Ada\n- **Emoji:** 🦉\n";
    client.call_ok::<agents::FilesSet>(&agent_file_set("ada", "IDENTITY.md", identity)).await;
    let got = client.call_ok::<agents::FilesGet>(&file("IDENTITY.md")).await;
    assert_eq!((got.file.missing, got.file.content.as_deref()), (false, Some(identity)));
    let agents = client.call_ok::<agents::List>(&NoParams {}).await.agents;
    let expected = AgentIdentity {
        name: Some("Ada".to_owned()),
        emoji: Some("🦉".to_owned()),
        ..AgentIdentity::default()
    };
    assert_eq!(agents[1].identity, Some(expected));
    for name in ["../openclaw.json", "NOTES.md", "soul.md", ""] {
        assert_eq!(
            client.call_err::<agents::FilesGet>(&file(name)).await.message,
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
        let refused = client.raw_call("agents.files.get", &json!(file("SOUL.md"))).await;
        assert_eq!(refused["ok"], false, "a link out of the workspace is not followed: {refused}");
        assert!(!refused.to_string().contains(CANARY));
    }
}

#[tokio::test]
async fn apps_are_saved_by_base_hash_and_published() {
    let server = server().await;
    let (mut client, mut other) = (server.admin().await, server.client(&["operator.read"]).await);
    assert!(!client.call_ok::<apps::List>(&NoParams {}).await.registry.exists);
    client.call_err::<apps::Validate>(&NoParams {}).await;
    client.call_ok::<apps::Create>(&NoParams {}).await;
    let base_hash = client.call_ok::<apps::List>(&NoParams {}).await.registry.hash;
    let entry = AppEntry::new("/no/such/app", AppMode::Allowlist, ["ada"]);
    let params = AppSaveParams { name: "Notes".to_owned(), entry: entry.clone(), base_hash };
    let saved = client.call_ok::<apps::Save>(&params).await;
    assert_eq!((saved.action, saved.after), (AppAction::Add, Some(json!(entry))));
    assert_eq!(detail_code(&client.call_err::<apps::Save>(&params).await), "stale");
    let delete = |base_hash| AppDeleteParams { name: "Notes".to_owned(), base_hash };
    assert_eq!(
        client.call_err::<apps::Delete>(&delete(None)).await.message,
        "apps base hash required; re-run apps.list and retry"
    );
    assert!(client.call_ok::<apps::Validate>(&NoParams {}).await.ok);
    let denied = client.call_err::<apps::Launch>(&app_launch("Notes", "main")).await;
    assert_eq!((&denied.code, detail_code(&denied)), (&RpcCode::Forbidden.into(), "denied"));
    let run = client.call_ok::<apps::Launch>(&app_launch("Notes", "ada")).await.run;
    assert_eq!((run.decision, run.outcome), (AppDecision::Allowed, AppRunOutcome::Failed));
    let base_hash = client.call_ok::<apps::List>(&NoParams {}).await.registry.hash;
    client.call_ok::<apps::Delete>(&delete(base_hash)).await;
    let mut actions = Vec::new();
    while actions.len() < 4 {
        actions.push(other.event("apps.changed").await["payload"]["action"].clone());
    }
    assert_eq!(actions, ["create", "save", "launch", "delete"]);
}

#[tokio::test]
async fn deleted_app_is_restored_unless_its_name_is_taken() {
    let server = server().await;
    let mut client = server.admin().await;
    let path = server.home.state_dir().join("registries/application_registry.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = "{\n  \"Notes\": {\"launch_path\": \"/n\", \"weight\": 2.50},\n  \"Other\": null\n}\n";
    std::fs::write(&path, text).unwrap();
    let base_hash = client.call_ok::<apps::List>(&NoParams {}).await.registry.hash;
    let delete = AppDeleteParams { name: "Notes".to_owned(), base_hash };
    let deleted = client.call_ok::<apps::Delete>(&delete).await;
    assert_eq!((deleted.change.action, deleted.change.after), (AppAction::Delete, None));
    let removed = deleted.removed;
    assert_eq!(removed.before.as_deref(), Some("Other"));
    let mut restore = AppRestoreParams {
        name: "Notes".to_owned(),
        written: removed.written,
        before: removed.before,
        base_hash: None,
    };
    assert_eq!(
        client.call_err::<apps::Restore>(&restore).await.message,
        "apps base hash required; re-run apps.list and retry"
    );
    restore.base_hash = Some(removed.hash);
    let broken = AppRestoreParams { written: "{}, \"More\": {}".to_owned(), ..restore.clone() };
    let error = client.call_err::<apps::Restore>(&broken).await.message;
    assert!(error.starts_with("invalid apps.restore params: at /written: "), "{error}");
    client.call_ok::<apps::Restore>(&restore).await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    assert_eq!(detail_code(&client.call_err::<apps::Restore>(&restore).await), "stale");
    restore.base_hash = client.call_ok::<apps::List>(&NoParams {}).await.registry.hash;
    assert_eq!(
        client.call_err::<apps::Restore>(&restore).await.message,
        "an app named \"Notes\" is already registered"
    );
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let tail = client.call_ok::<journal::AuditTail>(&audit_tail(Some(1))).await;
    assert_eq!((&tail.records[0]["event"], &tail.records[0]["app"]), (&json!("app.add"), &json!("Notes")));
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
    assert_eq!((got.exists, &got.file.others["extra"]), (true, &json!(1)));
    assert!(!json!(got).to_string().contains(CANARY));
    let mut file = got.file;
    let agents = json!({ "ada": { "security": "allowlist", "ask": "always" } });
    file.agents = agents.as_object().cloned();
    let required = "exec approvals base hash required; re-run exec.approvals.get and retry";
    let without_hash = ApprovalsParams { file: file.clone(), base_hash: None };
    assert_eq!(client.call_err::<tools::ApprovalsSet>(&without_hash).await.message, required);
    let params = ApprovalsParams { file: file.clone(), base_hash: Some(got.hash) };
    assert_eq!(client.call_ok::<tools::ApprovalsSet>(&params).await.file.agents, file.agents);
    let stale = "exec approvals changed since last load; re-run exec.approvals.get and retry";
    assert_eq!(client.call_err::<tools::ApprovalsSet>(&params).await.message, stale);
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!((&written["socket"]["token"], &written["agents"]), (&json!(CANARY), &agents));
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
    let all =
        LogsParams { cursor: None, limit: None, max_bytes: None, category: None, level: None, since: None };
    let since = |time: &str| LogsParams { since: Some(time.to_owned()), ..all.clone() };
    let after = |cursor| LogsParams { cursor: Some(cursor), ..all.clone() };
    let category = Some("tarsus_gateway".to_owned());
    for (params, expected) in [
        (all.clone(), &lines[..]),
        (LogsParams { limit: Some(1), ..all.clone() }, &lines[2..]),
        (LogsParams { level: Some(LogLevel::Warn), ..all.clone() }, &lines[1..]),
        (LogsParams { category, ..all.clone() }, &lines[1..2]),
        (since("2026-01-03T00:00:00Z"), &lines[2..]),
        (after(lines[0].len() as u64 + 1), &lines[1..]),
    ] {
        assert_eq!(client.call_ok::<journal::LogsTail>(&params).await.lines, expected, "{params:?}");
    }
    assert!(client.call_ok::<journal::LogsTail>(&after(1_000_000)).await.reset);
    let error = client.call_err::<journal::LogsTail>(&since("yesterday")).await.message;
    assert!(error.contains("at /since"), "{error}");

    let mut stranger = Client::expect(&server.url, &[]).await;
    stranger.challenge().await;
    let refused = stranger.connect(&device::backend("wrong")).await.frame();
    assert_eq!(refused["ok"], false);
    let warnings = AuditParams {
        category: Some(AuditCategory::Security),
        level: Some(AuditLevel::Warning),
        ..audit_tail(None)
    };
    let tail = client.call_ok::<journal::AuditTail>(&warnings).await;
    assert_eq!(tail.records[0]["reason"], "token-mismatch");
    assert!(client.call_ok::<journal::AuditVerify>(&NoParams {}).await.ok);
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
    assert_eq!((got.valid, &got.raw, got.issues[0].line), (false, &None, Some(1)));
    assert_eq!(got.config["agents"]["defaults"]["workspace"], "w");
    assert!(!json!(got).to_string().contains(CANARY));
    assert_eq!(client.call_ok::<agents::List>(&NoParams {}).await.agents[1].id, "ada");
    // Raw: no part of the reply may hold the secret.
    let refused = client.raw_call("config.set", &json!(config_write("{}", &got.hash))).await;
    assert_eq!(refused["error"]["details"]["code"], "malformed", "{refused}");
    assert!(!refused.to_string().contains(CANARY));
}
