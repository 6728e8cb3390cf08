//! What the last look at an agent's skills saw, kept on disk so that a command can say what changed since.
//!
//! Promises: a file that is missing or damaged counts as never having looked; it is replaced as a whole. Leaves to
//! others: watching.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tarsus_home::Home;
use tarsus_home::config::view::AgentId;
use tarsus_home::files::{FileError, Locked};
use tarsus_protocol::text::hex;

use crate::{Catalog, Changes};

/// No file of ours is larger: 20,000 skills of each source with long names.
const MAX_BYTES: u64 = 64 << 20;

/// The skills of one agent, by name: where each came from and what it said.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen(BTreeMap<String, String>);

impl Seen {
    /// What a catalog holds.
    #[must_use]
    pub fn of(catalog: &Catalog) -> Self {
        let sign = |found: &crate::Found| {
            let hash = found.skill().map(|skill| hex(&skill.content_hash[..8])).unwrap_or_default();
            let folder = found.examined.as_ref().map_or("", |examined| &examined.report.hash);
            format!("{} {} {hash} {folder}", found.source.id(), found.file().display())
        };
        Self(catalog.entries.iter().map(|found| (found.name().into_owned(), sign(found))).collect())
    }

    /// Keeps this as what was seen, and says what is different from the time before. The first time everything is new.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn remember(&self, home: &Home, agent: &AgentId) -> Result<Changes, FileError> {
        let file = Locked::take(&home.own_dir().join("skills-seen.json"))?;
        let kept = file.read(MAX_BYTES)?.unwrap_or_default();
        let mut all: BTreeMap<String, Self> = serde_json::from_slice(&kept).unwrap_or_default();
        let before = all.insert(agent.to_string(), self.clone()).unwrap_or_default();
        let changes = self.since(&before);
        if !changes.is_empty() {
            // It can always be made again.
            file.replace_soon(&serde_json::to_vec(&all).unwrap_or_default())?;
        }
        Ok(changes)
    }

    fn since(&self, before: &Self) -> Changes {
        let not_in = |names: &BTreeMap<String, String>, others: &BTreeMap<String, String>| {
            names.keys().filter(|name| !others.contains_key(*name)).cloned().collect()
        };
        let differs = |(name, sign): &(&String, &String)| before.0.get(*name).is_some_and(|old| old != *sign);
        Changes {
            added: not_in(&self.0, &before.0),
            changed: self.0.iter().filter(differs).map(|(name, _)| name.clone()).collect(),
            removed: not_in(&before.0, &self.0),
            others: false,
        }
    }
}
