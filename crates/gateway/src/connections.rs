//! Slots for connections. Those that have not authenticated share a few, so that strangers cannot take the slots of
//! known clients; when these few are taken, the oldest stranger is evicted for the next one.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tarsus_host::memory;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep_until};

use crate::limits::Limits;

/// From the end of a connection until freed memory is given back.
const RELEASE_DELAY: Duration = Duration::from_secs(1);

/// All open connections.
#[derive(Debug)]
pub(crate) struct Connections {
    limits: Limits,
    state: watch::Sender<State>,
}

#[derive(Debug, Default)]
struct State {
    next_id: u64,
    /// In the order in which they were accepted.
    unauthenticated: BTreeMap<u64, Candidate>,
    authenticated: usize,
}

/// A connection that may be evicted.
#[derive(Debug)]
struct Candidate {
    accepted: Instant,
    evict: Arc<Notify>,
}

/// How far the client of a connection has come.
#[derive(Debug, Clone, Copy)]
enum Stage {
    Unauthenticated,
    Authenticated(Instant),
    /// It may take as long as it likes.
    Unlimited,
}

/// All slots of authenticated connections are taken.
#[derive(Debug, Clone, Copy, thiserror::Error)]
#[error("too many clients are connected")]
pub(crate) struct TooManyConnections;

/// The slot of one connection, given back when the last clone is dropped.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionSlot(Arc<Slot>);

#[derive(Debug)]
struct Slot {
    id: u64,
    accepted: Instant,
    evict: Arc<Notify>,
    stage: watch::Sender<Stage>,
    connections: Arc<Connections>,
}

impl Connections {
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, state: watch::Sender::default() }
    }

    /// Returns a slot for a new connection. While all are taken, evicts the oldest stranger that had some time.
    pub(crate) async fn admit(self: &Arc<Self>) -> ConnectionSlot {
        let mut state = self.state.subscribe();
        loop {
            state.mark_unchanged();
            if let Some(slot) = self.try_admit() {
                return slot;
            }
            let oldest = self.state.borrow().unauthenticated.values().next().map(|oldest| oldest.accepted);
            let evictable = async {
                match oldest {
                    Some(accepted) => sleep_until(accepted + self.limits.eviction_age).await,
                    None => pending().await,
                }
            };
            tokio::select! {
                // The sender is ours.
                _ = state.changed() => continue,
                () = evictable => self.evict_oldest(),
            }
            state.changed().await.ok();
        }
    }

    fn try_admit(self: &Arc<Self>) -> Option<ConnectionSlot> {
        let (accepted, evict) = (Instant::now(), Arc::default());
        let mut id = None;
        self.state.send_if_modified(|state| {
            if state.unauthenticated.len() < self.limits.unauthenticated_connections {
                let candidate = Candidate { accepted, evict: Arc::clone(&evict) };
                state.unauthenticated.insert(state.next_id, candidate);
                id = Some(state.next_id);
                state.next_id += 1;
            }
            // Nobody waits for one more.
            false
        });
        let (stage, connections) = (watch::Sender::new(Stage::Unauthenticated), Arc::clone(self));
        id.map(|id| ConnectionSlot(Arc::new(Slot { id, accepted, evict, stage, connections })))
    }

    /// Asks the oldest stranger to give its slot back.
    pub(crate) fn evict_oldest(&self) {
        if let Some(oldest) = self.state.borrow().unauthenticated.values().next() {
            oldest.evict.notify_one();
        }
    }

    /// Gives memory back to the system whenever connections have ended: the allocator keeps what a burst has used.
    pub(crate) async fn release_memory(&self) {
        let mut state = self.state.subscribe();
        // The sender is ours.
        while state.changed().await.is_ok() {
            // Once for all that end now.
            tokio::time::sleep(RELEASE_DELAY).await;
            state.mark_unchanged();
            // A panic was printed where it happened.
            tokio::task::spawn_blocking(memory::release_freed).await.ok();
        }
    }

    /// Waits until no connection is left.
    pub(crate) async fn all_closed(&self) {
        let is_empty = |state: &State| state.unauthenticated.is_empty() && state.authenticated == 0;
        // The sender is ours.
        let _ = self.state.subscribe().wait_for(is_empty).await;
    }
}

