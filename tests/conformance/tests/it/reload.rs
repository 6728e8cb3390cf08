//! Reload of changed files: what becomes active, what is rejected, and what is published.

use crate::common;

use std::fs;
#[cfg(unix)]
use std::io::ErrorKind;
#[cfg(unix)]
use std::path::Path;
use std::path::PathBuf;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::params::{agent_create, agent_file, agent_skills, config_write};
use tarsus_conformance::{Client, Opened, Received, device};
use tarsus_gateway::limits::Limits;
use tarsus_protocol::apps::{AppEntry, AppMode};
use tarsus_protocol::rpc::apps::AppSaveParams;
use tarsus_protocol::rpc::overview::HealthParams;
use tarsus_protocol::rpc::{NoParams, agents, apps, config, overview, skills};

const CANARY: &str = "canary-8d20b7";

fn config(rest: &str) -> String {
    format!("{{\n  gateway: {{ auth: {{ token: '{CANARY}' }} }},\n  {rest}\n}}\n")
}

const TWO_AGENTS: &str = "agents: { list: [{ id: 'main' }, { id: 'ada' }] },";
const THREE_AGENTS: &str = "agents: { list: [{ id: 'main' }, { id: 'ada' }, { id: 'bob' }] },";

async fn server() -> Server {
    Server::with(&config(TWO_AGENTS), Limits::DEFAULT).await
}

/// Overwrites the configuration file, as an editor does.
fn write_config(server: &Server, text: &str) {
    fs::write(server.home.config_path(), text).unwrap();
}

fn registry(server: &Server) -> PathBuf {
    server.home.state_dir().join("registries/application_registry.json")
}

/// Receives events up to the first of this name that matches, and returns all of them.
async fn receive_until(client: &mut Client, name: &str, matches: impl Fn(&Value) -> bool) -> Vec<Value> {
    let mut events: Vec<Value> = Vec::new();
    loop {
        let frame = match client.events.pop_front() {
            Some(frame) => frame,
            None => client.receive().await.frame(),
        };
        events.push(frame);
        if let Some(last) = events.last()
            && last["event"] == name
            && matches(&last["payload"])
        {
            return events;
        }
    }
}

/// The next published reload state that matches, without its hash.
async fn next_reload(client: &mut Client, matches: impl Fn(&Value) -> bool) -> Value {
    let events = receive_until(client, "health", |health| matches(&health["configReload"])).await;
    without_hash(&events.last().unwrap()["payload"]["configReload"])
}

/// The reload state in the reply of `health`.
async fn reload_state(client: &mut Client) -> Value {
    json!(client.call_ok::<overview::Health>(&HealthParams { probe: None }).await.config_reload)
}

fn without_hash(reload: &Value) -> Value {
    let mut reload = reload.clone();
    reload.as_object_mut().unwrap().remove("hash");
    reload
}

fn is_rejected(reload: &Value) -> bool {
    reload["rejected"] != json!([])
}

/// All events up to that of a change made now. Files are checked in turn, so every earlier change was checked too.
async fn events_so_far(server: &Server, client: &mut Client) -> Vec<Value> {
    let path = registry(server);
    let next = fs::read_to_string(&path).map_or(0, |text| text.len()) + 1;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("{{}}{}", " ".repeat(next))).unwrap();
    let hash = json!(registry_hash(client).await);
    receive_until(client, "apps.changed", |changed| changed["hash"] == hash).await
}

async fn registry_hash(client: &mut Client) -> Option<String> {
    client.call_ok::<apps::List>(&NoParams {}).await.registry.hash
}

fn count(events: &[Value], name: &str) -> usize {
    events.iter().filter(|frame| frame["event"] == name).count()
}

async fn agent_ids(client: &mut Client) -> Vec<String> {
    let list = client.call_ok::<agents::List>(&NoParams {}).await;
    list.agents.into_iter().map(|agent| agent.id).collect()
}

