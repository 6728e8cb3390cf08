//! Handshake cases that the suite cannot run on any gateway: devices over time, other credentials, silence, scopes.

use crate::common;

use std::time::Duration;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::{Client, Device, Received, device};
use tarsus_gateway::limits::Limits;
use tarsus_gateway::serve::ShutdownOutcome;
use tarsus_protocol::rpc::overview::HealthParams;
use tarsus_protocol::rpc::{NoParams, overview, skills};

#[tokio::test]
async fn silent_client_is_closed_with_1000() {
    let limits = Limits { authentication: Duration::from_millis(50), ..Limits::DEFAULT };
    let server = Server::with("{}", limits).await;
    let mut client = Client::expect(&server.url, &[]).await;
    client.challenge().await;
    assert_eq!(client.receive().await, Received::Closed(1000, String::new()));
}

#[tokio::test]
async fn paired_page_reconnects_with_its_device_token() {
    let server = Server::start().await;
    let device = Device::numbered(7);
    let (client, hello) = server.page(&device, &server.token).await;
    let auth = &hello["payload"]["auth"];
    let token = auth["deviceToken"].as_str().unwrap().to_owned();
    assert_eq!(auth["method"], "token");
    assert_eq!(
        auth["scopes"],
        json!(["operator.read", "operator.admin", "operator.approvals", "operator.pairing"])
    );
    client.close().await;

    let stored = std::fs::read_to_string(server.home.own_dir().join("devices.json")).unwrap();
    assert!(stored.contains(&device.id()) && !stored.contains(&token), "a token is kept as its hash alone");

    let (client, hello) = server.page(&device, &token).await;
    assert_eq!(hello["payload"]["auth"]["method"], "device-token", "{hello}");
    assert_eq!(hello["payload"]["auth"]["scopes"], auth["scopes"]);
    client.close().await;

    // The same device gets the same token again; another device cannot use it.
    let (_, hello) = server.page(&device, &server.token).await;
    assert_eq!(hello["payload"]["auth"]["deviceToken"], token.as_str());
    let (mut other, refused) = server.page(&Device::numbered(8), &token).await;
    assert_eq!(refused["error"]["details"]["code"], "AUTH_TOKEN_MISMATCH");
    assert_eq!(refused["error"]["details"]["canRetryWithDeviceToken"], true);
    assert_eq!(refused["error"]["details"]["recommendedNextStep"], "retry_with_device_token");
    assert!(matches!(other.receive_end().await, Received::Closed(1008, _)));
    let after = std::fs::read_to_string(server.home.own_dir().join("devices.json")).unwrap();
    assert_eq!(after, stored, "a known device and a stranger change nothing");
}

#[tokio::test]
async fn forwarded_device_is_not_paired() {
    let server = Server::start().await;
    let origin = format!("http://localhost:{}", server.port);
    let headers = [("origin", origin.as_str()), ("x-forwarded-for", "192.0.2.7")];
    let mut client = Client::expect(&server.url, &headers).await;
    let nonce = client.challenge().await;
    let now = tarsus_host::Clock::system().wall_ms();
    let params = Device::numbered(1).signed(3, device::page(&server.token), &nonce, now);
    let reply = client.connect(&params).await.frame();
    assert_eq!(reply["error"]["details"]["code"], "PAIRING_REQUIRED", "{reply}");
}

#[tokio::test]
async fn password_guesses_are_limited_and_tokens_are_not() {
    let attempt = async |server: &Server, auth: Value| {
        let mut client = Client::expect(&server.url, &[]).await;
        client.challenge().await;
        let mut params = device::command_line("", 4, &["operator.read"]);
        params["auth"] = auth;
        let reply = client.connect(&params).await.frame();
        reply["error"]["details"]["code"].as_str().unwrap_or("in").to_owned()
    };
    let config = r#"{ "gateway": { "auth": { "mode": "password", "password": "open sesame" } } }"#;
    let server = Server::with(config, Limits::DEFAULT).await;
    assert_eq!(attempt(&server, json!({ "password": "open sesame" })).await, "in");
    assert_eq!(attempt(&server, json!({})).await, "AUTH_PASSWORD_MISSING");
    for _ in 0..10 {
        assert_eq!(attempt(&server, json!({ "password": "guess" })).await, "AUTH_PASSWORD_MISMATCH");
    }
    assert_eq!(attempt(&server, json!({ "password": "open sesame" })).await, "AUTH_RATE_LIMITED");

    let server = Server::start().await;
    for _ in 0..12 {
        assert_eq!(attempt(&server, json!({ "token": "guess" })).await, "AUTH_TOKEN_MISMATCH");
    }
    assert_eq!(attempt(&server, json!({ "token": server.token })).await, "in");
}

