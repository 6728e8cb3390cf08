//! Which skills have had a say, and how that travels.
#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod scene;

use proptest::prelude::*;
use scene::{active, hash, id};
use tarsus_guard::{Activation, How, MOST_ACTIVE, SkillId};
use tarsus_protocol::capability::TrustTier;

#[test]
fn a_say_is_kept_with_its_bytes_and_every_way_it_came_about() {
    let mut session = Activation::default();
    assert!(session.is_empty());
    session.activate(id("a"), TrustTier::Community, How::Named);
    session.activate(id("a"), TrustTier::Community, How::Read);
    session.activate(SkillId { hash: Some(hash('b')), ..id("a") }, TrustTier::Community, How::Read);
    // The bytes of one's own skills do not matter.
    session.activate(id("mine"), TrustTier::Local, How::Command);
    let text = serde_json::to_string(&session).unwrap();
    let expected = serde_json::json!({"skills": [
        {"name": "a", "hash": hash('a'), "tier": "community", "how": ["read", "named"]},
        {"name": "a", "hash": hash('b'), "tier": "community", "how": ["read"]},
        {"name": "mine", "tier": "local", "how": ["command"]},
    ]});
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), expected);
    assert_eq!(Activation::read(&text), session);
}

#[test]
fn what_cannot_be_read_back_is_an_unknown_skill_and_never_none() {
    for text in [
        "",
        "null",
        "[]",
        "{}",
        "{\"skills\":[],\"more\":1}",
        "{\"skills\":1}",
        "{\"skills\":[{\"name\":\"a\"}]}",
        "{",
    ] {
        let read = Activation::read(text);
        assert!(read.has_unknown() && !read.is_empty(), "{text}");
    }
    assert!(Activation::read("{\"skills\":[]}").is_empty());
    let unknown = Activation::unknown();
    assert_eq!(Activation::read(&serde_json::to_string(&unknown).unwrap()), unknown);
}

#[test]
fn more_skills_than_are_told_apart_are_not_forgotten() {
    let names: Vec<String> = (0..=MOST_ACTIVE).map(|number| format!("skill-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let all = active(&names);
    assert_eq!((all.skills().count(), all.has_unknown()), (MOST_ACTIVE, true));
    let fitting = active(&names[1..]);
    assert_eq!((fitting.skills().count(), fitting.has_unknown()), (MOST_ACTIVE, false));
}

fn activation() -> impl Strategy<Value = Activation> {
    let tiers = prop::sample::select(TrustTier::ALL.to_vec());
    let hows = prop::sample::select(vec![How::Read, How::Command, How::Named, How::Dispatched, How::Touched]);
    let hashes = prop::option::of(prop::sample::select(vec!['a', 'b']));
    let skill = ("[a-d]", hashes, tiers, hows);
    (prop::collection::vec(skill, 0..6), prop::bool::weighted(0.1)).prop_map(|(skills, others)| {
        let mut activation = if others { Activation::unknown() } else { Activation::default() };
        for (name, digit, tier, how) in skills {
            activation.activate(SkillId { name, hash: digit.map(hash) }, tier, how);
        }
        activation
    })
}

fn joined(one: &Activation, other: &Activation) -> Activation {
    let mut both = one.clone();
    both.join(other);
    both
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Session, job, note and child may be joined in any order, as often as one likes.
    #[test]
    fn joining_loses_nothing_and_has_no_order(a in activation(), b in activation(), c in activation()) {
        prop_assert_eq!(joined(&a, &b), joined(&b, &a));
        prop_assert_eq!(joined(&joined(&a, &b), &c), joined(&a, &joined(&b, &c)));
        prop_assert_eq!(joined(&a, &a), a.clone());
        prop_assert_eq!(joined(&a, &Activation::default()), a.clone());
        let both = joined(&a, &b);
        for one in [&a, &b] {
            prop_assert!(both.has_unknown() || !one.has_unknown());
            for (skill, say) in one.skills() {
                let (_, kept) = both.skills().find(|(other, _)| *other == skill).unwrap();
                prop_assert!(kept.tier <= say.tier && kept.how.is_superset(&say.how));
            }
        }
    }

    #[test]
    fn what_is_stored_is_read_back_the_same(activation in activation()) {
        let text = serde_json::to_string(&activation).unwrap();
        prop_assert_eq!(Activation::read(&text), activation);
    }
}
