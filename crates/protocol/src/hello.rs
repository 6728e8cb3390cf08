//! The answer to `connect`: what the gateway is, what works, and what the client may do.
//!
//! Promises: everything a front end reads before its first request. Leaves to others: finding the facts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::frame::StateVersion;
use crate::report::ConfigReload;
use crate::scope::{Role, Scope};

/// The payload of the reply to `connect`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HelloOk {
    /// Tells this payload from others.
    #[serde(rename = "type")]
    pub kind: HelloKind,
    /// The version of the protocol that holds on this connection.
    pub protocol: u32,
    /// The program.
    pub server: ServerInfo,
    /// What works.
    pub features: Features,
    /// How things stand.
    pub snapshot: Snapshot,
    /// What the client may do.
    pub auth: HelloAuth,
    /// The bounds of this connection.
    pub policy: ConnectionPolicy,
}

/// The name of the payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum HelloKind {
    /// The client is in.
    HelloOk,
}

/// The program at this end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerInfo {
    /// Its version.
    pub version: String,
    /// The name of this connection.
    pub conn_id: String,
}

/// What works, by name; nothing else does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Features {
    /// Every method.
    pub methods: Vec<String>,
    /// Every event.
    pub events: Vec<String>,
    /// What goes beyond methods and events; nothing yet.
    pub capabilities: Vec<String>,
}

/// How things stand.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Who is connected.
    pub presence: Vec<Presence>,
    /// How the gateway is.
    pub health: HealthSummary,
    /// The numbers of these two states.
    pub state_version: StateVersion,
    /// How long the gateway has been up.
    pub uptime_ms: u64,
    /// Where conversations start.
    pub session_defaults: SessionDefaults,
    /// The configuration file; for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config_path: Option<String>,
    /// The state folder; for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<String>,
    /// What opens the gateway; for operators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth_mode: Option<AuthMethod>,
}

/// Where conversations start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionDefaults {
    /// The agent that is meant when none is named.
    pub default_agent_id: String,
    /// Whether it has a language model.
    pub model_configured: bool,
    /// The last part of the key of an agent's main session.
    pub main_key: String,
    /// The key of the default agent's main session.
    pub main_session_key: String,
    /// Who shares a session.
    pub scope: String,
}

impl SessionDefaults {
    /// The last part of the key of a main session.
    pub const MAIN_KEY: &str = "main";

    /// Sessions are cut by who speaks.
    pub const SCOPE: &str = "per-sender";
}

/// One who is connected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Presence {
    /// The connection.
    pub conn_id: String,
    /// The program.
    pub client_id: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its version.
    pub version: String,
    /// Its system.
    pub platform: String,
    /// How it is used.
    pub mode: String,
    /// What it is to the gateway.
    pub roles: Vec<Role>,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// Its device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_id: Option<String>,
    /// Which window of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance_id: Option<String>,
    /// Since when, in milliseconds since 1970.
    pub ts: i64,
}

/// How the gateway is: the answer of `health` and the payload of the event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealthSummary {
    /// Always true: a gateway that is not well does not answer.
    pub ok: bool,
    /// When this was found, in milliseconds since 1970.
    pub ts: i64,
    /// How long it took.
    pub duration_ms: u64,
    /// The agent that is meant when none is named.
    pub default_agent_id: String,
    /// Every agent.
    pub agents: Vec<AgentHealth>,
    /// The time between heartbeats; 0 while there are none.
    pub heartbeat_seconds: u64,
    /// Channels by id; there are none yet.
    pub channels: BTreeMap<String, serde_json::Value>,
    /// Their order.
    pub channel_order: Vec<String>,
    /// Their names.
    pub channel_labels: BTreeMap<String, String>,
    /// What is not taken over from the files of the configuration.
    #[serde(default)]
    pub config_reload: ConfigReload,
}

/// One agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentHealth {
    /// Its id.
    pub agent_id: String,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is meant when none is named.
    pub is_default: bool,
    /// Its sessions.
    pub sessions: RecentSessions,
}

/// Sessions that were written to last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RecentSessions {
    /// How many there are in all.
    pub count: u64,
    /// The newest of them.
    pub recent: Vec<RecentSession>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecentSession {
    /// Its key.
    pub key: String,
    /// When something was last written to it, in milliseconds since 1970.
    pub updated_at: i64,
}

/// What the client may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HelloAuth {
    /// What let it in.
    pub method: AuthMethod,
    /// What it is to the gateway.
    pub role: Role,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// What opens the gateway for this device from now on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device_token: Option<String>,
    /// Since when that holds, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issued_at_ms: Option<i64>,
}

/// What lets a client in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AuthMethod {
    /// The gateway's token.
    Token,
    /// The gateway's password.
    Password,
    /// The token of the device.
    DeviceToken,
    /// Nothing.
    None,
}

/// The bounds of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionPolicy {
    /// Bytes of a frame.
    pub max_payload: usize,
    /// Bytes that may wait for the client.
    pub max_buffered_bytes: usize,
    /// Time between ticks, in milliseconds.
    pub tick_interval_ms: u64,
    /// What may come with a message.
    pub attachments: AttachmentPolicy,
}

/// The bounds of what comes with a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AttachmentPolicy {
    /// Bytes of all of it.
    pub max_bytes: usize,
    /// Bytes of a picture.
    pub max_image_bytes: usize,
}
