//! Credentials: replaced secrets, guesses, and what clients without scopes receive.

use crate::common;

use std::fs;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::{Client, Device, Received, device};
use tarsus_gateway::limits::Limits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const NEW: &str = "a-new-token-of-some-length";

fn cut() -> Received {
    Received::Closed(1008, "gateway credentials changed".to_owned())
}

async fn code(server: &Server, token: &str) -> String {
    let mut client = Client::expect(&server.url, &[]).await;
    client.challenge().await;
    let reply = client.connect(&device::command_line(token, 4, &["operator.read"])).await.frame();
    reply["error"]["details"]["code"].as_str().unwrap_or("in").to_owned()
}

#[tokio::test]
async fn replaced_token_is_active_before_the_reply_and_closes_others() {
    let server = Server::with(r#"{ gateway: { auth: { token: "an-old-token" } } }"#, Limits::DEFAULT).await;
    assert_eq!(server.token, "an-old-token");
    let (mut page, hello) = server.page(&Device::numbered(1), &server.token).await;
    let device_token = hello["payload"]["auth"]["deviceToken"].as_str().unwrap().to_owned();
    let mut other = server.client(&["operator.read"]).await;
    let mut admin = server.admin().await;
    let (again, hello) = server.page(&Device::numbered(1), &device_token).await;
    assert_eq!(hello["payload"]["auth"]["method"], "device-token", "{hello}");

    let hash = admin.call_ok::<config::Get>(&NoParams {}).await.hash;
    let patch = json!({ "gateway": { "auth": { "token": NEW } } }).to_string();
    let written = admin.call_ok::<config::Patch>(&config_write(patch, &hash)).await;
    assert_eq!(written["ok"], true);
    // By now, for everybody: not one request later.
    assert_eq!(code(&server, "an-old-token").await, "AUTH_TOKEN_MISMATCH");
    assert_eq!(code(&server, NEW).await, "in");
    for mut client in [admin, again] {
        assert_eq!(client.receive_end().await, cut());
    }
    assert_eq!((page.receive_end().await, other.receive_end().await), (cut(), cut()));

    // The device that was let in before has to show the new token once.
    let (_, refused) = server.page(&Device::numbered(1), &device_token).await;
    assert_eq!(refused["error"]["details"]["code"], "AUTH_TOKEN_MISMATCH", "{refused}");
    let (_, hello) = server.page(&Device::numbered(1), NEW).await;
    let next = hello["payload"]["auth"]["deviceToken"].as_str().unwrap();
    assert_ne!(next, device_token);
    let (mut page, hello) = server.page(&Device::numbered(1), next).await;
    assert_eq!(hello["payload"]["auth"]["method"], "device-token", "{hello}");
    let tail = page.call_ok::<journal::AuditTail>(&audit_tail(None)).await.records;
    let paired = tail.as_array().unwrap().iter().filter(|line| line["event"] == "device.paired");
    let paired: Vec<_> = paired.map(|line| line["detail"]["device"].clone()).collect();
    assert_eq!(paired, vec![json!(Device::numbered(1).id()); 2], "{tail}");
}

#[tokio::test]
async fn rejected_client_cannot_act_even_without_reading() {
    let server = Server::with(r#"{ gateway: { auth: { token: "an-old-token" } } }"#, Limits::DEFAULT).await;
    let mut deaf = server.admin().await;
    let set = |content: &str| {
        let params = json!({ "agentId": "main", "name": "SOUL.md", "content": content });
        json!({ "type": "req", "id": content, "method": "agents.files.set", "params": params })
    };
    deaf.send(&set("before")).await;
    let soul = server.home.state_dir().join("workspace").join("SOUL.md");
    while fs::read_to_string(&soul).unwrap_or_default() != "before" {
        tokio::task::yield_now().await;
    }
    fs::write(server.home.config_path(), format!(r#"{{ gateway: {{ auth: {{ token: "{NEW}" }} }} }}"#))
        .unwrap();
    while code(&server, NEW).await != "in" {
        tokio::task::yield_now().await;
    }
    // It never read what it was sent, nor that it is closed.
    for _ in 0..10 {
        deaf.send(&set("after")).await;
    }
    assert_eq!(deaf.receive_end().await, cut());
    assert_eq!(fs::read_to_string(&soul).unwrap(), "before");
}

#[tokio::test]
async fn token_replacer_gets_its_reply_then_is_rejected() {
    let server = Server::with(r#"{ gateway: { auth: { token: "an-old-token" } } }"#, Limits::DEFAULT).await;
    let (mut admin, mut busy) = (server.admin().await, server.admin().await);
    let hash = admin.call_ok::<config::Get>(&NoParams {}).await.hash;
    let patch = json!({ "gateway": { "auth": { "token": NEW } } }).to_string();
    let request = |id: &str, method: &str, params: Value| json!({ "type": "req", "id": id, "method": method, "params": params });
    // Another client is answered all the time meanwhile.
    for number in 0..20 {
        busy.send(&request(&number.to_string(), "health", json!({}))).await;
    }
    admin.send(&request("patch", "config.patch", json!({ "raw": patch, "baseHash": hash }))).await;
    for number in 0..20 {
        admin.send(&request(&number.to_string(), "health", json!({}))).await;
    }
    let mut patched = Value::Null;
    let end = loop {
        match admin.receive().await {
            Received::Frame(frame) if frame["id"] == "patch" => patched = frame,
            Received::Frame(frame) => {
                let code = &frame["error"]["details"]["code"];
                assert!(frame["type"] == "event" || frame["ok"] == true || *code == "denied", "{frame}");
            }
            end => break end,
        }
    };
    assert_eq!((&patched["ok"], end), (&json!(true), cut()), "{patched}");
    assert_eq!(busy.receive_end().await, cut());
}

#[tokio::test]
async fn empty_token_is_rejected_and_the_old_one_stays() {
    let server = Server::with(r#"{ gateway: { auth: { token: "an-old-token" } } }"#, Limits::DEFAULT).await;
    let mut client = server.client(&["operator.read"]).await;
    for text in [r#""""#, r#""${NOT_SET_TO_ANYTHING}""#, r#"" \t""#] {
        fs::write(server.home.config_path(), format!("{{ gateway: {{ auth: {{ token: {text} }} }} }}"))
            .unwrap();
        loop {
            let health = client.event("health").await["payload"].take();
            if health["configReload"]["rejected"] != json!([]) {
                break;
            }
        }
        assert_eq!(code(&server, "").await, "AUTH_TOKEN_MISSING", "{text}");
        assert_eq!(code(&server, "an-old-token").await, "in", "{text}");
        // Something good in between, so that the next mistake is told.
        fs::write(server.home.config_path(), r#"{ gateway: { auth: { token: "an-old-token" } } }"#).unwrap();
        while client.event("health").await["payload"]["configReload"]["rejected"] != json!([]) {}
    }
}

/// The status of the answer to `/api/status` with this token.
async fn status(port: u16, token: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = format!(
        "GET /api/status HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

#[tokio::test]
async fn password_guesses_over_http_and_socket_share_a_limit() {
    let config = r#"{ gateway: { auth: { mode: "password", password: "open sesame" } } }"#;
    let server = Server::with(config, Limits::DEFAULT).await;
    let attempt = async |password: &str| {
        let mut client = Client::expect(&server.url, &[]).await;
        client.challenge().await;
        let mut params = device::command_line("", 4, &["operator.read"]);
        params["auth"] = json!({ "password": password });
        let reply = client.connect(&params).await.frame();
        reply["error"]["details"]["code"].as_str().unwrap_or("in").to_owned()
    };
    assert_eq!(status(server.port, "open sesame").await, "200");
    for number in 0..10 {
        if number % 2 == 0 {
            assert_eq!(status(server.port, "guess").await, "401");
        } else {
            assert_eq!(attempt("guess").await, "AUTH_PASSWORD_MISMATCH");
        }
    }
    assert_eq!(status(server.port, "open sesame").await, "429");
    assert_eq!(attempt("open sesame").await, "AUTH_RATE_LIMITED");
}

#[tokio::test]
async fn without_read_scope_no_agents_sessions_or_paths() {
    let server =
        Server::with("{ agents: { list: [{ id: 'main', name: 'Hidden' }] } }", Limits::DEFAULT).await;
    let mut admin = server.admin().await;
    let send = json!({ "sessionKey": "hidden-session", "message": "/help", "idempotencyKey": "run" });
    admin.raw_result("chat.send", &send).await;
    admin.call_ok::<chat::Wait>(&agent_wait("run")).await;
    let hello = async |scopes: &[&str]| -> Value {
        let mut client = Client::expect(&server.url, &[]).await;
        client.challenge().await;
        client.connect(&device::command_line(&server.token, 4, scopes)).await.frame()["payload"].take()
    };
    let told = hello(&["operator.read"]).await;
    assert!(told["snapshot"].to_string().contains("hidden-session"), "{told}");
    for scopes in [&[][..], &["operator.approvals"]] {
        let told = hello(scopes).await["snapshot"].take();
        assert_eq!(told["health"]["agents"], json!([]));
        assert_eq!(told["sessionDefaults"]["mainSessionKey"], "agent:main:main");
        let text = told.to_string();
        let state = server.home.state_dir().display().to_string();
        assert!(!text.contains("idden") && !text.contains(&state), "{text}");
    }
}

#[tokio::test]
async fn fragmented_reply_is_complete() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    // Letters of several bytes, so that a part ends inside of one.
    let content = "天气很好。".repeat(40_000);
    let params = json!({ "agentId": "main", "name": "SOUL.md", "content": content });
    let written = client.raw_result("agents.files.set", &params).await;
    assert_eq!(written["file"]["content"], content.as_str());
    let got = client.call_ok::<agents::FilesGet>(&agent_file("main", "SOUL.md")).await;
    assert_eq!(got["file"]["content"], content.as_str());
    assert_eq!(client.call_ok::<overview::Health>(&HealthParams { probe: None }).await["ok"], true);
}
