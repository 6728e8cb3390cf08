//! Manual edits of the settings file are recorded once.

use std::collections::BTreeSet;
use std::fs;

use crate::fixture::{hash, pinned};
use serde_json::{Value, json};
use tarsus_audit::{Audit, AuditEntry, RecordFilter, RecordSeverity};
use tarsus_guard::{ChangeOrigin, GuardError, apply_change, record_manual_edits};
use tarsus_home::settings::{self, Enforcement, Settings, SkillRecordChange, SkillRecords};
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::capability::Capability::{Network, Shell};
use tarsus_protocol::capability::TrustTier::{Community, Local};
use tarsus_protocol::grants::{Acceptance, TrustChoice};
use tempfile::TempDir;

struct Scene {
    home: Home,
    audit: Audit,
    _dir: TempDir,
}

impl Scene {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let choice = HomeOptions { state_flag: Some(dir.path().to_path_buf()), ..HomeOptions::default() };
        let home = Home::locate(&choice).unwrap();
        let audit = Audit::open(&home, None).unwrap();
        Self { home, audit, _dir: dir }
    }

    /// Writes the settings file by hand.
    fn edit(&self, records: SkillRecords, enforcement: Enforcement) -> Settings {
        let SkillRecords { trust, grants, seen, accepted, disabled } = records;
        let security = json!({
            "enforcement": enforcement, "trust": trust, "grants": grants, "seen": seen, "accepted": accepted,
            "disabled": disabled,
        });
        let text = json!({"skills": {"security": security}}).to_string();
        fs::create_dir_all(self.home.own_dir()).unwrap();
        fs::write(self.home.settings_path(), text).unwrap();
        settings::load(&self.home).unwrap()
    }

    fn note(&self, settings: &Settings) -> Result<usize, GuardError> {
        let by = ChangeOrigin { surface: "gateway".into(), agent: None };
        record_manual_edits(&self.home, &self.audit, settings, &by, now())
    }

    fn apply(&self, change: &SkillRecordChange) -> Option<String> {
        apply_change(&self.home, Ok(&self.audit), change, &ChangeOrigin::default(), now()).unwrap().unrecorded
    }

    /// Returns the new events with their distinguishing details.
    fn lines(&self) -> Vec<(String, Value)> {
        let records = self.audit.tail(&RecordFilter::default()).unwrap().records;
        records.into_iter().map(|record| (record.entry.event, record.entry.detail.into())).collect()
    }

    fn break_chain(&self) {
        self.audit.record(AuditEntry::security("last", RecordSeverity::Info), now()).unwrap();
        fs::write(self.home.audit_dir().join("head.json"), b"{}").unwrap();
    }
}

fn now() -> jiff::Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

fn name() -> String {
    "weather".to_owned()
}

fn records() -> SkillRecords {
    let acceptance = Acceptance { rule: "exfil-1".into(), hash: hash('a'), reason: "seen".into() };
    SkillRecords {
        trust: [(name(), TrustChoice { tier: Local, hash: Some(hash('a')), accepted: None })].into(),
        grants: [(name(), pinned('a', &[Shell]))].into(),
        seen: [(name(), pinned('a', &[Network]))].into(),
        accepted: [(name(), vec![acceptance])].into(),
        disabled: [(name(), true), ("other".to_owned(), false)].into(),
    }
}

#[test]
fn every_manual_edit_is_recorded_once() {
    let scene = Scene::new();
    let given = scene.edit(records(), Enforcement::Off);
    assert_eq!(scene.note(&given).unwrap(), 6);
    let found = |detail: Value| {
        let mut whole = json!({"surface": "gateway", "how": "found in the settings file"});
        whole.as_object_mut().unwrap().extend(detail.as_object().unwrap().clone());
        whole
    };
    let expected = [
        ("enforcement.off", found(json!({"mode": "off"}))),
        ("skill.trust", found(json!({"tier": "local", "hash": hash('a')}))),
        ("skill.grant", found(json!({"hash": hash('a'), "capabilities": ["shell"]}))),
        ("skill.seen", found(json!({"hash": hash('a'), "capabilities": ["network"]}))),
        ("skill.accept", found(json!({"hash": hash('a'), "rule": "exfil-1"}))),
        ("skill.disable", found(json!({}))),
    ];
    assert_eq!(scene.lines(), expected.map(|(event, detail)| (event.to_owned(), detail)));
    assert_eq!(scene.note(&given).unwrap(), 0);

    let taken = scene.edit(SkillRecords::default(), Enforcement::Active);
    assert_eq!(scene.note(&taken).unwrap(), 6);
    let events: Vec<String> = scene.lines().into_iter().skip(6).map(|(event, _)| event).collect();
    // What widens comes first.
    let taken_away =
        ["skill.enable", "enforcement.on", "skill.trust", "skill.revoke", "skill.revoke", "skill.unaccept"];
    assert_eq!(events, taken_away);
    assert_eq!(scene.note(&taken).unwrap(), 0);
}

