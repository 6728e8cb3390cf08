//! The capability matrix: every tool and tier, trust, declaration, grant, presence and mode.

use crate::fixture::{active, call, context, hash, id, pinned, skills, subject};
use tarsus_guard::{
    Activation, ActivationCause, Call, SkillId, SkillPermissions, SkillSet, SkillSubject, ToolId, ToolTier,
    decide,
};
use tarsus_home::settings::{Enforcement, SkillRecords};
use tarsus_protocol::authorize::{Inspector, Reason, Verdict};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Pinned, TrustChoice};

/// The state of a skill's capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Nothing,
    DeclaredCapabilities,
    DeclaredAndSeen,
    DeclaredAndSeenBefore,
    Granted,
    GrantedBefore,
}

/// Whether a skill is loaded or active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    Nowhere,
    Loaded,
    LoadedAndActive,
    ActiveAndGone,
}

const HOLDS: [Holds; 6] = [
    Holds::Nothing,
    Holds::DeclaredCapabilities,
    Holds::DeclaredAndSeen,
    Holds::DeclaredAndSeenBefore,
    Holds::Granted,
    Holds::GrantedBefore,
];
const PRESENCES: [Presence; 4] =
    [Presence::Nowhere, Presence::Loaded, Presence::LoadedAndActive, Presence::ActiveAndGone];

/// The skill `a` with a capability, or with all of them if `None`.
fn skill(tier: TrustTier, holds: Holds, capability: Option<Capability>) -> SkillPermissions {
    let all = Capability::ALL;
    let capabilities = capability.as_ref().map_or(&all[..], std::slice::from_ref);
    let records = |seen: Option<char>, granted: Option<char>| {
        let pin = |digit: Option<char>| {
            digit.map(|digit| ("a".to_owned(), pinned(digit, capabilities))).into_iter().collect()
        };
        SkillRecords { seen: pin(seen), grants: pin(granted), ..SkillRecords::default() }
    };
    let (asks, records) = match holds {
        Holds::Nothing => (&[][..], records(None, None)),
        Holds::DeclaredCapabilities => (capabilities, records(None, None)),
        Holds::DeclaredAndSeen => (capabilities, records(Some('a'), None)),
        Holds::DeclaredAndSeenBefore => (capabilities, records(Some('b'), None)),
        Holds::Granted => (&[][..], records(None, Some('a'))),
        Holds::GrantedBefore => (&[][..], records(None, Some('b'))),
    };
    SkillPermissions::resolve(subject("a", tier, asks), &records)
}

/// The expected verdicts, written independently of the implementation.
fn expected(
    tier: Option<ToolTier>,
    trust: TrustTier,
    holds: Holds,
    mode: Enforcement,
    presence: Presence,
) -> Verdict {
    let is_there = presence != Presence::Nowhere;
    let applies = match mode {
        Enforcement::Off => false,
        Enforcement::Active => matches!(presence, Presence::LoadedAndActive | Presence::ActiveAndGone),
        Enforcement::Loaded => is_there,
    };
    let has = matches!(holds, Holds::DeclaredAndSeen | Holds::Granted) && presence != Presence::ActiveAndGone;
    let refused = trust == TrustTier::Community
        && match tier {
            Some(ToolTier::Denied) => is_there && mode != Enforcement::Off,
            Some(ToolTier::Needs(_)) => applies && !has,
            Some(ToolTier::Allowed) => false,
            None => applies,
        };
    if refused { Verdict::Deny } else { Verdict::Allow }
}

