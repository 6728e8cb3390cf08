//! The outbound queue of one client: replies and events, bounded by their bytes.
//!
//! Events are numbered when they are taken out, so that a client sees no gap; an event replaces an unsent one with the
//! same key; when the queue exceeds its limit it is dropped and the client is closed. Never blocks.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsus_protocol::event::Event;
use tarsus_protocol::frame::StateVersion;
use tokio::sync::Notify;

use super::close::Close;

/// Accounted size of a queue item besides its text.
const OVERHEAD: usize = 128;

/// Bytes queued for all clients together.
#[derive(Debug, Default)]
pub struct QueuedBytes(AtomicUsize);

impl QueuedBytes {
    /// The current number of bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
pub enum QueueItem {
    /// A whole frame.
    Frame(String),
    /// An event without its sequence number.
    Event {
        /// Its name.
        event: Event,
        /// JSON payload, shared by all receivers.
        payload: Arc<str>,
        /// Coalescing key, if it replaces an unsent event.
        key: Option<CoalescingKey>,
        /// State version after this event.
        state_version: Option<StateVersion>,
    },
    /// A tombstone of a replaced event.
    Replaced,
}

pub type CoalescingKey = (Event, Box<str>);

impl QueueItem {
    /// Creates an event item.
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
            // The slot is still in the queue.
            Self::Replaced => OVERHEAD,
        }
    }
}

/// The next step of the socket writer.
#[derive(Debug, PartialEq, Eq)]
pub enum WriterAction {
    /// Send this frame.
    Send(String),
    /// Close the socket.
    Close(Close),
}

/// The queue of one client.
#[derive(Debug)]
pub struct Outbound {
    queue: Mutex<Queue>,
    wake: Notify,
    /// Notified when the queue is dropped, whatever the writer waits for.
    dropped: Notify,
    total: Arc<QueuedBytes>,
    max_bytes: usize,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<QueueItem>,
    /// Absolute index of the first item.
    first: u64,
    /// Absolute index of the newest item of each key.
    newest: HashMap<CoalescingKey, u64>,
    /// Bytes queued, including the item taken out last.
    bytes: usize,
    /// Bytes of the item taken out last, until the writer asks for the next.
    taken: usize,
    seq: u64,
    closing: Option<Close>,
    is_dropped: bool,
}

impl Outbound {
    /// An empty queue for at most `most` bytes.
    #[must_use]
    pub fn new(total: Arc<QueuedBytes>, max_bytes: usize) -> Self {
        Self { queue: Mutex::default(), wake: Notify::new(), dropped: Notify::new(), total, max_bytes }
    }

    /// Appends an item; closes the client when the limit is exceeded. Items after a close are dropped.
    pub fn push(&self, waiting: QueueItem) {
        let too_much = {
            let mut queue = self.queue();
            if queue.closing.is_some() {
                return;
            }
            self.add(&mut queue, waiting);
            queue.bytes > self.max_bytes
        };
        if too_much {
            self.close_now(Close::TooSlow);
        } else {
            self.wake.notify_one();
        }
    }

