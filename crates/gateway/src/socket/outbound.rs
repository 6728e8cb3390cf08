//! What waits to be sent to one client: replies and events, bounded by their bytes.
//!
//! Promises: events are numbered when they are taken out, so that a client sees no gap; the newest of a kind replaces
//! what was not sent yet; once too much waits, everything is dropped and the client is closed. Waits for nobody.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsus_protocol::event::Event;
use tarsus_protocol::frame::StateVersion;
use tokio::sync::Notify;

use super::close::Close;

/// What an entry of the queue costs beside its text.
const OVERHEAD: usize = 128;

/// The bytes that wait for all clients together.
#[derive(Debug, Default)]
pub struct Total(AtomicUsize);

impl Total {
    /// How many they are.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// One thing that waits.
#[derive(Debug)]
pub enum Waiting {
    /// A whole frame.
    Frame(String),
    /// An event, which lacks its number.
    Event {
        /// Its name.
        event: Event,
        /// What it says, shared by all who are told.
        payload: Arc<str>,
        /// What it is about, if it replaces what was said of that before.
        key: Option<Key>,
        /// Which state it brings a client up to.
        state_version: Option<StateVersion>,
    },
    /// Something that was replaced by something newer.
    Replaced,
}

/// What an event is about.
pub type Key = (Event, Box<str>);

impl Waiting {
    /// An event.
    #[must_use]
    pub fn event(
        event: Event,
        payload: &Arc<str>,
        key: Option<&str>,
        state_version: Option<StateVersion>,
    ) -> Self {
        let key = key.map(|key| (event, key.into()));
        Self::Event { event, payload: Arc::clone(payload), key, state_version }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Frame(text) => text.len() + OVERHEAD,
            Self::Event { payload, .. } => payload.len() + OVERHEAD,
            // Its place is still there.
            Self::Replaced => OVERHEAD,
        }
    }
}

/// What the writer does next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    /// Sends this frame.
    Send(String),
    /// Closes.
    Close(Close),
}

/// The queue of one client.
#[derive(Debug)]
pub struct Outbound {
    queue: Mutex<Queue>,
    wake: Notify,
    /// Woken when everything is dropped at once, whatever the writer waits for.
    cut: Notify,
    total: Arc<Total>,
    most: usize,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Waiting>,
    /// The place of the first entry, counted from the first that ever was.
    first: u64,
    /// Where the newest of each kind waits, by the same count.
    newest: HashMap<Key, u64>,
    /// What waits, and what was taken out last.
    bytes: usize,
    /// What was taken out last, which its taker still has.
    taken: usize,
    seq: u64,
    closing: Option<Close>,
    is_cut: bool,
}

impl Outbound {
    /// An empty queue for at most `most` bytes.
    #[must_use]
    pub fn new(total: Arc<Total>, most: usize) -> Self {
        Self { queue: Mutex::default(), wake: Notify::new(), cut: Notify::new(), total, most }
    }

    /// Adds one thing; closes the client when too much waits. What comes after a close is dropped.
    pub fn push(&self, waiting: Waiting) {
        let too_much = {
            let mut queue = self.queue();
            if queue.closing.is_some() {
                return;
            }
            self.add(&mut queue, waiting);
            queue.bytes > self.most
        };
        if too_much {
            self.close_now(Close::TooSlow);
        } else {
            self.wake.notify_one();
        }
    }

    /// Puts these before everything that waits already.
    pub fn begin_with(&self, first: Vec<Waiting>) {
        let mut queue = self.queue();
        if let Some(close) = queue.closing.clone() {
            // Nobody is told anything without a beginning.
            drop(queue);
            return self.close_now(close);
        }
        let rest = std::mem::take(&mut queue.waiting);
        self.total.0.fetch_sub(queue.bytes, Ordering::Relaxed);
        queue.bytes = 0;
        queue.newest.clear();
        for waiting in first.into_iter().chain(rest) {
            self.add(&mut queue, waiting);
        }
        drop(queue);
        self.wake.notify_one();
    }

