//! Who is connected, and telling them what happens.
//!
//! Promises: a payload is serialised once, however many are told; who may not know is not told; a slow client slows
//! nobody. Leaves to others: what is worth telling.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tarsus_protocol::event::{Event, PresenceList, Shutdown};
use tarsus_protocol::frame::StateVersion;
use tarsus_protocol::hello::Presence;
use tarsus_protocol::scope::{Role, Scope, allows};
use tokio::sync::watch;

use crate::access::Access;
use crate::limits::Limits;
use crate::socket::close::Close;
use crate::socket::outbound::{Outbound, Total, Waiting};

/// What the commands of `tarsus` call themselves.
const COMMAND: &str = "cli";

type Members = BTreeMap<u64, Arc<Member>>;

/// Everybody who is connected.
#[derive(Debug)]
pub struct Events {
    members: Mutex<Members>,
    next_id: AtomicU64,
    presence: AtomicU64,
    health: AtomicU64,
    total: Arc<Total>,
    limits: Limits,
    phase: watch::Sender<Phase>,
}

/// How far the gateway is on its way to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Open,
    /// What was begun is finished, and nothing new is.
    Stopping,
    /// Everybody is told goodbye.
    Ended,
}

/// One who is connected, after the handshake.
#[derive(Debug)]
pub struct Member {
    /// The connection's number.
    pub id: u64,
    /// What it is to the gateway.
    pub role: Role,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// The version of the protocol that holds.
    pub protocol: u32,
    /// Whether it wants to be told of each call of a tool.
    pub wants_tools: bool,
    /// How often what opens the gateway had been replaced when it was let in.
    pub generation: u64,
    /// How often a token of a device had been taken back when it was let in.
    pub revocations: u64,
    /// Whether the token of its device was taken back.
    pub is_revoked: AtomicBool,
    /// Requests of it that are worked on, but for those that only wait.
    pub answering: AtomicUsize,
    /// How others see it.
    pub presence: Presence,
    /// What waits for it.
    pub outbound: Outbound,
}

impl Member {
    /// A request of it was answered. The last one is the end when what let it in does not open the gateway any more.
    pub fn answered(&self, access: &Access) {
        // In this order: either this sees that it is shut out, or whoever did it sees that nothing is answered here.
        let was_last = self.answering.fetch_sub(1, Ordering::SeqCst) == 1;
        if was_last && let Some(why) = self.shut_out(access) {
            self.outbound.close_after_the_rest(why);
        }
    }

    /// What it calls itself, for people.
    #[must_use]
    pub fn called(&self) -> &str {
        self.presence.host.as_deref().unwrap_or(&self.presence.client_id)
    }

    /// Why it may not ask any more, once what let it in does not open the gateway.
    #[must_use]
    pub fn shut_out(&self, access: &Access) -> Option<Close> {
        if self.is_revoked.load(Ordering::SeqCst) {
            return Some(Close::DeviceRevoked);
        }
        (self.generation < access.generation()).then_some(Close::CredentialsChanged)
    }

    fn close_unless_answering(&self, why: Close) {
        if self.answering.load(Ordering::SeqCst) == 0 && !self.outbound.is_closing() {
            self.outbound.close_now(why);
        }
    }

    /// Whether it is told of an event.
    #[must_use]
    pub fn may_know(&self, event: Event) -> bool {
        event.scope().is_none_or(|scope| self.role == Role::Operator && allows(&self.scopes, scope))
    }
}

impl Events {
    /// Nobody yet.
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

