//! Laws of judging a call, whatever the skills, the decisions and the session are.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod scene;

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use scene::{call, context, hash, pinned};
use serde_json::{Value, json};
use tarsus_guard::{
    Activation, Call, CallDigest, Context, Declared, Facts, How, Program, Said, SkillId, Skills, Subject,
    Tier, Tool, judge, standing,
};
use tarsus_home::settings::{Change, Enforcement, SkillRecords};
use tarsus_protocol::authorize::{Inspector, Verdict};
use tarsus_protocol::capability::{Capability, TrustTier};
use tarsus_protocol::grants::{Pinned, TrustChoice};

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A snapshot before the owner's decisions, the decisions, a session, a mode and a tool.
#[derive(Debug, Clone)]
struct World {
    snapshot: Vec<Skill>,
    records: SkillRecords,
    active: Activation,
    mode: Enforcement,
    tool: &'static str,
    dispatched_by: Option<SkillId>,
    facts: Facts,
}

/// A skill as it is on disk.
#[derive(Debug, Clone)]
struct Skill {
    name: &'static str,
    natural: TrustTier,
    asks: Vec<Capability>,
    /// Whether it puts limits on what it asks for.
    limited: bool,
    /// Its folder; seldom not known.
    folder: Option<char>,
}

impl Skill {
    fn subject(&self) -> Subject {
        let constraints = json!({
            "mode": "restricted", "allow": ["git"], "hosts": ["a.org"], "paths": ["out"], "maxDepth": 1,
        });
        let constraints = if self.limited { constraints } else { json!({}) };
        let entry = |capability: &Capability| json!({"type": capability.name(), "constraints": constraints});
        let declared: Vec<Value> = self.asks.iter().map(entry).collect();
        Subject {
            name: self.name.to_owned(),
            natural: self.natural,
            hash: self.folder.map(hash),
            declared: Declared::read(Some(&declared.into())),
        }
    }
}

impl World {
    fn verdict(&self) -> Verdict {
        let stand = |skill: &Skill| standing(skill.subject(), &self.records);
        let skills: Skills = self.snapshot.iter().map(stand).collect();
        let (dispatched_by, facts) = (self.dispatched_by.clone(), self.facts.clone());
        let call = Call { dispatched_by, facts, ..call(self.tool) };
        let judgement = judge(&call, &context(self.mode, &skills, &self.active));
        for reason in judgement.reasons.iter().filter(|reason| reason.verdict == Verdict::Deny) {
            assert_eq!(reason.inspector, Inspector::Capabilities);
            assert!(reason.skill.is_some(), "{reason:?}");
            let needs = Tool::named(self.tool).is_some_and(|tool| matches!(tool.tier(), Tier::Needs(_)));
            assert_eq!(reason.capability.is_some(), needs, "{reason:?}");
        }
        judgement.verdict
    }

    /// The same with one skill of the snapshot as `change` leaves it; `None` takes it out.
    fn with(&self, name: &str, change: impl Fn(Skill) -> Option<Skill>) -> Self {
        let changed = |skill: &Skill| {
            if skill.name == name { change(skill.clone()) } else { Some(skill.clone()) }
        };
        Self { snapshot: self.snapshot.iter().filter_map(changed).collect(), ..self.clone() }
    }

    /// Whether a skill was a community skill when it got its say.
    fn had_a_say(&self, name: &str) -> bool {
        self.active.skills().any(|(skill, say)| skill.name == name && say.tier == TrustTier::Community)
    }
}

fn capabilities() -> impl Strategy<Value = Vec<Capability>> {
    subsequence(Capability::ALL.to_vec(), 0..=7)
}

fn pins() -> impl Strategy<Value = std::collections::BTreeMap<String, Pinned>> {
    let pin = (select(vec!['a', 'a', 'b']), capabilities()).prop_map(|(digit, held)| pinned(digit, &held));
    prop::collection::btree_map(select(NAMES.to_vec()).prop_map(str::to_owned), pin, 0..4)
}

fn id() -> impl Strategy<Value = SkillId> {
    let id = (select(NAMES.to_vec()), prop::option::weighted(0.9, select(vec!['a', 'a', 'a', 'b'])));
    id.prop_map(|(name, digit)| SkillId { name: name.to_owned(), hash: digit.map(hash) })
}

fn say() -> impl Strategy<Value = (SkillId, TrustTier)> {
    (id(), select(vec![TrustTier::Community, TrustTier::Community, TrustTier::Local]))
}

