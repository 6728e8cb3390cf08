//! Revocation of device tokens.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::params::audit_tail;
use tarsus_conformance::{Client, Device, Received, detail_code};
use tarsus_protocol::error::RpcCode;
use tarsus_protocol::rpc::devices::{DeviceTokenParams, TokenRevoke};
use tarsus_protocol::rpc::overview::{Health, HealthParams};
use tarsus_protocol::rpc::{NoParams, config, journal};
use tarsus_protocol::scope::ClientRole;

fn closed() -> Received {
    Received::Closed(1008, "device token revoked".to_owned())
}

/// Pairs a page of this device; returns its token.
async fn paired(server: &Server, device: &Device) -> (Client, String) {
    let (client, hello) = server.page(device, &server.token).await;
    let token = hello["payload"]["auth"]["deviceToken"].as_str().unwrap_or_else(|| panic!("{hello}"));
    (client, token.to_owned())
}

/// Connects a device with its token alone; returns the authentication method or the error code.
async fn connect_with_token(server: &Server, device: &Device, token: &str) -> String {
    let (_, reply) = server.page(device, token).await;
    let code = reply["error"]["details"]["code"].as_str();
    code.unwrap_or_else(|| reply["payload"]["auth"]["method"].as_str().unwrap()).to_owned()
}

/// Details of the audit records about revoked tokens.
async fn revocations(client: &mut Client) -> Vec<Value> {
    let records = client.call_ok::<journal::AuditTail>(&audit_tail(Some(50))).await.records;
    let revoked = records.into_iter().filter(|record| record["event"] == "device.revoked");
    revoked.map(|mut record| record["detail"].take()).collect()
}

/// The operator token of a device; by default the caller's own device.
fn revoke(device_id: Option<String>) -> DeviceTokenParams {
    DeviceTokenParams { device_id, role: None }
}

#[tokio::test]
async fn device_revokes_its_own_token_and_sockets() {
    let server = Server::start().await;
    let (own, other) = (Device::numbered(1), Device::numbered(2));
    let (mut first, token) = paired(&server, &own).await;
    let (mut second, hello) = server.page(&own, &token).await;
    assert_eq!(hello["payload"]["auth"]["method"], "device-token");
    let (mut stranger, others) = paired(&server, &other).await;

    let revoked = first.call_ok::<TokenRevoke>(&revoke(None)).await;
    assert_eq!((revoked.ok, revoked.device_id, revoked.role), (true, own.id(), ClientRole::Operator));
    assert_eq!((first.receive_end().await, second.receive_end().await), (closed(), closed()));
    assert_eq!(connect_with_token(&server, &own, &token).await, "AUTH_TOKEN_MISMATCH");
    let stored = std::fs::read_to_string(server.home.own_dir().join("devices.json")).unwrap();
    assert!(!stored.contains(&own.id()) && stored.contains(&other.id()), "{stored}");

    stranger.call_ok::<Health>(&HealthParams { probe: None }).await;
    let line = json!({ "device": own.id(), "role": "operator", "by": "openclaw-control-ui", "own": true });
    assert_eq!(revocations(&mut stranger).await, [line]);
    drop((first, second, stranger));
    let server = server.restart().await;
    assert_eq!(connect_with_token(&server, &own, &token).await, "AUTH_TOKEN_MISMATCH");
    assert_eq!(connect_with_token(&server, &other, &others).await, "device-token");
    // With the shared token it is paired as a new device.
    let (_, new_token) = paired(&server, &own).await;
    assert_ne!(new_token, token);
}

#[tokio::test]
async fn revoking_another_device_requires_pairing_scope() {
    let server = Server::start().await;
    let device = Device::numbered(1);
    let (mut page, token) = paired(&server, &device).await;
    let other = revoke(Some(device.id()));
    let mut writer = server.client(&["operator.write"]).await;
    let refused = writer.call_err::<TokenRevoke>(&other).await;
    assert_eq!(
        (&refused.code, refused.message.as_str()),
        (&RpcCode::Forbidden.into(), "missing scope: operator.pairing")
    );
    assert_eq!(connect_with_token(&server, &device, &token).await, "device-token");

    let mut admin = server.admin().await;
    assert_eq!(
        admin.call_err::<TokenRevoke>(&revoke(None)).await.message,
        "invalid device.token.revoke params: deviceId is required for a client without a device"
    );
    let unknown = admin.call_err::<TokenRevoke>(&revoke(Some("nobody".to_owned()))).await;
    assert_eq!(
        (unknown.message.as_str(), detail_code(&unknown)),
        ("device \"nobody\" has no token for the role operator", "not-found")
    );
    let as_node = DeviceTokenParams { role: Some(ClientRole::Node), ..other.clone() };
    assert_eq!(detail_code(&admin.call_err::<TokenRevoke>(&as_node).await), "not-found");
    page.call_ok::<Health>(&HealthParams { probe: None }).await;

    let mut pairing = server.client(&["operator.read", "operator.pairing"]).await;
    pairing.call_ok::<TokenRevoke>(&other).await;
    assert_eq!(page.receive_end().await, closed());
    assert_eq!(connect_with_token(&server, &device, &token).await, "AUTH_TOKEN_MISMATCH");
    let line = json!({ "device": device.id(), "role": "operator", "by": "cli", "own": false });
    assert_eq!(revocations(&mut admin).await, [line]);
}

#[tokio::test]
async fn token_is_revoked_even_if_unrecordable() {
    let server = Server::start().await;
    let device = Device::numbered(1);
    let (mut page, token) = paired(&server, &device).await;
    std::fs::write(server.home.audit_dir().join("head.json"), "{}").unwrap();
    page.call_ok::<TokenRevoke>(&revoke(None)).await;
    assert_eq!(page.receive_end().await, closed());
    assert_eq!(connect_with_token(&server, &device, &token).await, "AUTH_TOKEN_MISMATCH");
}

#[tokio::test]
async fn revoking_device_gets_its_reply_then_is_rejected() {
    let server = Server::start().await;
    let (mut page, _) = paired(&server, &Device::numbered(1)).await;
    page.send_request::<TokenRevoke>("revoke", &revoke(None)).await;
    page.send_request::<config::Schema>("after", &NoParams {}).await;
    let (mut answers, mut end) = (Vec::new(), None);
    while end.is_none() {
        match page.receive().await {
            Received::Frame(frame) if frame["type"] == "res" => answers.push(frame),
            Received::Frame(_) => {}
            other => end = Some(other),
        }
    }
    assert_eq!(end, Some(closed()));
    let revoke = answers.iter().find(|answer| answer["id"] == "revoke");
    assert_eq!(revoke.map(|answer| &answer["ok"]), Some(&json!(true)), "{answers:?}");
}