    fn add(&self, queue: &mut Queue, waiting: Waiting) {
        if let Waiting::Event { key: Some(key), .. } = &waiting {
            let place = queue.first + queue.waiting.len() as u64;
            if let Some(older) = queue.newest.insert(key.clone(), place) {
                let index = usize::try_from(older - queue.first).unwrap_or(usize::MAX);
                if let Some(older) = queue.waiting.get_mut(index) {
                    let bytes = std::mem::replace(older, Waiting::Replaced).bytes() - OVERHEAD;
                    queue.bytes -= bytes;
                    self.total.0.fetch_sub(bytes, Ordering::Relaxed);
                }
            }
        }
        let bytes = waiting.bytes();
        queue.bytes += bytes;
        self.total.0.fetch_add(bytes, Ordering::Relaxed);
        queue.waiting.push_back(waiting);
    }

    /// Closes once everything that waits is sent.
    pub fn close_after_the_rest(&self, close: Close) {
        self.queue().closing.get_or_insert(close);
        self.wake.notify_one();
    }

    /// Drops everything that waits and closes.
    pub fn close_now(&self, close: Close) {
        {
            let mut queue = self.queue();
            self.total.0.fetch_sub(queue.bytes, Ordering::Relaxed);
            queue.bytes = 0;
            queue.taken = 0;
            queue.first += queue.waiting.len() as u64;
            queue.waiting = VecDeque::new();
            queue.newest = HashMap::new();
            queue.closing.get_or_insert(close);
            queue.is_cut = true;
        }
        self.cut.notify_waiters();
        self.wake.notify_one();
    }

