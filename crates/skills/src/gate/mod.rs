//! Scans skill folders before their skills are used.
//!
//! An unchanged folder is not read, and the same contents are not scanned twice. A scan result is attached to a skill
//! only if it covers the exact bytes that the skill was parsed from. [`evaluate_trust`] decides what follows from a result.

mod cache;
mod cache_file;
mod path_scan;
mod stamp;
mod trust;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use sha2::{Digest, Sha256};
use tarsus_home::Home;
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::scan::{ScanReport, ScanVerdict};
use tarsus_scan::{Inventory, Ruleset, ScanLimits, Scanner};

pub use path_scan::{scan_folder, scan_path, settle_as_community};
pub use trust::{BlockedFolder, SkillTrust, evaluate_trust, is_blocked};

use self::cache::Cache;
use self::stamp::{StableStamp, Stamp};
use self::trust::may_be_enforced;
use crate::SkillSource;
use crate::discover::{DiscoveredRoot, SkillFile, SkipReason, Skipped, map_in_order};
use crate::install::SKILL_FILE;

/// Findings of one rule that are kept for a folder.
const MAX_FINDINGS_PER_RULE: u32 = 5;

/// The scanner with the bundled rules, which are compiled on first use.
pub(crate) static SCANNER: LazyLock<Scanner> = LazyLock::new(|| Scanner::new(Ruleset::bundled()));

/// The scan result of a skill's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderScan {
    /// SHA-256 of each scanned file that the skill may have been parsed from.
    pub texts: Vec<[u8; 32]>,
    /// The report before acceptances, with at most a few findings per rule; `more` counts the rest.
    pub report: ScanReport,
}

/// Selects the skills to scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanScope {
    /// Only skills that must be scanned before use.
    Required,
    /// All skills.
    All,
}

impl ScanScope {
    /// Whether a skill is scanned. Bundled skills were scanned at build time; they are scanned again only if the owner
    /// lowered their trust tier.
    #[must_use]
    pub fn includes(self, file: &SkillFile, records: &SkillRecords) -> bool {
        let any = self == Self::All && file.natural_tier() != TrustTier::Builtin;
        file.skill().is_some() && (any || may_be_enforced(file, records))
    }
}

/// Scans folders and caches the results.
#[derive(Debug)]
pub struct Gate {
    home: Home,
    /// Loaded on first use.
    cache: Option<Cache>,
    /// Why the cache could not be saved.
    unsaved: Option<String>,
}

impl Gate {
    /// Creates a gate whose cache is in the state folder of `home`.
    #[must_use]
    pub fn new(home: Home) -> Self {
        Self { home, cache: None, unsaved: None }
    }

    /// Returns the diagnostic to show if the cache could not be saved.
    #[must_use]
    pub fn save_diagnostic(&self) -> Option<Skipped> {
        let reason = SkipReason::NotRemembered(self.unsaved.clone()?);
        Some(Skipped { source: SkillSource::Managed, path: cache::cache_path(&self.home), reason })
    }

    /// Scans the skills of a root that `includes` selects, and returns the updated root. `now_ms` is a time before the
    /// first file is read.
    pub fn scan_root(
        &mut self,
        root: &Arc<DiscoveredRoot>,
        includes: impl Fn(&SkillFile) -> bool,
        now_ms: i64,
    ) -> Arc<DiscoveredRoot> {
        let selected: Vec<usize> = (0..root.skills.len()).filter(|at| includes(&root.skills[*at])).collect();
        if selected.is_empty() {
            return Arc::clone(root);
        }
        let limits = ScanLimits::default();
        let ruleset = SCANNER.rules().hash();
        let cache = self.cache.get_or_insert_with(|| Cache::load(&self.home, ruleset));
        let results = map_in_order(&selected, |_: &mut (), at| {
            scan_cached(root.skills[*at].dir(), cache, &limits, now_ms)
        });

        let mut updated = None;
        for (at, FolderResult { scan, read_stamp }) in selected.into_iter().zip(results) {
            let file = &root.skills[at];
            if let Some(stamp) = read_stamp {
                cache.insert(file.dir(), stamp, &scan);
            }
            // SKILL.md changed between parsing and scanning: the next refresh reads and scans it again.
            let scan = Some(scan).filter(|scan| covers_skill(scan, file));
            if file.scan != scan {
                let updated = updated.get_or_insert_with(|| DiscoveredRoot::clone(root));
                let mut new = SkillFile::clone(file);
                new.scan = scan;
                updated.skills[at] = Arc::new(new);
            }
        }
        self.unsaved = cache.save(&self.home, ruleset).err().map(|error| error.to_string());
        updated.map_or_else(|| Arc::clone(root), Arc::new)
    }

