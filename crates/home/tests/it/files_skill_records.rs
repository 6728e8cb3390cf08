//! Skill records in the settings file and their changes.

use std::collections::BTreeSet;
use std::fs;

use tarsus_home::settings::{self, SettingsError, SkillRecordChange, SkillRecords};
use tarsus_home::{Home, HomeOptions, files};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Acceptance, ContentHash, Pinned, TrustChoice};
use tarsus_protocol::{ErrorCode, Problem};
use tempfile::TempDir;

fn home() -> (TempDir, Home) {
    let dir = tempfile::tempdir().unwrap();
    let choice = HomeOptions { state_flag: Some(dir.path().join("state")), ..HomeOptions::default() };
    let home = Home::locate(&choice).unwrap();
    files::make_private_dir(&home.own_dir()).unwrap();
    (dir, home)
}

fn hash(digit: char) -> ContentHash {
    digit.to_string().repeat(64).parse().unwrap()
}

fn pinned<const N: usize>(digit: char, capabilities: [Capability; N]) -> Pinned {
    Pinned { hash: hash(digit), capabilities: BTreeSet::from(capabilities) }
}

fn grant<const N: usize>(digit: char, capabilities: [Capability; N]) -> SkillRecordChange {
    SkillRecordChange::Grant { name: "a".into(), grant: pinned(digit, capabilities) }
}

fn accept(digit: char, rule: &str) -> SkillRecordChange {
    let acceptance = Acceptance { rule: rule.into(), hash: hash(digit), reason: "looked at".into() };
    SkillRecordChange::Accept { name: "a".into(), acceptance }
}

fn make(home: &Home, change: &SkillRecordChange) -> SkillRecords {
    settings::change(home, change, |_, _| Ok(())).unwrap().after
}

#[test]
fn every_change_is_stored_and_can_be_reverted() {
    let (_dir, home) = home();
    let trust = TrustChoice { tier: TrustTier::Local, hash: Some(hash('a')), accepted: None };
    let changes = [
        grant('a', [Capability::Shell]),
        SkillRecordChange::See { name: "a".into(), seen: pinned('a', [Capability::Network]) },
        accept('a', "exfil-1"),
        SkillRecordChange::Trust { name: "a".into(), choice: trust.clone() },
    ];
    for change in &changes {
        let after = make(&home, change);
        assert_eq!(settings::load(&home).unwrap().skills, after);
    }
    let records = settings::load(&home).unwrap().skills;
    assert_eq!(records.grants["a"], pinned('a', [Capability::Shell]));
    assert_eq!(records.seen["a"], pinned('a', [Capability::Network]));
    assert_eq!(records.trust["a"], trust);
    assert_eq!(
        records.accepted_for("a", &hash('a')).map(|one| one.rule.as_str()).collect::<Vec<_>>(),
        ["exfil-1"]
    );
    assert_eq!(records.accepted_for("a", &hash('b')).count(), 0);
    make(&home, &SkillRecordChange::Forget { name: "a".into(), hash: None });
    assert_eq!(settings::load(&home).unwrap().skills, SkillRecords::default());
}

#[test]
fn removing_a_folder_removes_its_grants_but_not_lower_trust() {
    let given = |digit| {
        let trust = TrustChoice { tier: TrustTier::Local, hash: Some(hash(digit)), accepted: None };
        SkillRecords::default()
            .after(&grant(digit, [Capability::Shell]))
            .after(&SkillRecordChange::See { name: "a".into(), seen: pinned(digit, [Capability::Network]) })
            .after(&accept(digit, "one"))
            .after(&SkillRecordChange::Trust { name: "a".into(), choice: trust })
    };
    let forget = |hash| SkillRecordChange::Forget { name: "a".into(), hash };
    assert_eq!(given('a').after(&forget(Some(hash('a')))), SkillRecords::default());
    assert_eq!(given('a').after(&forget(Some(hash('b')))), given('a'));
    assert_eq!(given('a').after(&forget(None)), SkillRecords::default());
    let lowered = TrustChoice { tier: TrustTier::Community, hash: None, accepted: None };
    let lowered =
        SkillRecords::default().after(&SkillRecordChange::Trust { name: "a".into(), choice: lowered });
    for hash in [None, Some(hash('a'))] {
        assert_eq!(lowered.clone().after(&forget(hash)), lowered);
    }
}

