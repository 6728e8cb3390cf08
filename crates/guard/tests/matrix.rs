//! The capability matrix: every tool, in every tier, for every trust, with everything that can be declared and granted,
//! in every mode.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop at the first surprise")]

mod scene;

use scene::{active, call, context, hash, id, pinned, skills, subject};
use tarsus_guard::{Activation, Call, How, SkillId, Skills, Standing, Subject, Tier, Tool, judge, standing};
use tarsus_home::settings::{Enforcement, SkillRecords};
use tarsus_protocol::authorize::{Inspector, Reason, Verdict};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Pinned, TrustChoice};

/// What a skill may hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holds {
    Nothing,
    Declared,
    DeclaredAndSeen,
    DeclaredAndSeenBefore,
    Granted,
    GrantedBefore,
}

/// Where a skill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Nowhere,
    Loaded,
    LoadedAndActive,
    ActiveAndGone,
}

const HOLDS: [Holds; 6] = [
    Holds::Nothing,
    Holds::Declared,
    Holds::DeclaredAndSeen,
    Holds::DeclaredAndSeenBefore,
    Holds::Granted,
    Holds::GrantedBefore,
];
const PLACES: [Place; 4] = [Place::Nowhere, Place::Loaded, Place::LoadedAndActive, Place::ActiveAndGone];

/// The skill `a` that holds a capability, or all of them where there is none in question.
fn skill(tier: TrustTier, holds: Holds, capability: Option<Capability>) -> Standing {
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
        Holds::Declared => (capabilities, records(None, None)),
        Holds::DeclaredAndSeen => (capabilities, records(Some('a'), None)),
        Holds::DeclaredAndSeenBefore => (capabilities, records(Some('b'), None)),
        Holds::Granted => (&[][..], records(None, Some('a'))),
        Holds::GrantedBefore => (&[][..], records(None, Some('b'))),
    };
    standing(subject("a", tier, asks), &records)
}

/// The rules once more, said in another way.
fn expected(tier: Option<Tier>, trust: TrustTier, holds: Holds, mode: Enforcement, place: Place) -> Verdict {
    let is_there = place != Place::Nowhere;
    let applies = match mode {
        Enforcement::Off => false,
        Enforcement::Active => matches!(place, Place::LoadedAndActive | Place::ActiveAndGone),
        Enforcement::Loaded => is_there,
    };
    let has = matches!(holds, Holds::DeclaredAndSeen | Holds::Granted) && place != Place::ActiveAndGone;
    let refused = trust == TrustTier::Community
        && match tier {
            Some(Tier::Denied) => is_there && mode != Enforcement::Off,
            Some(Tier::Needs(_)) => applies && !has,
            Some(Tier::Allowed) => false,
            None => applies,
        };
    if refused { Verdict::Deny } else { Verdict::Allow }
}

#[test]
fn every_tool_tier_trust_holding_place_and_mode_is_judged_by_the_rules() {
    let tools = Tool::ALL.iter().map(|tool| tool.name()).chain(["mcp__anything", "Exec", ""]);
    let mut judged = 0;
    for tool in tools {
        let tier = Tool::named(tool).map(Tool::tier);
        let capability = match tier {
            Some(Tier::Needs(capability)) => Some(capability),
            _ => None,
        };
        for trust in TrustTier::ALL {
            for holds in HOLDS {
                let skill = skill(trust, holds, capability);
                for mode in Enforcement::ALL {
                    for place in PLACES {
                        let loaded = matches!(place, Place::Loaded | Place::LoadedAndActive);
                        let skills = if loaded { skills(&[&skill]) } else { Skills::default() };
                        let mut active = Activation::default();
                        if matches!(place, Place::LoadedAndActive | Place::ActiveAndGone) {
                            active.activate(id("a"), trust, How::Read);
                        }
                        let judgement = judge(&call(tool), &context(mode, &skills, &active));
                        let case = format!("{tool} {trust} {holds:?} {mode:?} {place:?}: {judgement:#?}");
                        assert_eq!(judgement.verdict, expected(tier, trust, holds, mode, place), "{case}");
                        if judgement.verdict == Verdict::Deny {
                            let reason = &judgement.reasons[0];
                            assert_eq!(reason.inspector, Inspector::Capabilities, "{case}");
                            assert_eq!(reason.skill.as_deref(), Some("a"), "{case}");
                            assert_eq!(reason.capability, capability, "{case}");
                            assert_eq!(reason.remedy.is_some(), capability.is_some(), "{case}");
                        }
                        let would_refuse =
                            expected(tier, trust, holds, Enforcement::Active, place) == Verdict::Deny;
                        assert_eq!(judgement.bypassed, mode == Enforcement::Off && would_refuse, "{case}");
                        judged += 1;
                    }
                }
            }
        }
    }
    assert_eq!(judged, (Tool::ALL.len() + 3) * 3 * 6 * 3 * 4);
}

