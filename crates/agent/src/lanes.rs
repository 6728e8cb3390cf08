//! Lanes: one for each session, in which turns wait for those before them.
//!
//! Promises: turns of a session come one at a time, in the order in which they entered; a turn that leaves early holds
//! up nobody and lets nobody past; a lane without turns takes no room.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsus_store::SessionKey;
use tokio::sync::oneshot;

/// The lanes in which somebody waits.
#[derive(Debug, Default)]
pub struct Lanes {
    ends: Mutex<Ends>,
}

#[derive(Debug, Default)]
struct Ends {
    next: u64,
    /// The last place of each lane.
    by_session: BTreeMap<SessionKey, Taken>,
}

/// A place that somebody has.
#[derive(Debug)]
struct Taken {
    number: u64,
    /// Comes when it is left: with the place before it, where that one is still taken.
    left: oneshot::Receiver<Option<Taken>>,
}

/// A place in a lane, until it is dropped.
#[derive(Debug)]
pub struct Place {
    lanes: Arc<Lanes>,
    session: SessionKey,
    number: u64,
    before: Option<Taken>,
    leave: Option<oneshot::Sender<Option<Taken>>>,
}

impl Lanes {
    /// Takes the last place of a session's lane and does `enter` before anybody takes the next one: what `enter` puts
    /// into a queue is there in the order of the lane. It must not wait for anything.
    pub fn enter<T>(self: &Arc<Self>, session: &SessionKey, enter: impl FnOnce() -> T) -> (Place, T) {
        let (leave, left) = oneshot::channel();
        let mut ends = self.ends();
        let number = ends.next;
        ends.next += 1;
        let before = ends.by_session.insert(session.clone(), Taken { number, left });
        let entered = enter();
        drop(ends);
        let (lanes, session) = (Arc::clone(self), session.clone());
        (Place { lanes, session, number, before, leave: Some(leave) }, entered)
    }

    fn ends(&self) -> MutexGuard<'_, Ends> {
        // A holder that panicked has left whole entries behind.
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Waits until everybody before has left.
    pub async fn reached(&mut self) {
        while let Some(before) = &mut self.before {
            // A sender is never dropped without a word.
            self.before = (&mut before.left).await.ok().flatten();
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Held to the end: whoever leaves at the same time finds either this place or what it leaves behind.
        let mut ends = self.lanes.ends();
        while let Some(Ok(earlier)) = self.before.as_mut().map(|before| before.left.try_recv()) {
            self.before = earlier;
        }
        if ends.by_session.get(&self.session).is_some_and(|end| end.number == self.number) {
            match self.before.take() {
                Some(before) => ends.by_session.insert(self.session.clone(), before),
                None => ends.by_session.remove(&self.session),
            };
        } else if let Some(leave) = self.leave.take() {
            // Whoever is behind takes over what is before; if nobody is any more, nobody waits.
            let _ = leave.send(self.before.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> SessionKey {
        format!("agent:main:{name}").parse().unwrap()
    }

    /// Whether a place is reached without waiting.
    async fn is_reached(place: &mut Place) -> bool {
        tokio::select! {
            biased;
            () = place.reached() => true,
            () = std::future::ready(()) => false,
        }
    }

    #[tokio::test]
    async fn turns_of_a_session_come_one_at_a_time_and_those_of_others_at_once() {
        let lanes = Arc::new(Lanes::default());
        let (mut first, _) = lanes.enter(&key("a"), || ());
        let (mut second, _) = lanes.enter(&key("a"), || ());
        let (mut other, _) = lanes.enter(&key("b"), || ());
        assert!(is_reached(&mut first).await && is_reached(&mut other).await);
        assert!(!is_reached(&mut second).await);
        drop(first);
        assert!(is_reached(&mut second).await);
        drop((second, other));
        assert!(lanes.ends().by_session.is_empty());
    }

    #[tokio::test]
    async fn who_leaves_before_being_reached_lets_nobody_past() {
        let lanes = Arc::new(Lanes::default());
        let (mut first, _) = lanes.enter(&key("a"), || ());
        let (second, _) = lanes.enter(&key("a"), || ());
        let (third, _) = lanes.enter(&key("a"), || ());
        let (mut fourth, _) = lanes.enter(&key("a"), || ());
        drop(third);
        drop(second);
        assert!(is_reached(&mut first).await && !is_reached(&mut fourth).await);
        drop(first);
        assert!(is_reached(&mut fourth).await);
        drop(fourth);
        assert!(lanes.ends().by_session.is_empty());
    }

    #[tokio::test]
    async fn the_last_who_leaves_early_gives_the_end_back() {
        let lanes = Arc::new(Lanes::default());
        let (mut first, _) = lanes.enter(&key("a"), || ());
        drop(lanes.enter(&key("a"), || ()));
        let (mut next, _) = lanes.enter(&key("a"), || ());
        assert!(is_reached(&mut first).await && !is_reached(&mut next).await);
        let (last, _) = lanes.enter(&key("a"), || ());
        drop(first);
        drop(last);
        assert!(is_reached(&mut next).await);
        drop(next);
        assert!(lanes.ends().by_session.is_empty());
    }

    #[test]
    fn what_enters_is_in_the_order_of_the_lane() {
        let lanes = Arc::new(Lanes::default());
        let entered = Mutex::new(Vec::new());
        let places: Vec<Place> = std::thread::scope(|scope| {
            let enter = |name: u64| lanes.enter(&key("a"), || entered.lock().unwrap().push(name)).0;
            let threads: Vec<_> = (0..8).map(|name| scope.spawn(move || (name, enter(name)))).collect();
            let mut places: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
            places.sort_by_key(|(_, place)| place.number);
            let names: Vec<u64> = places.iter().map(|(name, _)| *name).collect();
            assert_eq!(*entered.lock().unwrap(), names);
            places.into_iter().map(|(_, place)| place).collect()
        });
        drop(places);
        assert!(lanes.ends().by_session.is_empty());
    }
}
