//! Proposals of an agent: shown to the person, and saved only if the person confirms at once.

use std::collections::BTreeSet;

use tarsus_apps::conversation::{
    Conversation, ConversationReply, Effect, EntryAction, Language, Notice, ProposedChange, Screen,
    StepContext, propose,
};
use tarsus_apps::{AppMode, AppPatch, UnreadableRegistry};
use tarsus_protocol::rpc::FieldChange;
use tarsus_protocol::{ErrorCode, Problem};

use super::fixture::{Fixture, MIXED, SHOWN};

fn proposed(action: EntryAction, name: &str) -> ProposedChange {
    ProposedChange { action, name: name.to_owned(), patch: AppPatch::default() }
}

/// Proposes in the conversation as it stands; what is proposed is kept there.
fn put(
    fixture: &mut Fixture,
    change: ProposedChange,
    missing: &[&str],
) -> Result<ConversationReply, Problem> {
    let loaded = fixture.registry.load().map_err(UnreadableRegistry::from);
    let context = StepContext {
        registry: loaded.as_ref(),
        path: SHOWN,
        running: &BTreeSet::new(),
        agent: "main",
        person: true,
        model: true,
        locale: Language::English,
        typed_path: None,
    };
    let missing = missing.iter().map(|path| (*path).to_owned()).collect();
    let (conversation, reply) = propose(&fixture.conversation, change, missing, fixture.at_ms, &context)?;
    // It survives a restart.
    let kept = serde_json::to_value(&conversation).unwrap();
    assert_eq!(serde_json::from_value::<Conversation>(kept).unwrap(), conversation);
    fixture.conversation = conversation;
    Ok(reply)
}

fn off() -> ProposedChange {
    let patch = AppPatch { mode: Some(AppMode::Off), ..AppPatch::default() };
    ProposedChange { patch, ..proposed(EntryAction::Policy, "firefox") }
}

#[test]
fn confirmation_saves_the_proposal_and_ends_the_conversation() {
    let mut fixture = Fixture::with(MIXED);
    let reply = put(&mut fixture, off(), &["/gone"]).unwrap();
    assert_eq!(reply.notices, [Notice::PathMissing { path: "/gone".to_owned() }]);
    let Some(Screen::Proposal { action: EntryAction::Policy, before: Some(before), after: Some(after) }) =
        reply.screen
    else {
        panic!("{reply:?}")
    };
    assert_eq!((before.mode, after.mode), (Some(AppMode::Full), Some(AppMode::Off)));
    let before = fixture.file();
    let transition = fixture.say("yes");
    assert_eq!(
        transition.reply.notices,
        [Notice::Saved { action: EntryAction::Policy, name: "Firefox".to_owned() }]
    );
    assert!(!fixture.conversation.is_open() && transition.reply.screen.is_none());
    assert_ne!(fixture.file(), before);
}

#[test]
fn other_answer_to_a_proposal_saves_nothing() {
    for (line, notices, passed_on) in [
        ("no", vec![Notice::NotSaved { action: EntryAction::Policy }], false),
        ("back", vec![Notice::NotSaved { action: EntryAction::Policy }], false),
        ("quit", vec![Notice::Goodbye], false),
        ("what would that do?", vec![], true),
        ("yes, but why?", vec![], true),
    ] {
        let mut fixture = Fixture::with(MIXED);
        fixture.model = true;
        put(&mut fixture, off(), &[]).unwrap();
        let transition = fixture.say(line);
        assert_eq!(
            (transition.reply.notices, transition.effect == Effect::PassOn),
            (notices, passed_on),
            "{line}"
        );
        assert!(!fixture.conversation.is_open(), "{line}");
        assert_eq!(fixture.file(), MIXED, "{line}");
        fixture.say("yes");
        assert_eq!(fixture.file(), MIXED, "a late yes is a yes to something else");
    }
}

#[test]
fn stale_proposal_is_shown_again() {
    let mut fixture = Fixture::with(MIXED);
    put(&mut fixture, off(), &[]).unwrap();
    fixture.write(&MIXED.replace("/usr/bin/firefox", "/opt/firefox"));
    let transition = fixture.say("yes");
    assert_eq!(transition.reply.notices, [Notice::ChangedMeanwhile]);
    assert!(matches!(transition.reply.screen, Some(Screen::Proposal { .. })));
    fixture.say("yes");
    assert!(!fixture.conversation.is_open() && fixture.file().contains("/opt/firefox"));
}

#[test]
fn proposal_is_refused_while_a_question_is_open() {
    let mut fixture = Fixture::with(MIXED);
    fixture.open();
    put(&mut fixture, off(), &[]).unwrap();
    let busy = put(&mut fixture, proposed(EntryAction::Delete, "Steam"), &[]).unwrap_err();
    assert_eq!(busy.code, ErrorCode::Busy);
    // Nobody has answered for so long that nobody will.
    fixture.at_ms += 16 * 60 * 1_000;
    put(&mut fixture, proposed(EntryAction::Delete, "Steam"), &[]).unwrap();
}

#[test]
fn stored_state_without_menu_flag_is_from_the_menu() {
    let mut fixture = Fixture::with(MIXED);
    fixture.open();
    for line in ["policy", "2", "3"] {
        fixture.say(line);
    }
    let mut kept = serde_json::to_value(&fixture.conversation).unwrap();
    assert_eq!(kept["step"].as_object_mut().unwrap().remove("menu"), Some(true.into()));
    assert_eq!(serde_json::from_value::<Conversation>(kept).unwrap(), fixture.conversation);
}

#[test]
fn cleared_value_is_removed() {
    let mut fixture = Fixture::with(MIXED);
    let patch = AppPatch { process_name: Some(FieldChange::Clear), ..AppPatch::default() };
    put(&mut fixture, ProposedChange { patch, ..proposed(EntryAction::Edit, "Firefox") }, &[]).unwrap();
    fixture.say("yes");
    assert!(!fixture.file().contains(r#""process_name": "firefox""#), "{}", fixture.file());
}