#[test]
fn grants_accumulate_per_hash() {
    let (_dir, home) = home();
    make(&home, &grant('a', [Capability::Shell]));
    let records = make(&home, &grant('a', [Capability::Network]));
    assert_eq!(records.grants["a"], pinned('a', [Capability::Shell, Capability::Network]));
    let records = make(&home, &grant('b', [Capability::Browser]));
    assert_eq!(records.grants["a"], pinned('b', [Capability::Browser]));
}

#[test]
fn some_or_all_capabilities_are_revoked() {
    let (_dir, home) = home();
    let revoke = |capabilities: &[Capability]| SkillRecordChange::Revoke {
        name: "a".into(),
        capabilities: capabilities.iter().copied().collect(),
    };
    make(&home, &grant('a', [Capability::Shell, Capability::Network, Capability::Browser]));
    let records = make(&home, &revoke(&[Capability::Shell, Capability::Messaging]));
    assert_eq!(records.grants["a"], pinned('a', [Capability::Network, Capability::Browser]));
    assert_eq!(make(&home, &revoke(&[])), SkillRecords::default());
    assert_eq!(make(&home, &revoke(&[])), SkillRecords::default());
}

#[test]
fn revoking_includes_reviewed_capabilities() {
    let see = |capabilities: &[Capability]| {
        let capabilities = capabilities.iter().copied().collect();
        let seen = Pinned { hash: hash('a'), capabilities };
        SkillRecords::default().after(&SkillRecordChange::See { name: "a".into(), seen })
    };
    let revoke = |capabilities: &[Capability]| SkillRecordChange::Revoke {
        name: "a".into(),
        capabilities: capabilities.iter().copied().collect(),
    };
    let (shell, both) = (see(&[Capability::Shell]), see(&[Capability::Shell, Capability::Network]));
    assert_eq!(both.clone().after(&revoke(&[Capability::Network])), shell);
    assert_eq!(both.after(&revoke(&[])), SkillRecords::default());
    assert_eq!(shell.clone().after(&revoke(&[Capability::Shell])), SkillRecords::default());
    assert_eq!(shell.clone().after(&revoke(&[Capability::Browser])), shell);
    // A skill that requests nothing still counts as shown.
    assert_eq!(see(&[]).after(&revoke(&[Capability::Shell])), see(&[]));
    assert_eq!(see(&[]).after(&revoke(&[])), SkillRecords::default());
}

#[test]
fn acceptances_apply_to_one_hash_and_one_rule() {
    let (_dir, home) = home();
    make(&home, &accept('a', "one"));
    make(&home, &accept('a', "two"));
    let rules = |records: SkillRecords| -> Vec<String> {
        records.accepted.get("a").into_iter().flatten().map(|one| one.rule.clone()).collect()
    };
    assert_eq!(rules(make(&home, &accept('a', "one"))), ["one", "two"]);
    let reason = "looked at again".to_owned();
    let again = Acceptance { rule: "one".into(), hash: hash('a'), reason };
    let again = make(&home, &SkillRecordChange::Accept { name: "a".into(), acceptance: again });
    assert_eq!(settings::load(&home).unwrap().skills, again);
    assert_eq!(rules(again), ["two", "one"]);
    assert_eq!(
        rules(make(&home, &SkillRecordChange::Unaccept { name: "a".into(), rule: "two".into() })),
        ["one"]
    );
    assert_eq!(rules(make(&home, &accept('b', "three"))), ["three"]);
}

#[test]
fn reverting_a_change_restores_the_bytes() {
    let (_dir, home) = home();
    let text = "// mine\n{\n  logs: { level: 'debug' }, // chatty\n  skills: {\n    // first\n    pinned: ['a'],\n  },\n}\n";
    fs::write(home.settings_path(), text).unwrap();
    make(&home, &grant('a', [Capability::Shell]));
    let with = fs::read_to_string(home.settings_path()).unwrap();
    for kept in ["// mine", "level: 'debug' }, // chatty", "// first\n    pinned: ['a']"] {
        assert!(with.contains(kept), "{with}");
    }
    make(&home, &SkillRecordChange::Revoke { name: "a".into(), capabilities: BTreeSet::new() });
    assert_eq!(fs::read_to_string(home.settings_path()).unwrap(), text);
}

