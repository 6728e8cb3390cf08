//! `gateway`: where the server listens and who may talk to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ignored, SecretInput};

/// The server that front ends and channels talk to.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    allowRealIpFallback channelHealthCheckMinutes channelMaxRestartsPerHour \
    channelStaleEventThresholdMinutes handshakeTimeoutMs http nodes push tailscale terminal \
    tls tools trustedProxies webchat"))]
pub struct Gateway {
    /// Whether the gateway runs here or elsewhere.
    pub mode: Mode,
    /// The TCP port.
    #[schemars(range(min = 1))]
    pub port: u16,
    /// The addresses to listen on. Anything but `loopback` needs a token or a password.
    pub bind: Bind,
    /// The address for `bind: "custom"`.
    pub custom_bind_host: Option<String>,
    /// How clients prove who they are.
    pub auth: Auth,
    /// The gateway elsewhere that this machine is a client of.
    pub remote: Remote,
    /// The web page.
    pub control_ui: ControlUi,
    /// What happens when this file changes.
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

/// Whether the gateway runs here or elsewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// On this machine.
    Local,
    /// On another machine.
    Remote,
}

/// Which addresses the gateway listens on.
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

/// How clients prove who they are.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("allowTailscale rateLimit trustedProxy"))]
pub struct Auth {
    /// What is asked for; when not set, whatever is configured.
    pub mode: Option<AuthMode>,
    /// The token.
    pub token: Option<SecretInput>,
    /// The password.
    pub password: Option<SecretInput>,
}

/// What a client has to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AuthMode {
    /// A token.
    Token,
    /// A password.
    Password,
    /// Nothing. Only on loopback.
    None,
    /// What a proxy in front vouches for.
    TrustedProxy,
}

/// A gateway elsewhere.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("\
    enabled remotePort sshHostKeyPolicy sshIdentity sshTarget transport"))]
pub struct Remote {
    /// Its address, `ws://` or `wss://`.
    pub url: Option<String>,
    /// The token it wants.
    pub token: Option<SecretInput>,
    /// The password it wants.
    pub password: Option<SecretInput>,
    /// The fingerprint of its certificate.
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
    /// Pages from elsewhere that may talk to the gateway, as `https://host:port`.
    pub allowed_origins: Vec<String>,
}

/// What happens when the configuration changes.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
#[schemars(transform = Ignored("debounceMs deferralTimeoutMs"))]
pub struct Reload {
    /// How much is taken over without a restart.
    pub mode: ReloadMode,
}

/// How much of a changed configuration is taken over without a restart.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReloadMode {
    /// Nothing.
    Off,
    /// Nothing until a restart.
    Restart,
    /// Everything that can be.
    Hot,
    /// Everything that can be; the rest after a restart.
    #[default]
    Hybrid,
}
