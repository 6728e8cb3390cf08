//! Audits edits of the skill settings that were made by hand, by comparing them with `recorded-skills.json`.
//!
//! Every decision gets one audit line, whether a command or an editor made it. An edit that widens permissions and cannot
//! be recorded is an error. An unreadable `recorded-skills.json` counts as empty: duplicate lines are better than none.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tarsus_audit::{Audit, AuditEntry, RecordSeverity};
use tarsus_home::Home;
use tarsus_home::files::{self, FileError, Locked, Reserve};
use tarsus_home::settings::{self, Enforcement, Settings, SkillRecordChange, SkillRecords};
use tarsus_protocol::grants::Pinned;

use crate::change::{ChangeOrigin, audit_entry};
use crate::error::GuardError;
use crate::widening;

/// Twice the size limit of the settings file, which holds the same data.
const MAX_BYTES: u64 = 8 * 1024 * 1024;
/// Audit lines for one edit; one more line counts the rest.
const MAX_LINES: usize = 64;
const FOUND_IN_SETTINGS: &str = "found in the settings file";

/// The settings that the audit chain already covers, as stored in `recorded-skills.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct AuditedSettings {
    enforcement: Enforcement,
    skills: SkillRecords,
}

impl AuditedSettings {
    fn parse(bytes: Result<Option<Vec<u8>>, FileError>) -> Self {
        let bytes = bytes.ok().flatten().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    fn matches(&self, settings: &Settings) -> bool {
        self.enforcement == settings.enforcement && self.skills == settings.skills
    }
}

/// `recorded-skills.json`, locked.
pub(crate) struct AuditedSettingsFile {
    locked: Locked,
    reserve: Reserve,
}

impl AuditedSettingsFile {
    pub(crate) fn open(home: &Home) -> Result<Self, GuardError> {
        let locked = Locked::take(&home.recorded_skills_path()).map_err(settings::SettingsError::from)?;
        Ok(Self { locked, reserve: Reserve::at(home.reserve_path()) })
    }

    /// Adds a change that has been recorded.
    pub(crate) fn add(&self, change: &SkillRecordChange) -> Result<(), FileError> {
        let AuditedSettings { enforcement, skills } = self.read();
        self.save(&AuditedSettings { enforcement, skills: skills.after(change) })
    }

    fn read(&self) -> AuditedSettings {
        AuditedSettings::parse(self.locked.read(MAX_BYTES))
    }

    fn save(&self, recorded: &AuditedSettings) -> Result<(), FileError> {
        let text = json!(recorded).to_string();
        self.reserve.spend_on(FileError::is_disk_full, || self.locked.replace(text.as_bytes()))
    }
}

/// Records how `settings`, which are about to be activated, differ from what was recorded; returns the number of audit
/// lines. Unchanged settings cost one file read.
///
/// # Errors
/// If a widening edit cannot be recorded, or the settings file has changed again: `settings` must not be activated then.
pub fn record_manual_edits(
    home: &Home,
    audit: &Audit,
    settings: &Settings,
    origin: &ChangeOrigin,
    now: Timestamp,
) -> Result<usize, GuardError> {
    if AuditedSettings::parse(files::read(&home.recorded_skills_path(), MAX_BYTES)).matches(settings) {
        return Ok(0);
    }
    let file = AuditedSettingsFile::open(home)?;
    let recorded = file.read();
    // A concurrent command records its own change, so compare only with the current file.
    if settings::load(home)?.skills != settings.skills {
        return Err(GuardError::Edited);
    }
    let differences = Difference::all(&recorded, settings, origin);
    let widens = differences.iter().any(|one| one.widens);
    let mut lines = 0;
    for Difference { line, widens } in differences {
        if widens {
            audit.record(line, now)?;
            lines += 1;
        } else {
            lines += usize::from(audit.record_best_effort(line, now).is_some());
        }
    }
    let on_record = AuditedSettings { enforcement: settings.enforcement, skills: settings.skills.clone() };
    match file.save(&on_record) {
        Err(error) if widens => Err(settings::SettingsError::from(error).into()),
        // Narrowing edits take effect anyway; they are recorded again next time.
        Ok(()) | Err(_) => Ok(lines),
    }
}

/// One unrecorded edit.
struct Difference {
    line: AuditEntry,
    widens: bool,
}

impl Difference {
    /// All edits, widening ones first; beyond `MAX_LINES` the last entry counts the rest.
    fn all(recorded: &AuditedSettings, settings: &Settings, origin: &ChangeOrigin) -> Vec<Self> {
        let (old, new) = (&recorded.skills, &settings.skills);
        let changes = trust_changes(old, new)
            .chain(pinned_changes(&old.grants, &new.grants, |name, grant| SkillRecordChange::Grant {
                name,
                grant,
            }))
            .chain(pinned_changes(&old.seen, &new.seen, |name, seen| SkillRecordChange::See { name, seen }))
            .chain(acceptance_changes(old, new))
            .chain(switch_changes(old, new))
            .map(|(change, widens)| Self { line: audit_entry(&change, origin), widens });
        let mut all: Vec<Self> = enforcement_change(recorded.enforcement, settings.enforcement, origin)
            .into_iter()
            .chain(changes)
            .collect();
        all.sort_by_key(|one| !one.widens);
        if all.len() > MAX_LINES {
            let rest = all.split_off(MAX_LINES);
            let mut line = AuditEntry::security("skills.edited", RecordSeverity::Warning);
            line.detail.insert("surface".to_owned(), json!(origin.surface));
            line.detail.insert("more".to_owned(), json!(rest.len()));
            all.push(Self { line, widens: rest.iter().any(|one| one.widens) });
        }
        for one in &mut all {
            one.line.detail.insert("how".to_owned(), json!(FOUND_IN_SETTINGS));
        }
        all
    }
}

/// Any change of mode except from `Off` may permit something that was refused before.
fn enforcement_change(old: Enforcement, new: Enforcement, origin: &ChangeOrigin) -> Option<Difference> {
    let (event, severity) = match new {
        Enforcement::Off => ("enforcement.off", RecordSeverity::Warning),
        Enforcement::Active | Enforcement::Loaded => ("enforcement.on", RecordSeverity::Info),
    };
    let mut line = AuditEntry::security(event, severity);
    line.detail.insert("surface".to_owned(), json!(origin.surface));
    line.detail.insert("mode".to_owned(), json!(new.name()));
    (old != new).then_some(Difference { line, widens: old != Enforcement::Off })
}

fn trust_changes<'a>(
    old: &'a SkillRecords,
    new: &'a SkillRecords,
) -> impl Iterator<Item = (SkillRecordChange, bool)> + 'a {
    all_names(&old.trust, &new.trust).into_iter().filter_map(|name| {
        let (before, after) = (old.trust.get(name), new.trust.get(name));
        let change = match after.cloned() {
            Some(choice) => SkillRecordChange::Trust { name: name.clone(), choice },
            None => SkillRecordChange::Untrust { name: name.clone() },
        };
        (before != after).then(|| (change, widening::widens_trust(before, after)))
    })
}

