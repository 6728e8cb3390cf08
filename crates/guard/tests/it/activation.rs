//! Active skills, joined and stored.

use crate::fixture::{active, hash, id};
use proptest::prelude::*;
use tarsus_guard::{Activation, ActivationCause, MAX_ACTIVE_SKILLS, SkillId};
use tarsus_protocol::capability::TrustTier;

#[test]
fn activation_keeps_hash_and_every_cause() {
    let mut session = Activation::default();
    assert!(session.is_empty());
    session.activate(id("a"), TrustTier::Community, ActivationCause::Named);
    session.activate(id("a"), TrustTier::Community, ActivationCause::Read);
    session.activate(
        SkillId { hash: Some(hash('b')), ..id("a") },
        TrustTier::Community,
        ActivationCause::Read,
    );
    // The bytes of one's own skills do not matter.
    session.activate(id("mine"), TrustTier::Local, ActivationCause::Command);
    let text = serde_json::to_string(&session).unwrap();
    let expected = serde_json::json!({"skills": [
        {"name": "a", "hash": hash('a'), "tier": "community", "how": ["read", "named"]},
        {"name": "a", "hash": hash('b'), "tier": "community", "how": ["read"]},
        {"name": "mine", "tier": "local", "how": ["command"]},
    ]});
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), expected);
    assert_eq!(Activation::parse(&text), session);
}

#[test]
fn unparsable_activation_is_unknown() {
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
        let read = Activation::parse(text);
        assert!(read.has_unknown() && !read.is_empty(), "{text}");
    }
    assert!(Activation::parse("{\"skills\":[]}").is_empty());
    let unknown = Activation::unknown();
    assert_eq!(Activation::parse(&serde_json::to_string(&unknown).unwrap()), unknown);
}

#[test]
fn activation_overflow_marks_unknown_skills() {
    let names: Vec<String> = (0..=MAX_ACTIVE_SKILLS).map(|number| format!("skill-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let all = active(&names);
    assert_eq!((all.skills().count(), all.has_unknown()), (MAX_ACTIVE_SKILLS, true));
    let fitting = active(&names[1..]);
    assert_eq!((fitting.skills().count(), fitting.has_unknown()), (MAX_ACTIVE_SKILLS, false));
}

fn activation() -> impl Strategy<Value = Activation> {
    let tiers = prop::sample::select(TrustTier::ALL.to_vec());
    let hows = prop::sample::select(vec![
        ActivationCause::Read,
        ActivationCause::Command,
        ActivationCause::Named,
        ActivationCause::Dispatched,
        ActivationCause::Touched,
    ]);
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

    /// Activations may be joined in any order and repeatedly.
    #[test]
    fn join_is_commutative_and_lossless(a in activation(), b in activation(), c in activation()) {
        prop_assert_eq!(joined(&a, &b), joined(&b, &a));
        prop_assert_eq!(joined(&joined(&a, &b), &c), joined(&a, &joined(&b, &c)));
        prop_assert_eq!(joined(&a, &a), a.clone());
        prop_assert_eq!(joined(&a, &Activation::default()), a.clone());
        let both = joined(&a, &b);
        for one in [&a, &b] {
            prop_assert!(both.has_unknown() || !one.has_unknown());
            for (id, skill) in one.skills() {
                let (_, kept) = both.skills().find(|(other, _)| *other == id).unwrap();
                prop_assert!(kept.tier <= skill.tier && kept.causes.is_superset(&skill.causes));
            }
        }
    }

    #[test]
    fn stored_activation_round_trips(activation in activation()) {
        let text = serde_json::to_string(&activation).unwrap();
        prop_assert_eq!(Activation::parse(&text), activation);
    }
}