#[test]
fn only_edits_by_hand_are_recorded_again() {
    let scene = Scene::new();
    let by_hand = SkillRecords {
        grants: [("other".to_owned(), pinned('b', &[Shell]))].into(),
        ..SkillRecords::default()
    };
    scene.edit(by_hand, Enforcement::Active);
    scene.apply(&SkillRecordChange::Grant { name: name(), grant: pinned('a', &[Network]) });
    scene.apply(&SkillRecordChange::Revoke { name: name(), capabilities: BTreeSet::new() });
    let lines = scene.lines().len();
    assert_eq!(scene.note(&settings::load(&scene.home).unwrap()).unwrap(), 1);
    let new: Vec<_> = scene.lines().into_iter().skip(lines).map(|(event, _)| event).collect();
    assert_eq!(new, ["skill.grant"]);
}

#[test]
fn unrecordable_widening_edit_is_an_error() {
    let scene = Scene::new();
    let given = scene.edit(records(), Enforcement::Active);
    scene.note(&given).unwrap();
    scene.break_chain();
    let less = scene.edit(SkillRecords { grants: [].into(), ..records() }, Enforcement::Active);
    assert_eq!(scene.note(&less).unwrap(), 0);
    assert_eq!(scene.audit.lost(), 1);
    for (more, enforcement) in [(records(), Enforcement::Active), (less.skills.clone(), Enforcement::Off)] {
        let more = scene.edit(more, enforcement);
        for _ in 0..2 {
            assert!(matches!(scene.note(&more), Err(GuardError::Audit(_))), "{more:?}");
        }
    }
    // Taking trust back that was given to a folder is less; that a skill is not held back any more is not.
    let untrusted = scene.edit(SkillRecords { trust: [].into(), ..less.skills.clone() }, Enforcement::Active);
    scene.note(&untrusted).unwrap();
    let lowered = TrustChoice { tier: Community, hash: None, accepted: None };
    let lowered = SkillRecords { trust: [(name(), lowered)].into(), ..untrusted.skills.clone() };
    scene.note(&scene.edit(lowered, Enforcement::Active)).unwrap();
    scene.note(&scene.edit(untrusted.skills, Enforcement::Active)).unwrap_err();
}

#[test]
fn lost_line_is_recorded_on_the_next_check() {
    let scene = Scene::new();
    scene.apply(&SkillRecordChange::Grant { name: name(), grant: pinned('a', &[Shell]) });
    let head = fs::read(scene.home.audit_dir().join("head.json")).unwrap();
    fs::write(scene.home.audit_dir().join("head.json"), b"{}").unwrap();
    assert!(
        scene.apply(&SkillRecordChange::Revoke { name: name(), capabilities: BTreeSet::new() }).is_some()
    );
    fs::write(scene.home.audit_dir().join("head.json"), head).unwrap();
    assert_eq!(scene.note(&settings::load(&scene.home).unwrap()).unwrap(), 1);
    assert_eq!(scene.lines().last().unwrap().0, "skill.revoke");
}

#[test]
fn stale_settings_are_not_recorded() {
    let scene = Scene::new();
    let read = scene.edit(records(), Enforcement::Active);
    scene.edit(SkillRecords::default(), Enforcement::Active);
    assert!(matches!(scene.note(&read), Err(GuardError::Edited)));
    assert_eq!(scene.lines(), []);
}

#[test]
fn edits_beyond_the_limit_are_counted() {
    let scene = Scene::new();
    let grant = |number| (format!("skill-{number:03}"), pinned('a', &[Shell]));
    let many = SkillRecords { grants: (0..100).map(grant).collect(), ..SkillRecords::default() };
    let many = scene.edit(many, Enforcement::Active);
    assert_eq!(scene.note(&many).unwrap(), 65);
    let (event, detail) = scene.lines().pop().unwrap();
    assert_eq!((event.as_str(), &detail["more"]), ("skills.edited", &json!(36)));
    assert_eq!(scene.note(&many).unwrap(), 0);
}

#[test]
fn unreadable_recorded_skills_count_as_empty() {
    let scene = Scene::new();
    let given = scene.edit(records(), Enforcement::Active);
    assert_eq!(scene.note(&given).unwrap(), 5);
    fs::write(scene.home.recorded_skills_path(), b"{").unwrap();
    assert_eq!(scene.note(&given).unwrap(), 5);
}