    /// Passes blocked skills that no process has recorded yet to `write`. They are marked as recorded only if it returns
    /// true.
    pub fn record_blocked<'a>(
        &mut self,
        skills: impl Iterator<Item = &'a SkillFile>,
        records: &SkillRecords,
        write: impl FnOnce(&[BlockedFolder]) -> bool,
    ) {
        let Some(cache) = &mut self.cache else { return };
        let is_unreported = |file: &&SkillFile| {
            file.scan.as_ref().is_some_and(|scan| {
                let report = &scan.report;
                report.verdict == ScanVerdict::Blocked && !cache.is_reported(file.dir(), &report.hash)
            })
        };
        let unreported = skills.filter(is_unreported);
        let mut blocked: Vec<BlockedFolder> =
            unreported.filter_map(|file| BlockedFolder::from_file(file, records)).collect();
        // A folder may be in two roots.
        let mut seen = HashSet::new();
        blocked.retain(|one| seen.insert((one.folder.clone(), one.name.clone())));
        if !blocked.is_empty() {
            let saved = cache.record_blocked(&self.home, SCANNER.rules().hash(), blocked, write);
            self.unsaved = saved.err().map(|error| error.to_string());
        }
    }
}

/// Whether the result covers the text that the skill was parsed from. If no such text could be read, only a blocking
/// result counts.
fn covers_skill(scan: &FolderScan, file: &SkillFile) -> bool {
    let FolderScan { texts, report } = scan;
    let unreached = texts.is_empty() && report.verdict == ScanVerdict::Blocked;
    unreached || file.skill().is_some_and(|skill| texts.contains(&skill.content_hash))
}

struct FolderResult {
    scan: Arc<FolderScan>,
    /// Set if the folder was read: its stamp from before the read, if it is reliable.
    read_stamp: Option<Option<StableStamp>>,
}

fn scan_cached(folder: &Path, cache: &Cache, limits: &ScanLimits, now_ms: i64) -> FolderResult {
    if let Some(scan) = cache.find_unchanged(folder) {
        return FolderResult { scan: Arc::clone(scan), read_stamp: None };
    }
    let stamp = Stamp::for_folder(folder, limits).and_then(|stamp| stamp.into_stable(now_ms));
    let inventory = Inventory::read(folder, limits);
    let scan = cache.find_by_hash(&inventory.hash).cloned().unwrap_or_else(|| {
        let report = limit_findings(SCANNER.scan("", &inventory));
        Arc::new(FolderScan { texts: hash_skill_texts(&inventory), report })
    });
    FolderResult { scan, read_stamp: Some(stamp) }
}

/// Hashes every SKILL.md at the top of the folder, in any case, links included.
fn hash_skill_texts(inventory: &Inventory) -> Vec<[u8; 32]> {
    let named = inventory.files.iter().filter(|(path, _)| path.eq_ignore_ascii_case(SKILL_FILE));
    named.map(|(_, bytes)| Sha256::digest(bytes).into()).collect()
}

/// Keeps the first findings of each rule. Findings are sorted by severity, so these are the most serious.
fn limit_findings(mut report: ScanReport) -> ScanReport {
    let mut places: BTreeMap<String, (usize, u32)> = BTreeMap::new();
    let mut kept: Vec<tarsus_protocol::scan::Finding> = Vec::new();
    for finding in report.findings {
        let (first, number) = places.entry(finding.rule.clone()).or_insert((kept.len(), 0));
        *number += 1;
        if *number <= MAX_FINDINGS_PER_RULE {
            kept.push(finding);
        } else {
            kept[*first].more += 1 + finding.more;
        }
    }
    report.findings = kept;
    report
}
