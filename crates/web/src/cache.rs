//! Answers that are kept for a while, bounded in number and bytes.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// A cache whose entries expire; the oldest make room for new ones.
#[derive(Debug)]
pub(crate) struct Cache<K, V> {
    entries: HashMap<K, Entry<V>>,
    max_entries: usize,
    max_bytes: usize,
    bytes: usize,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    bytes: usize,
    stored: Instant,
}

impl<K: Eq + Hash + Clone, V: Clone> Cache<K, V> {
    pub(crate) fn new(max_entries: usize, max_bytes: usize) -> Self {
        Self { entries: HashMap::new(), max_entries, max_bytes, bytes: 0 }
    }

    /// The value of a key, if it was stored less than `ttl` ago.
    pub(crate) fn get(&mut self, key: &K, ttl: Duration, now: Instant) -> Option<V> {
        let entry = self.entries.get(key)?;
        if now.saturating_duration_since(entry.stored) < ttl {
            return Some(entry.value.clone());
        }
        self.remove(&key.clone());
        None
    }

    /// Stores a value of this size, unless it is larger than the whole cache.
    pub(crate) fn insert(&mut self, key: K, value: V, bytes: usize, now: Instant) {
        self.remove(&key);
        if bytes > self.max_bytes {
            return;
        }
        while self.entries.len() >= self.max_entries || self.bytes + bytes > self.max_bytes {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.stored);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { return };
            self.remove(&oldest);
        }
        self.bytes += bytes;
        self.entries.insert(key, Entry { value, bytes, stored: now });
    }

    fn remove(&mut self, key: &K) {
        if let Some(entry) = self.entries.remove(key) {
            self.bytes -= entry.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use tarsus_host::Clock;

    use super::*;

    #[test]
    fn entries_expire_and_make_room() {
        let (clock, control) = Clock::fixed(0);
        let ttl = Duration::from_secs(10);
        let mut cache = Cache::new(3, 100);
        for (key, bytes) in [("a", 40), ("b", 40), ("large", 101)] {
            cache.insert(key, bytes, bytes, clock.monotonic());
            control.advance(Duration::from_secs(1));
        }
        let now = clock.monotonic();
        assert_eq!(["a", "b", "large"].map(|key| cache.get(&key, ttl, now)), [Some(40), Some(40), None]);
        cache.insert("c", 30, 30, now);
        assert_eq!(["a", "b", "c"].map(|key| cache.get(&key, ttl, now)), [None, Some(40), Some(30)]);
        for key in ["d", "e"] {
            cache.insert(key, 1, 1, now);
        }
        assert_eq!(cache.entries.len(), 3);
        assert_eq!(cache.get(&"e", Duration::ZERO, now), None, "nothing is kept");
        control.advance(ttl);
        assert_eq!(["c", "d"].map(|key| cache.get(&key, ttl, clock.monotonic())), [None, None]);
        cache.insert("x", 100, 100, clock.monotonic());
        assert_eq!((cache.entries.len(), cache.bytes), (1, 100));
    }
}
