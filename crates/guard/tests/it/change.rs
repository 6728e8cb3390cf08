//! Changes by the owner: recorded, then stored.

use std::collections::BTreeSet;
use std::fs;

use crate::fixture::{hash, pinned};
use serde_json::json;
use tarsus_audit::{Audit, AuditEntry, AuditError, ChainFault, RecordFilter, RecordSeverity};
use tarsus_guard::{ChangeOrigin, GuardError, apply_change, trust_change};
use tarsus_home::settings::{self, SkillRecordChange, SkillRecords};
use tarsus_home::{Home, HomeOptions};
use tarsus_protocol::capability::Capability;
use tarsus_protocol::capability::TrustTier::{self, Builtin, Community, Local};
use tarsus_protocol::grants::{Acceptance, ContentHash, TrustChoice};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

fn scene() -> (TempDir, Home, Audit) {
    let dir = tempfile::tempdir().unwrap();
    let choice = HomeOptions { state_flag: Some(dir.path().to_path_buf()), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    let audit = Audit::open(&home, None).unwrap();
    (dir, home, audit)
}

fn now() -> jiff::Timestamp {
    "2026-11-16T12:00:00Z".parse().unwrap()
}

fn by() -> ChangeOrigin {
    ChangeOrigin { surface: "terminal".into(), agent: Some("main".into()) }
}

fn events(audit: &Audit) -> Vec<(String, serde_json::Value)> {
    let records = audit.tail(&RecordFilter::default()).unwrap().records;
    records.into_iter().map(|record| (record.entry.event, record.entry.detail.into())).collect()
}

fn break_chain(home: &Home, audit: &Audit) {
    audit.record(AuditEntry::security("first", RecordSeverity::Info), now()).unwrap();
    fs::write(home.audit_dir().join("head.json"), b"{}").unwrap();
}

fn grant() -> SkillRecordChange {
    SkillRecordChange::Grant {
        name: "weather".into(),
        grant: pinned('a', &[Capability::Shell, Capability::Network]),
    }
}

fn acceptance() -> Acceptance {
    Acceptance { rule: "exfil-1".into(), hash: hash('a'), reason: "its own vendor".into() }
}

fn name() -> String {
    "weather".to_owned()
}

#[test]
fn every_change_is_recorded_with_its_details() {
    let (_dir, home, audit) = scene();
    let raised = TrustChoice { tier: Local, hash: Some(hash('a')), accepted: None };
    let table = [
        (
            grant(),
            "skill.grant",
            json!({"surface": "terminal", "hash": hash('a'), "capabilities": ["shell", "network"]}),
        ),
        (
            SkillRecordChange::Revoke { name: name(), capabilities: BTreeSet::from([Capability::Shell]) },
            "skill.revoke",
            json!({"surface": "terminal", "capabilities": ["shell"]}),
        ),
        (
            SkillRecordChange::See { name: name(), seen: pinned('a', &[Capability::Browser]) },
            "skill.seen",
            json!({"surface": "terminal", "hash": hash('a'), "capabilities": ["browser"]}),
        ),
        (
            SkillRecordChange::Accept { name: name(), acceptance: acceptance() },
            "skill.accept",
            json!({"surface": "terminal", "hash": hash('a'), "rule": "exfil-1"}),
        ),
        (
            SkillRecordChange::Unaccept { name: name(), rule: "exfil-1".into() },
            "skill.unaccept",
            json!({"surface": "terminal", "rule": "exfil-1"}),
        ),
        (
            SkillRecordChange::Trust { name: name(), choice: raised },
            "skill.trust",
            json!({"surface": "terminal", "tier": "local", "hash": hash('a')}),
        ),
        (
            SkillRecordChange::Untrust { name: name() },
            "skill.trust",
            json!({"surface": "terminal", "tier": "as its origin says"}),
        ),
        (
            SkillRecordChange::Forget { name: name(), hash: None },
            "skill.forget",
            json!({"surface": "terminal"}),
        ),
    ];
    for (decision, event, detail) in table {
        let changed = apply_change(&home, Ok(&audit), &decision, &by(), now()).unwrap();
        assert_ne!(changed.before, changed.after, "{decision:?}");
        assert_eq!(settings::load(&home).unwrap().skills, changed.after);
        assert_eq!(events(&audit).last().unwrap(), &(event.to_owned(), detail));
    }
    let records = audit.tail(&RecordFilter::default()).unwrap().records;
    assert_eq!(records.len(), 8);
    for record in &records {
        assert_eq!(
            (record.entry.skill.as_deref(), record.entry.agent_id.as_deref()),
            (Some("weather"), Some("main"))
        );
    }
    assert_eq!(records[3].entry.reason.as_deref(), Some("its own vendor"));
}

#[test]
fn change_without_effect_is_not_recorded() {
    let (_dir, home, audit) = scene();
    apply_change(&home, Ok(&audit), &SkillRecordChange::Forget { name: name(), hash: None }, &by(), now())
        .unwrap();
    apply_change(&home, Ok(&audit), &SkillRecordChange::Untrust { name: name() }, &by(), now()).unwrap();
    assert_eq!(events(&audit), []);
    apply_change(&home, Ok(&audit), &grant(), &by(), now()).unwrap();
    apply_change(&home, Ok(&audit), &grant(), &by(), now()).unwrap();
    assert_eq!(events(&audit).len(), 1);
}

#[test]
fn widening_requires_a_record_and_narrowing_does_not() {
    let chosen = |tier, hash| SkillRecordChange::Trust {
        name: name(),
        choice: TrustChoice { tier, hash, accepted: None },
    };
    let lowered = || chosen(Community, None);
    let raised = |digit| chosen(Local, Some(hash(digit)));
    let accepting = |rules: &[&str]| {
        let accepted = Some(rules.iter().map(|rule| (*rule).to_owned()).collect());
        let choice = TrustChoice { tier: Local, hash: Some(hash('a')), accepted };
        SkillRecordChange::Trust { name: name(), choice }
    };
    let see = |digit| SkillRecordChange::See { name: name(), seen: pinned(digit, &[]) };
    let accept = || SkillRecordChange::Accept { name: name(), acceptance: acceptance() };
    let untrust = || SkillRecordChange::Untrust { name: name() };
    let revoke = || SkillRecordChange::Revoke { name: name(), capabilities: BTreeSet::new() };
    // What there is before, and what is then decided while nothing can be recorded.
    let table: [(&[SkillRecordChange], SkillRecordChange, bool); 21] = [
        (&[], grant(), false),
        (&[], see('a'), false),
        (&[see('b')], see('a'), false),
        (&[], accept(), false),
        (&[], raised('a'), false),
        (&[raised('a')], raised('b'), false),
        (&[lowered()], raised('a'), false),
        // The same trust, for findings of more rules.
        (&[accepting(&["a"])], accepting(&["a", "b"]), false),
        (&[accepting(&["a"])], raised('a'), false),
        (&[accepting(&["a", "b"])], accepting(&["a"]), true),
        (&[raised('a')], accepting(&["a"]), true),
        (&[lowered()], untrust(), false),
        // A bundled skill that was a community skill for a while.
        (&[lowered()], chosen(Local, None), false),
        (&[], lowered(), true),
        (&[], chosen(Local, None), true),
        (&[raised('a')], lowered(), true),
        (&[raised('a')], untrust(), true),
        (&[grant()], revoke(), true),
        (&[see('a')], revoke(), true),
        (&[accept()], SkillRecordChange::Unaccept { name: name(), rule: "exfil-1".into() }, true),
        (&[grant(), lowered()], SkillRecordChange::Forget { name: name(), hash: None }, true),
    ];
    for (before, decision, works) in table {
        // The chain cannot be written, and it cannot even be opened.
        for is_open in [true, false] {
            let (_dir, home, audit) = scene();
            for decision in before {
                apply_change(&home, Ok(&audit), decision, &by(), now()).unwrap();
            }
            break_chain(&home, &audit);
            let fault = ChainFault { path: home.audit_dir(), line: None, why: "no access".into() };
            let closed = AuditError::Tampered(fault);
            let chain = if is_open { Ok(&audit) } else { Err(&closed) };
            let before = settings::load(&home).unwrap().skills;
            let done = apply_change(&home, chain, &decision, &by(), now());
            assert_eq!(done.is_ok(), works, "{decision:?}: {done:?}");
            let records = settings::load(&home).unwrap().skills;
            assert_eq!(records != before, works, "{decision:?}");
            assert_eq!(audit.lost(), u64::from(works && is_open), "{decision:?}");
            match done {
                Ok(done) => {
                    let why = done.unrecorded.unwrap();
                    assert!(why.starts_with("the audit chain is broken"), "{decision:?}: {why}");
                }
                Err(error) => assert_eq!(Problem::from(error).code, ErrorCode::Tampered, "{decision:?}"),
            }
        }
    }
}

#[test]
fn recorded_change_reports_no_gap() {
    let (_dir, home, audit) = scene();
    for decision in [grant(), SkillRecordChange::Revoke { name: name(), capabilities: BTreeSet::new() }] {
        assert_eq!(apply_change(&home, Ok(&audit), &decision, &by(), now()).unwrap().unrecorded, None);
    }
}

#[test]
fn change_that_settings_cannot_hold_is_not_recorded() {
    let (_dir, home, audit) = scene();
    // A folder in the place of the file: it can be read as little as written.
    fs::create_dir_all(home.settings_path()).unwrap();
    apply_change(&home, Ok(&audit), &grant(), &by(), now()).unwrap_err();
    assert_eq!(events(&audit), []);
    fs::remove_dir(home.settings_path()).unwrap();
    // Too long for the file.
    let reason = "x".repeat(5 * 1024 * 1024);
    let long = SkillRecordChange::Accept { name: name(), acceptance: Acceptance { reason, ..acceptance() } };
    apply_change(&home, Ok(&audit), &long, &by(), now()).unwrap_err();
    assert_eq!(events(&audit), []);
    assert_eq!(settings::load(&home).unwrap().skills, SkillRecords::default());
}

#[test]
fn trust_change_pins_only_raised_trust() {
    let rules = || BTreeSet::from(["remote-execution.pipe".to_owned()]);
    let change = |wanted, natural, hash| trust_change("weather", natural, wanted, hash, rules());
    let choice = |tier, hash: Option<ContentHash>| {
        let accepted = hash.is_some().then(rules);
        SkillRecordChange::Trust { name: name(), choice: TrustChoice { tier, hash, accepted } }
    };
    let table = [
        (Community, Local, choice(Local, Some(hash('a')))),
        (Local, Community, choice(Community, None)),
        (Builtin, Community, choice(Community, None)),
        (Builtin, Local, choice(Local, None)),
    ];
    for (natural, wanted, expected) in table {
        assert_eq!(change(wanted, natural, Some(hash('a'))).unwrap(), expected);
    }
    for tier in TrustTier::ALL {
        assert_eq!(change(tier, tier, None).unwrap(), SkillRecordChange::Untrust { name: name() });
    }
    for natural in [Community, Local] {
        let error = change(Builtin, natural, Some(hash('a'))).unwrap_err();
        assert!(matches!(error, GuardError::NotBuiltin { .. }), "{error}");
    }
    assert!(matches!(change(Local, Community, None), Err(GuardError::NoFolder { .. })));
}
