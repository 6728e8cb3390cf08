//! Caches the most recently updated sessions until the next write to the store: every hello and every `health` shows
//! them.
//!
//! An entry is never older than the last published change. Failed reads are not cached.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tarsus_home::config::AgentId;
use tarsus_protocol::hello::{RecentSession, RecentSessions};
use tarsus_store::{Session, SessionQuery, Store, StoreError};

/// Sessions in a list.
const MAX_RECENT: usize = 5;

/// The most recent sessions of each queried agent, and of all agents.
#[derive(Debug)]
pub struct RecentSessionCache {
    store: Arc<Store>,
    entries: Mutex<Entries>,
}

#[derive(Debug, Default)]
struct Entries {
    /// The store's write count before these were read.
    written: u64,
    by_agent: BTreeMap<Option<AgentId>, RecentSessions>,
}

impl RecentSessionCache {
    #[must_use]
    pub fn new(store: Arc<Store>) -> Self {
        Self { store, entries: Mutex::default() }
    }

    /// The cached sessions of an agent or of all, if they are current.
    #[must_use]
    pub fn cached(&self, agent: Option<&AgentId>) -> Option<RecentSessions> {
        let written = self.store.writer_stats().groups;
        let entries = self.entries();
        if entries.written != written {
            return None;
        }
        entries.by_agent.get(&agent.cloned()).cloned()
    }

    /// The most recent sessions of an agent or of all; empty if the store cannot be read.
    #[must_use]
    pub fn sessions(&self, agent: Option<&AgentId>) -> RecentSessions {
        self.cached(agent).or_else(|| self.read(agent)).unwrap_or_default()
    }

    fn read(&self, agent: Option<&AgentId>) -> Option<RecentSessions> {
        // Read first: a write during the query invalidates the result.
        let written = self.store.writer_stats().groups;
        let sessions = self
            .query(agent)
            .inspect_err(|error| tracing::warn!(%error, "the sessions cannot be read"))
            .ok()?;
        let mut entries = self.entries();
        if entries.written < written {
            *entries = Entries { written, by_agent: BTreeMap::new() };
        }
        if entries.written == written {
            entries.by_agent.insert(agent.cloned(), sessions.clone());
        }
        Some(sessions)
    }

    fn query(&self, agent: Option<&AgentId>) -> Result<RecentSessions, StoreError> {
        let sessions = SessionQuery { agent: agent.cloned(), limit: MAX_RECENT, ..SessionQuery::default() };
        let page = self.store.sessions(&sessions)?;
        let session =
            |session: Session| RecentSession { key: session.key.to_string(), updated_at: session.updated_ms };
        Ok(RecentSessions { count: page.total, recent: page.sessions.into_iter().map(session).collect() })
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use tarsus_home::{Home, HomeOptions};
    use tarsus_store::{NewMessage, SessionKey};

    use super::*;

    fn accept_message(store: &Store, session: &str, key: &str, at_ms: i64) {
        let message = serde_json::from_str(r#"{"role":"user","content":"hello"}"#).unwrap();
        let session: SessionKey = session.parse().unwrap();
        store.accept(NewMessage { session, run: key.parse().unwrap(), message, at_ms }).wait().unwrap();
    }

    fn keys(recent: &RecentSessions) -> Vec<&str> {
        recent.recent.iter().map(|session| session.key.as_str()).collect()
    }

    #[test]
    fn cache_is_valid_until_the_next_write() {
        let dir = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(dir.path().into()), ..HomeOptions::default() };
        let store = Arc::new(Store::open(&Home::locate(&choice).unwrap()).unwrap());
        let recent = RecentSessionCache::new(Arc::clone(&store));
        assert_eq!(recent.cached(None), None);
        assert_eq!(recent.sessions(None).count, 0);
        assert_eq!(recent.cached(None), Some(RecentSessions::default()));

        accept_message(&store, "agent:main:main", "first", 1_001);
        assert_eq!(recent.cached(None), None);
        assert_eq!(keys(&recent.sessions(None)), ["agent:main:main"]);

        accept_message(&store, "agent:other:main", "second", 1_002);
        let other: AgentId = "other".parse().unwrap();
        assert_eq!(keys(&recent.sessions(None)), ["agent:other:main", "agent:main:main"]);
        assert_eq!(keys(&recent.sessions(Some(&other))), ["agent:other:main"]);
        assert_eq!(keys(&recent.cached(Some(&other)).unwrap()), ["agent:other:main"]);
        assert_eq!(recent.cached(None).unwrap().count, 2);
    }
}
