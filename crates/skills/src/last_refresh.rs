//! Stores the skills of the last refresh, so that the next one can report what changed.
//!
//! A missing or damaged file counts as no earlier refresh. The file is replaced atomically.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tarsus_home::Home;
use tarsus_home::config::view::AgentId;
use tarsus_home::files::{FileError, Locked};
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::scan::ScanReport;
use tarsus_text::hex;

use crate::{Catalog, CatalogChanges, SkillFile};

/// Largest file that is read: 20,000 skills of each source with long names.
const MAX_BYTES: u64 = 64 << 20;

/// A fingerprint (source, path, hashes) of each skill of an agent, by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshState(BTreeMap<String, String>);

impl RefreshState {
    /// Fingerprints a catalog.
    #[must_use]
    pub fn from_catalog(catalog: &Catalog) -> Self {
        let fingerprint = |file: &SkillFile| {
            let hash = file.skill().map(|skill| hex(&skill.content_hash[..8])).unwrap_or_default();
            let folder = file.scan.as_ref().map(|scan| match file.natural_tier() {
                TrustTier::Community => scan.report.hash.clone(),
                TrustTier::Local | TrustTier::Builtin => fingerprint_results(&scan.report),
            });
            let folder = folder.unwrap_or_default();
            format!("{} {} {hash} {folder}", file.source.id(), file.path().display())
        };
        Self(catalog.entries.iter().map(|file| (file.name().into_owned(), fingerprint(file))).collect())
    }

    /// Stores this state and returns the changes since the stored one. The first time, every skill is new.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn store(&self, home: &Home, agent: &AgentId) -> Result<CatalogChanges, FileError> {
        let file = Locked::take(&home.own_dir().join("skills-seen.json"))?;
        let kept = file.read(MAX_BYTES)?.unwrap_or_default();
        let mut all: BTreeMap<String, Self> = serde_json::from_slice(&kept).unwrap_or_default();
        let before = all.insert(agent.to_string(), self.clone()).unwrap_or_default();
        let changes = self.changes_since(&before);
        if !changes.is_empty() {
            // The file can be rebuilt, so it need not be durable.
            file.replace_soon(&serde_json::to_vec(&all).unwrap_or_default())?;
        }
        Ok(changes)
    }

    fn changes_since(&self, before: &Self) -> CatalogChanges {
        let not_in = |names: &BTreeMap<String, String>, others: &BTreeMap<String, String>| {
            names.keys().filter(|name| !others.contains_key(*name)).cloned().collect()
        };
        let differs = |(name, fingerprint): &(&String, &String)| {
            before.0.get(*name).is_some_and(|old| old != *fingerprint)
        };
        CatalogChanges {
            added: not_in(&self.0, &before.0),
            changed: self.0.iter().filter(differs).map(|(name, _)| name.clone()).collect(),
            removed: not_in(&before.0, &self.0),
            others: false,
        }
    }
}

/// Other files of an own skill count by what the scanner finds in them.
fn fingerprint_results(report: &ScanReport) -> String {
    let results = serde_json::to_vec(&(report.verdict, &report.findings, &report.uses)).unwrap_or_default();
    hex(&Sha256::digest(results)[..8])
}