/// Changes of grants, or of confirmed declarations.
fn pinned_changes<'a>(
    old: &'a BTreeMap<String, Pinned>,
    new: &'a BTreeMap<String, Pinned>,
    to_change: impl Fn(String, Pinned) -> SkillRecordChange + 'a,
) -> impl Iterator<Item = (SkillRecordChange, bool)> + 'a {
    all_names(old, new).into_iter().filter_map(move |name| {
        let (before, after) = (old.get(name), new.get(name));
        if let Some(after) = after.filter(|after| widening::widens_pinned(before, Some(after))) {
            return Some((to_change(name.clone(), after.clone()), true));
        }
        let held =
            |pinned: Option<&Pinned>| pinned.map(|pinned| pinned.capabilities.clone()).unwrap_or_default();
        let capabilities = &held(before) - &held(after);
        (before != after).then(|| (SkillRecordChange::Revoke { name: name.clone(), capabilities }, false))
    })
}

fn acceptance_changes<'a>(
    old: &'a SkillRecords,
    new: &'a SkillRecords,
) -> impl Iterator<Item = (SkillRecordChange, bool)> + 'a {
    all_names(&old.accepted, &new.accepted).into_iter().flat_map(|name| {
        let accepted = |records: &SkillRecords| records.accepted.get(name).cloned().unwrap_or_default();
        let (before, after) = (accepted(old), accepted(new));
        let removed = before.iter().filter(|one| widening::is_new_acceptance(&after, one));
        let removed = removed
            .map(|one| (SkillRecordChange::Unaccept { name: name.clone(), rule: one.rule.clone() }, false));
        let added = after.iter().filter(|one| widening::is_new_acceptance(&before, one)).cloned();
        let added =
            added.map(|acceptance| (SkillRecordChange::Accept { name: name.clone(), acceptance }, true));
        removed.chain(added).collect::<Vec<_>>()
    })
}

fn switch_changes<'a>(
    old: &'a SkillRecords,
    new: &'a SkillRecords,
) -> impl Iterator<Item = (SkillRecordChange, bool)> + 'a {
    all_names(&old.disabled, &new.disabled).into_iter().filter_map(|name| {
        match (old.is_disabled(name), new.is_disabled(name)) {
            (true, false) => Some((SkillRecordChange::Enable { name: name.clone() }, true)),
            (false, true) => Some((SkillRecordChange::Disable { name: name.clone() }, false)),
            _ => None,
        }
    })
}

fn all_names<'a, T>(old: &'a BTreeMap<String, T>, new: &'a BTreeMap<String, T>) -> BTreeSet<&'a String> {
    old.keys().chain(new.keys()).collect()
}
