//! One lane per session: turns run one at a time, in the order in which they entered.
//!
//! A guard that is dropped early neither blocks its successor nor lets it overtake. Empty lanes take no memory.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsus_store::SessionKey;
use tokio::sync::oneshot;

/// The lanes that have guards.
#[derive(Debug, Default)]
pub struct Lanes {
    tails: Mutex<LaneTails>,
}

#[derive(Debug, Default)]
struct LaneTails {
    next: u64,
    /// The last position of each lane.
    by_session: BTreeMap<SessionKey, Predecessor>,
}

/// The position before another one.
#[derive(Debug)]
struct Predecessor {
    number: u64,
    /// Resolves when its guard is dropped; holds the position before it, if that is still taken.
    released: oneshot::Receiver<Option<Predecessor>>,
}

/// A position in a lane, released on drop.
#[derive(Debug)]
pub struct LaneGuard {
    lanes: Arc<Lanes>,
    session: SessionKey,
    number: u64,
    predecessor: Option<Predecessor>,
    release: Option<oneshot::Sender<Option<Predecessor>>>,
}

impl Lanes {
    /// Takes the last position of a session's lane and runs `enter` before the next one can be taken, so that what `enter`
    /// queues is in lane order. `enter` must not block.
    pub fn enter<T>(self: &Arc<Self>, session: &SessionKey, enter: impl FnOnce() -> T) -> (LaneGuard, T) {
        let (release, released) = oneshot::channel();
        let mut tails = self.tails();
        let number = tails.next;
        tails.next += 1;
        let predecessor = tails.by_session.insert(session.clone(), Predecessor { number, released });
        let entered = enter();
        drop(tails);
        let (lanes, session) = (Arc::clone(self), session.clone());
        (LaneGuard { lanes, session, number, predecessor, release: Some(release) }, entered)
    }

    fn tails(&self) -> MutexGuard<'_, LaneTails> {
        // A holder that panicked has left whole entries behind.
        self.tails.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LaneGuard {
    /// Waits until every earlier guard of the lane is dropped.
    pub async fn wait_turn(&mut self) {
        while let Some(predecessor) = &mut self.predecessor {
            // The sender always sends before it is dropped.
            self.predecessor = (&mut predecessor.released).await.ok().flatten();
        }
    }
}

impl Drop for LaneGuard {
    fn drop(&mut self) {
        // Locked to the end: a guard dropped at the same time finds either this position or its replacement.
        let mut tails = self.lanes.tails();
        while let Some(Ok(earlier)) =
            self.predecessor.as_mut().map(|predecessor| predecessor.released.try_recv())
        {
            self.predecessor = earlier;
        }
        if tails.by_session.get(&self.session).is_some_and(|end| end.number == self.number) {
            match self.predecessor.take() {
                Some(predecessor) => tails.by_session.insert(self.session.clone(), predecessor),
                None => tails.by_session.remove(&self.session),
            };
        } else if let Some(release) = self.release.take() {
            // Hands our predecessor to our successor, if there is one.
            let _ = release.send(self.predecessor.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> SessionKey {
        format!("agent:main:{name}").parse().unwrap()
    }

    /// Whether a guard is first without waiting.
    async fn is_first(guard: &mut LaneGuard) -> bool {
        tokio::select! {
            biased;
            () = guard.wait_turn() => true,
            () = std::future::ready(()) => false,
        }
    }

    #[tokio::test]
    async fn turns_run_one_at_a_time_within_a_session() {
        let lanes = Arc::new(Lanes::default());
        let (mut first, _) = lanes.enter(&key("a"), || ());
        let (mut second, _) = lanes.enter(&key("a"), || ());
        let (mut other, _) = lanes.enter(&key("b"), || ());
        assert!(is_first(&mut first).await && is_first(&mut other).await);
        assert!(!is_first(&mut second).await);
        drop(first);
        assert!(is_first(&mut second).await);
        drop((second, other));
        assert!(lanes.tails().by_session.is_empty());
    }

    #[tokio::test]
    async fn dropped_guard_lets_no_successor_overtake() {
        let lanes = Arc::new(Lanes::default());
        let (mut first, _) = lanes.enter(&key("a"), || ());
        let (second, _) = lanes.enter(&key("a"), || ());
        let (third, _) = lanes.enter(&key("a"), || ());
        let (mut fourth, _) = lanes.enter(&key("a"), || ());
        drop(third);
        drop(second);
        assert!(is_first(&mut first).await && !is_first(&mut fourth).await);
        drop(first);
        assert!(is_first(&mut fourth).await);
        drop(fourth);
        assert!(lanes.tails().by_session.is_empty());
    }

    #[tokio::test]
    async fn dropped_last_guard_restores_the_tail() {
        let lanes = Arc::new(Lanes::default());
        let (mut first, _) = lanes.enter(&key("a"), || ());
        drop(lanes.enter(&key("a"), || ()));
        let (mut next, _) = lanes.enter(&key("a"), || ());
        assert!(is_first(&mut first).await && !is_first(&mut next).await);
        let (last, _) = lanes.enter(&key("a"), || ());
        drop(first);
        drop(last);
        assert!(is_first(&mut next).await);
        drop(next);
        assert!(lanes.tails().by_session.is_empty());
    }

    #[test]
    fn entries_are_in_lane_order() {
        let lanes = Arc::new(Lanes::default());
        let entered = Mutex::new(Vec::new());
        let guards: Vec<LaneGuard> = std::thread::scope(|scope| {
            let enter = |name: u64| lanes.enter(&key("a"), || entered.lock().unwrap().push(name)).0;
            let threads: Vec<_> = (0..8).map(|name| scope.spawn(move || (name, enter(name)))).collect();
            let mut guards: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            guards.sort_by_key(|(_, guard)| guard.number);
            let names: Vec<u64> = guards.iter().map(|(name, _)| *name).collect();
            assert_eq!(*entered.lock().unwrap(), names);
            guards.into_iter().map(|(_, guard)| guard).collect()
        });
        drop(guards);
        assert!(lanes.tails().by_session.is_empty());
    }
}
