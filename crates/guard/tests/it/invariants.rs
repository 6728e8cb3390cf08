//! Laws of deciding about a call, for any skills, owner decisions and session.

use std::collections::BTreeSet;

use crate::fixture::{call, context, hash, pinned};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use tarsus_guard::{
    Activation, ActivationCause, Call, CallContext, CallDigest, CallFacts, DeclaredCapabilities,
    PolicyVerdict, Program, SkillId, SkillPermissions, SkillSet, SkillSubject, ToolId, ToolTier, decide,
};
use tarsus_home::settings::{Enforcement, SkillRecordChange, SkillRecords};
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
    facts: CallFacts,
}

/// A skill as it is on disk.
#[derive(Debug, Clone)]
struct Skill {
    name: &'static str,
    natural: TrustTier,
    asks: Vec<Capability>,
    /// Whether it declares limits.
    limited: bool,
    /// Its folder; rarely unknown.
    folder: Option<char>,
}

impl Skill {
    fn subject(&self) -> SkillSubject {
        let constraints = json!({
            "mode": "restricted", "allow": ["git"], "hosts": ["a.org"], "paths": ["out"], "maxDepth": 1,
        });
        let constraints = if self.limited { constraints } else { json!({}) };
        let entry = |capability: &Capability| json!({"type": capability.name(), "constraints": constraints});
        let declared: Vec<Value> = self.asks.iter().map(entry).collect();
        SkillSubject {
            name: self.name.to_owned(),
            natural: self.natural,
            hash: self.folder.map(hash),
            declared: DeclaredCapabilities::parse(Some(&declared.into())),
            critical: BTreeSet::new(),
        }
    }
}

impl World {
    fn verdict(&self) -> Verdict {
        let stand = |skill: &Skill| SkillPermissions::resolve(skill.subject(), &self.records);
        let skills: SkillSet = self.snapshot.iter().map(stand).collect();
        let (dispatched_by, facts) = (self.dispatched_by.clone(), self.facts.clone());
        let call = Call { dispatched_by, facts, ..call(self.tool) };
        let decision = decide(&call, &context(self.mode, &skills, &self.active));
        for reason in decision.reasons.iter().filter(|reason| reason.verdict == Verdict::Deny) {
            assert_eq!(reason.inspector, Inspector::Capabilities);
            assert!(reason.skill.is_some(), "{reason:?}");
            let needs =
                ToolId::from_name(self.tool).is_some_and(|tool| matches!(tool.tier(), ToolTier::Needs(_)));
            assert_eq!(reason.capability.is_some(), needs, "{reason:?}");
        }
        decision.verdict
    }

    /// Returns a copy with one skill of the snapshot changed, or removed if `change` returns `None`.
    fn with(&self, name: &str, change: impl Fn(Skill) -> Option<Skill>) -> Self {
        let changed = |skill: &Skill| {
            if skill.name == name { change(skill.clone()) } else { Some(skill.clone()) }
        };
        Self { snapshot: self.snapshot.iter().filter_map(changed).collect(), ..self.clone() }
    }