    /// Whether nothing is added any more.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.queue().closing.is_some()
    }

    /// How much waits.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.queue().bytes
    }

    /// Whether everything was dropped at once.
    pub async fn when_cut(&self) {
        let woken = self.cut.notified();
        tokio::pin!(woken);
        woken.as_mut().enable();
        if !self.queue().is_cut {
            woken.await;
        }
    }

    /// What comes next, if there is something. Whoever asks has handed over what came before.
    pub fn try_next(&self) -> Option<Next> {
        let mut queue = self.queue();
        let handed_over = std::mem::take(&mut queue.taken);
        self.forget(&mut queue, handed_over);
        while let Some(waiting) = queue.waiting.pop_front() {
            let place = queue.first;
            queue.first += 1;
            queue.taken = waiting.bytes();
            match waiting {
                Waiting::Frame(text) => return Some(Next::Send(text)),
                Waiting::Event { event, payload, key, state_version } => {
                    if let Some(key) = key
                        && queue.newest.get(&key) == Some(&place)
                    {
                        queue.newest.remove(&key);
                    }
                    queue.seq += 1;
                    return Some(Next::Send(event_text(event, &payload, queue.seq, state_version)));
                }
                Waiting::Replaced => {
                    let nothing = std::mem::take(&mut queue.taken);
                    self.forget(&mut queue, nothing);
                }
            }
        }
        queue.closing.clone().map(Next::Close)
    }

    fn forget(&self, queue: &mut Queue, bytes: usize) {
        queue.bytes -= bytes;
        self.total.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// What comes next; waits for it.
    pub async fn next(&self) -> Next {
        loop {
            if let Some(next) = self.try_next() {
                return next;
            }
            self.wake.notified().await;
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // A holder that panicked has left the counts as they were before or after its change.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Outbound {
    fn drop(&mut self) {
        self.total.0.fetch_sub(self.bytes(), Ordering::Relaxed);
    }
}

/// The frame of an event, around its payload.
fn event_text(event: Event, payload: &str, seq: u64, state_version: Option<StateVersion>) -> String {
    let name = event.as_str();
    let mut text = String::with_capacity(payload.len() + name.len() + OVERHEAD);
    // Writing to a string cannot fail.
    let _ = write!(text, r#"{{"type":"event","event":"{name}","payload":{payload},"seq":{seq}"#);
    if let Some(StateVersion { presence, health }) = state_version {
        let _ = write!(text, r#","stateVersion":{{"presence":{presence},"health":{health}}}"#);
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn queue(most: usize) -> (Arc<Total>, Outbound) {
        let total = Arc::<Total>::default();
        (Arc::clone(&total), Outbound::new(total, most))
    }

    fn event(payload: &str, key: Option<&str>) -> Waiting {
        Waiting::event(Event::Tick, &payload.into(), key, None)
    }

    #[test]
    fn what_was_taken_out_counts_until_it_is_handed_over() {
        let (total, outbound) = queue(1 << 20);
        outbound.push(event("0123456789", None));
        assert!(matches!(outbound.try_next(), Some(Next::Send(_))));
        assert_eq!((outbound.bytes(), total.bytes()), (OVERHEAD + 10, OVERHEAD + 10));
        assert_eq!(outbound.try_next(), None);
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
        outbound.push(event("0123456789", None));
        assert!(matches!(outbound.try_next(), Some(Next::Send(_))));
        outbound.close_now(Close::Done);
        assert_eq!(outbound.try_next(), Some(Next::Close(Close::Done)));
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
    }

    #[test]
    fn a_beginning_comes_before_what_waits_already_and_what_is_newer_replaces_it() {
        let (total, outbound) = queue(1 << 20);
        for (payload, key) in [("1", None), ("2", Some("state"))] {
            outbound.push(event(payload, key));
        }
        outbound.begin_with(vec![Waiting::Frame("hello".to_owned()), event("0", Some("state"))]);
        outbound.push(event("3", None));
        let expected = [Next::Send("hello".to_owned()), sent("1", 1), sent("2", 2), sent("3", 3)];
        assert_eq!(drained(&outbound), expected);
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
    }

    fn drained(outbound: &Outbound) -> Vec<Next> {
        std::iter::from_fn(|| outbound.try_next().filter(|next| matches!(next, Next::Send(_)))).collect()
    }

    fn sent(payload: &str, seq: u64) -> Next {
        Next::Send(format!(r#"{{"type":"event","event":"tick","payload":{payload},"seq":{seq}}}"#))
    }

    #[test]
    fn the_newest_of_a_run_replaces_what_was_not_sent_and_numbers_have_no_gaps() {
        let (total, outbound) = queue(1 << 20);
        outbound.push(event("1", Some("run")));
        assert_eq!(outbound.try_next(), Some(sent("1", 1)));
        for (payload, key) in
            [("2", Some("run")), ("3", Some("other")), ("4", None), ("5", Some("run")), ("6", Some("run"))]
        {
            outbound.push(event(payload, key));
        }
        assert_eq!(drained(&outbound), [sent("3", 2), sent("4", 3), sent("6", 4)]);
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
    }

    #[test]
    fn too_much_drops_everything_and_closes_and_nothing_comes_after() {
        let (total, outbound) = queue(3 * (OVERHEAD + 10));
        for _ in 0..3 {
            outbound.push(event("0123456789", None));
        }
        assert_eq!(total.bytes(), 3 * (OVERHEAD + 10));
        outbound.push(Waiting::Frame("x".to_owned()));
        outbound.push(event("1", None));
        assert_eq!(outbound.try_next(), Some(Next::Close(Close::TooSlow)));
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
    }

    #[test]
    fn a_goodbye_comes_after_what_waits() {
        let (total, outbound) = queue(1 << 20);
        outbound.push(event("1", None));
        outbound.close_after_the_rest(Close::Restart);
        outbound.push(event("2", None));
        assert_eq!(outbound.try_next(), Some(sent("1", 1)));
        assert_eq!(outbound.try_next(), Some(Next::Close(Close::Restart)));
        outbound.push(event("3", None));
        drop(outbound);
        assert_eq!(total.bytes(), 0);
    }
}
