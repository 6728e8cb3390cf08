//! What of the settings about skills is on record (`recorded-skills.json`), and what somebody put there by hand.
//!
//! Promises: a decision gets one line, whether a command made it or an editor; what lets a skill do more and cannot be
//! written down is an error. A file that cannot be read counts as none: rather a line too many than one too few. Leaves
//! to others: putting settings in force.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tarsus_audit::{Audit, Entry, Severity};
use tarsus_home::Home;
use tarsus_home::files::{self, FileError, Locked, Reserve};
use tarsus_home::settings::{self, Change, Enforcement, Settings, SkillRecords};
use tarsus_protocol::grants::Pinned;

use crate::change::{By, line};
use crate::error::GuardError;
use crate::gives;

/// At most so many bytes are read: the settings, which hold the same, may be half as long.
const MOST_BYTES: u64 = 8 * 1024 * 1024;
/// At most so many lines for one edit; one more says how many there would have been.
const MOST_LINES: usize = 64;
/// What the lines of an edit say beside what changed.
const FOUND: &str = "found in the settings file";

/// What is on record.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Noted {
    enforcement: Enforcement,
    skills: SkillRecords,
}

impl Noted {
    fn parse(bytes: Result<Option<Vec<u8>>, FileError>) -> Self {
        let bytes = bytes.ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn is_of(&self, settings: &Settings) -> bool {
        self.enforcement == settings.enforcement && self.skills == settings.skills
    }
}

/// The note, while nobody else can change it.
pub(crate) struct Notebook {
    locked: Locked,
    reserve: Reserve,
}

impl Notebook {
    pub(crate) fn open(home: &Home) -> Result<Self, GuardError> {
        let locked = Locked::take(&home.recorded_skills_path()).map_err(settings::SettingsError::from)?;
        Ok(Self { locked, reserve: Reserve::at(home.reserve_path()) })
    }

    /// A change is on record.
    pub(crate) fn add(&self, change: &Change) -> Result<(), FileError> {
        let Noted { enforcement, skills } = self.read();
        self.save(&Noted { enforcement, skills: skills.after(change) })
    }

    fn read(&self) -> Noted {
        Noted::parse(self.locked.read(MOST_BYTES))
    }