    /// Puts these items in front of the queue.
    pub fn prepend(&self, first: Vec<QueueItem>) {
        let mut queue = self.queue();
        if let Some(close) = queue.closing.clone() {
            // Without the hello frame nothing else may be sent.
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

    fn add(&self, queue: &mut Queue, waiting: QueueItem) {
        if let QueueItem::Event { key: Some(key), .. } = &waiting {
            let place = queue.first + queue.waiting.len() as u64;
            if let Some(older) = queue.newest.insert(key.clone(), place) {
                let index = usize::try_from(older - queue.first).unwrap_or(usize::MAX);
                if let Some(older) = queue.waiting.get_mut(index) {
                    let bytes = std::mem::replace(older, QueueItem::Replaced).bytes() - OVERHEAD;
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

    /// Closes after everything queued is sent.
    pub fn close_after_flush(&self, close: Close) {
        self.queue().closing.get_or_insert(close);
        self.wake.notify_one();
    }

    /// Drops the queue and closes.
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
            queue.is_dropped = true;
        }
        self.dropped.notify_waiters();
        self.wake.notify_one();
    }

    /// Whether new items are dropped.
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.queue().closing.is_some()
    }

    /// Bytes queued.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.queue().bytes
    }

    /// Waits until the queue is dropped by `close_now`.
    pub async fn wait_dropped(&self) {
        let woken = self.dropped.notified();
        tokio::pin!(woken);
        woken.as_mut().enable();
        if !self.queue().is_dropped {
            woken.await;
        }
    }

    /// Takes the next action, if any. Calling it means that the previous frame was handed to the socket.
    pub fn try_next(&self) -> Option<WriterAction> {
        let mut queue = self.queue();
        let handed_over = std::mem::take(&mut queue.taken);
        self.subtract_bytes(&mut queue, handed_over);
        while let Some(waiting) = queue.waiting.pop_front() {
            let place = queue.first;
            queue.first += 1;
            queue.taken = waiting.bytes();
            match waiting {
                QueueItem::Frame(text) => return Some(WriterAction::Send(text)),
                QueueItem::Event { event, payload, key, state_version } => {
                    if let Some(key) = key
                        && queue.newest.get(&key) == Some(&place)
                    {
                        queue.newest.remove(&key);
                    }
                    queue.seq += 1;
                    return Some(WriterAction::Send(event_frame(event, &payload, queue.seq, state_version)));
                }
                QueueItem::Replaced => {
                    let nothing = std::mem::take(&mut queue.taken);
                    self.subtract_bytes(&mut queue, nothing);
                }
            }
        }
        queue.closing.clone().map(WriterAction::Close)
    }

    fn subtract_bytes(&self, queue: &mut Queue, bytes: usize) {
        queue.bytes -= bytes;
        self.total.0.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Waits for the next action.
    pub async fn next(&self) -> WriterAction {
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

/// Builds the frame of an event around its payload.
fn event_frame(event: Event, payload: &str, seq: u64, state_version: Option<StateVersion>) -> String {
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

    fn queue(max_bytes: usize) -> (Arc<QueuedBytes>, Outbound) {
        let total = Arc::<QueuedBytes>::default();
        (Arc::clone(&total), Outbound::new(total, max_bytes))
    }

    fn event(payload: &str, key: Option<&str>) -> QueueItem {
        QueueItem::event(Event::Tick, &payload.into(), key, None)
    }

    #[test]
    fn taken_item_counts_until_next_call() {
        let (total, outbound) = queue(1 << 20);
        outbound.push(event("0123456789", None));
        assert!(matches!(outbound.try_next(), Some(WriterAction::Send(_))));
        assert_eq!((outbound.bytes(), total.bytes()), (OVERHEAD + 10, OVERHEAD + 10));
        assert_eq!(outbound.try_next(), None);
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
        outbound.push(event("0123456789", None));
        assert!(matches!(outbound.try_next(), Some(WriterAction::Send(_))));
        outbound.close_now(Close::Done);
        assert_eq!(outbound.try_next(), Some(WriterAction::Close(Close::Done)));
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
    }

    #[test]
    fn prepended_items_come_first_and_are_coalesced() {
        let (total, outbound) = queue(1 << 20);
        for (payload, key) in [("1", None), ("2", Some("state"))] {
            outbound.push(event(payload, key));
        }
        outbound.prepend(vec![QueueItem::Frame("hello".to_owned()), event("0", Some("state"))]);
        outbound.push(event("3", None));
        let expected = [WriterAction::Send("hello".to_owned()), sent("1", 1), sent("2", 2), sent("3", 3)];
        assert_eq!(drain(&outbound), expected);
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
    }

    fn drain(outbound: &Outbound) -> Vec<WriterAction> {
        std::iter::from_fn(|| outbound.try_next().filter(|next| matches!(next, WriterAction::Send(_))))
            .collect()
    }

    fn sent(payload: &str, seq: u64) -> WriterAction {
        WriterAction::Send(format!(r#"{{"type":"event","event":"tick","payload":{payload},"seq":{seq}}}"#))
    }

    #[test]
    fn newest_event_replaces_unsent_one_without_seq_gaps() {
        let (total, outbound) = queue(1 << 20);
        outbound.push(event("1", Some("run")));
        assert_eq!(outbound.try_next(), Some(sent("1", 1)));
        for (payload, key) in
            [("2", Some("run")), ("3", Some("other")), ("4", None), ("5", Some("run")), ("6", Some("run"))]
        {
            outbound.push(event(payload, key));
        }
        assert_eq!(drain(&outbound), [sent("3", 2), sent("4", 3), sent("6", 4)]);
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
    }

    #[test]
    fn exceeding_the_limit_drops_the_queue_and_closes() {
        let (total, outbound) = queue(3 * (OVERHEAD + 10));
        for _ in 0..3 {
            outbound.push(event("0123456789", None));
        }
        assert_eq!(total.bytes(), 3 * (OVERHEAD + 10));
        outbound.push(QueueItem::Frame("x".to_owned()));
        outbound.push(event("1", None));
        assert_eq!(outbound.try_next(), Some(WriterAction::Close(Close::TooSlow)));
        assert_eq!((outbound.bytes(), total.bytes()), (0, 0));
    }

    #[test]
    fn close_after_flush_sends_queued_items_first() {
        let (total, outbound) = queue(1 << 20);
        outbound.push(event("1", None));
        outbound.close_after_flush(Close::Restart);
        outbound.push(event("2", None));
        assert_eq!(outbound.try_next(), Some(sent("1", 1)));
        assert_eq!(outbound.try_next(), Some(WriterAction::Close(Close::Restart)));
        outbound.push(event("3", None));
        drop(outbound);
        assert_eq!(total.bytes(), 0);
    }
}