#[test]
fn every_combination_follows_the_matrix() {
    let tools = ToolId::ALL.iter().map(|tool| tool.name()).chain(["mcp__anything", "Exec", ""]);
    let mut cases = 0;
    for tool in tools {
        let tier = ToolId::from_name(tool).map(ToolId::tier);
        let capability = match tier {
            Some(ToolTier::Needs(capability)) => Some(capability),
            _ => None,
        };
        for trust in TrustTier::ALL {
            for holds in HOLDS {
                let skill = skill(trust, holds, capability);
                for mode in Enforcement::ALL {
                    for presence in PRESENCES {
                        let loaded = matches!(presence, Presence::Loaded | Presence::LoadedAndActive);
                        let skills = if loaded { skills(&[&skill]) } else { SkillSet::default() };
                        let mut active = Activation::default();
                        if matches!(presence, Presence::LoadedAndActive | Presence::ActiveAndGone) {
                            active.activate(id("a"), trust, ActivationCause::Read);
                        }
                        let decision = decide(&call(tool), &context(mode, &skills, &active));
                        let case = format!("{tool} {trust} {holds:?} {mode:?} {presence:?}: {decision:#?}");
                        assert_eq!(decision.verdict, expected(tier, trust, holds, mode, presence), "{case}");
                        if decision.verdict == Verdict::Deny {
                            let reason = &decision.reasons[0];
                            assert_eq!(reason.inspector, Inspector::Capabilities, "{case}");
                            assert_eq!(reason.skill.as_deref(), Some("a"), "{case}");
                            assert_eq!(reason.capability, capability, "{case}");
                            assert_eq!(reason.remedy.is_some(), capability.is_some(), "{case}");
                        }
                        let would_refuse =
                            expected(tier, trust, holds, Enforcement::Active, presence) == Verdict::Deny;
                        assert_eq!(decision.bypassed, mode == Enforcement::Off && would_refuse, "{case}");
                        cases += 1;
                    }
                }
            }
        }
    }
    assert_eq!(cases, (ToolId::ALL.len() + 3) * 3 * 6 * 3 * 4);
}

/// A skill with or without a grant of `shell`.
fn named(name: &str, granted: bool) -> SkillPermissions {
    let grants = granted.then(|| (name.to_owned(), pinned('a', &[Capability::Shell])));
    let records = SkillRecords { grants: grants.into_iter().collect(), ..SkillRecords::default() };
    SkillPermissions::resolve(subject(name, TrustTier::Community, &[]), &records)
}

fn reasons(call: &Call, mode: Enforcement, skills: &SkillSet, active: &Activation) -> Vec<Reason> {
    let decision = decide(call, &context(mode, skills, active));
    decision.reasons.into_iter().filter(|reason| reason.verdict == Verdict::Deny).collect()
}

#[test]
fn all_active_skills_or_one_loaded_must_permit() {
    let skills = skills(&[&named("has", true), &named("lacks", false)]);
    let table = [
        (Enforcement::Active, active(&[]), true),
        (Enforcement::Active, active(&["has"]), true),
        (Enforcement::Active, active(&["lacks"]), false),
        (Enforcement::Active, active(&["has", "lacks"]), false),
        (Enforcement::Loaded, active(&[]), true),
        (Enforcement::Loaded, active(&["lacks"]), true),
        (Enforcement::Loaded, active(&["lacks", "gone"]), false),
        (Enforcement::Loaded, Activation::unknown(), false),
        (Enforcement::Active, Activation::unknown(), false),
    ];
    for (mode, active, permitted) in table {
        let reasons = reasons(&call("exec"), mode, &skills, &active);
        assert_eq!(reasons.is_empty(), permitted, "{mode:?} {active:?}: {reasons:?}");
    }
}

#[test]
fn denial_names_skill_capability_and_command() {
    let lacks = skills(&[&named("git-autopush", false)]);
    let [reason] = &reasons(&call("exec"), Enforcement::Active, &lacks, &active(&["git-autopush"]))[..]
    else {
        panic!("one reason");
    };
    let expected = Reason {
        inspector: Inspector::Capabilities,
        verdict: Verdict::Deny,
        message: "the skill git-autopush lacks shell: it does not declare it".into(),
        skill: Some("git-autopush".into()),
        capability: Some(Capability::Shell),
        remedy: Some("tarsus skills grant git-autopush shell".into()),
    };
    assert_eq!(*reason, expected);
}

#[test]
fn remedy_is_safe_to_paste_for_any_skill_name() {
    let table = [
        ("weather", "tarsus skills grant weather shell"),
        ("a; rm -rf ~", "tarsus skills grant 'a; rm -rf ~' shell"),
        ("it's", r"tarsus skills grant 'it'\''s' shell"),
        ("$(id)", "tarsus skills grant '$(id)' shell"),
        ("-f", "tarsus skills grant -- -f shell"),
        ("", "tarsus skills grant '' shell"),
        ("a\u{1b}[2Kb\n", "tarsus skills grant ab shell"),
    ];
    let long = "n".repeat(100);
    let whole = format!("tarsus skills grant {long} shell");
    for (name, command) in table.into_iter().chain([(long.as_str(), whole.as_str())]) {
        let lacks = skills(&[&named(name, false)]);
        let reasons = reasons(&call("exec"), Enforcement::Active, &lacks, &active(&[name]));
        assert_eq!(reasons[0].remedy.as_deref(), Some(command), "{name:?}");
        assert!(!reasons[0].message.contains(['\u{1b}', '\n']), "{reasons:?}");
    }
}

