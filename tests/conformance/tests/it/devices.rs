//! Revocation of device tokens.

use crate::common;

use common::Server;
use serde_json::{Value, json};
use tarsus_conformance::{Client, Device, Received};

fn closed() -> Received {
    Received::Closed(1008, "device token revoked".to_owned())
}

/// A page of this device, and the token that it was given.
async fn paired(server: &Server, device: &Device) -> (Client, String) {
    let (client, hello) = server.page(device, &server.token).await;
    let token = hello["payload"]["auth"]["deviceToken"].as_str().unwrap_or_else(|| panic!("{hello}"));
    (client, token.to_owned())
}

/// What a device is answered that comes with its token alone.
async fn opened(server: &Server, device: &Device, token: &str) -> String {
    let (_, reply) = server.page(device, token).await;
    let code = reply["error"]["details"]["code"].as_str();
    code.unwrap_or_else(|| reply["payload"]["auth"]["method"].as_str().unwrap()).to_owned()
}

async fn lines(client: &mut Client) -> Vec<Value> {
    let mut tail = client.call_ok::<journal::AuditTail>(&audit_tail(Some(50))).await;
    let records = tail["records"].as_array_mut().unwrap();
    let revoked = records.iter_mut().filter(|record| record["event"] == "device.revoked");
    revoked.map(|record| record["detail"].take()).collect()
}

#[tokio::test]
async fn device_revokes_its_own_token_and_sockets() {
    let server = Server::start().await;
    let (own, other) = (Device::numbered(1), Device::numbered(2));
    let (mut first, token) = paired(&server, &own).await;
    let (mut second, hello) = server.page(&own, &token).await;
    assert_eq!(hello["payload"]["auth"]["method"], "device-token");
    let (mut stranger, others) = paired(&server, &other).await;

    let answer = first.raw_result("device.token.revoke", &json!({})).await;
    assert_eq!(
        (&answer["ok"], &answer["deviceId"], &answer["role"]),
        (&json!(true), &json!(own.id()), &json!("operator"))
    );
    assert_eq!((first.receive_end().await, second.receive_end().await), (closed(), closed()));
    assert_eq!(opened(&server, &own, &token).await, "AUTH_TOKEN_MISMATCH");
    let stored = std::fs::read_to_string(server.home.own_dir().join("devices.json")).unwrap();
    assert!(!stored.contains(&own.id()) && stored.contains(&other.id()), "{stored}");

    stranger.call_ok::<overview::Health>(&HealthParams { probe: None }).await;
    let line = json!({ "device": own.id(), "role": "operator", "by": "openclaw-control-ui", "own": true });
    assert_eq!(lines(&mut stranger).await, [line]);
    drop((first, second, stranger));
    let server = server.restart().await;
    assert_eq!(opened(&server, &own, &token).await, "AUTH_TOKEN_MISMATCH");
    assert_eq!(opened(&server, &other, &others).await, "device-token");
    // With what all clients share it is let in as one that is new.
    let (_, anew) = paired(&server, &own).await;
    assert_ne!(anew, token);
}

#[tokio::test]
async fn revoking_another_device_requires_pairing_scope() {
    let server = Server::start().await;
    let device = Device::numbered(1);
    let (mut page, token) = paired(&server, &device).await;
    let of = |id: &str| json!({ "deviceId": id });
    let mut writer = server.client(&["operator.write"]).await;
    let refused = writer.raw_call("device.token.revoke", &of(&device.id())).await;
    assert_eq!(
        (&refused["error"]["code"], &refused["error"]["message"]),
        (&json!("FORBIDDEN"), &json!("missing scope: operator.pairing"))
    );
    assert_eq!(opened(&server, &device, &token).await, "device-token");

    let mut admin = server.admin().await;
    assert_eq!(
        admin.raw_error("device.token.revoke", &json!({})).await,
        "invalid device.token.revoke params: deviceId is required for a client without a device"
    );
    let unknown = admin.raw_call("device.token.revoke", &of("nobody")).await;
    assert_eq!(
        (&unknown["error"]["message"], &unknown["error"]["details"]["code"]),
        (&json!("device \"nobody\" has no token for the role operator"), &json!("not-found"))
    );
    let as_node = json!({ "deviceId": device.id(), "role": "node" });
    assert_eq!(
        admin.raw_call("device.token.revoke", &as_node).await["error"]["details"]["code"],
        "not-found"
    );
    page.call_ok::<overview::Health>(&HealthParams { probe: None }).await;

    let mut pairing = server.client(&["operator.read", "operator.pairing"]).await;
    pairing.raw_result("device.token.revoke", &of(&device.id())).await;
    assert_eq!(page.receive_end().await, closed());
    assert_eq!(opened(&server, &device, &token).await, "AUTH_TOKEN_MISMATCH");
    let line = json!({ "device": device.id(), "role": "operator", "by": "cli", "own": false });
    assert_eq!(lines(&mut admin).await, [line]);
}

#[tokio::test]
async fn token_is_revoked_even_if_unrecordable() {
    let server = Server::start().await;
    let device = Device::numbered(1);
    let (mut page, token) = paired(&server, &device).await;
    std::fs::write(server.home.audit_dir().join("head.json"), "{}").unwrap();
    page.raw_result("device.token.revoke", &json!({})).await;
    assert_eq!(page.receive_end().await, closed());
    assert_eq!(opened(&server, &device, &token).await, "AUTH_TOKEN_MISMATCH");
}

#[tokio::test]
async fn revoking_device_gets_its_reply_then_is_rejected() {
    let server = Server::start().await;
    let (mut page, _) = paired(&server, &Device::numbered(1)).await;
    let ask = |id: &str, method: &str| json!({ "type": "req", "id": id, "method": method, "params": {} });
    page.send(&ask("revoke", "device.token.revoke")).await;
    page.send(&ask("after", "config.schema")).await;
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
