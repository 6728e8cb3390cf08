//! Permissions of a skill after the owner's decisions.

use std::collections::BTreeSet;

use crate::fixture::{hash, pinned, subject};
use tarsus_guard::{DeclaredCapabilities, SkillPermissions, SkillSubject};
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::Capability::{self, Browser, Network, Shell};
use tarsus_protocol::capability::TrustTier::{self, Builtin, Community, Local};
use tarsus_protocol::grants::{Consent, TrustChoice};

fn set<const N: usize>(capabilities: [Capability; N]) -> BTreeSet<Capability> {
    BTreeSet::from(capabilities)
}

fn trust(tier: TrustTier, pin: Option<char>) -> SkillRecords {
    let choice = TrustChoice { tier, hash: pin.map(hash), accepted: None };
    SkillRecords { trust: [("a".to_owned(), choice)].into(), ..SkillRecords::default() }
}

#[test]
fn raised_trust_is_pinned_to_the_hash() {
    // What the origin says, what the owner says, and what follows.
    let table = [
        (Community, trust(Local, Some('a')), Local, None),
        (Community, trust(Local, Some('b')), Community, Some(Local)),
        (Community, trust(Local, None), Community, Some(Local)),
        (Community, trust(Builtin, Some('a')), Local, None),
        (Local, trust(Community, None), Community, None),
        (Local, trust(Community, Some('b')), Community, None),
        (Builtin, trust(Community, None), Community, None),
        (Builtin, trust(Local, None), Local, None),
        (Community, SkillRecords::default(), Community, None),
        (Local, SkillRecords::default(), Local, None),
    ];
    for (natural, records, tier, void) in table {
        let permissions = SkillPermissions::resolve(subject("a", natural, &[]), &records);
        assert_eq!((permissions.tier, permissions.void_trust), (tier, void), "{natural} {records:?}");
        assert_eq!(permissions.effective.len(), if tier == Community { 0 } else { 7 });
    }
}

#[test]
fn raised_trust_covers_only_the_accepted_rules() {
    let rules = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let table = [
        // Stored by an older version, which did not name them.
        (None, rules(&["a", "b"]), Local, None),
        (Some(rules(&["a", "b"])), rules(&["a", "b"]), Local, None),
        (Some(rules(&["a", "b"])), rules(&["b"]), Local, None),
        (Some(rules(&["a"])), rules(&["a", "b"]), Community, Some(Local)),
        (Some(rules(&[])), rules(&["a"]), Community, Some(Local)),
        (Some(rules(&[])), rules(&[]), Local, None),
    ];
    for (accepted, critical, tier, void) in table {
        let choice = TrustChoice { tier: Local, hash: Some(hash('a')), accepted: accepted.clone() };
        let records = SkillRecords { trust: [("a".to_owned(), choice)].into(), ..SkillRecords::default() };
        let subject = SkillSubject { critical: critical.clone(), ..subject("a", Community, &[]) };
        let permissions = SkillPermissions::resolve(subject, &records);
        assert_eq!((permissions.tier, permissions.void_trust), (tier, void), "{accepted:?} {critical:?}");
    }
}

#[test]
fn declaration_counts_once_confirmed_for_the_hash() {
    let seen = |digit, capabilities: &[Capability]| SkillRecords {
        seen: [("a".to_owned(), pinned(digit, capabilities))].into(),
        ..SkillRecords::default()
    };
    let table = [
        (SkillRecords::default(), Consent::Unseen, set([])),
        (seen('a', &[Shell, Network]), Consent::Seen, set([Shell, Network])),
        (seen('b', &[Shell, Network]), Consent::Changed, set([])),
        (seen('b', &[Shell, Network, Browser]), Consent::Changed, set([])),
        (seen('b', &[Shell]), Consent::Widened, set([])),
        // Taken back in part, or not understood yet when it was shown.
        (seen('a', &[Shell]), Consent::Unseen, set([Shell])),
        (seen('a', &[Shell, Network, Browser]), Consent::Seen, set([Shell, Network])),
    ];
    for (records, consent, effective) in table {
        let permissions = SkillPermissions::resolve(subject("a", Community, &[Shell, Network]), &records);
        let shown = records.seen.get("a").is_some_and(|seen| seen.hash == hash('a'));
        assert_eq!((permissions.consent, permissions.seen), (consent, shown), "{records:?}");
        assert_eq!(permissions.effective, effective, "{records:?}");
    }
    let asks_nothing = SkillPermissions::resolve(subject("a", Community, &[]), &seen('b', &[Shell]));
    assert_eq!((asks_nothing.consent, asks_nothing.effective), (Consent::NotNeeded, set([])));
    let shown = SkillPermissions::resolve(subject("a", Community, &[]), &seen('a', &[]));
    assert_eq!((shown.consent, shown.seen), (Consent::NotNeeded, true));
}

