//! The look into a skill's folder that comes before anything else is done with it.
//!
//! Promises: a folder that did not change is not read, and the same contents are not looked into twice; what is told of
//! a skill was found in the very bytes that its entry was made of. Leaves to others: what follows from it ([`judge`]).

mod anywhere;
mod cache;
mod judge;
mod kept;
mod stamp;

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::{Arc, LazyLock};

use sha2::{Digest, Sha256};
use tarsus_home::Home;
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::TrustTier;
use tarsus_protocol::scan::{ScanReport, ScanVerdict};
use tarsus_scan::{Inventory, Limits, Ruleset, Scanner};

pub use anywhere::{scan_folder, scan_path, settle_as_community};
pub use judge::{Blocked, Guarded, guarded, is_blocked};

use self::cache::Cache;
use self::judge::may_be_enforced;
use self::stamp::{Lasting, Stamp};
use crate::Source;
use crate::discover::{Found, Shelf, SkipReason, Skipped, in_order};
use crate::install::SKILL_FILE;

/// How many places of one rule are kept for a folder.
const PLACES: u32 = 5;

/// The rules, the scanner and the limits that every folder is looked into with. Rules are made ready by the first look.
pub(crate) static SCANNER: LazyLock<Scanner> = LazyLock::new(|| Scanner::new(Ruleset::bundled()));

/// What a look into a skill's folder found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Examined {
    /// SHA-256 of each text that was looked into and can be the one that the skill was read from.
    pub texts: Vec<[u8; 32]>,
    /// What was found, with nothing accepted. Of each rule a few places are kept; how many more there are is told.
    pub report: ScanReport,
}

/// Which skills are looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Those that may not be used before.
    Needed,
    /// All.
    Everything,
}

impl Depth {
    /// Whether a skill is looked into. What travels in the program was looked into before it was packed, and is again
    /// when the owner does not trust it.
    #[must_use]
    pub fn takes_in(self, found: &Found, records: &SkillRecords) -> bool {
        let any = self == Self::Everything && found.natural_tier() != TrustTier::Builtin;
        found.skill().is_some() && (any || may_be_enforced(found, records))
    }
}

/// Looks into folders, and remembers what was found.
#[derive(Debug)]
pub struct Gate {
    home: Home,
    /// Read when it is first needed.
    cache: Option<Cache>,
    /// Why what was found could not be written down.
    unsaved: Option<String>,
}

impl Gate {
    /// A gate that remembers in a state folder.
    #[must_use]
    pub fn new(home: Home) -> Self {
        Self { home, cache: None, unsaved: None }
    }

    /// What there is to say when what was found could not be written down.
    #[must_use]
    pub fn remark(&self) -> Option<Skipped> {
        let reason = SkipReason::NotRemembered(self.unsaved.clone()?);
        Some(Skipped { source: Source::Managed, path: cache::place(&self.home), reason })
    }

    /// Looks into the skills of a shelf that `takes_in` names, and gives the shelf as it is then. `now_ms` is the time
    /// before the first file is read.
    pub fn pass(&mut self, shelf: &Arc<Shelf>, takes_in: impl Fn(&Found) -> bool, now_ms: i64) -> Arc<Shelf> {
        let taken: Vec<usize> = (0..shelf.found.len()).filter(|at| takes_in(&shelf.found[*at])).collect();
        if taken.is_empty() {
            return Arc::clone(shelf);
        }
        let limits = Limits::default();
        let ruleset = SCANNER.rules().hash();
        let cache = self.cache.get_or_insert_with(|| Cache::load(&self.home, ruleset));
        let looked = in_order(&taken, |_: &mut (), at| look(shelf.found[*at].dir(), cache, &limits, now_ms));

        let mut passed = None;
        for (at, Looked { examined, read }) in taken.into_iter().zip(looked) {
            let found = &shelf.found[at];
            if let Some(stamp) = read {
                cache.keep(found.dir(), stamp, &examined);
            }
            // Another text than the one that was read as a skill: both will be looked at again.
            let examined = Some(examined).filter(|examined| is_of(examined, found));
            if found.examined != examined {
                let passed = passed.get_or_insert_with(|| Shelf::clone(shelf));
                let mut new = Found::clone(found);
                new.examined = examined;
                passed.found[at] = Arc::new(new);
            }
        }
        self.unsaved = cache.save(&self.home, ruleset).err().map(|error| error.to_string());
        passed.map_or_else(|| Arc::clone(shelf), Arc::new)
    }