    /// Whether a skill was activated as a community skill.
    fn was_active_community(&self, name: &str) -> bool {
        self.active.skills().any(|(id, skill)| id.name == name && skill.tier == TrustTier::Community)
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

fn activated() -> impl Strategy<Value = (SkillId, TrustTier)> {
    (id(), select(vec![TrustTier::Community, TrustTier::Community, TrustTier::Local]))
}

fn trust() -> impl Strategy<Value = std::collections::BTreeMap<String, TrustChoice>> {
    let choice = (select(TrustTier::ALL.to_vec()), prop::option::of(select(vec!['a', 'a', 'b'])));
    let choice = choice.prop_map(|(tier, digit)| TrustChoice { tier, hash: digit.map(hash), accepted: None });
    prop::collection::btree_map(select(NAMES.to_vec()).prop_map(str::to_owned), choice, 0..3)
}

fn facts() -> impl Strategy<Value = CallFacts> {
    let program = |name: &str| Program { written: name.into(), path: format!("/usr/bin/{name}").into() };
    let known = |name: &str, host: &str, path: &str, depth| CallFacts {
        programs: Some(vec![program(name)]),
        hosts: Some(vec![host.into()]),
        provider: None,
        paths: Some(vec![path.into()]),
        depth: Some(depth),
        ..CallFacts::default()
    };
    let within = known("git", "a.org", "/w/out/x", 1);
    select(vec![CallFacts::default(), within, known("rm", "evil.test", "/etc/x", 5)])
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
    let active = prop::collection::vec(activated(), 0..3).prop_map(|all| {
        let mut active = Activation::default();
        all.into_iter().for_each(|(skill, tier)| active.activate(skill, tier, ActivationCause::Read));
        active
    });
    let tools: Vec<&str> = ToolId::ALL.iter().map(|tool| tool.name()).chain(["mcp__anything"]).collect();
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

fn policy_verdict() -> impl Strategy<Value = PolicyVerdict> {
    select(vec![PolicyVerdict::allow("yes"), PolicyVerdict::ask("perhaps"), PolicyVerdict::deny("no")])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_more_active_skill_never_permits_more(world in world(), (skill, tier) in activated(), unknown in any::<bool>()) {
        let before = world.verdict();
        let mut more = world;
        more.active.activate(skill, tier, ActivationCause::Touched);
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
        let revoke = SkillRecordChange::Revoke { name: name.to_owned(), capabilities };
        let less = World { records: world.records.clone().after(&revoke), ..world.clone() };
        prop_assert!(less.verdict() >= before, "{less:?}");
        let mut unseen = world.clone();
        unseen.records.seen.remove(name);
        prop_assert!(unseen.verdict() >= before, "{unseen:?}");
    }

    /// In the mode `active`, no change of a folder permits more, whatever decisions exist.
    #[test]
    fn a_changed_folder_never_permits_more(world in world(), name in select(NAMES.to_vec())) {
        let world = World { mode: Enforcement::Active, dispatched_by: None, ..world };
        let before = world.verdict();
        let changed = world.with(name, |skill| Some(Skill { folder: Some('f'), ..skill }));
        prop_assert!(changed.verdict() >= before, "{changed:?}");
        let unreadable = world.with(name, |skill| Some(Skill { folder: None, ..skill }));
        prop_assert!(unreadable.verdict() >= before, "{unreadable:?}");
    }

    /// An active community skill restricts calls even after it is removed or a trusted folder takes its name.
    #[test]
    fn activation_outlasts_its_skill(world in world(), name in select(NAMES.to_vec()), local in any::<bool>(), folder in select(vec!['a', 'b'])) {
        let mut world = World { mode: Enforcement::Active, dispatched_by: None, ..world };
        world.active.activate(SkillId { name: name.to_owned(), hash: Some(hash('a')) }, TrustTier::Community, ActivationCause::Read);
        world.records.trust.remove(name);
        prop_assert!(world.was_active_community(name));
        let before = world.with(name, |skill| Some(Skill { natural: TrustTier::Community, ..skill }));
        let natural = if local { TrustTier::Local } else { TrustTier::Builtin };
        let covered = before.with(name, |skill| Some(Skill { natural, folder: Some(folder), ..skill }));
        let gone = before.with(name, |_| None);
        let denied = matches!(ToolId::from_name(before.tool).map(ToolId::tier), Some(ToolTier::Denied));
        for later in [covered, gone] {
            prop_assert!(later.verdict() >= before.verdict(), "{later:?}");
            prop_assert!(!denied || later.verdict() == Verdict::Deny, "{later:?}");
        }
    }

    /// Declared limits never permit more.
    #[test]
    fn limits_never_permit_more(world in world(), name in select(NAMES.to_vec())) {
        let free = world.with(name, |skill| Some(Skill { limited: false, ..skill }));
        let limited = world.with(name, |skill| Some(Skill { limited: true, ..skill }));
        prop_assert!(limited.verdict() >= free.verdict(), "{limited:?}");
    }

    /// Only the order of object members is ignored.
    #[test]
    fn digest_identifies_equal_calls(one in arguments(), other in arguments()) {
        let turned = turned(&one);
        prop_assert_eq!(CallDigest::new("exec", &one), CallDigest::new("exec", &turned));
        prop_assert_eq!(CallDigest::new("exec", &one) == CallDigest::new("exec", &other), one == other);
        prop_assert_ne!(CallDigest::new("exec", &one), CallDigest::new("execs", &one));
    }

    #[test]
    fn strictest_verdict_wins_and_reasons_are_kept(
        policy in policy_verdict(),
        app_policy in prop::option::of(policy_verdict()),
        repeated in 0_usize..25,
        tool in select(vec!["app_launch", "app_stop", "read"]),
    ) {
        let recent = vec![CallDigest::new(tool, &call(tool).arguments); repeated];
        let (skills, active) = (SkillSet::default(), Activation::default());
        let context = CallContext {
            tool_policy: policy.clone(),
            app_policy: app_policy.clone(),
            recent: &recent,
            ..context(Enforcement::Active, &skills, &active)
        };
        let decision = decide(&call(tool), &context);
        let no = Some(PolicyVerdict::deny("the policy gave no verdict"));
        let app_policy = if tool.starts_with("app_") { app_policy.or(no) } else { app_policy };
        let again = match repeated {
            0..10 => None,
            10..20 => Some(Verdict::Ask),
            _ => Some(Verdict::Deny),
        };
        let given = [Some(policy), app_policy].into_iter().flatten();
        let mut verdicts: Vec<Verdict> = given.map(|given| given.verdict).chain(again).chain([Verdict::Allow]).collect();
        verdicts.sort_by(|one, other| other.cmp(one));
        let kept: Vec<Verdict> = decision.reasons.iter().map(|reason| reason.verdict).collect();
        prop_assert_eq!(decision.verdict, verdicts[0]);
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

/// Reverses the members of every object.
fn turned(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(turned).collect(),
        Value::Object(members) => {
            members.iter().rev().map(|(key, value)| (key.clone(), turned(value))).collect()
        }
        other => other.clone(),
    }
}