#[tokio::test]
async fn changed_config_is_active_and_published_once() {
    let server = server().await;
    let mut client = server.client(&["operator.read"]).await;
    let unknown = client.call_err::<skills::Status>(&agent_skills(Some("bob"))).await.message;
    assert_eq!(unknown, "unknown agent id \"bob\"");
    write_config(&server, &config(THREE_AGENTS));
    let changed = client.event("config.changed").await["payload"].clone();
    assert_eq!(changed["hash"], client.call_ok::<config::Get>(&NoParams {}).await.hash);
    assert_eq!(changed["path"], server.home.config_path().display().to_string());
    assert_eq!(agent_ids(&mut client).await, ["main", "ada", "bob"]);
    assert_eq!(client.call_ok::<skills::Status>(&agent_skills(Some("bob"))).await.agent_id, "bob");
    // The same text written again is no change.
    write_config(&server, &config(THREE_AGENTS));
    assert_eq!(count(&events_so_far(&server, &mut client).await, "config.changed"), 0);
}

#[tokio::test]
async fn invalid_config_is_rejected_and_last_good_stays() {
    let server = server().await;
    let mut client = server.client(&["operator.read"]).await;
    let good = config(TWO_AGENTS);
    let table = [
        (Some(format!("{{\n  gateway: {{ auth: {{ token: '{CANARY}' \n")), "", json!(3)),
        (
            Some(config("agents: { list: [{ id: 'main' }] },\n  skills: { load: { watch: 'yes' } },")),
            "skills.load.watch",
            json!(4),
        ),
        (
            Some(
                config("agents: { list: [{ id: 'main' }] },")
                    .replace(&format!("'{CANARY}'"), "{ source: 'env', provider: 'default', id: 'NOT_SET' }"),
            ),
            "gateway.auth",
            Value::Null,
        ),
        (Some(config(THREE_AGENTS).replace(CANARY, "${NOT_SET}")), "gateway.auth.token", json!(2)),
        (None, "", Value::Null),
    ];
    for (text, key, line) in table {
        match &text {
            Some(text) => write_config(&server, text),
            None => fs::remove_file(server.home.config_path()).unwrap(),
        }
        let reload = next_reload(&mut client, is_rejected).await;
        let rejected = &reload["rejected"][0];
        assert_eq!(rejected["path"], server.home.config_path().display().to_string(), "{reload}");
        assert_eq!(
            (&rejected["issues"][0]["path"], &rejected["issues"][0]["line"]),
            (&json!(key), &line),
            "{reload}"
        );
        assert_eq!(rejected["issues"][0]["column"].is_u64(), line.is_u64(), "{reload}");
        assert!(!reload.to_string().contains(CANARY), "{reload}");
        // Every client gets the same state, and nothing has changed.
        assert_eq!(without_hash(&reload_state(&mut client).await), reload);
        let status = client.call_ok::<overview::Status>(&NoParams {}).await;
        assert_eq!(without_hash(&json!(status.report.gateway.config_reload)), reload);
        assert_eq!(status.report.home.workspace, server.home.default_workspace().display().to_string());
        assert_eq!(agent_ids(&mut client).await, ["main", "ada"]);
        let mut another = server.client(&["operator.read"]).await;
        let got = another.call_ok::<config::Get>(&NoParams {}).await;
        if line.is_u64() {
            assert_eq!((got.valid, json!(got.issues[0].line)), (false, line), "{got:?}");
        }
        // Corrected, it is the configuration that was active all the time.
        write_config(&server, &good);
        let events =
            receive_until(&mut client, "health", |health| !is_rejected(&health["configReload"])).await;
        assert_eq!(count(&events, "config.changed"), 0);
    }
    write_config(&server, &config(THREE_AGENTS));
    client.event("config.changed").await;
    assert_eq!(agent_ids(&mut client).await, ["main", "ada", "bob"]);
}

#[tokio::test]
async fn without_read_scope_no_rejected_files() {
    let server = server().await;
    let mut client = server.client(&["operator.read"]).await;
    write_config(&server, "{");
    next_reload(&mut client, is_rejected).await;
    let mut nobody = Client::expect(&server.url, &[]).await;
    nobody.challenge().await;
    let hello = nobody.connect(&device::command_line(&server.token, 4, &[])).await.frame();
    assert_eq!(
        hello["payload"]["snapshot"]["health"]["configReload"],
        json!({ "rejected": [], "needsRestart": [] })
    );
}