#[test]
fn a_record_change_keeps_comments_and_other_keys() {
    let (_dir, home) = home();
    let (a, b) = (hash('a'), hash('b'));
    let text = format!(
        "{{ skills: {{ security: {{
  grants: {{ a: {{ hash: '{a}', /* for Anna */ capabilities: ['network' /* its API */, 'shell'], note: 'why' }} }},
  trust: {{ a: {{ tier: 'local', hash: '{a}' /* mine */ }} }},
  accepted: {{ a: [{{ rule: 'one', hash: '{a}', reason: 'r', by: 'Anna' /* saw it */ }}] }},
}} }} }}
"
    );
    fs::write(home.settings_path(), &text).unwrap();
    let changes = [
        grant('a', [Capability::Browser]),
        SkillRecordChange::Revoke { name: "a".into(), capabilities: BTreeSet::from([Capability::Shell]) },
        SkillRecordChange::Trust {
            name: "a".into(),
            choice: TrustChoice { tier: TrustTier::Community, hash: None, accepted: None },
        },
        accept('a', "two"),
        SkillRecordChange::Unaccept { name: "a".into(), rule: "two".into() },
        grant('b', [Capability::Network]),
    ];
    for change in changes {
        let after = make(&home, &change);
        assert_eq!(settings::load(&home).unwrap().skills, after, "{change:?}");
    }
    let expected = text
        .replace(&format!("grants: {{ a: {{ hash: '{a}'"), &format!("grants: {{ a: {{ hash: '{b}'"))
        .replace(", 'shell']", "]")
        .replace(&format!("tier: 'local', hash: '{a}' /* mine */"), "tier: 'community' /* mine */");
    assert_eq!(fs::read_to_string(home.settings_path()).unwrap(), expected);
}

#[test]
fn unusual_skill_names_round_trip() {
    let (_dir, home) = home();
    for name in ["a.b", "0", "a b", "\"'\\", "日本", ""] {
        let change = SkillRecordChange::Grant { name: name.into(), grant: pinned('c', [Capability::Shell]) };
        assert_eq!(make(&home, &change).grants[name], pinned('c', [Capability::Shell]));
    }
    assert_eq!(settings::load(&home).unwrap().skills.grants.len(), 6);
}

#[test]
fn agree_can_reject_and_is_skipped_without_changes() {
    let (_dir, home) = home();
    let no = || Problem::new(ErrorCode::Denied, "no");
    let refused = settings::change(&home, &grant('a', [Capability::Shell]), |_, _| Err(no())).unwrap_err();
    assert!(matches!(&refused, SettingsError::NotAgreed(problem) if **problem == no()), "{refused}");
    assert_eq!(Problem::from(refused), no());
    assert!(!home.settings_path().exists());
    let revoke = SkillRecordChange::Revoke { name: "a".into(), capabilities: BTreeSet::new() };
    let same = settings::change(&home, &revoke, |_, _| Err(no())).unwrap();
    assert_eq!(same.before, same.after);
}

#[test]
fn an_invalid_settings_file_is_not_changed() {
    let (_dir, home) = home();
    let text = "{skills: {security: {enforcement: 'of'}}}";
    fs::write(home.settings_path(), text).unwrap();
    let error = settings::change(&home, &grant('a', [Capability::Shell]), |_, _| Ok(())).unwrap_err();
    assert_eq!(Problem::from(error).code, ErrorCode::Malformed);
    assert_eq!(fs::read_to_string(home.settings_path()).unwrap(), text);
}

#[test]
fn concurrent_changes_lose_nothing() {
    let (_dir, home) = home();
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let home = &home;
            scope.spawn(move || {
                for capability in Capability::ALL {
                    let grant = pinned('a', [capability]);
                    make(home, &SkillRecordChange::Grant { name: name.into(), grant });
                }
            });
        }
    });
    let records = settings::load(&home).unwrap().skills;
    assert_eq!(records.grants.len(), 4);
    assert!(records.grants.values().all(|grant| *grant == pinned('a', Capability::ALL)), "{records:?}");
}