#[test]
fn grant_is_void_for_another_hash() {
    let granted = |name: &str, digit| SkillRecords {
        grants: [(name.to_owned(), pinned(digit, &[Browser]))].into(),
        ..SkillRecords::default()
    };
    let stand = |records: &SkillRecords| -> SkillPermissions {
        SkillPermissions::resolve(subject("a", Community, &[]), records)
    };
    let held = stand(&granted("a", 'a'));
    assert_eq!((held.granted, held.void_grants, held.effective), (set([Browser]), set([]), set([Browser])));
    let void = stand(&granted("a", 'b'));
    assert_eq!((void.granted, void.void_grants, void.effective), (set([]), set([Browser]), set([])));
    assert_eq!(stand(&granted("b", 'a')).effective, set([]));
}

#[test]
fn no_decision_counts_without_a_hash() {
    let records = SkillRecords {
        grants: [("a".to_owned(), pinned('a', &[Shell]))].into(),
        seen: [("a".to_owned(), pinned('a', &[Shell]))].into(),
        ..trust(Local, Some('a'))
    };
    let mut unknown = subject("a", Community, &[Shell]);
    unknown.hash = None;
    let permissions = SkillPermissions::resolve(unknown, &records);
    assert_eq!(
        (permissions.tier, permissions.effective, permissions.void_grants),
        (Community, set([]), set([Shell]))
    );
}

#[test]
fn report_lists_declared_used_granted_and_void() {
    let records = SkillRecords {
        grants: [("a".to_owned(), pinned('b', &[Browser]))].into(),
        ..SkillRecords::default()
    };
    let records = SkillRecords { trust: trust(Local, Some('b')).trust, ..records };
    let report =
        SkillPermissions::resolve(subject("a", Community, &[Shell]), &records).report(Some(&[Network]));
    let expected = serde_json::json!({
        "declared": ["shell"], "unknown": [], "used": ["network"], "granted": [], "void": ["browser"],
        "voidTrust": "local", "effective": [], "enforced": true, "consent": "unseen", "seen": false, "limits": [],
        "advisory": [], "problems": [],
    });
    assert_eq!(serde_json::to_value(report).unwrap(), expected);
}

#[test]
fn report_separates_limits_from_lifted_ones() {
    let declared = serde_json::json!({
        "shell": {"mode": "restricted", "allow": ["git"]}, "network": {"hosts": ["a.org"], "web_search": false},
    });
    let limited = SkillSubject {
        declared: DeclaredCapabilities::parse(Some(&declared)),
        ..subject("a", Community, &[])
    };
    let limits = |granted: &[Capability]| {
        let grants = [("a".to_owned(), pinned('a', granted))].into();
        let records = SkillRecords { grants, ..SkillRecords::default() };
        let report = SkillPermissions::resolve(limited.clone(), &records).report(None);
        (report.limits, report.lifted)
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (shell, network) =
        (texts(&["shell: only git"]), texts(&["network: no web search", "network: only a.org"]));
    assert_eq!(limits(&[]), ([&shell[..], &network].concat(), vec![]));
    assert_eq!(limits(&[Shell]), (network.clone(), shell.clone()));
    assert_eq!(limits(&[Network, Browser]), (shell, network));
}