impl ConnectionSlot {
    /// Moves the connection to the slots of known clients.
    pub(crate) fn authenticate(&self) -> Result<(), TooManyConnections> {
        let Slot { id, stage, connections, .. } = &*self.0;
        let mut has_slot = true;
        connections.state.send_if_modified(|state| {
            let is_full = state.authenticated >= connections.limits.connections;
            let is_new = state.unauthenticated.contains_key(id);
            has_slot = !(is_new && is_full);
            let moves = is_new && has_slot;
            if moves {
                state.unauthenticated.remove(id);
                state.authenticated += 1;
                stage.send_replace(Stage::Authenticated(Instant::now()));
            }
            moves
        });
        if has_slot { Ok(()) } else { Err(TooManyConnections) }
    }

    /// Lifts the time limit of an authenticated connection.
    pub(crate) fn keep_open(&self) {
        self.0.stage.send_replace(Stage::Unlimited);
    }

    /// Waits until the connection was open for as long as it may be.
    pub(crate) async fn timed_out(&self) {
        let limits = &self.0.connections.limits;
        let mut stage = self.0.stage.subscribe();
        loop {
            let now = *stage.borrow_and_update();
            let end = match now {
                Stage::Unauthenticated => self.0.accepted + limits.authentication,
                Stage::Authenticated(since) => since + limits.connection,
                Stage::Unlimited => pending().await,
            };
            tokio::select! {
                biased;
                _ = stage.changed() => {}
                () = sleep_until(end) => return,
            }
        }
    }

    /// Waits until the slot is needed for a newer connection; forever once the client is known.
    pub(crate) async fn evicted(&self) {
        self.0.evict.notified().await;
        if !matches!(*self.0.stage.borrow(), Stage::Unauthenticated) {
            pending().await
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.connections.state.send_modify(|state| {
            if state.unauthenticated.remove(&self.id).is_none() {
                state.authenticated -= 1;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const LIMITS: Limits = Limits {
        connections: 1,
        unauthenticated_connections: 2,
        eviction_age: Duration::from_secs(1),
        authentication: Duration::from_secs(8),
        connection: Duration::from_secs(60),
        ..Limits::DEFAULT
    };

    /// Whether `future` ends within so many seconds, by a clock that advances when nothing else happens.
    async fn ends_within(seconds: u64, future: impl Future) -> bool {
        timeout(Duration::from_secs(seconds), future).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn oldest_stranger_makes_room_for_the_next_one() {
        let connections = Arc::new(Connections::new(LIMITS));
        let (oldest, newer) = (connections.admit().await, connections.admit().await);
        let newest = tokio::spawn({
            let connections = Arc::clone(&connections);
            async move { connections.admit().await }
        });
        let accepted = Instant::now();
        oldest.evicted().await;
        assert_eq!(accepted.elapsed(), LIMITS.eviction_age, "it had its time");
        assert!(!ends_within(3, newer.evicted()).await, "one is enough");
        assert!(!newest.is_finished(), "its slot is not free yet");
        drop(oldest);
        newest.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn known_client_is_never_evicted_for_strangers() {
        let connections = Arc::new(Connections::new(LIMITS));
        let (known, stranger) = (connections.admit().await, connections.admit().await);
        connections.evict_oldest();
        known.authenticate().unwrap();
        assert!(!ends_within(60, known.evicted()).await, "it became known before it was evicted");
        let _second = connections.admit().await;
        assert!(!ends_within(3, async { tokio::join!(connections.admit(), known.evicted()) }).await);
        assert!(ends_within(1, stranger.evicted()).await);
        assert!(stranger.authenticate().is_err(), "known clients have a limit of their own");
        known.authenticate().unwrap();
        drop((known, stranger));
    }

    #[tokio::test(start_paused = true)]
    async fn strangers_have_less_time_than_known_clients() {
        let connections = Arc::new(Connections::new(LIMITS));
        let (stranger, known) = (connections.admit().await, connections.admit().await);
        let begun = Instant::now();
        known.authenticate().unwrap();
        stranger.timed_out().await;
        assert_eq!(begun.elapsed(), LIMITS.authentication);
        known.timed_out().await;
        assert_eq!(begun.elapsed(), LIMITS.connection);
        known.keep_open();
        assert!(!ends_within(3_600, known.timed_out()).await);
    }

    #[tokio::test]
    async fn all_slots_are_given_back() {
        let connections = Arc::new(Connections::new(LIMITS));
        let (known, stranger) = (connections.admit().await, connections.admit().await);
        known.authenticate().unwrap();
        let waiting = tokio::spawn({
            let connections = Arc::clone(&connections);
            async move { connections.all_closed().await }
        });
        let clone = known.clone();
        drop((known, stranger));
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "a clone keeps the slot");
        drop(clone);
        waiting.await.unwrap();
    }
}