#[tokio::test]
async fn change_beside_a_disk_error_is_not_reported_active() {
    let server = server().await;
    let mut client = server.admin().await;
    write_config(
        &server,
        &config("agents: { list: [{ id: 'main' }] },\n  skills: { load: { watch: 'yes' } },"),
    );
    next_reload(&mut client, is_rejected).await;
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    let patch = config_write("{agents:{defaults:{workspace:'w'}}}", &hash);
    let refused = client.call_err::<config::Patch>(&patch).await.message;
    assert_eq!(
        refused,
        "the file was changed, but is not active: skills.load.watch: expected true or false, found a string"
    );
    assert_eq!(agent_ids(&mut client).await, ["main", "ada"]);
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    client.call_ok::<config::Patch>(&config_write("{skills:{load:{watch:true}}}", &hash)).await;
    assert_eq!(agent_ids(&mut client).await, ["main"]);
    assert!(!is_rejected(&reload_state(&mut client).await));
}

#[tokio::test]
async fn startup_only_keys_need_a_restart_and_others_apply() {
    let server = server().await;
    let mut client = server.client(&["operator.read"]).await;
    let page = "https://studio.example";
    assert!(matches!(Client::open(&server.url, &[("origin", page)]).await, Opened::Refused(403)));
    let other = format!(
        "{{ gateway: {{ port: 4, bind: 'lan', auth: {{ mode: 'none' }}, controlUi: {{ allowedOrigins: ['{page}'] }} }} }}"
    );
    write_config(&server, &other);
    client.event("config.changed").await;
    let reload = next_reload(&mut client, |_| true).await;
    assert_eq!(
        reload,
        json!({ "rejected": [], "needsRestart": ["gateway.auth", "gateway.bind", "gateway.port"] })
    );
    assert!(matches!(Client::open(&server.url, &[("origin", page)]).await, Opened::Socket(_)));
    for (token, is_in) in [("", false), (&server.token, true)] {
        let mut client = Client::expect(&server.url, &[]).await;
        client.challenge().await;
        assert_eq!(client.connect(&device::backend(token)).await.frame()["ok"], is_in, "{token}");
    }
    write_config(&server, &config(TWO_AGENTS));
    let reload = next_reload(&mut client, |_| true).await;
    assert_eq!(reload, json!({ "rejected": [], "needsRestart": [] }));
}

#[tokio::test]
async fn with_reload_off_only_client_changes_apply() {
    let server = server().await;
    let mut client = server.admin().await;
    for mode in ["off", "restart"] {
        let other = config(THREE_AGENTS).replace("auth:", &format!("reload: {{ mode: '{mode}' }}, auth:"));
        write_config(&server, &other);
        let reload = next_reload(&mut client, |reload| reload["needsRestart"] != json!([])).await;
        assert_eq!(reload, json!({ "rejected": [], "needsRestart": ["agents", "gateway"] }));
        assert_eq!(agent_ids(&mut client).await, ["main", "ada"]);
        write_config(&server, &config(TWO_AGENTS));
        let events = receive_until(&mut client, "health", |health| {
            health["configReload"]["needsRestart"] == json!([])
        })
        .await;
        assert_eq!(count(&events, "config.changed"), 0);
    }
    write_config(&server, &config(TWO_AGENTS).replace("auth:", "reload: { mode: 'off' }, auth:"));
    next_reload(&mut client, |reload| reload["needsRestart"] == json!(["gateway"])).await;
    let created = client.call_ok::<agents::Create>(&agent_create("bob")).await;
    assert_eq!(created.agent_id, "bob");
    assert_eq!(agent_ids(&mut client).await, ["main", "ada", "bob"]);
    next_reload(&mut client, |reload| reload["needsRestart"] == json!([])).await;
}