    fn save(&self, noted: &Noted) -> Result<(), FileError> {
        let text = json!(noted).to_string();
        self.reserve.spend_on(FileError::is_disk_full, || self.locked.replace(text.as_bytes()))
    }
}

/// Writes down in what `settings`, which are to be in force, differ from what is on record, and returns with how many
/// lines. Settings that are on record cost a look at one file.
///
/// # Errors
/// When something in them lets skills do more and cannot be written down, or the file says something else by now: then
/// they must not be in force.
pub fn note_edits(
    home: &Home,
    audit: &Audit,
    settings: &Settings,
    by: &By,
    now: Timestamp,
) -> Result<usize, GuardError> {
    if Noted::parse(files::read(&home.recorded_skills_path(), MOST_BYTES)).is_of(settings) {
        return Ok(0);
    }
    let notebook = Notebook::open(home)?;
    let noted = notebook.read();
    // Whoever changed it since has noted his own change: what is compared has to be as new.
    if settings::load(home)?.skills != settings.skills {
        return Err(GuardError::Edited);
    }
    let found = Difference::all(&noted, settings, by);
    let gives = found.iter().any(|one| one.gives);
    let mut lines = 0;
    for Difference { line, gives } in found {
        if gives {
            audit.record(line, now)?;
            lines += 1;
        } else {
            lines += usize::from(audit.record_best_effort(line, now).is_some());
        }
    }
    let on_record = Noted { enforcement: settings.enforcement, skills: settings.skills.clone() };
    match notebook.save(&on_record) {
        Err(error) if gives => Err(settings::SettingsError::from(error).into()),
        // What takes away holds in any case; it gets a second line the next time.
        Ok(()) | Err(_) => Ok(lines),
    }
}

/// One thing in which settings differ from what is on record.
struct Difference {
    line: Entry,
    /// Whether skills may do more by it.
    gives: bool,
}

impl Difference {
    /// All of them, those that give first; when they are many, the last says how many more there are.
    fn all(noted: &Noted, settings: &Settings, by: &By) -> Vec<Self> {
        let (old, new) = (&noted.skills, &settings.skills);
        let changes = trust(old, new)
            .chain(pinned(&old.grants, &new.grants, |name, grant| Change::Grant { name, grant }))
            .chain(pinned(&old.seen, &new.seen, |name, seen| Change::See { name, seen }))
            .chain(accepted(old, new))
            .map(|(change, gives)| Self { line: line(&change, by), gives });
        let mut all: Vec<Self> =
            enforcement(noted.enforcement, settings.enforcement, by).into_iter().chain(changes).collect();
        all.sort_by_key(|one| !one.gives);
        if all.len() > MOST_LINES {
            let rest = all.split_off(MOST_LINES);
            let mut line = Entry::security("skills.edited", Severity::Warning);
            line.detail.insert("surface".to_owned(), json!(by.surface));
            line.detail.insert("more".to_owned(), json!(rest.len()));
            all.push(Self { line, gives: rest.iter().any(|one| one.gives) });
        }
        for one in &mut all {
            one.line.detail.insert("how".to_owned(), json!(FOUND));
        }
        all
    }
}

/// Every other mode than before permits something that was refused, unless nothing was.
fn enforcement(old: Enforcement, new: Enforcement, by: &By) -> Option<Difference> {
    let (event, severity) = match new {
        Enforcement::Off => ("enforcement.off", Severity::Warning),
        Enforcement::Active | Enforcement::Loaded => ("enforcement.on", Severity::Info),
    };
    let mut line = Entry::security(event, severity);
    line.detail.insert("surface".to_owned(), json!(by.surface));
    line.detail.insert("mode".to_owned(), json!(new.name()));
    (old != new).then_some(Difference { line, gives: old != Enforcement::Off })
}

fn trust<'a>(old: &'a SkillRecords, new: &'a SkillRecords) -> impl Iterator<Item = (Change, bool)> + 'a {
    names(&old.trust, &new.trust).into_iter().filter_map(|name| {
        let (before, after) = (old.trust.get(name), new.trust.get(name));
        let change = match after.cloned() {
            Some(choice) => Change::Trust { name: name.clone(), choice },
            None => Change::Untrust { name: name.clone() },
        };
        (before != after).then(|| (change, gives::trust(before, after)))
    })
}

/// Grants, or lists that were seen.
fn pinned<'a>(
    old: &'a BTreeMap<String, Pinned>,
    new: &'a BTreeMap<String, Pinned>,
    giving: impl Fn(String, Pinned) -> Change + 'a,
) -> impl Iterator<Item = (Change, bool)> + 'a {
    names(old, new).into_iter().filter_map(move |name| {
        let (before, after) = (old.get(name), new.get(name));
        if let Some(after) = after.filter(|after| gives::pinned(before, Some(after))) {
            return Some((giving(name.clone(), after.clone()), true));
        }
        let of =
            |pinned: Option<&Pinned>| pinned.map(|pinned| pinned.capabilities.clone()).unwrap_or_default();
        let capabilities = &of(before) - &of(after);
        (before != after).then(|| (Change::Revoke { name: name.clone(), capabilities }, false))
    })
}

fn accepted<'a>(old: &'a SkillRecords, new: &'a SkillRecords) -> impl Iterator<Item = (Change, bool)> + 'a {
    names(&old.accepted, &new.accepted).into_iter().flat_map(|name| {
        let of = |records: &SkillRecords| records.accepted.get(name).cloned().unwrap_or_default();
        let (before, after) = (of(old), of(new));
        let gone = before.iter().filter(|one| gives::acceptance(&after, one));
        let gone = gone.map(|one| (Change::Unaccept { name: name.clone(), rule: one.rule.clone() }, false));
        let come = after.iter().filter(|one| gives::acceptance(&before, one)).cloned();
        let come = come.map(|acceptance| (Change::Accept { name: name.clone(), acceptance }, true));
        gone.chain(come).collect::<Vec<_>>()
    })
}

fn names<'a, T>(old: &'a BTreeMap<String, T>, new: &'a BTreeMap<String, T>) -> BTreeSet<&'a String> {
    old.keys().chain(new.keys()).collect()
}
