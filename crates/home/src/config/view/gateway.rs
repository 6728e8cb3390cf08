//! `gateway`: addresses, authentication and reloading of the server.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ignored, SecretInput};

/// The server for front ends and channels.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    allowRealIpFallback channelHealthCheckMinutes channelMaxRestartsPerHour \
    channelStaleEventThresholdMinutes handshakeTimeoutMs http nodes push tailscale terminal \
    tls tools trustedProxies webchat"))]
pub struct Gateway {
    /// Where the gateway runs.
    pub mode: Mode,
    /// The TCP port.
    #[schemars(range(min = 1))]
    pub port: u16,
    /// The addresses to listen on. Anything but `loopback` needs a token or a password.
    pub bind: Bind,
    /// The address for `bind: "custom"`.
    pub custom_bind_host: Option<String>,
    /// Authentication of clients.
    pub auth: Auth,
    /// The remote gateway that this machine is a client of.
    pub remote: Remote,
    /// The web page.
    pub control_ui: ControlUi,
    /// Reaction to changes of this file.
    pub reload: Reload,
}

impl Default for Gateway {
    fn default() -> Self {
        Self {
            mode: Mode::Local,
            port: 18789,
            bind: Bind::Loopback,
            custom_bind_host: None,
            auth: Auth::default(),
            remote: Remote::default(),
            control_ui: ControlUi::default(),
            reload: Reload::default(),
        }
    }
}

/// Where the gateway runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// On this machine.
    Local,
    /// On another machine; no gateway starts here, and no other is connected to yet.
    Remote,
}

/// The addresses that the gateway listens on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Bind {
    /// This machine only.
    Loopback,
    /// Every address.
    Lan,
    /// The address of the tailnet.
    Tailnet,
    /// The address in `customBindHost`.
    Custom,
    /// Loopback where possible, else every address.
    Auto,
}

/// Authentication of clients.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("allowTailscale rateLimit trustedProxy"))]
pub struct Auth {
    /// The required credential; if not set, the configured one.
    pub mode: Option<AuthMode>,
    /// The token.
    pub token: Option<SecretInput>,
    /// The password.
    pub password: Option<SecretInput>,
}

/// The credential that a client needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AuthMode {
    /// A token.
    Token,
    /// A password.
    Password,
    /// None; only on loopback.
    None,
    /// A proxy authenticates the client.
    TrustedProxy,
}

/// A remote gateway.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    enabled remotePort sshHostKeyPolicy sshIdentity sshTarget transport"))]
pub struct Remote {
    /// The address, `ws://` or `wss://`.
    pub url: Option<String>,
    /// The token for it.
    pub token: Option<SecretInput>,
    /// The password for it.
    pub password: Option<SecretInput>,
    /// The fingerprint of its TLS certificate; not used yet.
    pub tls_fingerprint: Option<String>,
}

/// The web page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    allowExternalEmbedUrls allowInsecureAuth basePath chatMessageMaxWidth \
    dangerouslyAllowHostHeaderOriginFallback dangerouslyDisableDeviceAuth embedSandbox \
    enabled root"))]
pub struct ControlUi {
    /// Other web origins that may connect, as `https://host:port`; `*` and `null` are refused.
    pub allowed_origins: Vec<String>,
}

/// Reaction to changes of the configuration.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("debounceMs deferralTimeoutMs"))]
pub struct Reload {
    /// The changes that take effect without a restart.
    pub mode: ReloadMode,
}

/// The changes of the configuration that take effect without a restart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReloadMode {
    /// The gateway does not reload.
    Off,
    /// None until a restart.
    Restart,
    /// All that can.
    Hot,
    /// All that can; the rest after a restart.
    #[default]
    Hybrid,
}