#[tokio::test]
async fn own_settings_reload_independently_of_the_config() {
    let server = server().await;
    let mut client = server.admin().await;
    server.put_skill("zebra", &json!({}));
    client.event("skills.changed").await;
    let path = server.home.settings_path();
    fs::write(&path, "{ skills: { pinned: ['zebra'] }, logs: { keep: 7 } }").unwrap();
    let reload = next_reload(&mut client, |_| true).await;
    assert_eq!(reload, json!({ "rejected": [], "needsRestart": ["logs"] }));
    assert_eq!(server.gateway.active_config.current().settings.pinned_skills, ["zebra"]);

    fs::write(&path, "{\n  skills: { pinned: 'zebra' },\n}").unwrap();
    let reload = next_reload(&mut client, is_rejected).await;
    assert_eq!(
        reload["rejected"],
        json!([{ "path": path.display().to_string(), "issues": [{
            "path": "", "line": 2, "column": 21, "code": "unreadable",
            "message": "the setting skills.pinned has a wrong value: must be a list of names",
        }] }])
    );
    client.call_ok::<agents::Create>(&agent_create("bob")).await;
    assert_eq!(agent_ids(&mut client).await, ["main", "ada", "bob"]);
    fs::remove_file(&path).unwrap();
    let gone = "the file was removed; its last version stays active until a restart";
    next_reload(&mut client, |reload| reload["rejected"][0]["issues"][0]["message"] == gone).await;
    assert_eq!(server.gateway.active_config.current().settings.pinned_skills, ["zebra"]);
}

#[tokio::test]
async fn registry_changes_are_published_once() {
    let server = server().await;
    let mut client = server.admin().await;
    let path = registry(&server);
    client.call_ok::<apps::Create>(&NoParams {}).await;
    let hash = registry_hash(&mut client).await;
    let entry = AppEntry { allowed_agents: None, ..AppEntry::new("/no/such/app", AppMode::Full, [""; 0]) };
    let save = AppSaveParams { name: "Notes".to_owned(), entry, base_hash: hash.clone() };
    client.call_ok::<apps::Save>(&save).await;
    let saved = registry_hash(&mut client).await;
    fs::write(&path, "{ broken").unwrap();
    let events = receive_until(&mut client, "apps.changed", |changed| changed["action"] == "change").await;
    let changes = events.iter().filter(|frame| frame["event"] == "apps.changed");
    let changes: Vec<_> = changes.map(|frame| frame["payload"].clone()).collect();
    let last_hash = changes[2]["hash"].clone();
    assert_eq!(
        changes,
        [
            json!({ "action": "create", "name": null, "hash": hash }),
            json!({ "action": "save", "name": "Notes", "hash": saved }),
            json!({ "action": "change", "name": null, "hash": last_hash }),
        ]
    );
    assert!(last_hash.is_string() && last_hash != json!(saved));
    let status = client.call_ok::<overview::Status>(&NoParams {}).await;
    assert!(status.report.apps.problem.is_some(), "{status:?}");
    fs::remove_dir_all(path.parent().unwrap()).unwrap();
    receive_until(&mut client, "apps.changed", |changed| changed["hash"].is_null()).await;
    // A folder that is created again is watched again.
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "{}").unwrap();
    let events = receive_until(&mut client, "apps.changed", |changed| changed["hash"].is_string()).await;
    assert_eq!(json!(registry_hash(&mut client).await), events.last().unwrap()["payload"]["hash"]);
}

#[tokio::test]
async fn client_change_is_published_once() {
    let server = server().await;
    let (mut client, mut other) = (server.admin().await, server.client(&["operator.read"]).await);
    let mut hashes = Vec::new();
    for number in 0..10 {
        let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
        let raw = format!("{{agents:{{defaults:{{workspace:'w{number}'}}}}}}");
        hashes.push(client.call_ok::<config::Patch>(&config_write(raw, &hash)).await.written.hash);
        // Active with the reply.
        let workspace = server.home.state_dir().join(format!("w{number}")).display().to_string();
        assert_eq!(client.call_ok::<agents::List>(&NoParams {}).await.agents[0].workspace, workspace);
    }
    let events = events_so_far(&server, &mut other).await;
    let changes = events.iter().filter(|frame| frame["event"] == "config.changed");
    assert_eq!(changes.map(|frame| frame["payload"]["hash"].clone()).collect::<Vec<_>>(), hashes);
}

/// Moves the state folder back. At its place there may be a new one, as a running server goes on writing its log.
#[cfg(unix)]
fn move_back(away: &Path, state_dir: &Path) {
    while let Err(error) = fs::rename(away, state_dir) {
        assert_eq!(error.kind(), ErrorKind::DirectoryNotEmpty, "{error}");
        // Fails where the server writes at this moment; the next round removes that, too.
        drop(fs::remove_dir_all(state_dir));
    }
}