    /// A number for a connection.
    pub fn number(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// An empty queue for a connection.
    #[must_use]
    pub fn outbound(&self) -> Outbound {
        Outbound::new(Arc::clone(&self.total), self.limits.waiting_bytes)
    }

    /// Somebody came, and the others are told. None may come any more once the gateway ends.
    pub fn join(&self, member: Arc<Member>) -> bool {
        let mut members = self.members();
        if self.is_stopping() {
            return false;
        }
        members.insert(member.id, member);
        self.presence_changed(members);
        true
    }

    /// Somebody went, and the others are told.
    pub fn leave(&self, id: u64) {
        let mut members = self.members();
        if members.remove(&id).is_some() {
            self.presence_changed(members);
        }
    }

    /// Whether somebody is here who may answer for the owner. A command that waits for its own run is nobody to ask.
    #[must_use]
    pub fn has_somebody_to_ask(&self) -> bool {
        let is_asked = |member: &Arc<Member>| {
            member.presence.client_id != COMMAND && member.may_know(Event::ApprovalRequested)
        };
        self.members().values().any(is_asked)
    }

    /// Who is connected.
    #[must_use]
    pub fn present(&self) -> Vec<Presence> {
        presence_of(&self.members())
    }

    /// The numbers of the states that clients mirror.
    #[must_use]
    pub fn state_version(&self) -> StateVersion {
        StateVersion {
            presence: self.presence.load(Ordering::Relaxed),
            health: self.health.load(Ordering::Relaxed),
        }
    }

    /// Tells everybody who may know.
    pub fn tell(&self, event: Event, payload: &impl Serialize) {
        self.spread(event, payload, None, None);
    }

    /// Tells everybody who may know and wants to be told of each call of a tool.
    pub fn tell_of_tool(&self, event: Event, payload: &impl Serialize) {
        if let Some(payload) = written(event, payload) {
            let members = self.members();
            for member in members.values().filter(|member| member.wants_tools && member.may_know(event)) {
                member.outbound.push(Waiting::event(event, &payload, None, None));
            }
            drop(members);
            self.relieve();
        }
    }

    /// Tells everybody who may know how something is by now. What was said of the same thing under the same `key`
    /// and is not sent yet need not be sent any more.
    pub fn tell_newest(&self, event: Event, key: &str, payload: &impl Serialize) {
        self.spread(event, payload, Some(key), None);
    }

    /// Tells everybody how the gateway is by now.
    pub fn health_changed(&self, health: &impl Serialize) {
        self.health.fetch_add(1, Ordering::Relaxed);
        self.spread(Event::Health, health, Some("health"), Some(self.state_version()));
    }

    /// Says goodbye to everybody; nobody may come any more.
    pub fn end(&self, reason: &str) {
        self.tell(Event::Shutdown, &Shutdown { reason: reason.to_owned() });
        let members: Vec<_> = {
            let members = self.members();
            self.phase.send_replace(Phase::Ended);
            members.values().cloned().collect()
        };
        for member in members {
            member.outbound.close_after_the_rest(Close::Restart);
        }
    }

    /// Closes everybody who was let in by what does not open the gateway any more. Whoever waits for an answer is left to
    /// [`Member::answered`]: it may be the one who replaced it, and is to hear that it did.
    pub fn close_before(&self, generation: u64) {
        for member in self.members().values().filter(|member| member.generation < generation) {
            member.close_unless_answering(Close::CredentialsChanged);
        }
    }

    /// Closes every socket of a device in a role, in the same way.
    pub fn close_device(&self, device: &str, role: Role) {
        let members = self.members();
        let of_device = |member: &&Arc<Member>| {
            member.presence.device_id.as_deref() == Some(device) && member.role == role
        };
        for member in members.values().filter(of_device) {
            member.is_revoked.store(true, Ordering::SeqCst);
            member.close_unless_answering(Close::DeviceRevoked);
        }
    }

    /// From now on nobody may come, and nothing new is begun for those who are here.
    pub fn stop(&self) {
        self.phase.send_modify(|phase| *phase = Phase::Stopping.max(*phase));
    }

    /// Whether nothing new is begun any more.
    #[must_use]
    pub fn is_stopping(&self) -> bool {
        *self.phase.borrow() >= Phase::Stopping
    }

    /// Waits until nothing new is begun any more.
    pub async fn stopping(&self) {
        self.reached(Phase::Stopping).await;
    }

    /// Waits for the end.
    pub async fn ended(&self) {
        self.reached(Phase::Ended).await;
    }

    async fn reached(&self, wanted: Phase) {
        let mut phase = self.phase.subscribe();
        // The sender lives as long as this.
        phase.wait_for(|phase| *phase >= wanted).await.ok();
    }

    /// The bytes that wait for all clients together.
    #[must_use]
    pub fn waiting_of_all(&self) -> usize {
        self.total.bytes()
    }

    /// Closes the clients that most waits for, until no more waits in all than may.
    pub(crate) fn relieve(&self) {
        while self.total.bytes() > self.limits.all_waiting_bytes {
            let slowest = self.members().values().max_by_key(|member| member.outbound.bytes()).cloned();
            match slowest {
                Some(member) if member.outbound.bytes() > 0 => member.outbound.close_now(Close::TooSlow),
                _ => return,
            }
        }
    }

    /// Tells who is here now, before anybody else comes or goes: the newest list is the last.
    fn presence_changed(&self, members: MutexGuard<'_, Members>) {
        self.presence.fetch_add(1, Ordering::Relaxed);
        let list = PresenceList { presence: presence_of(&members) };
        if let Some(payload) = written(Event::Presence, &list) {
            push(&members, Event::Presence, &payload, Some("presence"), Some(self.state_version()));
        }
        drop(members);
        self.relieve();
    }

    fn spread(
        &self,
        event: Event,
        payload: &impl Serialize,
        key: Option<&str>,
        state_version: Option<StateVersion>,
    ) {
        if let Some(payload) = written(event, payload) {
            push(&self.members(), event, &payload, key, state_version);
            self.relieve();
        }
    }

    fn members(&self) -> MutexGuard<'_, Members> {
        // A holder that panicked has left whole entries behind.
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn presence_of(members: &Members) -> Vec<Presence> {
    members.values().map(|member| member.presence.clone()).collect()
}

fn written(event: Event, payload: &impl Serialize) -> Option<Arc<str>> {
    let written = serde_json::to_string(payload);
    let written = written
        .inspect_err(|error| tracing::error!(%error, event = event.as_str(), "an event cannot be written"));
    written.ok().map(Into::into)
}

fn push(
    members: &Members,
    event: Event,
    payload: &Arc<str>,
    key: Option<&str>,
    state_version: Option<StateVersion>,
) {
    for member in members.values().filter(|member| member.may_know(event)) {
        member.outbound.push(Waiting::event(event, payload, key, state_version));
    }
}