fn trust() -> impl Strategy<Value = std::collections::BTreeMap<String, TrustChoice>> {
    let choice = (select(TrustTier::ALL.to_vec()), prop::option::of(select(vec!['a', 'a', 'b'])));
    let choice = choice.prop_map(|(tier, digit)| TrustChoice { tier, hash: digit.map(hash) });
    prop::collection::btree_map(select(NAMES.to_vec()).prop_map(str::to_owned), choice, 0..3)
}

fn facts() -> impl Strategy<Value = Facts> {
    let program = |name: &str| Program { written: name.into(), path: format!("/usr/bin/{name}").into() };
    let known = |name: &str, host: &str, path: &str, depth| Facts {
        programs: Some(vec![program(name)]),
        hosts: Some(vec![host.into()]),
        provider: None,
        paths: Some(vec![path.into()]),
        depth: Some(depth),
    };
    let within = known("git", "a.org", "/w/out/x", 1);
    select(vec![Facts::default(), within, known("rm", "evil.test", "/etc/x", 5)])
}

fn skill(name: &'static str) -> impl Strategy<Value = Option<Skill>> {
    let folder = select(vec![Some('a'), Some('a'), Some('a'), Some('b'), None]);
    let skill = (select(TrustTier::ALL.to_vec()), capabilities(), any::<bool>(), folder);
    let skill = skill.prop_map(move |(natural, asks, limited, folder)| Skill {
        name,
        natural,
        asks,
        limited,
        folder,
    });
    prop::option::weighted(0.7, skill)
}

fn world() -> impl Strategy<Value = World> {
    let snapshot = NAMES.map(skill).prop_map(|skills| skills.into_iter().flatten().collect());
    let records = (trust(), pins(), pins()).prop_map(|(trust, grants, seen)| SkillRecords {
        trust,
        grants,
        seen,
        ..SkillRecords::default()
    });
    let active = prop::collection::vec(say(), 0..3).prop_map(|says| {
        let mut active = Activation::default();
        says.into_iter().for_each(|(skill, tier)| active.activate(skill, tier, How::Read));
        active
    });
    let tools: Vec<&str> = Tool::ALL.iter().map(|tool| tool.name()).chain(["mcp__anything"]).collect();
    let call = (select(tools), prop::option::weighted(0.3, id()), facts());
    (snapshot, records, active, select(Enforcement::ALL.to_vec()), call).prop_map(
        |(snapshot, records, active, mode, (tool, dispatched_by, facts))| World {
            snapshot,
            records,
            active,
            mode,
            tool,
            dispatched_by,
            facts,
        },
    )
}

