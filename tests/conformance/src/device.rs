//! A device with an Ed25519 key, as front ends have one.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A device.
#[derive(Debug, Clone)]
pub struct Device(SigningKey);

impl Device {
    /// The device of a number; always the same one.
    #[must_use]
    pub fn numbered(number: u64) -> Self {
        let seed: [u8; 32] = Sha256::digest(number.to_le_bytes()).into();
        Self(SigningKey::from_bytes(&seed))
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> String {
        Sha256::digest(self.0.verifying_key().as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Signs the parameters of `connect` in the second or third version of the text, and adds itself to them.
    #[must_use]
    pub fn signed(&self, version: u8, mut params: Value, nonce: &str, signed_at: i64) -> Value {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let client = &params["client"];
        let scopes: Vec<String> = params["scopes"].as_array().into_iter().flatten().map(text).collect();
        let auth = &params["auth"];
        let token = if auth["token"].is_string() { &auth["token"] } else { &auth["deviceToken"] };
        let mut parts = vec![
            format!("v{version}"),
            self.id(),
            text(&client["id"]),
            text(&client["mode"]),
            params["role"].as_str().unwrap_or("operator").to_owned(),
            scopes.join(","),
            signed_at.to_string(),
            text(token),
            nonce.to_owned(),
        ];
        if version == 3 {
            let lower = |value: &Value| text(value).trim().to_ascii_lowercase();
            parts.extend([lower(&client["platform"]), lower(&client["deviceFamily"])]);
        }
        let signature = self.0.sign(parts.join("|").as_bytes());
        params["device"] = json!({
            "id": self.id(),
            "publicKey": URL_SAFE_NO_PAD.encode(self.0.verifying_key().as_bytes()),
            "signature": URL_SAFE_NO_PAD.encode(signature.to_bytes()),
            "signedAt": signed_at,
            "nonce": nonce,
        });
        params
    }
}

/// The parameters with which a server-side front end connects: the third version alone, no device.
#[must_use]
pub fn backend(token: &str) -> Value {
    json!({
        "minProtocol": 3, "maxProtocol": 3,
        "client": { "id": "gateway-client", "version": "dev", "platform": "node", "mode": "backend" },
        "role": "operator",
        "scopes": ["operator.admin", "operator.read", "operator.write", "operator.approvals", "operator.pairing"],
        "caps": ["tool-events"],
        "auth": { "token": token },
    })
}

/// The parameters with which a page connects, before its device signs them.
#[must_use]
pub fn page(token: &str) -> Value {
    json!({
        "minProtocol": 3, "maxProtocol": 4,
        "client": { "id": "openclaw-control-ui", "version": "dev", "platform": "Linux x86_64", "mode": "webchat" },
        "role": "operator",
        "scopes": ["operator.read", "operator.admin", "operator.approvals", "operator.pairing"],
        "caps": [],
        "auth": { "token": token },
        "userAgent": "Mozilla/5.0", "locale": "en-US",
    })
}

/// The parameters of a command line that asks for these scopes.
#[must_use]
pub fn command_line(token: &str, protocol: u32, scopes: &[&str]) -> Value {
    json!({
        "minProtocol": protocol, "maxProtocol": protocol,
        "client": { "id": "cli", "version": "1", "platform": "linux", "mode": "cli" },
        "role": "operator", "scopes": scopes, "caps": [],
        "auth": { "token": token },
    })
}
