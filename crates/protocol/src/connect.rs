//! Parameters of `connect`, the first request of a connection: the client and its credentials.
//!
//! Strict, as every request.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scope::ClientRole;

/// Supported versions of the protocol.
pub const PROTOCOLS: std::ops::RangeInclusive<u32> = 3..=4;

/// Payload of `connect.challenge`, the first frame of a connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Challenge {
    /// Value that a device signs, so that no signature can be replayed.
    pub nonce: String,
    /// The gateway's time, in milliseconds since 1970.
    pub ts: i64,
    /// Extensions of the protocol; none yet.
    pub capabilities: Vec<String>,
}

/// The parameters of `connect`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectParams {
    /// Oldest supported version of the protocol.
    #[schemars(range(min = 1))]
    pub min_protocol: u32,
    /// Newest supported version of the protocol.
    #[schemars(range(min = 1))]
    pub max_protocol: u32,
    /// The client program.
    pub client: ClientInfo,
    /// Requested role; operator by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<ClientRole>,
    /// Requested scopes. Unknown ones grant nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Extensions of the protocol that the client supports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caps: Option<Vec<String>>,
    /// Commands that a node accepts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Vec<String>>,
    /// Permissions of a node's machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<BTreeMap<String, bool>>,
    /// PATH of a node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path_env: Option<String>,
    /// Language of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// User agent of the browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_agent: Option<String>,
    /// Shared credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<ConnectAuth>,
    /// The device, with its signature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<ConnectDevice>,
}

/// A client program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientInfo {
    /// The program.
    pub id: ClientId,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    /// Version, for information only.
    pub version: String,
    /// Operating system.
    pub platform: String,
    /// Kind of device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_family: Option<String>,
    /// Model of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_identifier: Option<String>,
    /// Mode of use.
    pub mode: ClientMode,
    /// Distinguishes two windows of the same program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
}

/// Shared credentials of a client.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectAuth {
    /// The gateway's token, or the token of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// The gateway's password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password: Option<String>,
    /// The token that the gateway issued to the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_token: Option<String>,
}

/// Hides the credentials.
impl std::fmt::Debug for ConnectAuth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConnectAuth(…)")
    }
}

/// A device that authenticates with its Ed25519 key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectDevice {
    /// SHA-256 of the public key, in hexadecimal.
    pub id: String,
    /// Public key, 32 bytes in URL-safe base64 without padding.
    pub public_key: String,
    /// Signature over the connect parameters, in URL-safe base64.
    pub signature: String,
    /// Time of the signature, in milliseconds since 1970.
    pub signed_at: i64,
    /// The challenge that was signed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
}

macro_rules! words {
    ($(#[$about:meta])* $kind:ident { $($(#[$doc:meta])* $name:ident = $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $kind { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl $kind {
            /// The name on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

words! {
    /// A known client program.
    #[expect(missing_docs, reason = "each is the name of a program")]
    ClientId {
        WebchatUi = "webchat-ui",
        ControlUi = "openclaw-control-ui",
        BrowserCopilot = "openclaw-browser-copilot",
        Tui = "openclaw-tui",
        Webchat = "webchat",
        Cli = "cli",
        GatewayClient = "gateway-client",
        Macos = "openclaw-macos",
        Linux = "openclaw-linux",
        Ios = "openclaw-ios",
        Watchos = "openclaw-watchos",
        Android = "openclaw-android",
        NodeHost = "node-host",
        Worker = "openclaw-worker",
        Test = "test",
        Fingerprint = "fingerprint",
        Probe = "openclaw-probe",
    }
}

words! {
    /// How a program is used.
    ClientMode {
        /// A page for conversations.
        Webchat = "webchat",
        /// A command line.
        Cli = "cli",
        /// An application with windows.
        Ui = "ui",
        /// A server.
        Backend = "backend",
        /// A machine that runs commands for the gateway.
        Node = "node",
        /// A helper process of the gateway.
        Worker = "worker",
        /// A check whether the gateway is reachable.
        Probe = "probe",
        /// A test.
        Test = "test",
    }
}

impl ClientId {
    /// Whether the program runs in a browser, which always sends an origin.
    #[must_use]
    pub const fn is_browser(self) -> bool {
        matches!(self, Self::WebchatUi | Self::ControlUi | Self::BrowserCopilot | Self::Webchat)
    }
}