#[tokio::test]
async fn every_way_of_saving_activates_the_final_file() {
    let server = server().await;
    let mut client = server.client(&["operator.read"]).await;
    let path = server.home.config_path().to_path_buf();
    let beside = path.with_extension("json.swp");
    // A new file over the old one.
    fs::write(&beside, config(THREE_AGENTS)).unwrap();
    fs::rename(&beside, &path).unwrap();
    client.event("config.changed").await;
    assert_eq!(agent_ids(&mut client).await, ["main", "ada", "bob"]);
    // The old one aside, then a new one.
    fs::rename(&path, &beside).unwrap();
    write_config(&server, &config(TWO_AGENTS));
    client.event("config.changed").await;
    assert_eq!(agent_ids(&mut client).await, ["main", "ada"]);
    // The whole folder away and back, once nothing is written to it any more; Windows moves none that is in use.
    #[cfg(unix)]
    {
        events_so_far(&server, &mut client).await;
        let away = server.home.state_dir().with_extension("away");
        fs::rename(server.home.state_dir(), &away).unwrap();
        next_reload(&mut client, is_rejected).await;
        move_back(&away, server.home.state_dir());
        next_reload(&mut client, |reload| !is_rejected(reload)).await;
    }
    write_config(&server, &config(THREE_AGENTS));
    client.event("config.changed").await;
    assert_eq!(agent_ids(&mut client).await, ["main", "ada", "bob"]);
}

#[tokio::test]
async fn rapid_changes_are_debounced_and_the_last_wins() {
    let server = server().await;
    let mut client = server.client(&["operator.read"]).await;
    for number in 0..1_000 {
        write_config(
            &server,
            &config(&format!("agents: {{ list: [{{ id: 'main' }}, {{ id: 'a{number}' }}] }},")),
        );
    }
    let last = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    let events = receive_until(&mut client, "config.changed", |changed| changed["hash"] == last).await;
    assert!(count(&events, "config.changed") <= 100, "{} events", count(&events, "config.changed"));
    assert_eq!(agent_ids(&mut client).await, ["main", "a999"]);
    assert!(!is_rejected(&reload_state(&mut client).await));
}

#[tokio::test]
async fn changed_token_file_replaces_the_token() {
    let server = Server::start().await;
    let mut client = server.client(&["operator.read"]).await;
    fs::write(server.home.token_path(), format!("{CANARY}\n")).unwrap();
    let closed = Received::Closed(1008, "gateway credentials changed".to_owned());
    assert_eq!(client.receive_end().await, closed, "a client with the old token");
    for (token, is_in) in [(server.token.as_str(), false), (CANARY, true)] {
        let mut client = Client::expect(&server.url, &[]).await;
        client.challenge().await;
        assert_eq!(client.connect(&device::backend(token)).await.frame()["ok"], is_in);
    }
}

#[tokio::test]
async fn skill_changes_have_versions_and_agent_files_are_fresh() {
    let server = server().await;
    let mut client = server.client(&["operator.read"]).await;
    server.put_skill("zebra", &json!({}));
    let changed = client.event("skills.changed").await["payload"].clone();
    let status = client.call_ok::<skills::Status>(&agent_skills(Some("ada"))).await;
    assert_eq!(
        changed,
        json!({ "reason": "files-change", "agentIds": ["ada", "main"], "version": status.version })
    );
    let workspace = server.home.state_dir().join("workspace-ada");
    fs::create_dir_all(&workspace).unwrap();
    for text in ["one", "two"] {
        fs::write(workspace.join("AGENTS.md"), text).unwrap();
        let got = client.call_ok::<agents::FilesGet>(&agent_file("ada", "AGENTS.md")).await;
        assert_eq!(got.file.content.as_deref(), Some(text));
    }
}

#[tokio::test]
async fn restart_with_broken_config_uses_last_good() {
    let server = Server::start().await;
    let mut client = server.client(&["operator.read"]).await;
    write_config(&server, &format!("{{ {THREE_AGENTS} }}"));
    client.event("config.changed").await;
    write_config(&server, "{");
    next_reload(&mut client, is_rejected).await;
    drop(client);
    let server = server.restart().await;
    let mut client = server.client(&["operator.read"]).await;
    assert_eq!(agent_ids(&mut client).await, ["main", "ada", "bob"]);
    assert!(is_rejected(&reload_state(&mut client).await));
}
