//! The first request of a connection: who the client is, and how it proves that.
//!
//! Promises: strict, as every request. Leaves to others: whether the proof holds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::scope::Role;

/// The versions of the protocol that this gateway speaks, oldest first.
pub const PROTOCOLS: std::ops::RangeInclusive<u32> = 3..=4;

/// The first words of the gateway on a connection: the payload of `connect.challenge`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Challenge {
    /// What a device signs, so that no signature can be used twice.
    pub nonce: String,
    /// The gateway's time, in milliseconds since 1970.
    pub ts: i64,
    /// What the gateway can do beyond the protocol; nothing yet.
    pub capabilities: Vec<String>,
}

/// The parameters of `connect`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectParams {
    /// The oldest version of the protocol that the client speaks.
    #[schemars(range(min = 1))]
    pub min_protocol: u32,
    /// The newest one.
    #[schemars(range(min = 1))]
    pub max_protocol: u32,
    /// The program.
    pub client: ClientInfo,
    /// What it is to the gateway; an operator when not set.
    pub role: Option<Role>,
    /// What it would like to be allowed. A word that is no scope grants nothing.
    pub scopes: Option<Vec<String>>,
    /// What it can show beyond the protocol.
    pub caps: Option<Vec<String>>,
    /// What a node can be told to do.
    pub commands: Option<Vec<String>>,
    /// What a node's machine allows.
    pub permissions: Option<BTreeMap<String, bool>>,
    /// Where a node looks for programs.
    pub path_env: Option<String>,
    /// The language of the person.
    pub locale: Option<String>,
    /// The browser.
    pub user_agent: Option<String>,
    /// What opens the gateway.
    pub auth: Option<ConnectAuth>,
    /// The device, with its signature.
    pub device: Option<ConnectDevice>,
}

/// The program at the other end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ClientInfo {
    /// Which program.
    pub id: ClientId,
    /// A name for people.
    pub display_name: Option<String>,
    /// Its version; nothing depends on it.
    pub version: String,
    /// The system it runs on.
    pub platform: String,
    /// The kind of machine.
    pub device_family: Option<String>,
    /// The machine's model.
    pub model_identifier: Option<String>,
    /// How it is used.
    pub mode: ClientMode,
    /// Tells two windows of the same program apart.
    pub instance_id: Option<String>,
}

/// What a client shows to be let in.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectAuth {
    /// The gateway's token, or the token of the device.
    pub token: Option<String>,
    /// The gateway's password.
    pub password: Option<String>,
    /// The token that the gateway gave the device.
    pub device_token: Option<String>,
}

/// Shows nothing of what opens the gateway.
impl std::fmt::Debug for ConnectAuth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ConnectAuth(…)")
    }
}

/// A device that proves itself by its Ed25519 key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ConnectDevice {
    /// SHA-256 of the public key, in hexadecimal.
    pub id: String,
    /// The key, 32 bytes in URL-safe base64 without padding.
    pub public_key: String,
    /// Its signature of who asks for what, in the same base64.
    pub signature: String,
    /// When it was signed, in milliseconds since 1970.
    pub signed_at: i64,
    /// The challenge that was signed.
    pub nonce: Option<String>,
}

macro_rules! words {
    ($(#[$about:meta])* $kind:ident { $($(#[$doc:meta])* $name:ident = $text:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $kind { $($(#[$doc])* #[serde(rename = $text)] $name,)* }

        impl $kind {
            /// The word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$name => $text,)* } }
        }
    };
}

words! {
    /// The programs that are known.
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
        /// A machine lent to the gateway.
        Node = "node",
        /// A helper that works for the gateway.
        Worker = "worker",
        /// Somebody who only looks whether the gateway is there.
        Probe = "probe",
        /// A test.
        Test = "test",
    }
}

impl ClientId {
    /// Whether the program is a page in a browser, which always names its origin.
    #[must_use]
    pub const fn is_browser(self) -> bool {
        matches!(self, Self::WebchatUi | Self::ControlUi | Self::BrowserCopilot | Self::Webchat)
    }
}
