//! Connected clients and event delivery.
//!
//! A payload is serialised once for all clients, clients without the required scope never receive it, and a slow
//! client does not delay others.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tarsus_protocol::event::{Event, PresenceList, Shutdown};
use tarsus_protocol::frame::StateVersion;
use tarsus_protocol::hello::Presence;
use tarsus_protocol::scope::{ClientRole, Scope, allows};
use tokio::sync::watch;

use crate::access::Access;
use crate::limits::Limits;
use crate::peer::AgentProcess;
use crate::socket::close::Close;
use crate::socket::outbound::{Outbound, QueueItem, QueuedBytes};

/// Client id of the `tarsus` command line.
const CLI_CLIENT_ID: &str = "cli";

type Members = BTreeMap<u64, Arc<ConnectedClient>>;

/// The set of connected clients.
#[derive(Debug)]
pub struct Events {
    members: Mutex<Members>,
    next_id: AtomicU64,
    presence: AtomicU64,
    health: AtomicU64,
    total: Arc<QueuedBytes>,
    limits: Limits,
    phase: watch::Sender<Phase>,
}

/// Shutdown progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Open,
    /// Running requests finish; new ones are rejected.
    Stopping,
    /// Every socket is being closed.
    ShutdownOutcome,
}

/// A connected client, after the handshake.
#[derive(Debug)]
pub struct ConnectedClient {
    /// The connection's number.
    pub id: u64,
    pub role: ClientRole,
    /// Granted scopes.
    pub scopes: Vec<Scope>,
    /// Set if it is a process that an agent started.
    pub agent_process: Option<AgentProcess>,
    /// The negotiated protocol version.
    pub protocol: u32,
    /// Whether it subscribed to tool events.
    pub wants_tools: bool,
    /// Credential generation at the time of admission.
    pub generation: u64,
    /// Number of device token revocations at the time of admission.
    pub revocations: u64,
    /// Whether its device token was revoked.
    pub is_revoked: AtomicBool,
    /// Running requests, except those that only wait.
    pub answering: AtomicUsize,
    /// Its presence entry as other clients see it.
    pub presence: Presence,
    /// Its outbound queue.
    pub outbound: Outbound,
}

impl ConnectedClient {
    /// Marks a request as answered. After the last one the socket closes if its credentials were revoked meanwhile.
    pub fn answered(&self, access: &Access) {
        // Decrement before checking: either we see the revocation, or the revoker sees that nothing is running here.
        let was_last = self.answering.fetch_sub(1, Ordering::SeqCst) == 1;
        if was_last && let Some(why) = self.close_reason_if_revoked(access) {
            self.outbound.close_after_flush(why);
        }
    }

    /// Its display name.
    #[must_use]
    pub fn called(&self) -> &str {
        self.presence.host.as_deref().unwrap_or(&self.presence.client_id)
    }

    /// Returns the close reason once the credentials that admitted the client are no longer valid.
    #[must_use]
    pub fn close_reason_if_revoked(&self, access: &Access) -> Option<Close> {
        if self.is_revoked.load(Ordering::SeqCst) {
            return Some(Close::DeviceRevoked);
        }
        (self.generation < access.generation()).then_some(Close::CredentialsChanged)
    }

    fn close_if_idle(&self, why: Close) {
        if self.answering.load(Ordering::SeqCst) == 0 && !self.outbound.is_closing() {
            self.outbound.close_now(why);
        }
    }

    /// Whether its role and scopes allow it to receive an event.
    #[must_use]
    pub fn can_receive(&self, event: Event) -> bool {
        event.scope().is_none_or(|scope| self.role == ClientRole::Operator && allows(&self.scopes, scope))
    }
}

