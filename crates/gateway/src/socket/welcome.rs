//! The hello reply and the initial state of an admitted client.
//!
//! Changes after the snapshot are delivered after it; clients without read scope see no agents, sessions or paths.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use serde_json::json;
use tarsus_agent::attachments;
use tarsus_protocol::connect::ConnectParams;
use tarsus_protocol::event::Event;
use tarsus_protocol::frame::{Name, Stage};
use tarsus_protocol::hello::{
    AttachmentPolicy, ConnectionPolicy, Features, HelloAuth, HelloKind, HelloOk, Presence, ServerInfo,
    SessionDefaults, Snapshot,
};
use tarsus_protocol::report::ConfigReload;
use tarsus_protocol::scope::{ClientRole, Scope, allows};

use super::handshake::Admitted;
use super::outbound::QueueItem;
use super::reply::success_frame;
use crate::events::ConnectedClient;
use crate::gateway::Gateway;
use crate::rpc;

/// Capability of clients that want tool events.
const TOOL_EVENTS: &str = "tool-events";

/// Result of a successful handshake.
pub(super) struct Welcome {
    pub joined: MemberGuard,
    /// Frames to send before anything else.
    pub first: Vec<QueueItem>,
}

/// Adds the client first and takes the snapshot afterwards, so that no change is missed. `None` when the gateway is
/// stopping.
pub(super) fn join_and_welcome(
    gateway: &Arc<Gateway>,
    id: &Name,
    params: ConnectParams,
    admitted: Admitted,
) -> Option<Welcome> {
    let number = gateway.events.number();
    let client = params.client;
    let presence = Presence {
        conn_id: format!("c{number}"),
        client_id: client.id.as_str().to_owned(),
        host: client.display_name.as_deref().map(short),
        version: short(&client.version),
        platform: short(&client.platform),
        mode: client.mode.as_str().to_owned(),
        roles: vec![admitted.role],
        scopes: admitted.scopes.clone(),
        device_id: params.device.map(|device| device.id),
        instance_id: client.instance_id.as_deref().map(short),
        ts: gateway.now_ms(),
    };
    let member = ConnectedClient {
        id: number,
        role: admitted.role,
        scopes: admitted.scopes.clone(),
        agent_process: admitted.agent_process.clone(),
        protocol: admitted.protocol,
        generation: admitted.generation,
        revocations: admitted.revocations,
        is_revoked: AtomicBool::new(false),
        wants_tools: params.caps.iter().flatten().any(|cap| cap == TOOL_EVENTS),
        answering: AtomicUsize::new(0),
        presence,
        outbound: gateway.events.outbound(),
    };
    let joined = MemberGuard::new(gateway, member)?;
    let hello = hello(gateway, &admitted, &joined.member.presence);
    let mut first = vec![QueueItem::Frame(success_frame(id.as_str(), &json!(hello).to_string()))];
    if joined.member.can_receive(Event::Health) {
        let Snapshot { health, state_version, .. } = hello.snapshot;
        let health = json!(health).to_string().into();
        first.push(QueueItem::event(Event::Health, &health, Some("health"), Some(state_version)));
    }
    Some(Welcome { joined, first })
}

/// Membership in the set of clients; leaves on drop.
pub(super) struct MemberGuard {
    gateway: Arc<Gateway>,
    pub member: Arc<ConnectedClient>,
}

impl MemberGuard {
    fn new(gateway: &Arc<Gateway>, member: ConnectedClient) -> Option<Self> {
        let member = Arc::new(member);
        let is_in = gateway.events.join(Arc::clone(&member));
        is_in.then(|| Self { gateway: Arc::clone(gateway), member })
    }
}

impl Drop for MemberGuard {
    fn drop(&mut self) {
        self.gateway.events.leave(self.member.id);
    }
}

fn hello(gateway: &Gateway, admitted: &Admitted, presence: &Presence) -> HelloOk {
    let limits = &gateway.limits;
    // Read first: the state may be newer than its version, but never older.
    let state_version = gateway.events.state_version();
    let config = gateway.config();
    let mut health = rpc::health_summary(gateway, &config);
    let default_agent_id = health.default_agent_id.clone();
    let model = config.agents.default_agent().and_then(|agent| config.agents.model_of(agent));
    let may_read = admitted.role == ClientRole::Operator && allows(&admitted.scopes, Scope::Read);
    let for_readers = |text: String| may_read.then_some(text);
    let present = if may_read { gateway.events.presence() } else { vec![presence.clone()] };
    if !may_read {
        health.agents = Vec::new();
        health.config_reload = ConfigReload::default();
    }
    HelloOk {
        kind: HelloKind::HelloOk,
        protocol: admitted.protocol,
        server: ServerInfo {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            conn_id: presence.conn_id.clone(),
        },
        features: Features {
            methods: rpc::TABLE.names().map(str::to_owned).collect(),
            events: Event::ALL.iter().map(|event| event.as_str().to_owned()).collect(),
            capabilities: Vec::new(),
        },
        snapshot: Snapshot {
            presence: present,
            state_version,
            uptime_ms: u64::try_from(gateway.uptime().as_millis()).unwrap_or(u64::MAX),
            session_defaults: SessionDefaults {
                main_session_key: format!("agent:{default_agent_id}:{}", SessionDefaults::MAIN_KEY),
                default_agent_id,
                model_configured: model.is_some(),
                main_key: SessionDefaults::MAIN_KEY.to_owned(),
                scope: SessionDefaults::SCOPE.to_owned(),
            },
            config_path: for_readers(gateway.context.home.config_path().display().to_string()),
            state_dir: for_readers(gateway.context.home.state_dir().display().to_string()),
            auth_mode: may_read.then(|| gateway.access.method()),
            health,
        },
        auth: HelloAuth {
            method: admitted.method,
            role: admitted.role,
            scopes: admitted.scopes.clone(),
            device_token: admitted.grant.as_ref().map(|grant| grant.token.expose().to_owned()),
            issued_at_ms: admitted.grant.as_ref().map(|grant| grant.issued_at_ms),
        },
        policy: ConnectionPolicy {
            max_payload: Stage::AfterHello.max_bytes(),
            max_buffered_bytes: limits.waiting_bytes,
            tick_interval_ms: u64::try_from(limits.tick.as_millis()).unwrap_or(u64::MAX),
            attachments: AttachmentPolicy {
                max_bytes: attachments::MAX_BYTES,
                max_image_bytes: attachments::MAX_PICTURE_BYTES,
            },
        },
    }
}

/// Truncates client-supplied text that other clients see.
fn short(text: &str) -> String {
    text.chars().take(200).collect()
}