/// The skill of a name, granted shell or not.
fn named(name: &str, granted: bool) -> Standing {
    let grants = granted.then(|| (name.to_owned(), pinned('a', &[Capability::Shell])));
    let records = SkillRecords { grants: grants.into_iter().collect(), ..SkillRecords::default() };
    standing(subject(name, TrustTier::Community, &[]), &records)
}

fn reasons(call: &Call, mode: Enforcement, skills: &Skills, active: &Activation) -> Vec<Reason> {
    let judgement = judge(call, &context(mode, skills, active));
    judgement.reasons.into_iter().filter(|reason| reason.verdict == Verdict::Deny).collect()
}

#[test]
fn every_active_skill_has_to_have_it_and_one_loaded_skill_is_enough() {
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
fn a_refusal_names_the_skill_the_capability_and_the_exact_command() {
    let lacks = skills(&[&named("git-autopush", false)]);
    let [reason] = &reasons(&call("exec"), Enforcement::Active, &lacks, &active(&["git-autopush"]))[..]
    else {
        panic!("one reason");
    };
    let expected = Reason {
        inspector: Inspector::Capabilities,
        verdict: Verdict::Deny,
        message: "the skill git-autopush lacks shell: it does not ask for it".into(),
        skill: Some("git-autopush".into()),
        capability: Some(Capability::Shell),
        remedy: Some("tarsus skills grant git-autopush shell".into()),
    };
    assert_eq!(*reason, expected);
}

#[test]
fn the_command_in_a_refusal_can_be_pasted_whatever_the_skill_is_called() {
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
fn a_command_that_leads_straight_to_a_tool_is_checked_for_its_own_skill_in_every_mode() {
    let skills = skills(&[
        &named("has", true),
        &named("lacks", false),
        &standing(subject("mine", TrustTier::Local, &[]), &SkillRecords::default()),
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
fn a_skill_that_changed_after_it_was_used_permits_nothing_and_says_so() {
    // Read as it was, then changed; the owner granted shell to what it is now.
    let mut session = Activation::default();
    session.activate(SkillId { hash: Some(hash('b')), ..id("a") }, TrustTier::Community, How::Read);
    let reasons = reasons(&call("exec"), Enforcement::Active, &skills(&[&named("a", true)]), &session);
    assert_eq!(reasons[0].message, "the skill a changed or went away after it was used here; it lacks shell");
    assert_eq!(reasons[0].remedy.as_deref(), Some("/new"));
}

/// How a skill stands whose folder has these bytes, after what the owner chose.
fn trusted(natural: TrustTier, digit: char, choice: Option<TrustChoice>) -> Standing {
    let trust = choice.map(|choice| ("a".to_owned(), choice)).into_iter().collect();
    let subject = Subject { hash: Some(hash(digit)), ..subject("a", natural, &[]) };
    standing(subject, &SkillRecords { trust, ..SkillRecords::default() })
}

#[test]
fn a_say_ends_when_the_owner_trusts_these_bytes_and_not_when_a_trusted_copy_takes_the_name() {
    let raised = |digit| Some(TrustChoice { tier: TrustTier::Local, hash: Some(hash(digit)) });
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
fn a_command_is_that_of_the_skill_it_names_with_the_bytes_it_had() {
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
fn what_is_asked_for_is_confirmed_with_its_limits_and_the_rest_is_granted() {
    let asks = subject("my skill", TrustTier::Community, &[Capability::Shell]);
    let of = |pin: Option<Pinned>| pin.map(|pin| ("my skill".to_owned(), pin)).into_iter().collect();
    let table = [
        (None, None, "tarsus skills enable 'my skill'", "it asks for it, and nobody has confirmed that"),
        (
            Some(pinned('b', &[Capability::Shell])),
            None,
            "tarsus skills enable 'my skill'",
            "it changed since it was last shown",
        ),
        (
            Some(pinned('b', &[])),
            None,
            "tarsus skills enable 'my skill'",
            "it asks for more than when it was last shown",
        ),
        (
            None,
            Some(pinned('b', &[Capability::Shell])),
            "tarsus skills grant 'my skill' shell",
            "it changed after this was granted",
        ),
    ];
    for (seen, granted, command, why) in table {
        let records = SkillRecords { seen: of(seen), grants: of(granted), ..SkillRecords::default() };
        let snapshot = skills(&[&standing(asks.clone(), &records)]);
        let session = active(&["my skill"]);
        let [reason] = &reasons(&call("exec"), Enforcement::Active, &snapshot, &session)[..] else {
            panic!("one reason");
        };
        assert_eq!(reason.remedy.as_deref(), Some(command));
        assert_eq!(reason.message, format!("the skill my skill lacks shell: {why}"));
    }
}

#[test]
fn of_many_loaded_skills_the_one_is_named_that_comes_nearest() {
    let asks =
        standing(subject("z-asks", TrustTier::Community, &[Capability::Shell]), &SkillRecords::default());
    let snapshot = skills(&[&named("a", false), &asks]);
    let [reason] = &reasons(&call("exec"), Enforcement::Loaded, &snapshot, &Activation::default())[..] else {
        panic!("one reason");
    };
    assert_eq!(
        reason.message,
        "no community skill here has shell for this: a, z-asks; of z-asks: it asks for it, and nobody has confirmed that"
    );
    assert_eq!(reason.skill.as_deref(), Some("z-asks"));
    assert_eq!(reason.remedy.as_deref(), Some("tarsus skills enable z-asks"));
}

#[test]
fn with_enforcement_off_every_refusal_is_kept_as_one_that_does_not_count() {
    let snapshot = skills(&[&named("a", false), &named("b", false)]);
    let session = active(&["a", "b"]);
    let judgement = judge(&call("exec"), &context(Enforcement::Off, &snapshot, &session));
    assert_eq!((judgement.verdict, judgement.bypassed), (Verdict::Allow, true));
    let kept: Vec<_> = judgement.reasons.iter().filter_map(|reason| reason.skill.as_deref()).collect();
    assert_eq!(kept, ["a", "b"]);
}

#[test]
fn less_trust_counts_at_once_for_a_skill_that_was_used_before() {
    let mut session = Activation::default();
    session.activate(id("mine"), TrustTier::Local, How::Read);
    let stand = |trust: &[(&str, TrustTier)]| {
        let choice = |tier| TrustChoice { tier, hash: None };
        let trust = trust.iter().map(|(name, tier)| ((*name).to_owned(), choice(*tier))).collect();
        standing(subject("mine", TrustTier::Local, &[]), &SkillRecords { trust, ..SkillRecords::default() })
    };
    let trusted = skills(&[&stand(&[])]);
    assert!(reasons(&call("exec"), Enforcement::Active, &trusted, &session).is_empty());
    let lowered = skills(&[&stand(&[("mine", TrustTier::Community)])]);
    assert_eq!(reasons(&call("exec"), Enforcement::Active, &lowered, &session).len(), 1);
}

#[test]
fn limits_hold_for_a_declaration_and_a_grant_lifts_them() {
    let mut limited = subject("a", TrustTier::Community, &[]);
    limited.declared = tarsus_guard::Declared::read(Some(&serde_json::json!(
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
        let facts = tarsus_guard::Facts { programs: Some(vec![program(name)]), ..Default::default() };
        Call { facts, ..call("exec") }
    };
    let why = |call: &Call, records: &SkillRecords| {
        let skills = skills(&[&standing(limited.clone(), records)]);
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
fn the_policy_of_a_snapshot_names_tools_and_those_who_stand_in_the_way() {
    let snapshot = skills(&[
        &named("has", true),
        &named("lacks", false),
        &standing(subject("mine", TrustTier::Local, &[]), &SkillRecords::default()),
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
    let many: Skills = (0..25).map(|number| named(&format!("s{number:02}"), false)).collect();
    let because = &many.policy(Enforcement::Active).because["exec"];
    assert_eq!((because.len(), because[0].as_str(), because[20].as_str()), (21, "s00", "and 5 more"));
    let hostile = skills(&[&named("a\u{1b}[31mb\u{202e}c", false)]);
    assert_eq!(hostile.policy(Enforcement::Active).because["exec"], ["abc"]);
    for quiet in [snapshot.policy(Enforcement::Off), Skills::default().policy(Enforcement::Active)] {
        assert_eq!((quiet.denied.len(), quiet.gated.len(), quiet.because.len()), (0, 0, 0));
    }
}

#[test]
fn keys_of_skills_without_a_say_stay_away_while_a_community_skill_has_one() {
    let mine = standing(subject("mine", TrustTier::Local, &[]), &SkillRecords::default());
    let snapshot = skills(&[&named("a", false), &named("b", false), &mine]);
    let may = |session: &Activation| ["a", "b", "mine"].map(|name| snapshot.may_have_keys(name, session));
    assert_eq!(may(&Activation::default()), [true, true, true]);
    assert_eq!(may(&active(&["a"])), [true, false, false]);
    assert_eq!(may(&Activation::unknown()), [false, false, false]);
    let mut session = Activation::default();
    session.activate(id("mine"), TrustTier::Local, How::Read);
    assert_eq!(may(&session), [true, true, true]);
    session.join(&active(&["b"]));
    assert_eq!(may(&session), [false, true, true]);
    // A new skill of the name of one that had a say is not that skill.
    let other = skills(&[&trusted(TrustTier::Local, 'b', None), &named("b", false)]);
    assert!(!other.may_have_keys("a", &active(&["a"])));
    let copy = skills(&[&trusted(TrustTier::Local, 'a', None), &named("b", false)]);
    assert!(!copy.may_have_keys("a", &active(&["a"])));
}