#[test]
fn dispatched_command_is_checked_for_its_skill() {
    let skills = skills(&[
        &named("has", true),
        &named("lacks", false),
        &SkillPermissions::resolve(subject("mine", TrustTier::Local, &[]), &SkillRecords::default()),
    ]);
    let dispatched = |name: &str, tool: &str| Call { dispatched_by: Some(id(name)), ..call(tool) };
    let table = [
        ("has", "exec", true),
        ("lacks", "exec", false),
        ("lacks", "read", true),
        ("lacks", "mcp__anything", false),
        ("has", "gateway", false),
        ("mine", "exec", true),
        ("nowhere", "exec", false),
    ];
    for mode in [Enforcement::Active, Enforcement::Loaded] {
        for (name, tool, permitted) in table {
            let reasons = reasons(&dispatched(name, tool), mode, &skills, &Activation::default());
            assert_eq!(reasons.is_empty(), permitted, "{mode:?} {name} {tool}: {reasons:?}");
        }
    }
}

#[test]
fn changed_active_skill_permits_nothing() {
    // Read as it was, then changed; the owner granted shell to what it is now.
    let mut session = Activation::default();
    session.activate(
        SkillId { hash: Some(hash('b')), ..id("a") },
        TrustTier::Community,
        ActivationCause::Read,
    );
    let reasons = reasons(&call("exec"), Enforcement::Active, &skills(&[&named("a", true)]), &session);
    assert_eq!(
        reasons[0].message,
        "the skill a was changed or removed after it was used in this session; it lacks shell"
    );
    assert_eq!(reasons[0].remedy.as_deref(), Some("/new"));
}

/// The permissions of a skill with this folder, after the owner's trust choice.
fn trusted(natural: TrustTier, digit: char, choice: Option<TrustChoice>) -> SkillPermissions {
    let trust = choice.map(|choice| ("a".to_owned(), choice)).into_iter().collect();
    let subject = SkillSubject { hash: Some(hash(digit)), ..subject("a", natural, &[]) };
    SkillPermissions::resolve(subject, &SkillRecords { trust, ..SkillRecords::default() })
}

#[test]
fn trusting_a_hash_deactivates_it() {
    let raised =
        |digit| Some(TrustChoice { tier: TrustTier::Local, hash: Some(hash(digit)), accepted: None });
    let table = [
        (trusted(TrustTier::Community, 'a', raised('a')), true),
        (trusted(TrustTier::Community, 'a', raised('b')), false),
        (trusted(TrustTier::Community, 'b', raised('b')), false),
        // A folder with the same bytes in the workspace, where a tool may have put it.
        (trusted(TrustTier::Local, 'a', None), false),
        (trusted(TrustTier::Local, 'b', None), false),
        (trusted(TrustTier::Builtin, 'a', None), false),
    ];
    for (now, ends) in table {
        for mode in [Enforcement::Active, Enforcement::Loaded] {
            let snapshot = skills(&[&now]);
            let reasons = reasons(&call("exec"), mode, &snapshot, &active(&["a"]));
            assert_eq!(reasons.is_empty(), ends, "{mode:?} {now:?}: {reasons:?}");
        }
    }
}

#[test]
fn dispatching_skill_must_have_the_same_hash() {
    let dispatched = |hash| Call { dispatched_by: Some(SkillId { hash, ..id("a") }), ..call("exec") };
    let table = [
        (trusted(TrustTier::Local, 'a', None), Some(hash('a')), true),
        (trusted(TrustTier::Local, 'a', None), None, true),
        (trusted(TrustTier::Local, 'a', None), Some(hash('b')), false),
        (trusted(TrustTier::Community, 'a', None), None, false),
    ];
    for (now, hash, permitted) in table {
        let snapshot = skills(&[&now]);
        let reasons = reasons(&dispatched(hash), Enforcement::Active, &snapshot, &Activation::default());
        assert_eq!(reasons.is_empty(), permitted, "{now:?}: {reasons:?}");
    }
}