    /// Hands to `write` the skills that must not be used as their folders are, when nobody was told of them yet: by
    /// this process or another one. They count as told once it says that all were written down.
    pub fn tell<'a>(
        &mut self,
        skills: impl Iterator<Item = &'a Found>,
        records: &SkillRecords,
        write: impl FnOnce(&[Blocked]) -> bool,
    ) {
        let Some(cache) = &mut self.cache else { return };
        let is_news = |found: &&Found| {
            found.examined.as_ref().is_some_and(|examined| {
                let report = &examined.report;
                report.verdict == ScanVerdict::Blocked && !cache.is_told(found.dir(), &report.hash)
            })
        };
        let news = skills.filter(is_news);
        let mut blocked: Vec<Blocked> = news.filter_map(|found| Blocked::of(found, records)).collect();
        // A folder may lie in two roots.
        let mut seen = HashSet::new();
        blocked.retain(|one| seen.insert((one.folder.clone(), one.name.clone())));
        if !blocked.is_empty() {
            let told = cache.tell(&self.home, SCANNER.rules().hash(), blocked, write);
            self.unsaved = told.err().map(|error| error.to_string());
        }
    }
}

/// Whether what was found is about the text that the skill was read from. Where no text could be reached that it may have
/// been, only a reason not to use it counts.
fn is_of(examined: &Examined, found: &Found) -> bool {
    let Examined { texts, report } = examined;
    let unreached = texts.is_empty() && report.verdict == ScanVerdict::Blocked;
    unreached || found.skill().is_some_and(|skill| texts.contains(&skill.content_hash))
}

struct Looked {
    examined: Arc<Examined>,
    /// Of a folder that had to be read: its stamp, taken before.
    read: Option<Option<Lasting>>,
}

fn look(folder: &Path, cache: &Cache, limits: &Limits, now_ms: i64) -> Looked {
    if let Some(examined) = cache.unchanged(folder) {
        return Looked { examined: Arc::clone(examined), read: None };
    }
    let stamp = Stamp::of(folder, limits).and_then(|stamp| stamp.lasting(now_ms));
    let inventory = Inventory::read(folder, limits);
    let examined = cache.result(&inventory.hash).cloned().unwrap_or_else(|| {
        let report = bounded(SCANNER.scan("", &inventory));
        Arc::new(Examined { texts: texts(&inventory), report })
    });
    Looked { examined, read: Some(stamp) }
}

/// The texts that can be the skill's: its SKILL.md, in whatever case, also when that is a link.
fn texts(inventory: &Inventory) -> Vec<[u8; 32]> {
    let named = inventory.files.iter().filter(|(path, _)| path.eq_ignore_ascii_case(SKILL_FILE));
    named.map(|(_, bytes)| Sha256::digest(bytes).into()).collect()
}

/// The report with a few places of each rule, the most serious ones: they come first.
fn bounded(mut report: ScanReport) -> ScanReport {
    let mut places: BTreeMap<String, (usize, u32)> = BTreeMap::new();
    let mut kept: Vec<tarsus_protocol::scan::Finding> = Vec::new();
    for finding in report.findings {
        let (first, number) = places.entry(finding.rule.clone()).or_insert((kept.len(), 0));
        *number += 1;
        if *number <= PLACES {
            kept.push(finding);
        } else {
            kept[*first].more += 1 + finding.more;
        }
    }
    report.findings = kept;
    report
}
