//! Secrets never appear outside of their own file.

use crate::common;

use std::io::Write;
use std::sync::{Arc, Mutex};

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::params::{agent_skills, agent_wait, chat_message, config_write, skill_api_key};
use tarsus_conformance::{Client, holders};
use tarsus_gateway::limits::Limits;
use tarsus_protocol::rpc::skills::SkillUpdateParams;
use tarsus_protocol::rpc::{Method, NoParams, chat, config, skills};
use tokio::task::JoinHandle;

/// Stored through `config.set`, `skills.update` (twice) and the environment.
const CANARIES: [&str; 4] =
    ["canary-config-71f3", "canary-key-71f3", "canary-variable-71f3", "canary-environment-71f3"];

fn variables(name: &str) -> Option<String> {
    (name == "FROM_OUTSIDE").then(|| CANARIES[3].to_owned())
}

/// A client that searches every received frame for the canaries.
struct WatchedClient(Client);

impl WatchedClient {
    async fn raw_call(&mut self, method: &str, params: &Value) -> Value {
        let reply = self.0.raw_call(method, params).await;
        for frame in self.0.events.drain(..).chain([reply.clone()]) {
            let text = frame.to_string();
            let leaked: Vec<_> = CANARIES.iter().filter(|canary| text.contains(**canary)).collect();
            assert!(leaked.is_empty(), "{leaked:?} in a frame around {method}: {text}");
        }
        reply
    }

    /// The result of a typed call that must succeed.
    async fn call_ok<M: Method>(&mut self, params: &M::Params) -> M::Result {
        let mut reply = self.raw_call(M::NAME, &json!(params)).await;
        assert_eq!(reply["ok"], true, "{}: {reply}", M::NAME);
        serde_json::from_value(reply["payload"].take()).unwrap()
    }

    /// Makes a typed call that must fail.
    async fn call_err<M: Method>(&mut self, params: &M::Params) {
        let reply = self.raw_call(M::NAME, &json!(params)).await;
        assert_eq!(reply["ok"], false, "{}: {reply}", M::NAME);
    }
}

/// Everything that a client receives, one frame per line.
fn record_frames(mut client: Client) -> JoinHandle<String> {
    tokio::spawn(async move {
        let mut frames = String::new();
        while let Ok(frame) = client.receive_text().await {
            frames.push_str(&frame);
            frames.push('\n');
        }
        frames
    })
}

/// Collects the log, at every level.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn canary_secret_stays_in_its_own_file() {
    let log = Log::default();
    let writer = log.clone();
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .init();
    tracing::trace!("everything is logged");
    let config = r#"{
      agents: { list: [{ id: "main" }] },
      skills: { entries: { forecast: { env: { OUTSIDE: "${FROM_OUTSIDE}" } } } },
    }"#;
    let server = Server::with_variables(config, Limits::DEFAULT, variables).await;
    let needs =
        json!({ "openclaw": { "primaryEnv": "KEY", "requires": { "env": ["KEY", "VAR", "OUTSIDE"] } } });
    server.put_skill("forecast", &needs);
    let mut client = WatchedClient(server.admin().await);
    // Other connected clients receive events, too: one that may read and one without scopes.
    let recorders = [server.client(&["operator.read"]).await, server.client(&[]).await].map(record_frames);
    client.call_ok::<skills::Refresh>(&agent_skills(None)).await;

    let got = client.call_ok::<config::Get>(&NoParams {}).await;
    let mut config = got.config;
    config["models"] =
        json!({ "providers": { "p": { "apiKey": CANARIES[0], "baseUrl": "http://localhost:1" } } });
    client.call_ok::<config::Set>(&config_write(&config, &got.hash)).await;
    let env = [("VAR".to_owned(), CANARIES[2].to_owned())];
    let update = SkillUpdateParams { env: Some(env.into()), ..skill_api_key("forecast", CANARIES[1]) };
    client.call_ok::<skills::Update>(&update).await;
    let report = client.call_ok::<skills::Status>(&agent_skills(None)).await;
    let skill = report.skills.iter().find(|skill| skill.name == "forecast").unwrap();
    assert_eq!(skill.missing.env, [""; 0], "all three are known");

    // Every way to read, and every way to fail with a secret in the request. Raw: not all requests are valid.
    for method in tarsus_protocol::rpc::all().filter(|method| method.scope.as_str() == "operator.read") {
        client.raw_call(method.name, &json!({})).await;
    }
    client.call_err::<config::Set>(&config_write(&config, "stale")).await;
    let broken = format!("{{ models: {{ providers: {{ p: {{ apiKey: \"{}\" ", CANARIES[0]);
    client.call_err::<config::Set>(&config_write(&broken, "stale")).await;
    let hash = client.call_ok::<config::Get>(&NoParams {}).await.hash;
    let invalid = format!("{{ gateway: {{ port: \"{}\" }} }}", CANARIES[0]);
    client.call_err::<config::Patch>(&config_write(invalid, &hash)).await;
    for params in [
        json!({ "skillKey": "nobody", "apiKey": CANARIES[1] }),
        json!({ "skillKey": "forecast", "apiKey": [CANARIES[1]] }),
        json!({ "skillKey": "forecast", "env": { "not a name": CANARIES[2] } }),
        json!({ "skillKey": "forecast", "apiKey": CANARIES[1].repeat(10_000) }),
        json!({ "skillKey": "forecast", "enabled": CANARIES[1] }),
    ] {
        assert_eq!(client.raw_call("skills.update", &params).await["ok"], false);
    }
    for text in ["/status", "/skills", "hello"] {
        client.call_ok::<chat::Send>(&chat_message("main", text, text)).await;
        client.call_ok::<chat::Wait>(&agent_wait(text)).await;
    }
    // A file with an error next to the secret is logged, and reported as invalid.
    let good = std::fs::read(server.home.config_path()).unwrap();
    std::fs::write(server.home.config_path(), &broken).unwrap();
    for method in ["health", "status", "config.get", "agents.list", "audit.tail"] {
        let reply = client.raw_call(method, &json!({})).await;
        assert_eq!(reply["ok"], true, "{method}: {reply}");
    }
    std::fs::write(server.home.config_path(), good).unwrap();

    let state = server.home.state_dir().to_path_buf();
    let is_config = |path: &String| path.starts_with("openclaw.json") || path.starts_with("tarsus/backups/");
    let config_holders = holders(&state, CANARIES[0]);
    assert!(
        config_holders.contains(&"openclaw.json".to_owned()) && config_holders.iter().all(is_config),
        "{config_holders:?}"
    );
    for canary in &CANARIES[1..3] {
        assert_eq!(holders(&state, canary), ["tarsus/secrets.json"], "{canary}");
    }
    assert_eq!(holders(&state, CANARIES[3]), Vec::<String>::new());
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(log.contains("everything is logged"));
    assert!(CANARIES.iter().all(|canary| !log.contains(canary)), "{log}");
    // The store may write its last files at shutdown.
    drop(client);
    let server = server.restart().await;
    for (recorder, least) in recorders.into_iter().zip([20, 1]) {
        let frames = recorder.await.unwrap();
        assert!(frames.lines().count() >= least, "{frames}");
        assert!(CANARIES.iter().all(|canary| !frames.contains(canary)), "{frames}");
    }
    for canary in &CANARIES[1..3] {
        assert_eq!(holders(server.home.state_dir(), canary), ["tarsus/secrets.json"], "{canary}");
    }
}
