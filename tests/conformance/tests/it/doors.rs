//! Credentials: replaced secrets, guesses, and what clients without scopes receive.

use crate::common;

use std::fs;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::params::{
    agent_file, agent_file_set, agent_wait, audit_tail, chat_message, config_write,
};
use tarsus_conformance::{Client, Device, Received, device};
use tarsus_gateway::limits::Limits;
use tarsus_protocol::rpc::overview::HealthParams;
use tarsus_protocol::rpc::{NoParams, agents, chat, config, journal, overview};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const NEW: &str = "a-new-token-of-some-length";

fn credentials_changed() -> Received {
    Received::Closed(1008, "gateway credentials changed".to_owned())
}

/// Connects with a token; returns `in` or the error code.
async fn connect_code(server: &Server, token: &str) -> String {
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
    assert!(written.written.ok);
    // It is active for every client before the reply.
    assert_eq!(connect_code(&server, "an-old-token").await, "AUTH_TOKEN_MISMATCH");
    assert_eq!(connect_code(&server, NEW).await, "in");
    for mut client in [admin, again] {
        assert_eq!(client.receive_end().await, credentials_changed());
    }
    assert_eq!(
        (page.receive_end().await, other.receive_end().await),
        (credentials_changed(), credentials_changed())
    );

    // A device that was paired before must present the new token once.
    let (_, refused) = server.page(&Device::numbered(1), &device_token).await;
    assert_eq!(refused["error"]["details"]["code"], "AUTH_TOKEN_MISMATCH", "{refused}");
    let (_, hello) = server.page(&Device::numbered(1), NEW).await;
    let next = hello["payload"]["auth"]["deviceToken"].as_str().unwrap();
    assert_ne!(next, device_token);
    let (mut page, hello) = server.page(&Device::numbered(1), next).await;
    assert_eq!(hello["payload"]["auth"]["method"], "device-token", "{hello}");
    let tail = page.call_ok::<journal::AuditTail>(&audit_tail(None)).await.records;
    let paired = tail.iter().filter(|record| record["event"] == "device.paired");
    let paired: Vec<_> = paired.map(|record| record["detail"]["device"].clone()).collect();
    assert_eq!(paired, vec![json!(Device::numbered(1).id()); 2], "{tail:?}");
}

#[tokio::test]
async fn rejected_client_cannot_act_even_without_reading() {
    let server = Server::with(r#"{ gateway: { auth: { token: "an-old-token" } } }"#, Limits::DEFAULT).await;
    let mut silent = server.admin().await;
    let set = |content: &str| agent_file_set("main", "SOUL.md", content);
    silent.send_request::<agents::FilesSet>("before", &set("before")).await;
    let soul = server.home.state_dir().join("workspace").join("SOUL.md");
    while fs::read_to_string(&soul).unwrap_or_default() != "before" {
        tokio::task::yield_now().await;
    }
    fs::write(server.home.config_path(), format!(r#"{{ gateway: {{ auth: {{ token: "{NEW}" }} }} }}"#))
        .unwrap();
    while connect_code(&server, NEW).await != "in" {
        tokio::task::yield_now().await;
    }
    // It has read neither the replies nor the close frame.
    for _ in 0..10 {
        silent.send_request::<agents::FilesSet>("after", &set("after")).await;
    }
    assert_eq!(silent.receive_end().await, credentials_changed());
    assert_eq!(fs::read_to_string(&soul).unwrap(), "before");
}

#[tokio::test]
async fn token_replacer_gets_its_reply_then_is_rejected() {
    let server = Server::with(r#"{ gateway: { auth: { token: "an-old-token" } } }"#, Limits::DEFAULT).await;
    let (mut admin, mut busy) = (server.admin().await, server.admin().await);
    let hash = admin.call_ok::<config::Get>(&NoParams {}).await.hash;
    let patch = json!({ "gateway": { "auth": { "token": NEW } } }).to_string();
    let health = HealthParams { probe: None };
    // Another client sends requests at the same time.
    for number in 0..20 {
        busy.send_request::<overview::Health>(&number.to_string(), &health).await;
    }
    admin.send_request::<config::Patch>("patch", &config_write(patch, &hash)).await;
    for number in 0..20 {
        admin.send_request::<overview::Health>(&number.to_string(), &health).await;
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
    assert_eq!((&patched["ok"], end), (&json!(true), credentials_changed()), "{patched}");
    assert_eq!(busy.receive_end().await, credentials_changed());
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
        assert_eq!(connect_code(&server, "").await, "AUTH_TOKEN_MISSING", "{text}");
        assert_eq!(connect_code(&server, "an-old-token").await, "in", "{text}");
        // A valid file in between, so that the next error is published.
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
    admin.call_ok::<chat::Send>(&chat_message("hidden-session", "/help", "run")).await;
    admin.call_ok::<chat::Wait>(&agent_wait("run")).await;
    let hello = async |scopes: &[&str]| -> Value {
        let mut client = Client::expect(&server.url, &[]).await;
        client.challenge().await;
        client.connect(&device::command_line(&server.token, 4, scopes)).await.frame()["payload"].take()
    };
    let payload = hello(&["operator.read"]).await;
    assert!(payload["snapshot"].to_string().contains("hidden-session"), "{payload}");
    for scopes in [&[][..], &["operator.approvals"]] {
        let payload = hello(scopes).await["snapshot"].take();
        assert_eq!(payload["health"]["agents"], json!([]));
        assert_eq!(payload["sessionDefaults"]["mainSessionKey"], "agent:main:main");
        let text = payload.to_string();
        let state = server.home.state_dir().display().to_string();
        assert!(!text.contains("idden") && !text.contains(&state), "{text}");
    }
}

#[tokio::test]
async fn fragmented_reply_is_complete() {
    let server = Server::start().await;
    let mut client = server.admin().await;
    // Multi-byte characters, so that a fragment ends inside one.
    let content = "天气很好。".repeat(40_000);
    let params = agent_file_set("main", "SOUL.md", &content);
    let written = client.call_ok::<agents::FilesSet>(&params).await;
    assert_eq!(written.answer.file.content.as_ref(), Some(&content));
    let got = client.call_ok::<agents::FilesGet>(&agent_file("main", "SOUL.md")).await;
    assert_eq!(got.file.content, Some(content));
    assert!(client.call_ok::<overview::Health>(&HealthParams { probe: None }).await.ok);
}