#[tokio::test]
async fn without_credentials_only_direct_local_is_admitted() {
    let server = Server::with(r#"{ "gateway": { "auth": { "mode": "none" } } }"#, Limits::DEFAULT).await;
    for (headers, expected) in [(vec![], true), (vec![("forwarded", "for=192.0.2.7")], false)] {
        let mut client = Client::expect(&server.url, &headers).await;
        client.challenge().await;
        let mut params = device::command_line("", 4, &["operator.read"]);
        params["auth"] = json!({});
        let reply = client.connect(&params).await.frame();
        assert_eq!(reply["ok"], expected, "{reply}");
    }
}

#[tokio::test]
async fn node_calls_no_operator_methods_and_sees_no_paths() {
    let server = Server::start().await;
    let mut client = Client::expect(&server.url, &[]).await;
    client.challenge().await;
    let mut params = device::command_line(&server.token, 4, &["operator.admin"]);
    params["role"] = json!("node");
    let hello = client.connect(&params).await.frame();
    assert_eq!(hello["payload"]["auth"]["scopes"], json!([]));
    assert_eq!(hello["payload"]["snapshot"]["stateDir"], Value::Null);
    assert_eq!(
        client.call_err::<overview::Health>(&HealthParams { probe: None }).await.message,
        "unauthorized role: node"
    );
    // The method that nodes need.
    client.call_ok::<skills::Bins>(&NoParams {}).await;
}

#[tokio::test]
async fn hello_lists_exactly_the_available_methods() {
    let server =
        Server::with(r#"{ "agents": { "list": [{ "id": "ada", "name": "Ada" }] } }"#, Limits::DEFAULT).await;
    let mut client = Client::expect(&server.url, &[]).await;
    client.challenge().await;
    let hello = client.connect(&device::backend(&server.token)).await.frame();
    let hello = &hello["payload"];
    assert_eq!((&hello["type"], &hello["protocol"]), (&json!("hello-ok"), &json!(3)));
    assert_eq!(
        hello["policy"],
        json!({
            "maxPayload": 26_214_400, "maxBufferedBytes": 52_428_800, "tickIntervalMs": 30_000,
            "attachments": { "maxBytes": 19_464_192, "maxImageBytes": 6_291_456 },
        })
    );
    let defaults = &hello["snapshot"]["sessionDefaults"];
    assert_eq!(defaults["mainSessionKey"], "agent:ada:main");
    assert_eq!(
        hello["snapshot"]["health"]["agents"],
        json!([{ "agentId": "ada", "name": "Ada", "isDefault": true, "sessions": { "count": 0, "recent": [] } }])
    );
    assert_eq!(hello["snapshot"]["configPath"], server.home.config_path().display().to_string());
    let mut methods: Vec<_> = tarsus_protocol::rpc::all().map(|method| method.name).collect();
    methods.sort_unstable();
    assert_eq!(hello["features"]["methods"], json!(methods));
    let health = client.event("health").await;
    assert_eq!((&health["seq"], &health["payload"]["ok"]), (&json!(1), &json!(true)));
    for method in methods {
        let reply = client.raw_call(method, &json!({})).await;
        assert!(
            !reply["error"]["message"].as_str().unwrap_or_default().contains("unknown method"),
            "{reply}"
        );
    }
}

#[tokio::test]
async fn shutdown_closes_every_socket_with_1012() {
    let server = Server::start().await;
    let mut early = Client::expect(&server.url, &[]).await;
    early.challenge().await;
    let mut client = server.admin().await;
    client.call_ok::<overview::Health>(&HealthParams { probe: None }).await;
    let listening = tokio::spawn(async move {
        assert_eq!(client.event("shutdown").await["payload"], json!({ "reason": "the gateway is stopping" }));
        assert_eq!(client.receive().await, Received::Closed(1012, "service restart".to_owned()));
        assert_eq!(early.receive().await, Received::Closed(1012, "service restart".to_owned()));
    });
    assert_eq!(server.stop().await, ShutdownOutcome::Graceful);
    listening.await.unwrap();
}
