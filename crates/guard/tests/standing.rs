//! How a skill stands after the owner's decisions.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod scene;

use std::collections::BTreeSet;

use scene::{hash, pinned, subject};
use tarsus_guard::{Declared, Standing, Subject, standing};
use tarsus_home::settings::SkillRecords;
use tarsus_protocol::capability::Capability::{self, Browser, Network, Shell};
use tarsus_protocol::capability::TrustTier::{self, Builtin, Community, Local};
use tarsus_protocol::grants::{Consent, TrustChoice};

fn set<const N: usize>(capabilities: [Capability; N]) -> BTreeSet<Capability> {
    BTreeSet::from(capabilities)
}

fn trust(tier: TrustTier, pin: Option<char>) -> SkillRecords {
    let choice = TrustChoice { tier, hash: pin.map(hash) };
    SkillRecords { trust: [("a".to_owned(), choice)].into(), ..SkillRecords::default() }
}

#[test]
fn trust_is_lowered_for_good_and_raised_for_the_bytes_that_were_there() {
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
        let standing = standing(subject("a", natural, &[]), &records);
        assert_eq!((standing.tier, standing.void_trust), (tier, void), "{natural} {records:?}");
        assert_eq!(standing.effective.len(), if tier == Community { 0 } else { 7 });
    }
}

#[test]
fn a_declaration_counts_once_it_was_seen_for_these_bytes() {
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
        let standing = standing(subject("a", Community, &[Shell, Network]), &records);
        let shown = records.seen.get("a").is_some_and(|seen| seen.hash == hash('a'));
        assert_eq!((standing.consent, standing.seen), (consent, shown), "{records:?}");
        assert_eq!(standing.effective, effective, "{records:?}");
    }
    let asks_nothing = standing(subject("a", Community, &[]), &seen('b', &[Shell]));
    assert_eq!((asks_nothing.consent, asks_nothing.effective), (Consent::NotNeeded, set([])));
    let shown = standing(subject("a", Community, &[]), &seen('a', &[]));
    assert_eq!((shown.consent, shown.seen), (Consent::NotNeeded, true));
}

#[test]
fn a_grant_counts_for_these_bytes_and_a_changed_byte_voids_it() {
    let granted = |name: &str, digit| SkillRecords {
        grants: [(name.to_owned(), pinned(digit, &[Browser]))].into(),
        ..SkillRecords::default()
    };
    let stand = |records: &SkillRecords| -> Standing { standing(subject("a", Community, &[]), records) };
    let held = stand(&granted("a", 'a'));
    assert_eq!((held.granted, held.void_grants, held.effective), (set([Browser]), set([]), set([Browser])));
    let void = stand(&granted("a", 'b'));
    assert_eq!((void.granted, void.void_grants, void.effective), (set([]), set([Browser]), set([])));
    assert_eq!(stand(&granted("b", 'a')).effective, set([]));
}

#[test]
fn nothing_counts_for_a_folder_that_could_not_be_looked_at() {
    let records = SkillRecords {
        grants: [("a".to_owned(), pinned('a', &[Shell]))].into(),
        seen: [("a".to_owned(), pinned('a', &[Shell]))].into(),
        ..trust(Local, Some('a'))
    };
    let mut unknown = subject("a", Community, &[Shell]);
    unknown.hash = None;
    let standing = standing(unknown, &records);
    assert_eq!((standing.tier, standing.effective, standing.void_grants), (Community, set([]), set([Shell])));
}

#[test]
fn a_report_says_what_is_asked_used_granted_void_and_left() {
    let records = SkillRecords {
        grants: [("a".to_owned(), pinned('b', &[Browser]))].into(),
        ..SkillRecords::default()
    };
    let records = SkillRecords { trust: trust(Local, Some('b')).trust, ..records };
    let report = standing(subject("a", Community, &[Shell]), &records).report(Some(&[Network]));
    let expected = serde_json::json!({
        "declared": ["shell"], "unknown": [], "used": ["network"], "granted": [], "void": ["browser"],
        "voidTrust": "local", "effective": [], "enforced": true, "consent": "unseen", "seen": false, "limits": [],
        "advisory": [], "problems": [],
    });
    assert_eq!(serde_json::to_value(report).unwrap(), expected);
}

#[test]
fn a_report_tells_the_limits_that_hold_from_those_that_a_grant_lifts() {
    let declared = serde_json::json!({
        "shell": {"mode": "restricted", "allow": ["git"]}, "network": {"hosts": ["a.org"], "web_search": false},
    });
    let limited = Subject { declared: Declared::read(Some(&declared)), ..subject("a", Community, &[]) };
    let limits = |granted: &[Capability]| {
        let grants = [("a".to_owned(), pinned('a', granted))].into();
        let records = SkillRecords { grants, ..SkillRecords::default() };
        let report = standing(limited.clone(), &records).report(None);
        (report.limits, report.lifted)
    };
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let (shell, network) =
        (texts(&["shell: only git"]), texts(&["network: no web search", "network: only a.org"]));
    assert_eq!(limits(&[]), ([&shell[..], &network].concat(), vec![]));
    assert_eq!(limits(&[Shell]), (network.clone(), shell.clone()));
    assert_eq!(limits(&[Network, Browser]), (shell, network));
}