impl Events {
    /// Creates an empty set.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            members: Mutex::default(),
            next_id: AtomicU64::new(1),
            presence: AtomicU64::new(1),
            health: AtomicU64::new(1),
            total: Arc::default(),
            limits,
            phase: watch::channel(Phase::Open).0,
        }
    }

    /// Allocates a connection number.
    pub fn number(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// Creates an empty queue for a connection.
    #[must_use]
    pub fn outbound(&self) -> Outbound {
        Outbound::new(Arc::clone(&self.total), self.limits.waiting_bytes)
    }

    /// Adds a client and publishes presence. Returns false once the gateway is stopping.
    pub fn join(&self, member: Arc<ConnectedClient>) -> bool {
        let mut members = self.members();
        if self.is_stopping() {
            return false;
        }
        members.insert(member.id, member);
        self.presence_changed(members);
        true
    }

    /// Removes a client and publishes presence.
    pub fn leave(&self, id: u64) {
        let mut members = self.members();
        if members.remove(&id).is_some() {
            self.presence_changed(members);
        }
    }

    /// Whether a connected client can answer approvals. The command line does not count: it waits for its own run.
    #[must_use]
    pub fn has_approver(&self) -> bool {
        let is_approver = |member: &Arc<ConnectedClient>| {
            member.presence.client_id != CLI_CLIENT_ID && member.can_receive(Event::ApprovalRequested)
        };
        self.members().values().any(is_approver)
    }

    /// Presence entries of all clients.
    #[must_use]
    pub fn presence(&self) -> Vec<Presence> {
        presence_list(&self.members())
    }

    /// Versions of the state that clients mirror.
    #[must_use]
    pub fn state_version(&self) -> StateVersion {
        StateVersion {
            presence: self.presence.load(Ordering::Relaxed),
            health: self.health.load(Ordering::Relaxed),
        }
    }

    /// Publishes an event to every client that may receive it.
    pub fn publish(&self, event: Event, payload: &impl Serialize) {
        self.broadcast(event, payload, None, None);
    }

    /// Publishes an event to clients that subscribed to tool events.
    pub fn publish_tool_event(&self, event: Event, payload: &impl Serialize) {
        if let Some(payload) = serialize(event, payload) {
            let members = self.members();
            for member in members.values().filter(|member| member.wants_tools && member.can_receive(event)) {
                member.outbound.push(QueueItem::event(event, &payload, None, None));
            }
            drop(members);
            self.close_slowest_over_limit();
        }
    }

    /// Publishes the newest state under `key`; it replaces an unsent event with the same key.
    pub fn publish_latest(&self, event: Event, key: &str, payload: &impl Serialize) {
        self.broadcast(event, payload, Some(key), None);
    }

    /// Publishes the new health state.
    pub fn health_changed(&self, health: &impl Serialize) {
        self.health.fetch_add(1, Ordering::Relaxed);
        self.broadcast(Event::Health, health, Some("health"), Some(self.state_version()));
    }

    /// Publishes the shutdown event and closes every socket; no client may join afterwards.
    pub fn end(&self, reason: &str) {
        self.publish(Event::Shutdown, &Shutdown { reason: reason.to_owned() });
        let members: Vec<_> = {
            let members = self.members();
            self.phase.send_replace(Phase::ShutdownOutcome);
            members.values().cloned().collect()
        };
        for member in members {
            member.outbound.close_after_flush(Close::Restart);
        }
    }

    /// Closes clients that were admitted under older credentials. A client with running requests is closed by
    /// [`ConnectedClient::answered`] instead: it may be the one that changed them and must receive its reply.
    pub fn close_older_generations(&self, generation: u64) {
        for member in self.members().values().filter(|member| member.generation < generation) {
            member.close_if_idle(Close::CredentialsChanged);
        }
    }

    /// Closes every socket of a device in a role; busy ones close after their last reply.
    pub fn close_device(&self, device: &str, role: ClientRole) {
        let members = self.members();
        let of_device = |member: &&Arc<ConnectedClient>| {
            member.presence.device_id.as_deref() == Some(device) && member.role == role
        };
        for member in members.values().filter(of_device) {
            member.is_revoked.store(true, Ordering::SeqCst);
            member.close_if_idle(Close::DeviceRevoked);
        }
    }

    /// Rejects new clients and new requests from now on.
    pub fn stop(&self) {
        self.phase.send_modify(|phase| *phase = Phase::Stopping.max(*phase));
    }

    /// Whether new requests are rejected.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.phase.borrow() >= Phase::Stopping
    }

    /// Waits until the gateway is stopping.
    pub async fn stopping(&self) {
        self.wait_for_phase(Phase::Stopping).await;
    }

    /// Waits until sockets are being closed.
    pub async fn ended(&self) {
        self.wait_for_phase(Phase::ShutdownOutcome).await;
    }

    async fn wait_for_phase(&self, wanted: Phase) {
        let mut phase = self.phase.subscribe();
        // The sender lives as long as this.
        phase.wait_for(|phase| *phase >= wanted).await.ok();
    }

    /// Bytes queued for all clients together.
    #[must_use]
    pub fn queued_bytes(&self) -> usize {
        self.total.bytes()
    }

    /// Closes the clients with the longest queues until the total is within its limit.
    pub(crate) fn close_slowest_over_limit(&self) {
        while self.total.bytes() > self.limits.all_waiting_bytes {
            let slowest = self.members().values().max_by_key(|member| member.outbound.bytes()).cloned();
            match slowest {
                Some(member) if member.outbound.bytes() > 0 => member.outbound.close_now(Close::TooSlow),
                _ => return,
            }
        }
    }

    /// Publishes presence under the lock, so that the newest list is sent last.
    fn presence_changed(&self, members: MutexGuard<'_, Members>) {
        self.presence.fetch_add(1, Ordering::Relaxed);
        let list = PresenceList { presence: presence_list(&members) };
        if let Some(payload) = serialize(Event::Presence, &list) {
            push(&members, Event::Presence, &payload, Some("presence"), Some(self.state_version()));
        }
        drop(members);
        self.close_slowest_over_limit();
    }

    fn broadcast(
        &self,
        event: Event,
        payload: &impl Serialize,
        key: Option<&str>,
        state_version: Option<StateVersion>,
    ) {
        if let Some(payload) = serialize(event, payload) {
            push(&self.members(), event, &payload, key, state_version);
            self.close_slowest_over_limit();
        }
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        // A holder that panicked has left whole entries behind.
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn presence_list(members: &Members) -> Vec<Presence> {
    members.values().map(|member| member.presence.clone()).collect()
}

fn serialize(event: Event, payload: &impl Serialize) -> Option<Arc<str>> {
    let text = serde_json::to_string(payload);
    let text = text
        .inspect_err(|error| tracing::error!(%error, event = event.as_str(), "an event cannot be written"));
    text.ok().map(Into::into)
}

fn push(
    members: &Members,
    event: Event,
    payload: &Arc<str>,
    key: Option<&str>,
    state_version: Option<StateVersion>,
) {
    for member in members.values().filter(|member| member.can_receive(event)) {
        member.outbound.push(QueueItem::event(event, payload, key, state_version));
    }
}
