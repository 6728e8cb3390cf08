//! Secrets never appear outside of their own file.

use crate::common;

use std::io::Write;
use std::sync::{Arc, Mutex};

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::{Client, holders};
use tarsus_gateway::limits::Limits;
use tokio::task::JoinHandle;

/// Put in through `config.set`, `skills.update` (twice) and the environment.
const CANARIES: [&str; 4] =
    ["canary-config-71f3", "canary-key-71f3", "canary-variable-71f3", "canary-environment-71f3"];

fn variables(name: &str) -> Option<String> {
    (name == "FROM_OUTSIDE").then(|| CANARIES[3].to_owned())
}

/// A client that looks at every frame.
struct Watched(Client);

impl Watched {
    async fn ask(&mut self, method: &str, params: &Value) -> Value {
        let reply = self.0.raw_call(method, params).await;
        for frame in self.0.events.drain(..).chain([reply.clone()]) {
            let text = frame.to_string();
            let leaked: Vec<_> = CANARIES.iter().filter(|canary| text.contains(**canary)).collect();
            assert!(leaked.is_empty(), "{leaked:?} came with {method}: {text}");
        }
        reply
    }

    async fn get(&mut self, method: &str, params: &Value) -> Value {
        let mut reply = self.ask(method, params).await;
        assert_eq!(reply["ok"], true, "{method}: {reply}");
        reply["payload"].take()
    }
}

/// Everything that a client hears until its end, a frame a line.
fn listen(mut client: Client) -> JoinHandle<String> {
    tokio::spawn(async move {
        let mut heard = String::new();
        while let Ok(frame) = client.receive_text().await {
            heard.push_str(&frame);
            heard.push('\n');
        }
        heard
    })
}

/// Everything that is logged, however unimportant.
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
    tracing::trace!("everything is heard");
    let config = r#"{
      agents: { list: [{ id: "main" }] },
      skills: { entries: { forecast: { env: { OUTSIDE: "${FROM_OUTSIDE}" } } } },
    }"#;
    let server = Server::with_variables(config, Limits::DEFAULT, variables).await;
    let needs =
        json!({ "openclaw": { "primaryEnv": "KEY", "requires": { "env": ["KEY", "VAR", "OUTSIDE"] } } });
    server.put_skill("forecast", &needs);
    let mut client = Watched(server.admin().await);
    // Others who are connected meanwhile are told things, too: one who may read and one who may do nothing.
    let listening = [server.client(&["operator.read"]).await, server.client(&[]).await].map(listen);
    client.get("skills.refresh", &json!({})).await;

    let got = client.get("config.get", &json!({})).await;
    let mut config = got["config"].clone();
    config["models"] =
        json!({ "providers": { "p": { "apiKey": CANARIES[0], "baseUrl": "http://localhost:1" } } });
    client.get("config.set", &json!({ "raw": config.to_string(), "baseHash": got["hash"] })).await;
    let update = json!({ "skillKey": "forecast", "apiKey": CANARIES[1], "env": { "VAR": CANARIES[2] } });
    client.get("skills.update", &update).await;
    let report = client.get("skills.status", &json!({})).await;
    let skills = report["skills"].as_array().unwrap();
    let skill = skills.iter().find(|skill| skill["name"] == "forecast").unwrap();
    assert_eq!(skill["missing"]["env"], json!([]), "all three are known");

    // Every way to look, and every way to fail with a secret in hand.
    for method in tarsus_protocol::rpc::all().filter(|method| method.scope.as_str() == "operator.read") {
        client.ask(method.name, &json!({})).await;
    }
    let stale = json!({ "raw": config.to_string(), "baseHash": "stale" });
    client.ask("config.set", &stale).await;
    let broken = format!("{{ models: {{ providers: {{ p: {{ apiKey: \"{}\" ", CANARIES[0]);
    client.ask("config.set", &json!({ "raw": &broken, "baseHash": "stale" })).await;
    let hash = client.get("config.get", &json!({})).await["hash"].clone();
    let wrong = json!({ "raw": format!("{{ gateway: {{ port: \"{}\" }} }}", CANARIES[0]), "baseHash": hash });
    client.ask("config.patch", &wrong).await;
    for params in [
        json!({ "skillKey": "nobody", "apiKey": CANARIES[1] }),
        json!({ "skillKey": "forecast", "apiKey": [CANARIES[1]] }),
        json!({ "skillKey": "forecast", "env": { "not a name": CANARIES[2] } }),
        json!({ "skillKey": "forecast", "apiKey": CANARIES[1].repeat(10_000) }),
        json!({ "skillKey": "forecast", "enabled": CANARIES[1] }),
    ] {
        assert_eq!(client.ask("skills.update", &params).await["ok"], false);
    }
    let send = |text: &str| json!({ "sessionKey": "main", "message": text, "idempotencyKey": text });
    for text in ["/status", "/skills", "hello"] {
        client.get("chat.send", &send(text)).await;
        client.get("agent.wait", &json!({ "runId": text })).await;
    }
    // A file that is broken at the secret is logged, and shown as broken.
    let good = std::fs::read(server.home.config_path()).unwrap();
    std::fs::write(server.home.config_path(), &broken).unwrap();
    for method in ["health", "status", "config.get", "agents.list", "audit.tail"] {
        client.get(method, &json!({})).await;
    }
    std::fs::write(server.home.config_path(), good).unwrap();

    let state = server.home.state_dir().to_path_buf();
    let mine = |path: &String| path.starts_with("openclaw.json") || path.starts_with("tarsus/backups/");
    let of_config = holders(&state, CANARIES[0]);
    assert!(of_config.contains(&"openclaw.json".to_owned()) && of_config.iter().all(mine), "{of_config:?}");
    for canary in &CANARIES[1..3] {
        assert_eq!(holders(&state, canary), ["tarsus/secrets.json"], "{canary}");
    }
    assert_eq!(holders(&state, CANARIES[3]), Vec::<String>::new());
    let log = String::from_utf8_lossy(&log.0.lock().unwrap()).into_owned();
    assert!(log.contains("everything is heard"));
    assert!(CANARIES.iter().all(|canary| !log.contains(canary)), "{log}");
    // The store keeps what was said in files of its own that may be written at the end.
    drop(client);
    let server = server.restart().await;
    for (listening, least) in listening.into_iter().zip([20, 1]) {
        let heard = listening.await.unwrap();
        assert!(heard.lines().count() >= least, "{heard}");
        assert!(CANARIES.iter().all(|canary| !heard.contains(canary)), "{heard}");
    }
    for canary in &CANARIES[1..3] {
        assert_eq!(holders(server.home.state_dir(), canary), ["tarsus/secrets.json"], "{canary}");
    }
}