#[test]
fn remedy_confirms_declared_and_grants_the_rest() {
    let asks = subject("my skill", TrustTier::Community, &[Capability::Shell]);
    let of = |pin: Option<Pinned>| pin.map(|pin| ("my skill".to_owned(), pin)).into_iter().collect();
    let table = [
        (None, None, "tarsus skills enable 'my skill'", "it declares it, but nobody has confirmed that"),
        (
            Some(pinned('b', &[Capability::Shell])),
            None,
            "tarsus skills enable 'my skill'",
            "it has changed since it was last confirmed",
        ),
        (
            Some(pinned('b', &[])),
            None,
            "tarsus skills enable 'my skill'",
            "it declares more than it did when it was last confirmed",
        ),
        (
            None,
            Some(pinned('b', &[Capability::Shell])),
            "tarsus skills grant 'my skill' shell",
            "it has changed since this was granted",
        ),
    ];
    for (seen, granted, command, why) in table {
        let records = SkillRecords { seen: of(seen), grants: of(granted), ..SkillRecords::default() };
        let snapshot = skills(&[&SkillPermissions::resolve(asks.clone(), &records)]);
        let session = active(&["my skill"]);
        let [reason] = &reasons(&call("exec"), Enforcement::Active, &snapshot, &session)[..] else {
            panic!("one reason");
        };
        assert_eq!(reason.remedy.as_deref(), Some(command));
        assert_eq!(reason.message, format!("the skill my skill lacks shell: {why}"));
    }
}

#[test]
fn loaded_mode_names_the_nearest_skill() {
    let asks = SkillPermissions::resolve(
        subject("z-asks", TrustTier::Community, &[Capability::Shell]),
        &SkillRecords::default(),
    );
    let snapshot = skills(&[&named("a", false), &asks]);
    let [reason] = &reasons(&call("exec"), Enforcement::Loaded, &snapshot, &Activation::default())[..] else {
        panic!("one reason");
    };
    assert_eq!(
        reason.message,
        "no loaded community skill has shell for this call: a, z-asks; closest is z-asks: it declares it, but nobody has confirmed that"
    );
    assert_eq!(reason.skill.as_deref(), Some("z-asks"));
    assert_eq!(reason.remedy.as_deref(), Some("tarsus skills enable z-asks"));
}

#[test]
fn enforcement_off_keeps_refusals_as_bypassed() {
    let snapshot = skills(&[&named("a", false), &named("b", false)]);
    let session = active(&["a", "b"]);
    let decision = decide(&call("exec"), &context(Enforcement::Off, &snapshot, &session));
    assert_eq!((decision.verdict, decision.bypassed), (Verdict::Allow, true));
    let kept: Vec<_> = decision.reasons.iter().filter_map(|reason| reason.skill.as_deref()).collect();
    assert_eq!(kept, ["a", "b"]);
}

#[test]
fn lowered_trust_applies_to_active_skills_at_once() {
    let mut session = Activation::default();
    session.activate(id("mine"), TrustTier::Local, ActivationCause::Read);
    let stand = |trust: &[(&str, TrustTier)]| {
        let choice = |tier| TrustChoice { tier, hash: None, accepted: None };
        let trust = trust.iter().map(|(name, tier)| ((*name).to_owned(), choice(*tier))).collect();
        SkillPermissions::resolve(
            subject("mine", TrustTier::Local, &[]),
            &SkillRecords { trust, ..SkillRecords::default() },
        )
    };
    let trusted = skills(&[&stand(&[])]);
    assert!(reasons(&call("exec"), Enforcement::Active, &trusted, &session).is_empty());
    let lowered = skills(&[&stand(&[("mine", TrustTier::Community)])]);
    assert_eq!(reasons(&call("exec"), Enforcement::Active, &lowered, &session).len(), 1);
}