fn said() -> impl Strategy<Value = Said> {
    select(vec![Said::allow("yes"), Said::ask("perhaps"), Said::deny("no")])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_more_active_skill_never_permits_more(world in world(), (skill, tier) in say(), unknown in any::<bool>()) {
        let before = world.verdict();
        let mut more = world;
        more.active.activate(skill, tier, How::Touched);
        prop_assert!(more.verdict() >= before, "{more:?}");
        if unknown {
            let before = more.verdict();
            more.active.join(&Activation::unknown());
            prop_assert!(more.verdict() >= before, "{more:?}");
        }
    }

    #[test]
    fn one_grant_less_never_permits_more(
        world in world(),
        name in select(NAMES.to_vec()),
        capabilities in capabilities(),
    ) {
        let before = world.verdict();
        let capabilities: BTreeSet<Capability> = capabilities.into_iter().collect();
        let revoke = Change::Revoke { name: name.to_owned(), capabilities };
        let less = World { records: world.records.clone().after(&revoke), ..world.clone() };
        prop_assert!(less.verdict() >= before, "{less:?}");
        let mut unseen = world.clone();
        unseen.records.seen.remove(name);
        prop_assert!(unseen.verdict() >= before, "{unseen:?}");
    }

    /// In the mode `active` no change of what lies in a folder permits more, whatever was decided about it.
    #[test]
    fn a_changed_folder_never_permits_more(world in world(), name in select(NAMES.to_vec())) {
        let world = World { mode: Enforcement::Active, dispatched_by: None, ..world };
        let before = world.verdict();
        let changed = world.with(name, |skill| Some(Skill { folder: Some('f'), ..skill }));
        prop_assert!(changed.verdict() >= before, "{changed:?}");
        let unreadable = world.with(name, |skill| Some(Skill { folder: None, ..skill }));
        prop_assert!(unreadable.verdict() >= before, "{unreadable:?}");
    }

    /// What had a say as a community skill keeps it when the skill goes away, or when a folder that is trusted, with the
    /// same bytes or with others, takes its name.
    #[test]
    fn a_say_outlasts_its_skill(world in world(), name in select(NAMES.to_vec()), local in any::<bool>(), folder in select(vec!['a', 'b'])) {
        let mut world = World { mode: Enforcement::Active, dispatched_by: None, ..world };
        world.active.activate(SkillId { name: name.to_owned(), hash: Some(hash('a')) }, TrustTier::Community, How::Read);
        world.records.trust.remove(name);
        prop_assert!(world.had_a_say(name));
        let before = world.with(name, |skill| Some(Skill { natural: TrustTier::Community, ..skill }));
        let natural = if local { TrustTier::Local } else { TrustTier::Builtin };
        let covered = before.with(name, |skill| Some(Skill { natural, folder: Some(folder), ..skill }));
        let gone = before.with(name, |_| None);
        let denied = matches!(Tool::named(before.tool).map(Tool::tier), Some(Tier::Denied));
        for later in [covered, gone] {
            // That such a tool is refused because of what is loaded ends with what is loaded; not because of a say.
            prop_assert!(later.verdict() >= before.verdict(), "{later:?}");
            prop_assert!(!denied || later.verdict() == Verdict::Deny, "{later:?}");
        }
    }

    /// What a skill puts on itself never permits it more.
    #[test]
    fn limits_never_permit_more(world in world(), name in select(NAMES.to_vec())) {
        let free = world.with(name, |skill| Some(Skill { limited: false, ..skill }));
        let limited = world.with(name, |skill| Some(Skill { limited: true, ..skill }));
        prop_assert!(limited.verdict() >= free.verdict(), "{limited:?}");
    }

    /// The order of members says nothing; everything else makes another call.
    #[test]
    fn the_same_call_has_the_same_digest_and_another_has_another(one in arguments(), other in arguments()) {
        let turned = turned(&one);
        prop_assert_eq!(CallDigest::of("exec", &one), CallDigest::of("exec", &turned));
        prop_assert_eq!(CallDigest::of("exec", &one) == CallDigest::of("exec", &other), one == other);
        prop_assert_ne!(CallDigest::of("exec", &one), CallDigest::of("execs", &one));
    }

    #[test]
    fn the_strictest_verdict_wins_and_every_reason_is_kept(
        policy in said(),
        sandbox in prop::option::of(said()),
        exec_policy in prop::option::of(said()),
        app_policy in prop::option::of(said()),
        budget in prop::option::of(said()),
        repeated in 0_usize..25,
        tool in select(vec!["exec", "process", "app_launch", "app_stop", "read"]),
    ) {
        let recent = vec![CallDigest::of(tool, &call(tool).arguments); repeated];
        let (skills, active) = (Skills::default(), Activation::default());
        let context = Context {
            tool_policy: policy.clone(),
            sandbox: sandbox.clone(),
            exec_policy: exec_policy.clone(),
            app_policy: app_policy.clone(),
            budget: budget.clone(),
            recent: &recent,
            ..context(Enforcement::Active, &skills, &active)
        };
        let judgement = judge(&call(tool), &context);
        let no = Some(Said::deny("this policy has to be asked and was not"));
        let exec_policy = if ["exec", "process"].contains(&tool) { exec_policy.or(no.clone()) } else { exec_policy };
        let app_policy = if tool.starts_with("app_") { app_policy.or(no) } else { app_policy };
        let again = match repeated {
            0..10 => None,
            10..20 => Some(Verdict::NeedsApproval),
            _ => Some(Verdict::Deny),
        };
        let said = [Some(policy), sandbox, exec_policy, app_policy, budget].into_iter().flatten();
        let mut verdicts: Vec<Verdict> = said.map(|said| said.verdict).chain(again).chain([Verdict::Allow]).collect();
        verdicts.sort_by(|one, other| other.cmp(one));
        let kept: Vec<Verdict> = judgement.reasons.iter().map(|reason| reason.verdict).collect();
        prop_assert_eq!(judgement.verdict, verdicts[0]);
        prop_assert_eq!(kept, verdicts);
    }
}

fn arguments() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0..3).prop_map(Value::from),
        "[ab]{0,2}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[ab]{0,2}", inner), 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The same with the members of every object in the opposite order.
fn turned(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(turned).collect(),
        Value::Object(members) => {
            members.iter().rev().map(|(key, value)| (key.clone(), turned(value))).collect()
        }
        other => other.clone(),
    }
}
