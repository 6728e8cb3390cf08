//! The response to `connect`: everything that a front end needs before its first request.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::frame::StateVersion;
use crate::report::ConfigReload;
use crate::scope::{ClientRole, Scope};

/// Payload of the response to `connect`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HelloOk {
    /// Name of this payload.
    #[serde(rename = "type")]
    pub kind: HelloKind,
    /// Version of the protocol on this connection.
    pub protocol: u32,
    /// The server program.
    pub server: ServerInfo,
    /// Methods and events of this gateway.
    pub features: Features,
    /// Current state.
    pub snapshot: Snapshot,
    /// Role and scopes of the client.
    pub auth: HelloAuth,
    /// Limits of this connection.
    pub policy: ConnectionPolicy,
}

/// Name of the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HelloKind {
    /// The client is connected.
    HelloOk,
}

/// The server program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// Version of the program.
    pub version: String,
    /// Id of the connection.
    pub conn_id: String,
}

/// Methods and events of this gateway, by name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Features {
    /// All methods.
    pub methods: Vec<String>,
    /// All events.
    pub events: Vec<String>,
    /// Extensions of the protocol; none yet.
    pub capabilities: Vec<String>,
}

/// Current state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Connected clients.
    pub presence: Vec<Presence>,
    /// Health of the gateway.
    pub health: HealthSummary,
    /// Versions of these two states.
    pub state_version: StateVersion,
    /// Uptime of the gateway in milliseconds.
    pub uptime_ms: u64,
    /// Defaults of new conversations.
    pub session_defaults: SessionDefaults,
    /// Path of the configuration file; only for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_path: Option<String>,
    /// Path of the state folder; only for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<String>,
    /// Authentication method of the gateway; only for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_mode: Option<AuthMethod>,
}

/// Defaults of new conversations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDefaults {
    /// Id of the default agent.
    pub default_agent_id: String,
    /// Whether the default agent has a language model.
    pub model_configured: bool,
    /// Last part of a main session's key.
    pub main_key: String,
    /// Key of the default agent's main session.
    pub main_session_key: String,
    /// How sessions are divided.
    pub scope: String,
}

impl SessionDefaults {
    /// Last part of a main session's key.
    pub const MAIN_KEY: &str = "main";

    /// One session per sender.
    pub const SCOPE: &str = "per-sender";
}

/// A connected client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Presence {
    /// Id of the connection.
    pub conn_id: String,
    /// The server program.
    pub client_id: String,
    /// Display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Version of the program.
    pub version: String,
    /// Operating system.
    pub platform: String,
    /// Mode of use.
    pub mode: String,
    /// Role of the client.
    pub roles: Vec<ClientRole>,
    /// Scopes of the client.
    pub scopes: Vec<Scope>,
    /// Id of the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// Id of the window of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
    /// Start of the connection, in milliseconds since 1970.
    pub ts: i64,
}

/// Health of the gateway: the result of `health` and the payload of the event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthSummary {
    /// Always true; an unhealthy gateway does not respond.
    pub ok: bool,
    /// Time of the check, in milliseconds since 1970.
    pub ts: i64,
    /// Duration of the check in milliseconds.
    pub duration_ms: u64,
    /// Id of the default agent.
    pub default_agent_id: String,
    /// All agents.
    pub agents: Vec<AgentHealth>,
    /// Interval of heartbeats in seconds; 0 while there are none.
    pub heartbeat_seconds: u64,
    /// Channels by id; always empty.
    pub channels: BTreeMap<String, serde_json::Value>,
    /// Order of the channels.
    pub channel_order: Vec<String>,
    /// Names of the channels.
    pub channel_labels: BTreeMap<String, String>,
    /// Configuration changes that are not in effect.
    #[serde(default)]
    pub config_reload: ConfigReload,
}

/// Health of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentHealth {
    /// Id of the agent.
    pub agent_id: String,
    /// Name of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is the default agent.
    pub is_default: bool,
    /// Recent sessions.
    pub sessions: RecentSessions,
}

/// Most recently used sessions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecentSessions {
    /// Number of all sessions.
    pub count: u64,
    /// The most recent ones.
    pub recent: Vec<RecentSession>,
}

/// A recent session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecentSession {
    /// Key of the session.
    pub key: String,
    /// Time of the last write, in milliseconds since 1970.
    pub updated_at: i64,
}

/// Role and scopes of the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloAuth {
    /// Authentication method.
    pub method: AuthMethod,
    /// Role of the client.
    pub role: ClientRole,
    /// Scopes of the client.
    pub scopes: Vec<Scope>,
    /// Token issued to this device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_token: Option<String>,
    /// Time at which the token was issued, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued_at_ms: Option<i64>,
}

/// Authentication method of a client.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AuthMethod {
    /// The gateway's token.
    Token,
    /// The gateway's password.
    Password,
    /// The token of the device.
    DeviceToken,
    /// No authentication.
    None,
}

/// Limits of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionPolicy {
    /// Maximum size of a frame in bytes.
    pub max_payload: usize,
    /// Maximum number of bytes queued for the client.
    pub max_buffered_bytes: usize,
    /// Interval of ticks in milliseconds.
    pub tick_interval_ms: u64,
    /// Limits of attachments.
    pub attachments: AttachmentPolicy,
}

/// Limits of attachments.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentPolicy {
    /// Maximum size of all attachments in bytes.
    pub max_bytes: usize,
    /// Maximum size of a picture in bytes.
    pub max_image_bytes: usize,
}