#[test]
fn grant_lifts_declared_limits() {
    let mut limited = subject("a", TrustTier::Community, &[]);
    limited.declared = tarsus_guard::DeclaredCapabilities::parse(Some(&serde_json::json!(
        {"shell": {"mode": "restricted", "allow": ["git"]}}
    )));
    let seen = SkillRecords {
        seen: [("a".to_owned(), pinned('a', &[Capability::Shell]))].into(),
        ..SkillRecords::default()
    };
    let granted =
        SkillRecords { grants: [("a".to_owned(), pinned('a', &[Capability::Shell]))].into(), ..seen.clone() };
    let bin = if cfg!(windows) { "C:\\bin\\" } else { "/bin/" };
    let program =
        |name: &str| tarsus_guard::Program { written: name.into(), path: format!("{bin}{name}").into() };
    let run = |name: &str| {
        let facts = tarsus_guard::CallFacts { programs: Some(vec![program(name)]), ..Default::default() };
        Call { facts, ..call("exec") }
    };
    let why = |call: &Call, records: &SkillRecords| {
        let skills = skills(&[&SkillPermissions::resolve(limited.clone(), records)]);
        let reasons = reasons(call, Enforcement::Active, &skills, &active(&["a"]));
        reasons.first().map(|reason| reason.message.to_string())
    };
    assert_eq!(why(&run("git"), &seen), None);
    let curl = format!("the skill a lacks shell: {bin}curl is not one of its programs");
    assert_eq!(why(&run("curl"), &seen), Some(curl));
    let unknown = "the skill a lacks shell: which programs it would use is not known";
    assert_eq!(why(&call("exec"), &seen).as_deref(), Some(unknown));
    assert_eq!(why(&run("curl"), &granted), None);
}

#[test]
fn policy_report_names_tools_and_blocking_skills() {
    let snapshot = skills(&[
        &named("has", true),
        &named("lacks", false),
        &SkillPermissions::resolve(subject("mine", TrustTier::Local, &[]), &SkillRecords::default()),
    ]);
    let policy = snapshot.policy(Enforcement::Active);
    assert_eq!(
        (policy.enforcement.as_str(), &policy.denied[..]),
        ("active", &["gateway".into(), "nodes".into()][..])
    );
    assert_eq!(policy.because["gateway"], ["has", "lacks"]);
    assert_eq!(policy.because["exec"], ["lacks"]);
    assert_eq!(policy.because["cron"], ["has", "lacks"]);
    assert_eq!(policy.gated.len(), 16);
    assert!(!policy.gated.contains(&"read".to_owned()));
    let loaded = snapshot.policy(Enforcement::Loaded);
    assert!(!loaded.gated.contains(&"exec".to_owned()) && loaded.gated.contains(&"cron".to_owned()));
    let many: SkillSet = (0..25).map(|number| named(&format!("s{number:02}"), false)).collect();
    let because = &many.policy(Enforcement::Active).because["exec"];
    assert_eq!((because.len(), because[0].as_str(), because[20].as_str()), (21, "s00", "and 5 more"));
    let hostile = skills(&[&named("a\u{1b}[31mb\u{202e}c", false)]);
    assert_eq!(hostile.policy(Enforcement::Active).because["exec"], ["abc"]);
    for quiet in [snapshot.policy(Enforcement::Off), SkillSet::default().policy(Enforcement::Active)] {
        assert_eq!((quiet.denied.len(), quiet.gated.len(), quiet.because.len()), (0, 0, 0));
    }
}

#[test]
fn settings_reach_a_session_of_active_skills_only_while_a_community_skill_is_active() {
    let permissions =
        |name: &str, tier| SkillPermissions::resolve(subject(name, tier, &[]), &SkillRecords::default());
    let (mine, other) = (permissions("mine", TrustTier::Local), permissions("other", TrustTier::Local));
    let (weather, news) =
        (permissions("weather", TrustTier::Community), permissions("news", TrustTier::Community));
    let snapshot = skills(&[&mine, &other, &weather, &news]);
    let names = |active: &Activation| {
        let names = snapshot.exclusive_names(active)?;
        Some(names.into_iter().collect::<Vec<_>>().join(" "))
    };
    let mut active_mine = Activation::default();
    active_mine.activate(SkillId { hash: None, ..id("mine") }, TrustTier::Local, ActivationCause::Read);
    let joined = |other: &Activation| {
        let mut all = active_mine.clone();
        all.join(other);
        all
    };
    let mut changed = Activation::default();
    changed.activate(
        SkillId { hash: Some(hash('b')), ..id("news") },
        TrustTier::Community,
        ActivationCause::Read,
    );
    let table = [
        (Activation::default(), None),
        (active_mine.clone(), None),
        (active(&["weather"]), Some("weather")),
        (joined(&active(&["weather"])), Some("mine weather")),
        (joined(&active(&["weather", "news"])), Some("mine news weather")),
        // A skill that changed or is gone gets nothing, and still restricts the others.
        (changed.clone(), Some("")),
        (joined(&changed), Some("mine")),
        (active(&["gone"]), Some("")),
        (Activation::unknown(), Some("")),
    ];
    for (session, expected) in table {
        assert_eq!(names(&session).as_deref(), expected, "{session:?}");
    }
}
